package sdkagent_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport/sdkagent"
)

type handler struct {
	mu      sync.Mutex
	updates []acpclient.Update
	asked   []acpclient.PermissionRequest
	answer  string
}

func (h *handler) Update(u acpclient.Update) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.updates = append(h.updates, u)
}

func (h *handler) Permission(_ context.Context, q acpclient.PermissionRequest) acpclient.PermissionAnswer {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, q)
	return acpclient.PermissionAnswer{OptionID: h.answer}
}

// serve runs the agent behind real pipes and opens a session with it.
func serve(t *testing.T, h *handler) (context.Context, *acpclient.Conn, acpclient.Session) {
	t.Helper()
	agentIn, toAgent, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromAgent, agentOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		defer agentOut.Close()
		sdkagent.Serve(agentIn, agentOut)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: fromAgent, Writer: toAgent, Handler: h,
		Noise: func(line []byte) { t.Errorf("taken for noise: %s", line) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		toAgent.Close()
		<-conn.Done()
		<-served
		if err := conn.Err(); err != nil {
			t.Errorf("the connection ended with %v", err)
		}
		cancel()
		agentIn.Close()
		fromAgent.Close()
	})
	if agent, err := conn.Initialize(ctx); err != nil || agent.Name != "sdkagent" {
		t.Fatalf("initialize: %+v, %v", agent, err)
	}
	s, err := conn.NewSession(ctx, "/work")
	if err != nil || s.CurrentMode != "ask" || len(s.Modes) != 2 || !s.HasSetMode || s.ModeOption != "" {
		t.Fatalf("session: %+v, %v", s, err)
	}
	return ctx, conn, s
}

func TestTurn(t *testing.T) {
	for _, answer := range []string{"yes", "no", ""} {
		h := &handler{answer: answer}
		ctx, conn, s := serve(t, h)
		if err := conn.SetMode(ctx, s.ID, "yolo"); err != nil {
			t.Fatal(err)
		}
		turn, err := conn.Prompt(ctx, s.ID, "read it")
		if err != nil || turn.StopReason != "end_turn" || turn.Usage.Total != 7 {
			t.Fatalf("turn: %+v, %v", turn, err)
		}
		if len(h.asked) != 1 || h.asked[0].Call.Command != "cat /etc/shadow" || h.asked[0].Interactive || len(h.asked[0].Options) != 3 {
			t.Fatalf("asked %+v", h.asked)
		}
		var text string
		var last acpclient.ToolCall
		for _, u := range h.updates {
			switch u.Kind {
			case acpclient.Message:
				text += u.Text
			case acpclient.Call:
				last = u.Call
			}
		}
		if text != "Reading. Done." || h.updates[0].Kind != acpclient.ModeChange || h.updates[0].Value != "yolo" || h.updates[1].Kind != acpclient.Thought {
			t.Errorf("text %q, updates %+v", text, h.updates)
		}
		if answer != "yes" {
			if last.Status != "failed" || last.Outputs != nil || last.Exit != nil {
				t.Errorf("after the answer %q the call ended as %+v", answer, last)
			}
			continue
		}
		if last.Exit == nil || *last.Exit != 1 || len(last.Outputs) != 1 || last.Outputs[0].Text != "cat: /etc/shadow: Permission denied" {
			t.Errorf("the call ended as %+v", last)
		}
	}
}

func TestErrorsAndCancel(t *testing.T) {
	ctx, conn, s := serve(t, &handler{})
	var e *acpclient.Error
	if err := conn.SetMode(ctx, s.ID, "bogus"); !errors.As(err, &e) || e.Code != -32602 {
		t.Errorf("an unknown mode: %v", err)
	}
	if _, err := conn.SetOption(ctx, s.ID, "model", "m"); !errors.As(err, &e) || e.Code != -32601 {
		t.Errorf("an unknown method: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() {
		if err := conn.Cancel(s.ID); err != nil {
			t.Error(err)
		}
	})
	if turn, err := conn.Prompt(ctx, s.ID, "wait"); err != nil || turn.StopReason != "cancelled" {
		t.Errorf("a cancelled turn: %+v, %v", turn, err)
	}
}

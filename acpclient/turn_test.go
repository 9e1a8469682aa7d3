package acpclient_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

func TestTurnAgainstAgentside(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	toAgent, fromClient := io.Pipe()
	toClient, fromAgent := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- agentside.Serve(ctx, toAgent, fromAgent, agentside.Agent{
			Name: "demo", Version: "1", Modes: []string{"ask", "auto"}, Models: []string{"m1", "m2"},
			Prompt: func(ctx context.Context, turn *agentside.Turn) (string, error) {
				allowed, err := turn.Ask(ctx, agentside.Call{ID: "c1", Title: "touch x", Kind: "execute", RawInput: map[string]any{"command": "touch x"}})
				if err != nil {
					return "", err
				}
				if !allowed {
					return "refusal", nil
				}
				turn.Usage(3, 4)
				return "end_turn", turn.Say("in " + turn.Mode + " with " + turn.Model + ": " + turn.Text)
			},
		})
		fromAgent.Close()
	}()
	r := &recorder{}
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: toClient, Writer: fromClient, Handler: r})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := conn.Initialize(ctx)
	if err != nil || agent.Name != "demo" {
		t.Fatalf("initialize: %+v, %v", agent, err)
	}
	s, err := conn.NewSession(ctx, "/work")
	if err != nil || len(s.Modes) != 2 || s.CurrentModel != "m1" || s.ModelOption != "model" || !s.HasSetMode {
		t.Fatalf("session: %+v, %v", s, err)
	}
	if err := conn.SetMode(ctx, s.ID, "auto"); err != nil {
		t.Fatal(err)
	}
	if changed, err := conn.SetOption(ctx, s.ID, "model", "m2"); err != nil || changed.CurrentModel != "m2" {
		t.Fatalf("model: %+v, %v", changed, err)
	}
	turn, err := conn.Prompt(ctx, s.ID, "hello")
	if err != nil || turn.StopReason != "end_turn" || turn.Usage.Total != 7 {
		t.Fatalf("turn: %+v, %v", turn, err)
	}
	last := r.updates[len(r.updates)-1]
	if last.Text != "in auto with m2: hello" || len(r.asked) != 1 || r.asked[0].Call.Command != "touch x" || r.asked[0].Interactive {
		t.Fatalf("last update %+v, asked %+v", last, r.asked)
	}
	fromClient.Close()
	<-conn.Done()
	if err := conn.Err(); err != nil {
		t.Fatalf("the agent closed its output, and the connection says %v", err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
}

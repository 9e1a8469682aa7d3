package acpclient_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// Point 20: several requests are open at once and answered in any order.
func TestPermissionsOverlap(t *testing.T) {
	hold := map[string]chan string{"c1": make(chan string), "c2": make(chan string)}
	p := connect(t, &recorder{choose: func(_ context.Context, q acpclient.PermissionRequest) acpclient.PermissionAnswer {
		return acpclient.PermissionAnswer{OptionID: <-hold[q.Call.ID]}
	}})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		p.send(askFor("0", "c1"), askFor("1", "c2"), askFor("0", "again"))
		if got := p.receive(); string(got.ID) != "0" || got.Error == nil {
			t.Errorf("an id in use was answered %s", got.raw)
		}
		hold["c2"] <- "no"
		if got := p.receive(); string(got.ID) != "1" || !strings.Contains(got.raw, `"no"`) {
			t.Errorf("the second request was answered %s", got.raw)
		}
		hold["c1"] <- "allow_once"
		if got := p.receive(); string(got.ID) != "0" || !strings.Contains(got.raw, `"allow_once"`) {
			t.Errorf("the first request was answered %s", got.raw)
		}
		p.send(askFor("0", "c1"))
		hold["c1"] <- ""
		if got := p.receive(); !strings.Contains(got.raw, `"cancelled"`) {
			t.Errorf("no option was answered %s", got.raw)
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A question withdrawn, by $/cancel_request or by our own cancel, ends the handler's context and is never allowed.
func TestPermissionWithdrawn(t *testing.T) {
	p := connect(t, &recorder{choose: func(ctx context.Context, _ acpclient.PermissionRequest) acpclient.PermissionAnswer {
		<-ctx.Done()
		return acpclient.PermissionAnswer{OptionID: "allow_once"}
	}})
	p.open()
	turn, err := p.prompt(func(m clientLine) {
		p.send(askFor(`"r"`, "c1"), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"r"}}`)
		if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
			t.Errorf("a withdrawn request was answered %s", got.raw)
		}
		p.send(askFor("1", "c2"))
		for len(asked(p.rec)) < 2 {
			time.Sleep(time.Millisecond)
		}
		if err := p.conn.Cancel("s"); err != nil {
			t.Error(err)
		}
		got := []string{p.receive().raw, p.receive().raw}
		slices.Sort(got)
		if !strings.Contains(got[0], `{"outcome":"cancelled"}`) || !strings.Contains(got[1], "session/cancel") {
			t.Errorf("after a cancel came %q", got)
		}
		p.answer(m, `{"stopReason":"cancelled"}`)
	})
	if err != nil || turn.StopReason != "cancelled" {
		t.Fatalf("%+v, %v", turn, err)
	}
}

func asked(r *recorder) []acpclient.PermissionRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// An agent cannot have more than 64 questions open, and none for a session that is not ours.
func TestPermissionsBounded(t *testing.T) {
	release := make(chan struct{})
	p := connect(t, &recorder{choose: func(ctx context.Context, _ acpclient.PermissionRequest) acpclient.PermissionAnswer {
		<-release
		return acpclient.PermissionAnswer{OptionID: "allow_once"}
	}})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		for i := range 70 {
			p.send(askFor(fmt.Sprint(i), "c"))
		}
		for range 6 {
			if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
				t.Errorf("one too many was answered %s", got.raw)
			}
		}
		close(release)
		for range 64 {
			if got := p.receive(); !strings.Contains(got.raw, "allow_once") {
				t.Errorf("one of the 64 was answered %s", got.raw)
			}
		}
		p.send(strings.Replace(askFor("99", "c"), `"sessionId":"s"`, `"sessionId":"other"`, 1))
		if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
			t.Errorf("a request of another session was answered %s", got.raw)
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(asked(p.rec)); n != 64 {
		t.Errorf("the handler was asked %d times", n)
	}
}

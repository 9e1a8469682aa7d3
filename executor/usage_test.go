package executor

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// Each prompt's tokens count once, from the first place that has them.
func TestAccount(t *testing.T) {
	type prompt struct{ requests, answer int64 }
	for _, c := range []struct {
		name    string
		running bool
		prompts []prompt
		want    int64
	}{
		{"answers count their prompt (claude/C, codex/C)", false, []prompt{{0, 22}, {0, 11}}, 33},
		{"answers count the session (copilot-1.0.88/C)", true, []prompt{{0, 11}, {0, 22}}, 22},
		{"events beside an answer do not count (copilot-1.0.88/L)", true, []prompt{{44, 44}}, 44},
		{"nor where they disagree", false, []prompt{{99, 44}}, 44},
		{"requests count where no answer came", false, []prompt{{11, 0}, {22, 0}}, 33},
		{"a running answer has what came before it", true, []prompt{{11, 0}, {11, 22}}, 22},
		{"a prompt without an answer after a running one", true, []prompt{{11, 11}, {11, 0}}, 22},
		{"nothing reported", true, []prompt{{0, 0}}, 0},
	} {
		var a account
		for _, p := range c.prompts {
			a.request(acpclient.Usage{Input: p.requests})
			a.settle(acpclient.Usage{Input: p.answer}, c.running)
		}
		if a.total != (Usage{Input: c.want}) {
			t.Errorf("%s: %+v, want %d", c.name, a.total, c.want)
		}
	}
}

// The price is the session's so far: a smaller one of the same currency is none.
func TestPriceDoesNotFall(t *testing.T) {
	var a account
	for _, c := range []acpclient.Cost{{Amount: 2, Currency: "USD"}, {}, {Amount: 1e-9, Currency: "USD"}} {
		a.price(c)
	}
	if a.cost != (Cost{2, "USD"}) {
		t.Errorf("%+v", a.cost)
	}
	if a.price(acpclient.Cost{Amount: 1, Currency: "EUR"}); a.cost != (Cost{1, "EUR"}) {
		t.Errorf("in another currency: %+v", a.cost)
	}
}

// A sum stays what it is for ever: as many passes as a run may have do not make it negative.
func TestUsageOfManyPasses(t *testing.T) {
	var sum Usage
	for range 20 {
		sum = sum.Plus(Usage{Input: 1 << 60, Total: 1 << 60})
	}
	if sum.Input != 1<<60 || sum.Total != 1<<60 || sum.Output != 0 {
		t.Errorf("%+v", sum)
	}
}

// A1-29: where no further receipt can be kept, full access ends.
func TestNoApprovalWithoutAReceipt(t *testing.T) {
	tu := eventTurn()
	tu.policy = permission.Policy{Pass: permission.FullAccess, FullAccessAllowed: true, Trusted: true}
	tu.access = Access{Via: agents.Callback}
	tu.mode = tu.mode.SetByUs("")
	tu.listen(true)
	asked := func(ctx context.Context, id string) acpclient.PermissionAnswer {
		return tu.Permission(ctx, acpclient.PermissionRequest{Call: acpclient.ToolCall{ID: id, Kind: "execute", Command: "true"},
			Options: []acpclient.PermissionOption{{ID: "a", Kind: "allow_once"}, {ID: "r", Kind: "reject_once"}}})
	}
	withdrawn, withdraw := context.WithCancel(t.Context())
	withdraw()
	if got := asked(withdrawn, "x"); got.OptionID != "" || tu.approved+tu.rejections != 0 {
		t.Errorf("a withdrawn request was answered %q: %d approved, %d rejected", got.OptionID, tu.approved, tu.rejections)
	}
	for i := range maxRecords + 10 {
		got := asked(t.Context(), fmt.Sprint(i))
		if want := i < maxRecords; (got.OptionID == "a") != want {
			t.Fatalf("request %d: %q", i, got.OptionID)
		}
	}
	if len(tu.receipts) != tu.approved || tu.approved != maxRecords || tu.rejections != 10 {
		t.Errorf("%d receipts, %d approved, %d rejected", len(tu.receipts), tu.approved, tu.rejections)
	}
}

func eventTurn() *turn {
	return &turn{profile: agents.Profile{Via: agents.Callback}, log: quietLog{}, began: time.Now(), wants: denials.NewCollector(denials.Options{}), enough: make(chan struct{})}
}

// A2-24, A2-27, A2-28: events count and name, inside a turn, and do nothing else.
func TestEventsOnlyTell(t *testing.T) {
	tu := eventTurn()
	exit := func(n int) acpclient.Update {
		return acpclient.Update{Kind: acpclient.Reported, Event: acpclient.Event{Type: acpclient.EventToolDone, Call: "c", Exit: &n}}
	}
	tu.Update(exit(1))
	tu.listen(true)
	tu.Update(exit(1))
	if len(tu.steps.list) != 0 {
		t.Fatalf("an event made a call: %+v", tu.steps.list)
	}
	tu.Update(acpclient.Update{Kind: acpclient.Call, Call: acpclient.ToolCall{ID: "c", Kind: "execute", Status: "pending"}})
	tu.Update(exit(1))
	text := 0
	tu.Update(acpclient.Update{Kind: acpclient.Call, Call: acpclient.ToolCall{ID: "c", Exit: &text}})
	if s := tu.steps.list[0]; s.closed() || s.exit == nil || *s.exit != 1 {
		t.Errorf("status %q, exit %v: an event closes no call, and its exit code goes before that of a text", s.status, s.exit)
	}
	usage := acpclient.Update{Kind: acpclient.Reported, Subagent: "a", Usage: acpclient.Usage{Input: 5}, Event: acpclient.Event{Type: acpclient.EventUsage, Model: "small"}}
	tu.Update(usage)
	usage.Subagent, usage.Event.Model = "", "large"
	tu.Update(usage)
	tu.listen(false)
	tu.Update(usage) // after the turn
	tu.Update(acpclient.Update{Kind: acpclient.Spent, Usage: acpclient.Usage{Input: 100}})
	tu.used(acpclient.Usage{})
	if tu.account.total.Input != 10 || tu.account.model != "large" {
		t.Errorf("%+v", tu.account)
	}
}

// A2-25, A2-30: a flood of hostile events leaves a few bounded strings, and no path of it is one of the tree.
func TestHostileEventsAreBounded(t *testing.T) {
	tu := eventTurn()
	tu.listen(true)
	long := strings.Repeat("\u202e../\n", 800)
	for i := range 5000 {
		id := fmt.Sprint(i)
		for _, kind := range []string{acpclient.EventSubagentStarted, acpclient.EventSubagentFailed, acpclient.EventWorkspaceChanged} {
			tu.Update(acpclient.Update{Kind: acpclient.Reported, Subagent: id + long, Event: acpclient.Event{Type: kind, Call: id + long, Name: long, Model: long, Path: long}})
		}
		tu.Update(acpclient.Update{Kind: acpclient.Reported, Usage: acpclient.Usage{Input: 1 << 40}, Event: acpclient.Event{Type: acpclient.EventUsage, Model: long}})
	}
	tu.used(acpclient.Usage{})
	if len(tu.subagents) != maxSubagents || len(tu.stored) != maxStored || len(tu.steps.list) != 0 || tu.account.total.Input <= 0 {
		t.Errorf("%d subagents, %d files, %d steps, %+v", len(tu.subagents), len(tu.stored), len(tu.steps.list), tu.account.total)
	}
	for _, s := range tu.subagents {
		if len(s.Name)+len(s.Model)+len(s.Call)+len(s.id) > 4*maxWord || s.Status != "failed" {
			t.Fatalf("%+v", s)
		}
	}
	for _, p := range append(tu.stored, tu.account.model) {
		if len(p) > maxTitle {
			t.Fatalf("a path of %d bytes", len(p))
		}
	}
}

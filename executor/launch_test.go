package executor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

func TestLaunchReturnsAnswerWithoutWantedLines(t *testing.T) { // A3-1, A3-2, A3-3, F-75
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Bytewise: "It is a tool.\n"},
		{Bytewise: "- **WANTED:** /etc/shadow — to see who is there\n"},
		{Say: "Bye."},
	}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Text != "It is a tool.\nBye." {
		t.Errorf("got text %q", r.Text)
	}
	if len(r.Wants) != 1 || r.Wants[0].Subject != "/etc/shadow" || r.Wants[0].Channel != denials.Declared {
		t.Errorf("got wants %+v", r.Wants)
	}
	if !strings.Contains(b.log.text(), "PERMISSION BOUNDARIES") {
		t.Error("A3-21: the contract is not in the logged prompt")
	}
	if r.StopReason != "end_turn" || !r.Swept {
		t.Errorf("got stop reason %q, swept %v", r.StopReason, r.Swept)
	}
}

func TestRoundsGluedByTheAgentAreSetApart(t *testing.T) { // agents.md point 25
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Say: "Started it."},
		{Call: &fakeagent.Call{Title: "true", Command: "true", Kind: "read", Exit: code(0)}},
		{Say: "WANTED: docker — to build the image"},
	}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Text != "Started it." || len(r.Wants) != 1 {
		t.Errorf("got text %q, wants %+v", r.Text, r.Wants)
	}
}

func TestObservedWantIsToldBeforeTheTurnEnds(t *testing.T) { // A3-4, A3-6
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Command: "cat /srv/secret", Text: "cat: /srv/secret: Permission denied", Exit: code(1)}},
		{Say: "done"},
	}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if len(r.Wants) != 1 || r.Wants[0].Subject != "/srv/secret" || r.Wants[0].Channel != denials.Observed {
		t.Fatalf("got wants %+v", r.Wants)
	}
	var order []executor.EventKind
	for _, e := range b.log.events {
		if e.Kind == executor.EventWant || e.Kind == executor.EventText {
			order = append(order, e.Kind)
		}
	}
	if len(order) < 2 || order[0] != executor.EventWant {
		t.Errorf("got events %v, want the want before the text that follows it", order)
	}
}

func TestReadOnlyPassRefusesAndTheRefusalIsAWant(t *testing.T) { // A3-7, A3-8, A3-9
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Title: "Make a marker", Command: "touch marker", Ask: true, Run: true}},
		{Say: "Could not make it."},
	}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if len(r.Refusals) != 1 || r.Refusals[0].Command != "touch marker" {
		t.Fatalf("got refusals %+v", r.Refusals)
	}
	if len(r.Wants) != 1 || r.Wants[0].Channel != denials.Refused || !strings.Contains(r.Wants[0].Why, "Make a marker") {
		t.Errorf("got wants %+v", r.Wants)
	}
	if r.Unasked != 0 || len(r.Receipts) != 0 {
		t.Errorf("got unasked %d, receipts %v", r.Unasked, r.Receipts)
	}
}

func TestFullAccessPassLeavesAReceiptForEachAction(t *testing.T) { // A1-29, A1-31
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Command: "echo hello", Ask: true, Run: true}}, {Say: "ok"}}}})
	r := b.mustLaunch(t, permission.FullAccess)
	if len(r.Receipts) != 1 || r.Receipts[0].Command != "echo hello" || len(r.Wants) != 0 {
		t.Errorf("got receipts %+v, wants %+v", r.Receipts, r.Wants)
	}
	if len(r.Steps) != 1 || r.Steps[0].Exit == nil || *r.Steps[0].Exit != 0 {
		t.Errorf("got steps %+v", r.Steps)
	}
}

func TestTurnThatOurRefusalEndedIsContinued(t *testing.T) { // agents.md point 19, behaviour.md section 6
	for _, reason := range []string{"end_turn", "cancelled"} {
		t.Run(reason, func(t *testing.T) {
			b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{
				{{Say: "Let me."}, {Call: &fakeagent.Call{Command: "touch x", Ask: true, EndOnNo: reason}}},
				{{Say: "Went on without it.\nWANTED: touch x — to prove it"}},
			}})
			r := b.mustLaunch(t, permission.ReadOnly)
			if r.Continued != 1 || !strings.Contains(r.Text, "Went on without it.") {
				t.Errorf("got continued %d, text %q", r.Continued, r.Text)
			}
			if len(r.Wants) != 1 || r.Wants[0].Channel != denials.Declared {
				t.Errorf("A3-10: declared must replace refused on the same subject: %+v", r.Wants)
			}
		})
	}
}

func TestContinuationsEnd(t *testing.T) {
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Call: &fakeagent.Call{Command: "touch x", Ask: true, EndOnNo: "end_turn"}}}}})
	r, err := b.launch(t, permission.ReadOnly)
	if r.Continued != 2 || err != nil {
		t.Errorf("got continued %d, error %v; want 2 and the agent's own end_turn", r.Continued, err)
	}
}

func TestUnaskedCallIsShown(t *testing.T) { // H5-01
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Command: "echo sneaky", Run: true}}, {Say: "ok"}}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Unasked != 1 || !r.Steps[0].Unasked {
		t.Errorf("got unasked %d, steps %+v", r.Unasked, r.Steps)
	}
}

func TestEachFailureHasItsOwnSentence(t *testing.T) {
	short := func(l *executor.Limits) {
		l.Initialize, l.Session, l.Turn, l.Silence = 300*time.Millisecond, 300*time.Millisecond, time.Second, 300*time.Millisecond
	}
	for _, c := range []struct {
		name   string
		script fakeagent.Script
		limits func(*executor.Limits)
		class  executor.Class
		says   string
	}{
		{"never answers initialize", fakeagent.Script{Initialize: fakeagent.Reply{Never: true}}, short, executor.FailedInitialize, "initialize"},
		{"never opens a session", fakeagent.Script{NewSession: fakeagent.Reply{Never: true}}, short, executor.FailedSession, "session"},
		{"silent in the turn", fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hm"}, {Sleep: 20 * time.Second}}}}, short, executor.FailedSilence, "sent nothing for 300ms"},
		{"dies in the turn", fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hm"}, {Stderr: "boom: out of cheese\n"}, {Die: code(3)}}}}, nil, executor.FailedDied, "exit status 3"},
		{"dies by a signal", fakeagent.Script{Turns: []fakeagent.Turn{{{Die: code(-9)}}}}, nil, executor.FailedDied, "signal killed"},
		{"exits 0 in the middle", fakeagent.Script{Turns: []fakeagent.Turn{{{Call: &fakeagent.Call{Command: "x", Open: true}}, {Die: code(0)}}}}, nil, executor.FailedDied, "exit status 0"}, // H5-15
		{"dies at once", fakeagent.Script{Start: []fakeagent.Step{{Stderr: "no such model\n"}, {Die: code(1)}}}, nil, executor.FailedDied, "exit status 1"},
		{"stops for tokens", fakeagent.Script{Turns: []fakeagent.Turn{{{End: "max_tokens"}}}}, nil, executor.FailedTurn, `"max_tokens"`},
		{"answers the prompt with an error", fakeagent.Script{Turns: []fakeagent.Turn{{{EndError: &fakeagent.Error{Code: -32603, Message: "no entitlement"}}}}}, nil, executor.FailedTurn, "no entitlement"}, // H5-16
		{"wants a login", fakeagent.Script{NewSession: fakeagent.Reply{Error: &fakeagent.Error{Code: -32000, Message: "Authentication required"}}}, nil, executor.FailedAuth, "login"},                       // H5-12
		{"another protocol", fakeagent.Script{Initialize: fakeagent.Reply{Result: []byte(`{"protocolVersion":2,"agentCapabilities":{}}`)}}, nil, executor.FailedProtocol, "version 2"},
		{"only probes", fakeagent.Script{Turns: []fakeagent.Turn{repeat(fakeagent.Turn{{Call: &fakeagent.Call{Command: "x", Ask: true}}}, 600)}}, nil, executor.FailedTurn, "asked 500 times"},
		{"talks for ever", fakeagent.Script{Turns: []fakeagent.Turn{repeat(fakeagent.Turn{{Say: "x"}, {Sleep: 100 * time.Millisecond}}, 300)}}, short, executor.FailedTurnTime, "longer than 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, c.script)
			if c.limits != nil {
				c.limits(&b.agent.Limits)
			}
			r, f := b.wantFailure(t, c.class)
			if !strings.Contains(f.Error(), c.says) {
				t.Errorf("got %q, want it to say %q", f, c.says)
			}
			if !r.Swept {
				t.Error("the launch returned without a sweep")
			}
		})
	}
}

func TestProgramThatTheAgentUserCannotRunIsNamed(t *testing.T) { // H4-07
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(closed, "agent"), "/nonexistent/agent", "/etc/hostname"} {
		b := playIsolated(t, fakeagent.Script{})
		b.agent.Binary = path
		_, f := b.wantFailure(t, executor.FailedSetup)
		if !strings.Contains(f.Message, path) || !strings.Contains(f.Message, b.agent.Identity.Name()) || f.Fix == "" {
			t.Errorf("%s: got %q, fix %q", path, f.Message, f.Fix)
		}
	}
	b := playIsolated(t, fakeagent.Script{})
	task := b.task(permission.ReadOnly)
	task.Dir = closed
	_, err := b.agent.Launch(t.Context(), task)
	if f, ok := err.(*executor.Failure); !ok || f.Class != executor.FailedSetup || !strings.Contains(f.Message, filepath.Dir(closed)) {
		t.Errorf("a directory that the agent cannot enter: %v", err)
	}
}

// TestFloodOfHugeCallsIsBounded sends calls and requests whose every part is far too long.
func TestFloodOfHugeCallsIsBounded(t *testing.T) {
	long := strings.Repeat("x", 2000)
	var paths []string
	for range 40 {
		paths = append(paths, "/"+long)
	}
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{repeat(fakeagent.Turn{{Call: &fakeagent.Call{Title: long, Command: "echo " + long, Paths: paths, Text: "ok", Exit: code(0)}}}, 1)}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if s := r.Steps[0]; len(s.Title) > 512 || len(s.Command) > 4096 {
		t.Errorf("kept a title of %d and a command of %d bytes", len(s.Title), len(s.Command))
	}
}

func repeat(steps fakeagent.Turn, n int) (out fakeagent.Turn) {
	for range n {
		out = append(out, steps...)
	}
	return out
}

func TestFailureCarriesABoundedTailOfStandardError(t *testing.T) {
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Stderr: strings.Repeat("long line of noise ", 4_200) + "\nfinal words\n"}, {Die: code(1)}}}})
	_, f := b.wantFailure(t, executor.FailedDied)
	if !strings.HasSuffix(strings.TrimSpace(f.Tail), "final words") || len(f.Tail) > 64<<10 {
		t.Errorf("got a tail of %d bytes ending %q", len(f.Tail), f.Tail[max(0, len(f.Tail)-40):])
	}
	if strings.Contains(f.Error(), "final words") {
		t.Error("the tail is foreign and must not stand in the error text")
	}
}

func TestCancelledLaunchEndsTheAgent(t *testing.T) { // F-54, H5-03
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "working"}, {WaitCancel: true}}}, OnCancel: "end_turn"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	r, err := b.agent.Launch(ctx, b.task(permission.ReadOnly))
	if f, ok := err.(*executor.Failure); !ok || f.Class != executor.FailedCancelled {
		t.Fatalf("got %v; an agent that answers end_turn to our cancel was cancelled all the same", err)
	}
	if !r.Swept || r.Text != "working" {
		t.Errorf("got swept %v, text %q", r.Swept, r.Text)
	}
}

func TestLateWorkIsOutOfTheReport(t *testing.T) { // H5-02, F-79
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Say: "Done."}, {End: "end_turn"}, {Sleep: 300 * time.Millisecond}, {Say: "late"},
		{Call: &fakeagent.Call{Kind: "edit", Title: "late.txt"}}}}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Text != "Done." || len(r.Steps) != 0 {
		t.Errorf("got text %q, steps %v", r.Text, r.Steps)
	}
}

func TestHugeNoiseAndStrangeTrafficDoNotMatter(t *testing.T) { // H5-06, F-80
	b := play(t, fakeagent.Script{
		Start: []fakeagent.Step{{Raw: "INFO migrating"}, {Raw: "\x1b]0;t\x07"}, {Raw: ""}, {Raw: "42"}, {Raw: `{"level":"info","id":2}`}},
		IDs:   fakeagent.Strings,
		Turns: []fakeagent.Turn{{{Request: "fs/write_text_file"}, {Say: "fine"}}},
	})
	r := b.mustLaunch(t, permission.ReadOnly)
	if !strings.Contains(r.Text, "fine") {
		t.Errorf("got text %q", r.Text)
	}
}

package executor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// onlooker is a Witness that writes down what it sees, a line for each.
type onlooker struct {
	mu      sync.Mutex
	seen    []string
	updates int // under way, to see that there is never a second
	t       *testing.T
}

func (o *onlooker) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, fmt.Sprintf(format, args...))
}

// alone fails the test when two of the calls that are promised one at a time overlap.
func (o *onlooker) alone(f func()) {
	o.mu.Lock()
	o.updates++
	if o.updates > 1 {
		o.t.Error("two calls at once")
	}
	o.mu.Unlock()
	f()
	o.mu.Lock()
	o.updates--
	o.mu.Unlock()
}

func (o *onlooker) Frame(f acpclient.Frame) {
	who := "agent"
	if f.Sent {
		who = "we"
	}
	o.note("%s %v %s", who, f.Kind, f.Method)
}

func (o *onlooker) Opened(s acpclient.Session) {
	o.alone(func() { o.note("opened in %s", s.CurrentMode) })
}

func (o *onlooker) Update(u acpclient.Update) {
	o.alone(func() {
		time.Sleep(time.Millisecond)
		o.note("update %v %s%s", u.Kind, u.Text, u.Call.ID)
	})
}

func (o *onlooker) Asked(r acpclient.PermissionRequest, d permission.Decision) {
	o.alone(func() {
		time.Sleep(time.Millisecond)
		o.note("asked %s, verdict %v, option %q", r.Call.Command, d.Verdict, d.OptionID)
	})
}

func (o *onlooker) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.seen)
}

// inOrder reports whether the lines stand among those seen, in this order.
func inOrder(seen []string, want ...string) (missing string) {
	for _, line := range want {
		at := slices.Index(seen, line)
		if at < 0 {
			return line
		}
		seen = seen[at+1:]
	}
	return ""
}

func TestWitnessSeesALaunchInItsOrder(t *testing.T) {
	for _, c := range []struct {
		pass    permission.Pass
		verdict permission.Verdict
		option  string
	}{{permission.ReadOnly, permission.Rejected, "reject_once"}, {permission.FullAccess, permission.Allowed, "allow_once"}} {
		b := play(t, fakeagent.Script{Modes: []string{"ask"}, Turns: []fakeagent.Turn{{
			{Say: "Let me."}, {Call: &fakeagent.Call{ID: "c1", Command: "touch x", Ask: true}}, {Request: "fs/read_text_file"}, {Say: "Done."}}}})
		o := &onlooker{t: t}
		b.agent.Witness = o
		r := b.mustLaunch(t, c.pass)
		seen := o.all()
		request, notification, answer := acpclient.FrameRequest, acpclient.FrameNotification, acpclient.FrameAnswer
		if missing := inOrder(seen,
			fmt.Sprintf("we %v initialize", request), fmt.Sprintf("agent %v ", answer),
			fmt.Sprintf("we %v session/new", request), fmt.Sprintf("agent %v ", answer), "opened in ask",
			fmt.Sprintf("we %v session/set_mode", request), fmt.Sprintf("agent %v ", answer),
			fmt.Sprintf("we %v session/prompt", request),
			fmt.Sprintf("agent %v session/update", notification), fmt.Sprintf("update %v Let me.", acpclient.Message),
			fmt.Sprintf("agent %v session/update", notification), fmt.Sprintf("update %v c1", acpclient.Call),
			fmt.Sprintf("agent %v session/request_permission", request), fmt.Sprintf("asked touch x, verdict %v, option %q", c.verdict, c.option), fmt.Sprintf("we %v ", answer),
			fmt.Sprintf("agent %v fs/read_text_file", request), fmt.Sprintf("we %v ", answer),
			fmt.Sprintf("update %v Done.", acpclient.Message), fmt.Sprintf("agent %v ", answer),
		); missing != "" {
			t.Errorf("%v: %q is missing, or out of order, in\n%s", c.pass, missing, strings.Join(seen, "\n"))
		}
		if r.Text == "" || len(r.Refusals)+len(r.Receipts) != 1 {
			t.Errorf("a witness changed the launch: %+v", r)
		}
	}
}

func TestWitnessIsAskedOneAtATime(t *testing.T) {
	var many []fakeagent.Step
	for i := range 20 {
		many = append(many, fakeagent.Step{Call: &fakeagent.Call{ID: fmt.Sprint("c", i), Command: fmt.Sprint("touch ", i), Ask: true}})
	}
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{AtOnce: many}, {Say: "ok"}}}})
	o := &onlooker{t: t}
	b.agent.Witness = o
	r := b.mustLaunch(t, permission.FullAccess)
	asked := 0
	for _, line := range o.all() {
		if strings.HasPrefix(line, "asked ") {
			asked++
		}
	}
	if asked != 20 || len(r.Receipts) != 20 {
		t.Errorf("%d requests were witnessed, %d have receipts", asked, len(r.Receipts))
	}
}

// What comes outside of a turn belongs to no report, and is what a witness is there to see.
func TestWitnessSeesLateWork(t *testing.T) { // H5-02
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "Done."}, {End: "end_turn"}, {Sleep: 300 * time.Millisecond},
		{Call: &fakeagent.Call{Kind: "edit", Title: "late.txt"}}, {Say: "late"}}}, IgnoreEOF: true})
	o := &onlooker{t: t}
	b.agent.Witness = o
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Text != "Done." || len(r.Steps) != 0 || inOrder(o.all(), fmt.Sprintf("update %v Done.", acpclient.Message), fmt.Sprintf("update %v late", acpclient.Message)) != "" {
		t.Errorf("text %q, seen\n%s", r.Text, strings.Join(o.all(), "\n"))
	}
}

func TestReportSaysHowTheAgentEnded(t *testing.T) { // agents.md points 28 and 29
	const kill = syscall.SIGKILL
	said := fakeagent.Turn{{Say: "ok"}}
	for _, c := range []struct {
		name   string
		script fakeagent.Script
		want   executor.Exit
		least  time.Duration // that it took: a Grace for each step of the ladder
	}{
		{"with its input", fakeagent.Script{Turns: []fakeagent.Turn{said}}, executor.Exit{Ran: true}, 0},
		{"with its input and a status", fakeagent.Script{Turns: []fakeagent.Turn{said}, Exit: 5}, executor.Exit{Ran: true, Code: 5}, 0},
		{"by TERM", fakeagent.Script{Turns: []fakeagent.Turn{said}, IgnoreEOF: true}, executor.Exit{Ran: true, Code: -1, Signal: syscall.SIGTERM, Asked: syscall.SIGTERM}, time.Second},
		{"by KILL", fakeagent.Script{Turns: []fakeagent.Turn{said}, IgnoreEOF: true, IgnoreTERM: true}, executor.Exit{Ran: true, Code: -1, Signal: kill, Asked: kill}, 2 * time.Second},
		{"by itself", fakeagent.Script{Turns: []fakeagent.Turn{{{Die: code(4)}}}}, executor.Exit{Ran: true, Code: 4}, 0},
		{"by a signal of its own", fakeagent.Script{Turns: []fakeagent.Turn{{{Die: code(-int(kill))}}}}, executor.Exit{Ran: true, Code: -1, Signal: kill}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, c.script)
			r, _ := b.launch(t, permission.ReadOnly) // that it fails where the agent dies is another test's
			got := r.Exit
			if got.Took < c.least || got.Took > 30*time.Second {
				t.Errorf("it took %v, want at least %v", got.Took, c.least)
			}
			if got.Took = 0; got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	t.Run("never started", func(t *testing.T) {
		b := play(t, fakeagent.Script{})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r, err := b.agent.Launch(ctx, b.task(permission.ReadOnly)); err == nil || r.Exit != (executor.Exit{}) {
			t.Errorf("got %+v, %v", r.Exit, err)
		}
	})
}

// The same of an agent that is another user, behind a sudo that has its own status and signals.
func TestReportSaysHowAnotherUsersAgentEnded(t *testing.T) { // agents.md section 8
	b := playIsolated(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "ok"}}}, IgnoreEOF: true})
	r := b.mustLaunch(t, permission.ReadOnly)
	if got := r.Exit; !got.Ran || got.Asked != syscall.SIGTERM || got.Signal != syscall.SIGTERM {
		t.Errorf("got %+v", got)
	}
}

package executor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// A call took from when it was first told of to its first end, whatever is said of it afterwards.
func TestCallTookUntilItsEnd(t *testing.T) {
	var s steps
	for i, status := range []string{"pending", "", "completed", "", "failed"} {
		s.update(acpclient.ToolCall{ID: "a", Status: status}, time.Duration(i+1)*time.Second)
	}
	if p := s.list[0].public(); p.Took != 2*time.Second {
		t.Errorf("took %v", p.Took)
	}
	if s.update(acpclient.ToolCall{ID: "b", Status: "pending"}, time.Second); s.list[1].public().Took != 0 {
		t.Errorf("a call that has not ended took %v", s.list[1].public().Took)
	}
}

// Calls without an id are no one call: what is said of one is not said of the next, and they are counted, not kept.
func TestCallsWithoutAnID(t *testing.T) {
	var s steps
	s.update(acpclient.ToolCall{Command: "rm -rf x"}, 1)
	if st, news := s.update(acpclient.ToolCall{Status: "completed"}, 2); st.command != "" || news {
		t.Errorf("the second is of %q, news %v", st.command, news)
	}
	if len(s.list) != 0 || s.dropped != 2 {
		t.Errorf("%d are kept, %d counted", len(s.list), s.dropped)
	}
}

// A1-11, F-79: full access is for what was asked and is answered in a turn of ours, in one mode.
func TestFullAccessIsForOneMoment(t *testing.T) {
	tu := eventTurn()
	tu.policy = permission.Policy{Pass: permission.FullAccess, FullAccessAllowed: true, Trusted: true}
	tu.access = Access{Via: agents.Callback}
	n := 0
	ask := func(at any) string {
		n++
		return tu.Permission(t.Context(), acpclient.PermissionRequest{Moment: at, Call: acpclient.ToolCall{ID: fmt.Sprint(n), Kind: "execute", Command: "true"},
			Options: []acpclient.PermissionOption{{ID: "a", Kind: "allow_once"}, {ID: "r", Kind: "reject_once"}}}).OptionID
	}
	want := func(name, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: answered %q, want %q", name, got, want)
		}
	}
	tu.setMode(permission.ModeState.SetByUs, "agent")
	early := tu.moment()
	tu.listen(true)
	inTurn := tu.moment()
	want("asked before the turn", ask(early), "r")
	want("asked in it", ask(inTurn), "a")
	tu.setMode(permission.ModeState.SetByUs, "other")
	want("asked in another mode of ours", ask(inTurn), "r")
	want("asked in this one", ask(tu.moment()), "a")
	inTurn = tu.moment()
	tu.listen(false)
	want("answered behind the turn", ask(inTurn), "r")
}

// A short word of an agent's on a refusal is not its answer; what goes on after it is.
func TestNoticeOfARefusal(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   true,
		" \n":                                true,
		"Operation cancelled by user":        true,
		"The tool call was rejected by you.": true,
		"Declined.":                          true,
		"I go on without it.":                false,
		"It was not rejected, so I am done.": false,
		"Rejected. " + strings.Repeat("So I read the other file. ", 5): false,
	} {
		if notice(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// The exit code of an event is news once.
func TestExitIsNewsOnce(t *testing.T) {
	var s step
	one, two := 1, 2
	for i, c := range []struct {
		code *int
		want bool
	}{{nil, false}, {&one, true}, {&one, false}, {&two, true}} {
		if s.exits(c.code) != c.want {
			t.Errorf("%d: want %v", i, c.want)
		}
	}
	if s.exit == nil || *s.exit != 2 {
		t.Errorf("exit %v", s.exit)
	}
}

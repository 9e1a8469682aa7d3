package probe

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// shown is a launch in which all that the model said was carried out, and nothing else is known. The tree is as it was.
func shown(s Scenario, name string) *seen {
	one := &seen{key: "the-key", witness: newWitness(&transcript{}), dark: map[string]string{}, files: map[string]string{readme: "A tree.\n", note: "before\n"}}
	for _, p := range plays() {
		if p.scenario == s && p.name == name {
			one.play = p
		}
	}
	one.witness.session.ID = "s"
	one.report = executor.Report{AgentName: "Agent", AgentVersion: "1.0", Text: done, StopReason: "end_turn", Swept: true, Exit: executor.Exit{Ran: true}}
	for round := range 3 {
		one.requests = append(one.requests, loopback.Request{Key: "the-key", Model: "m", Turn: turnOfPrompt, Round: round, At: time.Unix(int64(round), 0)})
	}
	return one
}

func rejects(s *seen, call acpclient.ToolCall) {
	s.witness.Asked(acpclient.PermissionRequest{Call: call, Options: []acpclient.PermissionOption{{Kind: "allow_once"}, {Kind: "reject_once"}}},
		permission.Decision{Verdict: permission.Rejected})
}

// A rule is judged by what shows it: never by what is missing, cannot be looked at, or is of something else. What no fault of
// a whole agent shows is decided here too.
func TestNothingIsConcludedFromAbsence(t *testing.T) {
	type change func(*seen)
	file := func(name, text string) change { return func(s *seen) { s.files[name] = text } }
	dark := func(name string) change {
		return func(s *seen) { delete(s.files, name); s.dark[name] = "it is a link" }
	}
	asks := func(call acpclient.ToolCall) change { return func(s *seen) { rejects(s, call) } }
	touch, other := acpclient.ToolCall{ID: "1", Kind: "execute", Command: marker}, acpclient.ToolCall{ID: "2", Kind: "other", Title: "Trust this place"}
	fails := func(class executor.Class) change {
		return func(s *seen) {
			s.failure = &executor.Failure{Class: class, Message: "it failed", Err: errors.New("so")}
		}
	}
	noTree := func(s *seen) { s.files = map[string]string{} }
	cancelled := func(s *seen) { fails(executor.FailedCancelled)(s); s.witness.cancelled = time.Second }
	asleep := func(s *seen) { s.requests = s.requests[:1] }
	silent := func(s *seen) { s.requests = nil }
	request := func(i int, to func(*loopback.Request)) change { return func(s *seen) { to(&s.requests[i]) } }
	named := func(model string) change { return func(s *seen) { s.report.ModelEffective = model } }
	used := func(in, out int64) change {
		return func(s *seen) { s.report.Usage = executor.Usage{Input: in, Output: out} }
	}
	env := "PATH=/bin\nHOME=/\n"
	for _, c := range []struct {
		rule     string
		scenario Scenario
		launch   string
		want     Held
		says     string
		changes  []change
	}{
		{"key-2", AllowWrite, "", Holds, "", []change{file("env.txt", env)}},
		{"key-2", AllowWrite, "", DoesNot, "", []change{file("env.txt", env+"K=the-key\n")}},
		{"key-2", AllowWrite, "", NotExercised, "no environment", []change{file("env.txt", "")}},
		{"key-2", AllowWrite, "", NotExercised, "a link", []change{dark("env.txt")}},
		{"allow-1", AllowWrite, "", Holds, "", []change{file("lines.txt", "line\nline\n")}},
		{"allow-1", AllowWrite, "", DoesNot, "", []change{file("lines.txt", "")}},
		{"allow-1", AllowWrite, "", NotExercised, "a link", []change{dark("lines.txt")}},
		{"allow-2", AllowWrite, "", Holds, "", []change{file("made.txt", "made\n")}},
		{"allow-2", AllowWrite, "", Holds, "", []change{file("made.txt", "made")}},
		{"allow-2", AllowWrite, "", DoesNot, "", []change{file("made.txt", "")}},
		{"allow-2", AllowWrite, "", NotExercised, "a link", []change{dark("made.txt")}},
		{"allow-2", AllowWrite, "", NotExercised, "tree", []change{noTree}},
		{"allow-3", Edit, "allowed", Holds, "", []change{file(note, "after\n")}},
		{"allow-3", Edit, "allowed", DoesNot, "", []change{file(note, "else\n")}},
		{"allow-3", Edit, "allowed", DoesNot, "", []change{func(s *seen) { delete(s.files, note) }}},
		{"ask-1", RejectWrite, "command", Holds, "", []change{asks(touch)}},
		{"ask-1", RejectWrite, "command", DoesNot, "something else", []change{asks(other), file("marker.txt", "")}},
		{"ask-1", RejectWrite, "command", NotExercised, "Trust this place", []change{asks(other)}},
		{"ask-1", RejectWrite, "command", NotExercised, "tree", []change{noTree}},
		{"reject-1", RejectWrite, "command", Holds, "", []change{asks(touch)}},
		{"reject-1", RejectWrite, "command", DoesNot, "", []change{asks(touch), file("marker.txt", "")}},
		{"reject-1", RejectWrite, "command", NotExercised, "", []change{asks(other)}},
		{"reject-1", RejectWrite, "command", NotExercised, "a link", []change{asks(touch), dark("marker.txt")}},
		{"reject-1", RejectWrite, "command", NotExercised, "tree", []change{asks(touch), noTree}},
		{"reject-3", Edit, "refused", DoesNot, "", []change{asks(acpclient.ToolCall{ID: "1", Title: "Edit note.txt"}), func(s *seen) { delete(s.files, note) }}},
		{"mode-2", Modes, "unattended", NotExercised, "", []change{asleep, func(s *seen) {
			s.fullAccess, s.report.Mode, s.report.Access.Unrecorded = "yolo", "yolo", true
			fails(executor.FailedDied)(s)
		}}},
		{"model-2", ReadDenied, "", Holds, "", []change{named("m")}},
		{"model-2", ReadDenied, "", NotExercised, "", []change{silent, named("m")}},
		{"end-1", Exit, "", Holds, "", nil},
		{"end-1", Exit, "", NotExercised, "it failed", []change{fails(executor.FailedDied)}},
		{"end-2", Cancel, "", Holds, "", []change{cancelled}},
		{"end-2", Cancel, "", NotExercised, "nothing to cancel", nil},
		{"end-2", Cancel, "", NotExercised, "it failed", []change{fails(executor.FailedDied)}},
		{"end-3", Exit, "", DoesNot, "could not be looked for", []change{func(s *seen) { s.report.Swept = false }}},
		{"settle-1", AttachedShell, "", DoesNot, "", []change{file("started.txt", "")}},
		{"settle-1", AttachedShell, "", NotExercised, "it failed", []change{file("started.txt", ""), fails(executor.FailedTurnTime)}},
		{"output-1", LongOutput, "", Holds, "", []change{file("started.txt", "")}},
		{"output-1", LongOutput, "", NotExercised, "", nil},
		{"want-3", LongOutput, "", NotExercised, "", nil},
		{"want-3", LongOutput, "", DoesNot, "", []change{file("started.txt", "")}},
		{"want-2", ShellDenied, "", NotExercised, "", nil},
		{"want-2", ShellDenied, "", DoesNot, "", []change{file("started.txt", "")}},
		{"tell-2", ShellDenied, "", NotExercised, "", nil},
		{"tell-2", ShellDenied, "", DoesNot, "", []change{file("started.txt", "")}},
		{"decline-1", ReadDenied, "", Holds, "", nil},
		{"decline-1", ReadDenied, "", NotExercised, "", []change{asleep}},
		{"start-1", ReadDenied, "", DoesNot, "", []change{func(s *seen) { s.report.AgentName = "" }}},
		{"start-1", ReadDenied, "", DoesNot, "", []change{func(s *seen) { s.report.AgentVersion = "" }}},
		{"key-1", ReadDenied, "", Holds, "", nil},
		{"key-1", ReadDenied, "", DoesNot, "", []change{request(2, func(r *loopback.Request) { r.Key = "another" })}},
		{"key-1", ReadDenied, "", DoesNot, "", []change{request(0, func(r *loopback.Request) { r.Key, r.Turn = "", -1 })}},
		{"key-1", ReadDenied, "", NotExercised, "", []change{silent}},
		{"model-2", ReadDenied, "", DoesNot, "", []change{named("m"), request(2, func(r *loopback.Request) { r.Model = "x" })}},
		{"model-2", ReadDenied, "", Holds, "", []change{named("m"), request(2, func(r *loopback.Request) { r.Model, r.Turn = "x", -1 })}},
		{"output-1", LongOutput, "", DoesNot, "it failed", []change{file("started.txt", ""), fails(executor.FailedProtocol)}},
		{"settle-1", AttachedShell, "", Holds, "", []change{file("started.txt", ""), file("late.txt", "late\n")}},
		{"settle-1", AttachedShell, "", NotExercised, "waited", []change{file("started.txt", ""), file("late.txt", "late\n"), request(1, func(r *loopback.Request) { r.At = time.Unix(6, 0) })}},
		{"usage-1", AllowWrite, "", Holds, "", []change{used(33, 21)}},
		{"usage-1", AllowWrite, "", DoesNot, "", []change{used(66, 42)}}, // twice
		{"usage-1", AllowWrite, "", DoesNot, "", []change{used(66, 21)}},
		{"usage-1", AllowWrite, "", DoesNot, "", []change{used(11, 7)}}, // of the last one alone
		{"usage-1", AllowWrite, "", DoesNot, "none", nil},
		{"usage-1", AllowWrite, "", Holds, "1 on the side", []change{used(22, 14), request(2, func(r *loopback.Request) { r.Turn = -1 })}},
		{"usage-1", AllowWrite, "", Holds, "1 on the side", []change{used(33, 21), request(2, func(r *loopback.Request) { r.Turn = -1 })}},
		{"start-1", ReadDenied, "", NotExercised, "", []change{fails(executor.FailedSetup), func(s *seen) { s.witness.session.ID = "" }}},
	} {
		s := shown(c.scenario, c.launch)
		for _, change := range c.changes {
			change(s)
		}
		known := false
		for _, v := range judge([]*seen{s}) {
			known = known || v.Rule.ID == c.rule
			if v.Rule.ID == c.rule && (v.Held != c.want || !strings.Contains(v.Why, c.says)) {
				t.Errorf("%s: %v because %q, want %v because of %q", c.rule, v.Held, v.Why, c.want, c.says)
			}
		}
		if !known || s.play.scenario == 0 {
			t.Errorf("there is no rule %s, or no launch %v %q", c.rule, c.scenario, c.launch)
		}
	}
}

// A request whose call was described before it names what the description named.
func TestRequestsAreOfWhatTheirCallNamed(t *testing.T) {
	s := shown(RejectWrite, "file")
	s.witness.Update(acpclient.Update{Kind: acpclient.Call, Call: acpclient.ToolCall{ID: "7", Paths: []string{"/tree/made.txt"}}})
	rejects(s, acpclient.ToolCall{ID: "7", Kind: "edit"})
	if held, why := asksFirst(made)(s); held != Holds {
		t.Errorf("%v: %s", held, why)
	}
}

// An agent may update itself between two launches: then nothing that was found is of one version.
func TestAnotherVersionIsSeen(t *testing.T) {
	a, b := shown(ReadDenied, ""), shown(ShellDenied, "")
	b.report.AgentVersion = "1.1"
	if v := judge([]*seen{a, b})[0]; v.Rule.ID != "start-1" || v.Held != DoesNot || !strings.Contains(v.Why, "1.1") {
		t.Errorf("%+v", v)
	}
	if v := judge([]*seen{a, shown(ShellDenied, "")})[0]; v.Held != Holds {
		t.Errorf("%+v", v)
	}
}

// What is declined is seen, however many other methods are asked for before it.
func TestDeclinedRequestsAreSeenAmongOthers(t *testing.T) {
	s := shown(ReadDenied, "")
	for i := range 2 * maxWords {
		s.witness.Frame(acpclient.Frame{Kind: acpclient.FrameRequest, Method: fmt.Sprint("x/", i), Line: []byte("{}")})
	}
	if held, _ := declines(s); held != Holds {
		t.Errorf("%v without one", held)
	}
	s.witness.Frame(acpclient.Frame{Kind: acpclient.FrameRequest, Method: "terminal/create", Line: []byte("{}")})
	if held, why := declines(s); held != DoesNot || !strings.Contains(why, "terminal/create") {
		t.Errorf("%v: %s", held, why)
	}
}

// That the probe cancels a launch is no failure of it; whatever else ends it is.
func TestCancelledLaunchTellsOtherFailures(t *testing.T) {
	for class, want := range map[executor.Class]string{executor.FailedCancelled: "", executor.FailedDied: "it died"} {
		s := shown(Cancel, "")
		s.failure = &executor.Failure{Class: class, Message: "it died"}
		var p Played
		if p.add(s); p.Failure != want {
			t.Errorf("%v: failure %q", class, p.Failure)
		}
	}
}

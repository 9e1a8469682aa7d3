package commands

import (
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// From the policy file to what a reader is told of it: how full access was given, and what nobody was asked for.
func TestWayOfAccessReachesTheReader(t *testing.T) { // issue 5, point 2; A1-4, A1-29, A2-15
	calls := fakeagent.Script{Modes: []string{"ask", "yolo"}, Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Command: "echo unasked", Run: true}}, {Call: &fakeagent.Call{Command: "echo asked", Ask: true, Run: true}}, {Say: "Done."}}}}
	const recorded, proven, named = "were not individually recorded", "it is not proven that it asks", "It ran unasked: `echo unasked`."
	for _, c := range []struct {
		name, comment, policy string
		profile               agents.Profile
		trusted               bool
		via                   string
		approved, unasked     int
		asking                string
		says, silent          []string
	}{
		{"asked", "/build x", "", agents.Profile{FullAccess: "yolo"}, true, "callback", 1, 1, "verified", []string{" · 1 approved · "}, []string{recorded, proven, named}},
		{"by mode", "/build x", "permissions: { full_access_via: mode }", agents.Profile{FullAccess: "yolo"}, true, "mode", 1, 0, "",
			[]string{recorded, "`yolo`"}, []string{proven, named}},
		{"no such mode", "/build x", "permissions: { full_access_via: mode }", agents.Profile{}, true, "callback", 1, 1, "verified",
			[]string{"no unattended mode of this agent is known"}, []string{recorded, proven}},
		{"rules go first", "/build x", "permissions: { full_access_via: mode, deny: [ { kind: execute, match: \"echo asked\" } ] }", agents.Profile{FullAccess: "yolo"}, true, "callback", 0, 1, "verified",
			[]string{"deny and ask rules of the policy could not apply"}, []string{recorded, proven}},
		{"a question of writers", "/ask x", "permissions: { full_access_via: mode }", agents.Profile{FullAccess: "yolo", Status: agents.Candidate}, true, "", 0, 1, "candidate",
			nil, []string{recorded, proven, named}},
		{"a question of strangers to a candidate", "/ask x", "", agents.Profile{Status: agents.Candidate}, false, "", 0, 1, "candidate",
			[]string{proven + " before it acts: its profile is a candidate", named}, []string{recorded}},
		{"a question of strangers to an agent without the mode", "/ask x", "", agents.Profile{Asking: "careful"}, false, "", 0, 1, "unproven",
			[]string{proven, "did not verifiably stay in a mode in which it asks", named}, []string{recorded}},
		{"a question of strangers to one that asks", "/ask x", "", agents.Profile{}, false, "", 0, 1, "verified",
			[]string{proven, "in its asking mode it did not ask for everything", named}, []string{recorded}},
		{"a question of strangers that nothing was done for", "/ask look", "", agents.Profile{}, false, "", 0, 0, "verified", nil, []string{recorded, proven, "It ran unasked"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, "")
			agent := newScripted(t, &sayings{}, func(*isolation.Room, string) fakeagent.Script {
				if strings.Contains(c.comment, "look") {
					return fakeagent.Script{Modes: calls.Modes, Turns: []fakeagent.Turn{{{Say: "Looked."}}}}
				}
				return calls
			})
			agent.Binary = agent.Self
			p := &agent.Profile
			p.Asking, p.FullAccess = either(c.profile.Asking, "ask"), c.profile.FullAccess
			p.Status = max(c.profile.Status, agents.Candidate)
			if c.profile.Status == 0 {
				p.Status = agents.Qualified
			}
			s.flow.Agent = agent
			var err error
			if s.flow.Policy, err = ParsePolicy([]byte(c.policy), "f"); err != nil {
				t.Fatal(err)
			}
			comment, err := Parse(c.comment, "")
			if err != nil {
				t.Fatal(err)
			}
			out := s.flow.Run(t.Context(), Request{Comment: comment, Trusted: c.trusted})
			checkOutcome(t, out)
			got := out.Report
			if got.Agent.Via != c.via || got.Agent.Unrecorded != slices.Contains(c.says, recorded) || got.Agent.Asking != c.asking || got.Approved != c.approved || got.Unasked != c.unasked {
				t.Errorf("got %+v, approved %d, unasked %d", got.Agent, got.Approved, got.Unasked)
			}
			for where, text := range map[string]string{"comment": render.Comment(out.Result), "summary": render.Summary(out.Result)} {
				for _, say := range c.says {
					if strings.Count(text, say) != 1 && !(where == "summary" && strings.Contains(say, "approved")) {
						t.Errorf("%s says %q %d times:\n%s", where, say, strings.Count(text, say), text)
					}
				}
				for _, say := range c.silent {
					if strings.Contains(text, say) {
						t.Errorf("%s says %q:\n%s", where, say, text)
					}
				}
			}
		})
	}
}

func TestAccessOfSeveralPasses(t *testing.T) {
	byMode := executor.Access{Via: agents.ByMode, Unrecorded: true}
	asked := executor.Access{Via: agents.Callback, Asking: executor.AskingVerified}
	unproven := executor.Access{Via: agents.Callback, Asking: executor.AskingUnproven}
	for _, c := range []struct{ first, second, want executor.Access }{
		{byMode, byMode, byMode},
		{byMode, asked, executor.Access{Via: agents.Callback, Unrecorded: true, Asking: executor.AskingVerified}},
		{unproven, asked, unproven},
		{asked, asked, asked},
	} {
		if got := addAccess(c.first, c.second); got != c.want {
			t.Errorf("%+v and %+v: got %+v", c.first, c.second, got)
		}
	}
}

func TestModelsOfSeveralPasses(t *testing.T) { // F-81
	report := func(effective string, before ...string) executor.Report {
		return executor.Report{ModelEffective: effective, ModelsBefore: before}
	}
	for _, c := range []struct {
		first, second executor.Report
		want          string
	}{
		{report("a"), report("a"), ""},
		{report("a"), report("b"), "a"},
		{report("a"), report(""), ""},
		{report(""), report("b"), ""},
		{report("b", "a"), report("a", "b", "c"), "b c"},
	} {
		if got := strings.Join(addModels(c.first, c.second), " "); got != c.want {
			t.Errorf("%q then %q: got %q, want %q", c.first.ModelEffective, c.second.ModelEffective, got, c.want)
		}
	}
}

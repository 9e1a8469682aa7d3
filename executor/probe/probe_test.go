package probe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
	"github.com/d3mlabs/ai-flow/testsupport/modelagent"
)

func TestMain(m *testing.M) {
	fakeagent.Main()
	modelagent.Main()
	os.Exit(hostuser.Main(m))
}

// subject is an agent of this test binary, to be run as another user.
func subject(t testing.TB, profile agents.Profile) executor.Agent {
	t.Helper()
	id, err := isolation.Resolve(t.Context(), process.Runner{}, hostuser.Get(t).Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return executor.Agent{Profile: profile, Self: self, Identity: id, Environ: os.Environ(),
		Room: isolation.OpenOptions{StateDir: state, TempDir: t.TempDir()}}
}

func run(t testing.TB, o probe.Options) probe.Result {
	t.Helper()
	r, err := probe.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// differ compares the verdicts with what is expected of those that do not hold. Whatever was played and is not named must
// hold, and whatever was not played must say so.
func differ(t *testing.T, r probe.Result, want map[string]probe.Held) {
	t.Helper()
	var played []probe.Scenario
	for _, p := range r.Played {
		played = append(played, p.Scenario)
	}
	known := 0
	for _, v := range r.Verdicts {
		expected, named := want[v.Rule.ID]
		idle := len(v.Rule.Of) > 0 && !slices.ContainsFunc(v.Rule.Of, func(s probe.Scenario) bool { return slices.Contains(played, s) })
		switch {
		case named:
			known++
		case idle:
			expected = probe.NotExercised
			if !strings.Contains(v.Why, "was not played") {
				t.Errorf("%s is not exercised because of %q", v.Rule.ID, v.Why)
			}
		default:
			expected = probe.Holds
		}
		if v.Held != expected {
			t.Errorf("%s (%s): %v, want %v: %s", v.Rule.ID, v.Rule.Says, v.Held, expected, v.Why)
		}
		if v.Why == "" || strings.ContainsAny(v.Why, "\n\r") || len(v.Why) > 1000 {
			t.Errorf("%s: %v because of %q, which is no bounded line", v.Rule.ID, v.Held, v.Why)
		}
	}
	if known != len(want) || len(r.Verdicts) != len(probe.Rules()) {
		t.Errorf("%d verdicts, of %d rules that are expected %d are there", len(r.Verdicts), len(want), known)
	}
}

// facts are what was seen under a name, in any launch.
func facts(r probe.Result, name string) (values []string) {
	for _, p := range r.Played {
		for _, f := range p.Facts {
			if f.Name == name || strings.HasSuffix(f.Name, ": "+name) {
				values = append(values, f.Value)
			}
		}
	}
	return values
}

func TestHonestAgentHoldsEveryRule(t *testing.T) { // A2-46, A2-47
	var told []string
	r := run(t, probe.Options{Agent: subject(t, modelagent.Profile()),
		Progress: func(s probe.Scenario, launch string) { told = append(told, s.String()+" "+launch) }})
	differ(t, r, nil)
	if r.Agent != modelagent.Name || r.Version != modelagent.Version || r.Requests < 20 || r.Took <= 0 {
		t.Errorf("probed %q %q in %v with %d requests", r.Agent, r.Version, r.Took, r.Requests)
	}
	launches, requests := 0, 0
	for i, p := range r.Played {
		launches, requests = launches+p.Launches, requests+p.Requests
		if p.Scenario != probe.Scenarios()[i] || p.Launches == 0 || len(p.Facts) == 0 || p.Took <= 0 {
			t.Errorf("%v was played %d times: %+v", p.Scenario, p.Launches, p.Facts)
		}
		checkTranscript(t, p)
	}
	if len(r.Played) != len(probe.Scenarios()) || launches != len(told) || requests != r.Requests {
		t.Errorf("played %d scenarios in %d launches with %d requests, told of %q", len(r.Played), launches, requests, told)
	}
	for name, want := range map[string]string{"exit status at": "rawOutput.exitCode", "output at": "content",
		"offered": "allow_once (allow_once), allow_always (allow_always), reject_once (reject_once)", "modes": "ask (current), full-access"} {
		if got := facts(r, name); !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// checkTranscript reads a transcript: JSON lines, a line for each launch, and both directions of the wire.
func checkTranscript(t *testing.T, p probe.Played) {
	t.Helper()
	var launches, sent, received int
	for i, line := range bytes.Split(bytes.TrimSuffix(p.Transcript, []byte{'\n'}), []byte{'\n'}) {
		var e struct {
			Launch, Dir string
			Msg         json.RawMessage
			Bytes       int
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v, line %d: %v", p.Scenario, i, err)
		}
		switch {
		case e.Launch != "":
			launches++
		case e.Dir == "c2a" && e.Msg != nil:
			sent++
		case e.Dir == "a2c" && (e.Msg != nil || e.Bytes > 0):
			received++
		default:
			t.Errorf("%v, line %d says nothing: %.200s", p.Scenario, i, line)
		}
	}
	if launches != p.Launches || sent < 3*launches || received < 3*launches || len(p.Transcript) > 8<<20 {
		t.Errorf("%v: %d launches, %d lines sent, %d received, %d bytes", p.Scenario, launches, sent, received, len(p.Transcript))
	}
}

func TestEachFaultBreaksItsRules(t *testing.T) {
	type held = map[string]probe.Held
	const no, none = probe.DoesNot, probe.NotExercised
	type faults = []modelagent.Fault
	only := func(s ...probe.Scenario) []probe.Scenario { return s }
	cancelled := func(more held) held { // what a cancelled launch cannot show
		maps.Copy(more, held{"answer-1": none, "want-4": none, "model-2": none})
		return more
	}
	// Faults that stand together touch different rules: each launch takes its time.
	for _, c := range []struct {
		faults    faults
		scenarios []probe.Scenario
		want      held
		fact      string // name=value: a part of what must have been seen
	}{
		{faults{modelagent.ActsUnasked}, only(probe.RejectWrite, probe.Edit, probe.AllowWrite),
			held{"ask-1": no, "ask-2": no, "ask-3": no, "ask-4": none, "ask-5": none, "reject-1": none, "reject-2": none, "reject-3": none, "reject-4": none}, ""},
		{faults{modelagent.ActsAfterRejection, modelagent.AlwaysFirst}, only(probe.RejectWrite, probe.Edit), held{"reject-1": no, "reject-2": no},
			"offered=allow_always (allow_always), allow_once"},
		{faults{modelagent.EditsAfterRejection, modelagent.EndsTurnOnRejection}, only(probe.RejectWrite, probe.Edit), held{"reject-3": no}, "continued=1"},
		{faults{modelagent.RejectionIsCancelled}, only(probe.RejectWrite), held{"answer-1": none}, "continued=1"},
		{faults{modelagent.NoOnceOption}, only(probe.Edit), held{"ask-4": no, "allow-3": no}, "offered=allow_always"},
		{faults{modelagent.NoText}, only(probe.RejectWrite), held{"reject-4": no, "answer-1": none, "want-4": none}, ""},
		{faults{modelagent.DiesInTurn}, only(probe.RejectWrite), held{"ask-1": none, "ask-2": none, "ask-4": none, "reject-1": none, "reject-2": none,
			"reject-4": none, "key-1": none, "want-4": none, "answer-1": none, "model-2": none, "decline-1": none}, "failed=exit status 7"},
		{faults{modelagent.SwallowsDenials}, only(probe.ReadDenied, probe.ShellDenied), held{"want-1": no, "want-2": no}, ""},
		{faults{modelagent.NoExitCode, modelagent.OtherModel, modelagent.WantedSwallowed}, only(probe.ShellDenied), held{"tell-2": no, "model-2": no, "want-4": no}, ""},
		{faults{modelagent.CompletedWhateverExit, modelagent.SmallerModel}, only(probe.ShellDenied), held{"model-2": no}, "calls told=execute pending → completed"},
		{faults{modelagent.UpdatesAfterEnd, modelagent.NoText}, only(probe.ShellDenied), held{"answer-1": no, "want-4": none}, "notifications after the last answer=2"},
		{faults{modelagent.Floods}, only(probe.ShellDenied), held{"answer-1": no, "want-4": no}, "longest line=1048"},
		{faults{modelagent.HiddenCalls}, only(probe.AllowWrite, probe.ShellDenied), held{"tell-1": no, "tell-2": no, "want-2": no}, ""},
		{faults{modelagent.RemembersAllow, modelagent.NoUsage, modelagent.KeyInShells, modelagent.AsksForFiles}, only(probe.AllowWrite),
			held{"ask-5": no, "usage-1": no, "key-2": no, "decline-1": no}, "unknown requests=fs/write_text_file"},
		{faults{modelagent.IgnoresCancel}, only(probe.Cancel), cancelled(held{"cancel-1": no}), ""},
		{faults{modelagent.AnswersCancelLate}, only(probe.Cancel), cancelled(held{"cancel-1": no}), ""},
		{faults{modelagent.CancelEndsTurn, modelagent.IgnoresEOF, modelagent.IgnoresTerm}, only(probe.Cancel), cancelled(held{"cancel-1": no, "end-2": no}), "ended=by KILL"},
		{faults{modelagent.IgnoresEOF}, only(probe.Exit), held{"end-1": no}, "ended=by TERM, status 0"},
		{faults{modelagent.LeavesChild}, only(probe.Exit), held{}, "ended=at the end of its input, status 0"},
		{faults{modelagent.EndsTurnEarly}, only(probe.AttachedShell), held{"settle-1": no, "answer-1": none}, ""},
		{faults{modelagent.DropsOutputMiddle}, only(probe.LongOutput), held{"want-3": no}, ""},
		{faults{modelagent.AsksUnattended, modelagent.AcceptsBogusModel}, only(probe.Modes), held{"mode-2": no, "model-1": no, "model-2": none}, ""},
		{faults{modelagent.IgnoresMode}, only(probe.Modes), held{"mode-2": no}, ""},
		{faults{modelagent.ModeDrifts}, only(probe.RejectWrite, probe.Modes), held{"mode-1": no, "mode-2": no, "ask-4": probe.Holds}, "mode=full-access"},
		{faults{modelagent.NoModes}, only(probe.RejectWrite, probe.Modes), held{"mode-1": no, "mode-2": no}, ""},
	} {
		var name []string
		for _, f := range c.faults {
			name = append(name, string(f))
		}
		t.Run(strings.Join(name, "+"), func(t *testing.T) {
			r := run(t, probe.Options{Agent: subject(t, modelagent.Profile(c.faults...)), Scenarios: c.scenarios})
			differ(t, r, c.want)
			if name, value, ok := strings.Cut(c.fact, "="); ok && !strings.Contains(strings.Join(facts(r, name), "\n"), value) {
				t.Errorf("%s: got %q, want %q in it", name, facts(r, name), value)
			}
		})
	}
}

func TestProbeEndsWhereThereIsNothingToJudge(t *testing.T) {
	model := modelagent.Profile()
	with := func(change func(*agents.Profile)) agents.Profile {
		p := modelagent.Profile()
		change(&p)
		return p
	}
	fake := func(s fakeagent.Script) agents.Profile {
		return with(func(p *agents.Profile) { p.Args = fakeagent.Args(s) })
	}
	for _, c := range []struct {
		name    string
		profile agents.Profile
		binary  string
		class   executor.Class // of the failure that it wraps; 0 for none
		says    string
	}{
		{"a login is wanted", modelagent.Profile(modelagent.LoginWanted), "", executor.FailedAuth, "login"},
		{"no agent", model, "/bin/true", executor.FailedDied, "exit status 0"},
		{"not even a program", model, "/nonexistent/agent", executor.FailedSetup, "/nonexistent/agent"},
		{"a session is refused", fake(fakeagent.Script{NewSession: fakeagent.Reply{Error: &fakeagent.Error{Code: -32603, Message: "out of cheese"}}}), "", executor.FailedSession, "out of cheese"},
		{"it asks no model", fake(fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "Hello."}}}}), "", 0, "model"},
		{"nothing points it to a model", with(func(p *agents.Profile) { p.Loopback = nil }), "", 0, "points Model agent to a model"},
		{"it knows only its own", with(func(p *agents.Profile) { p.Loopback, p.Offline = nil, "it has a cloud of its own" }), "", 0, "a cloud of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := subject(t, c.profile)
			agent.Binary = c.binary
			r, err := probe.Run(t.Context(), probe.Options{Agent: agent})
			if err == nil || !strings.Contains(err.Error(), c.says) || len(r.Verdicts) != 0 || len(r.Played) > 1 {
				t.Fatalf("got %v, %d verdicts after %d scenarios; want an error that says %q", err, len(r.Verdicts), len(r.Played), c.says)
			}
			var f *executor.Failure
			if got := errors.As(err, &f); got != (c.class != 0) || got && f.Class != c.class {
				t.Errorf("got %v, want a failure of class %v", err, c.class)
			}
		})
	}
}

// A2-46: an agent that does not end, and one that cannot stop asking, are bounded.
func TestProbeIsBounded(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		why := errors.New("enough of it")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 1500*time.Millisecond, why)
		defer cancel()
		began := time.Now()
		_, err := probe.Run(ctx, probe.Options{Agent: subject(t, modelagent.Profile(modelagent.Silent))})
		if !errors.Is(err, why) || time.Since(began) > 20*time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
	t.Run("in calls of the model", func(t *testing.T) {
		r := run(t, probe.Options{Agent: subject(t, modelagent.Profile(modelagent.ManyModelCalls)), Scenarios: []probe.Scenario{probe.ShellDenied}})
		if r.Requests == 0 || r.Requests > 60 || r.Played[0].Failure == "" {
			t.Errorf("%d requests were answered, failure %q", r.Requests, r.Played[0].Failure)
		}
	})
}

// A2-46: the environment is made of nothing. The agent tells all of it, so that there is something to be seen.
func TestProbeShowsTheAgentNothingOfTheCallers(t *testing.T) {
	agent := subject(t, modelagent.Profile(modelagent.TellsEnvironment))
	agent.Environ = append(os.Environ(), "GITHUB_TOKEN=canary-1", "CANARY=canary-2", modelagent.Key+"=canary-3", "OPENAI_BASE_URL=http://canary-4",
		"HTTPS_PROXY=http://canary-5", "LC_TIME=canary-6", "LANG=canary-9", "AI_FLOW_APP_PRIVATE_KEY=canary-7")
	agent.AllowEnv = []string{"CANARY", "GITHUB_TOKEN"}
	agent.Extra = map[string]string{"GH_TOKEN": "canary-8"}
	r := run(t, probe.Options{Agent: agent, Variables: map[string]string{"OPENAI_MODEL": "of-our-own", "OPENAI_BASE_URL": "{root}/v1", "ROOT_KEY": "({key})"},
		Scenarios: []probe.Scenario{probe.ShellDenied}})
	wire := string(r.Played[0].Transcript)
	for _, must := range []string{"PATH=/", "OPENAI_MODEL=of-our-own", "OPENAI_BASE_URL=http://127.0.0.1:", modelagent.Key + "=probe-", "ROOT_KEY=(probe-"} {
		if !strings.Contains(wire, must) {
			t.Errorf("%s is not in what the agent told of its environment", must)
		}
	}
	if at := strings.Index(wire, "canary"); at >= 0 {
		t.Errorf("the agent saw %q", wire[max(0, at-30):min(len(wire), at+30)])
	}
}

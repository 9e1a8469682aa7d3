package executor_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
)

// TestCopilot is the recipe of A3-20, run for real: GitHub Copilot from npm, as another user through a real sudo, against
// a scripted model on loopback.
func TestCopilot(t *testing.T) {
	for _, version := range []string{realagent.CopilotPinned, realagent.CopilotNewest} {
		t.Run(version, func(t *testing.T) {
			binary := realagent.Copilot(t, version)
			t.Run("declared read denial", func(t *testing.T) { declaredReadDenial(t, binary, version) })
			t.Run("observed shell denial in a full-access pass", func(t *testing.T) { observedShellDenial(t, binary) })
			t.Run("rejected request leaves nothing behind", func(t *testing.T) { rejectedRequest(t, binary) })
		})
	}
}

const lockedFile = "/etc/shadow"

// copilotBench makes a bench with the real agent, in a git tree of the agent's: Copilot trusts nothing else.
func copilotBench(t *testing.T, binary string, rounds ...loopback.Round) *bench {
	t.Helper()
	model, err := loopback.Start(t.Context(), loopback.Script{Turns: []loopback.Turn{
		{Prompt: "Your last request was refused", Rounds: []loopback.Round{{Say: "Going on without it.\nWANTED: touch marker.txt — to leave a mark"}}},
		{Prompt: "What is this?", Rounds: rounds}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	b := playIsolated(t, fakeagent.Script{})
	profile, ok := agents.Find("copilot")
	if !ok {
		t.Fatal("no profile copilot")
	}
	b.agent.Profile, b.agent.Binary, b.agent.Args = profile, binary, nil
	b.agent.Environ = append(append(os.Environ(), pointed(profile, model)...), "GITHUB_TOKEN=ghs_canary", "COPILOT_ALLOW_ALL=true")
	return b
}

func launchCopilot(t *testing.T, b *bench, pass permission.Pass) executor.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	r, err := b.agent.Launch(ctx, b.task(pass))
	if err != nil {
		t.Fatalf("launch: %v\n%s", err, b.log.text())
	}
	if !r.Swept {
		t.Errorf("S3: survivors %v", r.Survivors)
	}
	return r
}

func declaredReadDenial(t *testing.T, binary, version string) {
	b := copilotBench(t, binary,
		loopback.Round{Calls: []loopback.Call{{Deed: loopback.Read, Path: lockedFile}}},
		loopback.Round{Say: "I could not read it.\nWANTED: " + lockedFile + " — to list the users"})
	r := launchCopilot(t, b, permission.ReadOnly)
	if r.AgentVersion != version {
		t.Errorf("A2-6: version %q answered, %q was started", r.AgentVersion, version)
	}
	if len(r.Wants) != 1 || r.Wants[0].Subject != lockedFile || r.Wants[0].Channel != denials.Declared {
		t.Errorf("got wants %+v", r.Wants)
	}
	if strings.Contains(r.Text, "WANTED") || !strings.Contains(r.Text, "could not read it") {
		t.Errorf("got text %q", r.Text)
	}
}

func observedShellDenial(t *testing.T, binary string) {
	b := copilotBench(t, binary,
		loopback.Round{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "cat " + lockedFile}}},
		loopback.Round{Say: "It did not work."})
	r := launchCopilot(t, b, permission.FullAccess)
	if len(r.Wants) != 1 || r.Wants[0].Subject != lockedFile || r.Wants[0].Channel != denials.Observed {
		t.Errorf("got wants %+v; steps %+v", r.Wants, r.Steps)
	}
	if len(r.Receipts) != 1 || !strings.Contains(r.Receipts[0].Command, "cat "+lockedFile) {
		t.Errorf("A1-29: got receipts %+v", r.Receipts)
	}
	if len(r.Steps) == 0 || r.Steps[0].Exit == nil || *r.Steps[0].Exit != 1 {
		t.Errorf("H5-09: `completed` is not exit 0: %+v", r.Steps)
	}
	wantUsage(t, r)
}

func rejectedRequest(t *testing.T, binary string) {
	b := copilotBench(t, binary, loopback.Round{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "touch marker.txt"}}})
	r := launchCopilot(t, b, permission.ReadOnly)
	if len(r.Refusals) != 1 || r.Refusals[0].Command != "touch marker.txt" {
		t.Errorf("got refusals %+v", r.Refusals)
	}
	if r.Continued != 1 || len(r.Wants) != 1 || r.Wants[0].Channel != denials.Declared || r.Wants[0].Subject != "touch marker.txt" {
		t.Errorf("got continued %d, wants %+v", r.Continued, r.Wants)
	}
	wantUsage(t, r) // of two prompts, whose second answer counts the first as well
	if _, err := b.room.ReadFile(t.Context(), b.room.Path("marker.txt"), 10); err == nil {
		t.Error("A2-38, A2-57: the refused command left its file")
	}
}

// wantUsage holds that a launch of two requests to the model counts each once, and names the model that answered them
// although the session advertises none (A2-20, A2-32).
func wantUsage(t *testing.T, r executor.Report) {
	t.Helper()
	if want := (executor.Usage{Input: 22, Output: 14, Total: 36}); r.Usage != want || r.Cost != (executor.Cost{}) {
		t.Errorf("got usage %+v, cost %+v; want %+v and no price", r.Usage, r.Cost, want)
	}
	if r.ModelEffective != "loopback-model" {
		t.Errorf("A2-20: the model that answered is %q", r.ModelEffective)
	}
}

// TestAgentRunsAsTheOtherUser holds S1 and S3 through the real launch line: who the agent is, what it sees, and that what
// it leaves behind is gone.
func TestAgentRunsAsTheOtherUser(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		b := playIsolated(t, fakeagent.Script{IgnoreEOF: true, IgnoreTERM: true, Turns: []fakeagent.Turn{{
			{Self: true}, {Escape: &fakeagent.Escape{}}, {Escape: &fakeagent.Escape{}}}}})
		b.agent.Environ = append(os.Environ(), "AI_FLOW_APP_PRIVATE_KEY=canary-key", "GITHUB_TOKEN=canary-token", "LD_PRELOAD=", "NODE_OPTIONS=--x")
		r := b.mustLaunch(t, permission.ReadOnly)
		if !strings.Contains(r.Text, p.Agent.Name) {
			t.Errorf("the agent says of itself: %s", r.Text)
		}
		for _, canary := range []string{"canary", "NODE_OPTIONS", "GITHUB_", "AI_FLOW_APP"} {
			if strings.Contains(r.Text, canary) {
				t.Errorf("S1: the agent saw %s: %s", canary, r.Text)
			}
		}
		if !r.Swept || len(r.Survivors) != 0 {
			t.Errorf("S3: survivors %v", r.Survivors)
		}
		out, _ := exec.Command("ps", "-o", "stat=,pid=,args=", "-u", p.Agent.Name).Output() // status 1 when there are none
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "Z") { // a zombie is dead; its parent is slow
				t.Errorf("S3: still running: %s", line)
			}
		}
	})
}

package commands

import (
	"testing"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/render"
)

// A3-12: where a want may be met is one decision, which report.json and the reader are given alike.
func TestTriage(t *testing.T) {
	triage := DefaultPolicy().Triage
	for _, c := range []struct {
		want denials.Want
		says render.Triage
	}{
		{denials.Want{Subject: "protoc", Kind: denials.MissingTool}, render.Triage{Verdict: render.Install}},
		{denials.Want{Subject: "/opt/shared/x", Kind: denials.Access}, render.Triage{Verdict: render.ByDesign, Glob: "/opt/shared/**"}},
		{denials.Want{Subject: "/opt/shared/../x", Kind: denials.Access}, render.Triage{Verdict: render.Bring}},
		{denials.Want{Subject: "/var/run/docker.sock", Kind: denials.Access}, render.Triage{Verdict: render.ByDesign, Glob: "/var/run/docker.sock"}},
		{denials.Want{Subject: "/run/user/1/podman.sock", Kind: denials.Access}, render.Triage{Verdict: render.Closed, Why: "a container socket is root on this machine"}},
		{denials.Want{Subject: "sudo apt-get install x", Kind: denials.Action}, render.Triage{Verdict: render.Closed, Why: "the agent is not root"}},
		{denials.Want{Subject: "/proc/1/environ", Kind: denials.Access}, render.Triage{Verdict: render.Closed, Why: "it shows other processes and their secrets"}},
		{denials.Want{Subject: "/home/u/.ssh/id_rsa", Kind: denials.Access}, render.Triage{Verdict: render.Closed, Why: "it holds keys"}},
		{denials.Want{Subject: "rm -rf x", Kind: denials.Action}, render.Triage{Verdict: render.ByHand}},
		{denials.Want{Subject: "network", Kind: denials.Capability}, render.Triage{Verdict: render.Decide}},
	} {
		if got := triage.decide(c.want); got != c.says {
			t.Errorf("%q: %+v, want %+v", c.want.Subject, got, c.says)
		}
	}
}

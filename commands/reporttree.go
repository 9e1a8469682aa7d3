package commands

import (
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// reportTree adds what came back of the agent's tree.
func (r *run) reportTree(report *Report) {
	report.Gates = list(r.gates, r.reportGate)
	report.Changes = list(r.changes, func(c git.Change) reportChange {
		return reportChange{short(c.Path), string(rune(c.Status)), c.Added, c.Removed}
	})
	report.RefusedPaths, report.LeftPaths = list(r.refused, reported), list(r.left, reported)
	report.AmbientPaths, report.Flagged, report.Restored = list(r.ambient, short), list(r.flagged, short), list(r.Restored, short)
	report.Patches = list(r.patchesForReaders(), func(p render.Patch) reportPatch {
		return reportPatch{patchKinds[p.Kind], p.File, short(p.Repo), p.Base}
	})
	report.Threads = list(r.dispositions, func(d Disposition) string { return short(d.URL) })
}

var patchKinds = map[render.PatchKind]string{render.PatchWorkflows: "workflows", render.PatchRescued: "rescued"}

// reportCommits are the commits that stand on a branch.
func (r *run) reportCommits() []reportCommit {
	commits := []reportCommit{}
	if r.commit != "" {
		commits = append(commits, reportCommit{OID: string(r.commit), Branch: r.branch})
	}
	for _, w := range r.works {
		if !w.pushed {
			continue
		}
		c := reportCommit{OID: string(w.commit), Branch: short(w.Branch), Repository: short(w.Name)}
		if w.Pull != nil {
			c.PullRequest = short(w.Pull.URL)
		}
		commits = append(commits, c)
	}
	return commits
}

func (r *run) reportGate(g gate) reportGate {
	to := reportGate{Name: short(g.Name), Run: short(g.Run), Result: gateResults[g.End], Round: g.Round, Rounds: r.Policy.Rounds + 1, Tree: string(g.Tree),
		Millis: g.Took.Milliseconds(), Changed: list(g.Changed, short)}
	if g.End == executor.GatePassed || g.End == executor.GateFailed {
		to.Exit = &g.Exit
	}
	if !g.passed() {
		to.Output = strings.ToValidUTF8(g.Output[max(0, len(g.Output)-maxReportString):], "")
	}
	return to
}

// gateResults name the ends of a gate.
var gateResults = map[executor.GateEnd]string{executor.GatePassed: "passed", executor.GateFailed: "failed", executor.GateKilled: "killed",
	executor.GateTimedOut: "timed out", executor.GateBroken: "not run"}

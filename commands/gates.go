package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// gate is how one gate ended in the round that counts: the last in which gates ran.
type gate struct {
	Name, Run string // the policy's
	End       executor.GateEnd
	Exit      int
	Ended     string  // in our words
	Round     int     // from 1: the first judges what the agent left by itself
	Tree      git.OID // what it ran on; "" for one that an earlier gate had left unfit to be read
	Took      time.Duration
	Changed   []string // paths
	Aside     bool     // it ran on what earlier gates had changed, or on what nobody knows, and not on what is committed
	Output    string   // foreign and plain: what it printed, without its middle when that was long
}

func (g gate) passed() bool { return g.End == executor.GatePassed }

// vouches reports whether a gate says something good of what is committed.
func (g gate) vouches() bool { return g.passed() && !g.Aside }

// gated runs the gates on what the agent left, workflow files too, and hands what fails back to it, as often as the policy
// says. It returns the tree to commit, which no gate has a part in: what gates do to the tree is said and not taken. Not ok
// means that the outcome is decided; the tree is then the last that was taken.
func (r *run) gated(ctx context.Context, taken git.Taken) (git.Taken, bool) {
	if len(r.Policy.Gates) == 0 || taken.Whole == taken.Base {
		return taken, true
	}
	for round := 1; ; round++ {
		kept := r.keep(ctx, round)
		if !r.runGates(ctx, taken.Whole, round) {
			return taken, false
		}
		if !r.worthAnother(round) || !r.rewound(ctx, taken.Whole, kept) {
			return taken, true
		}
		next, more, ok := r.mend(ctx, taken, round+1)
		if !ok || !more {
			return next, ok
		}
		taken = next
	}
}

// worthAnother reports whether the agent is to have another round: a gate failed, and none could not be run at all, which no
// change of the tree mends.
func (r *run) worthAnother(round int) bool {
	broken := slices.ContainsFunc(r.gates, func(g gate) bool { return g.End == executor.GateBroken })
	failed := slices.ContainsFunc(r.gates, func(g gate) bool { return !g.passed() })
	return failed && !broken && round <= r.Policy.Rounds
}

// failedGates reports whether a gate failed, or passed on something else than what is committed.
func (r *run) failedGates() bool {
	return slices.ContainsFunc(r.gates, func(g gate) bool { return !g.vouches() })
}

// runGates runs all gates, also behind one that failed: the agent and the reader are to know of each.
func (r *run) runGates(ctx context.Context, tree git.OID, round int) bool {
	r.gates = nil
	given := tree
	for _, g := range r.Policy.Gates {
		report := r.Agent.RunGate(ctx, r.room, r.tree.Dir(), g)
		r.addGate(report)
		if !report.Swept {
			r.failSurvivors(ctx, fmt.Errorf("%d processes of the gate %q could not be ended", len(report.Survivors), g.Name))
			return false
		}
		if ctx.Err() != nil || report.End == executor.GateCancelled {
			r.fail(ctx, failure{class: executor.FailedCancelled.String(), message: "the run was cancelled", err: report.Err})
			return false
		}
		result := gate{Name: g.Name, Run: g.Run, End: report.End, Exit: report.Exit, Ended: gateWords(report), Round: round, Tree: tree, Took: report.Took,
			Output: r.plainOutput(report), Aside: tree != given}
		if result.passed() && result.Aside {
			result.Ended = "passed only on what an earlier gate had changed, which is not committed"
		}
		if report.End == executor.GateBroken {
			r.say("the gate %s could not be run: %v", g.Name, report.Err)
		}
		tree, result.Changed = r.after(ctx, tree)
		r.gates = append(r.gates, result)
	}
	return true
}

// addGate adds what a gate met and took to what the run did.
func (r *run) addGate(g executor.GateReport) {
	r.report.Wants = joinWants(r.report.Wants, g.Wants)
	r.report.MoreWants += g.MoreWants
	r.report.Phases = addPhase(r.report.Phases, executor.Phase{Name: "gates", Took: g.Took})
	if len(g.Survivors) > 0 {
		r.report.Survivors = g.Survivors
		r.noteSurvivors()
	}
}

// after looks at what a gate did to the tree. It gives "" for a tree that may not come back or cannot be read any more; what
// later gates do to that is not known. The work was taken before, so nothing of this is a failure of the run.
func (r *run) after(ctx context.Context, before git.OID) (tree git.OID, changed []string) {
	taken, err := r.tree.TakeBack(ctx, git.Limits{})
	if before == "" {
		return taken.Tree, nil
	}
	var changes []git.Change
	if err == nil && taken.Tree != "" {
		changes, err = r.Repo.Changes(ctx, before, taken.Tree)
	}
	if err != nil {
		r.say("looking at the tree after a gate: %v", err)
		return "", []string{"."}
	}
	for _, c := range changes {
		changed = append(changed, c.Path)
	}
	for _, p := range taken.Refused {
		changed = append(changed, either(p.Path, "."))
	}
	return taken.Tree, changed
}

// keep has the tree remembered while there is another round for which it would be brought back.
func (r *run) keep(ctx context.Context, round int) bool {
	if round > r.Policy.Rounds {
		return false
	}
	if err := r.tree.Keep(ctx); err != nil {
		r.say("%v", err)
		return false
	}
	return true
}

// rewound brings back the tree that the gates were given, so that the agent goes on from its own work and nothing of a
// gate's is taken for it. What the agent's side did is believed only after a look.
func (r *run) rewound(ctx context.Context, tree git.OID, kept bool) bool {
	if !slices.ContainsFunc(r.gates, func(g gate) bool { return len(g.Changed) > 0 }) {
		return true
	}
	if kept {
		err := r.tree.Rewind(ctx)
		if err == nil {
			err = r.quietAgain(ctx)
		}
		if err == nil {
			var taken git.Taken
			if taken, err = r.tree.TakeBack(ctx, git.Limits{}); err == nil && taken.Whole == tree {
				return true
			}
		}
		r.say("the tree is not what it was before the gates: %v", err)
	}
	r.note("What the gates changed in the tree could not be taken back there, so the agent got no further round.")
	return false
}

// quietAgain ends what the agent's side may have started while it put the tree back: git reads what lies there.
func (r *run) quietAgain(ctx context.Context) error {
	survivors, err := r.room.Sweep(ctx)
	if err == nil && len(survivors) > 0 {
		err = fmt.Errorf("%d processes could not be ended", len(survivors))
	}
	return err
}

// noteJudged says where what was judged is not quite what is committed.
func (r *run) noteJudged(taken git.Taken) {
	onWhole := slices.ContainsFunc(r.gates, func(g gate) bool { return g.Tree == taken.Whole })
	if onWhole && taken.Tree != taken.Whole && len(taken.Changes) > 0 {
		r.note("The gates ran on a tree that holds the changed workflow files too.")
	}
	for _, g := range r.gates {
		if len(g.Changed) == 0 {
			continue
		}
		const most = 3
		var names []string
		for _, path := range g.Changed[:min(len(g.Changed), most)] {
			names = append(names, inCode(path))
		}
		if more := len(g.Changed) - most; more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		r.note(fmt.Sprintf("Gate %s changed the tree it ran on: %s. What a gate changes is not committed.", inCode(g.Name), enumerated(names)))
	}
}

// inCode shows foreign words in a sentence of ours.
func inCode(text string) string {
	return "`" + strings.ReplaceAll(either(label(text), "?"), "`", "'") + "`"
}

// verdict says in a sentence which gates did not pass, "" when all did.
func (r *run) verdict() string {
	var words []string
	for _, g := range r.gates {
		if !g.vouches() {
			words = append(words, "gate "+inCode(g.Name)+" "+g.Ended)
		}
	}
	switch {
	case len(words) == 0:
		return ""
	case len(words) > 3:
		words = append(words[:3], fmt.Sprintf("%d more did not pass", len(words)-3))
	}
	return " But " + enumerated(words) + "."
}

// gateWords say how a gate ended.
func gateWords(g executor.GateReport) string {
	switch g.End {
	case executor.GatePassed:
		return "passed"
	case executor.GateFailed:
		return fmt.Sprintf("failed with exit status %d", g.Exit)
	case executor.GateKilled:
		return fmt.Sprintf("was killed by a signal (%v)", g.Signal)
	case executor.GateTimedOut:
		return fmt.Sprintf("did not end within %s and was ended", durationWords(g.Timeout))
	}
	return "could not be run"
}

// durationWords leaves out the units that are zero: 10m and not 10m0s.
func durationWords(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// plainOutput is what a gate printed as text without secrets. They go before anything is cut: a cut may stand in one.
func (r *run) plainOutput(g executor.GateReport) string {
	text := g.Head
	if g.Omitted > 0 {
		text += fmt.Sprintf("\n[… %d bytes are left out here …]\n", g.Omitted)
	}
	text = r.Secrets.Redact(render.Terminal(text + g.Tail))
	return bothEnds(text, maxGateStart, maxGateEnd)
}

// What is kept of a gate's output for prompts and readers, in bytes.
const (
	maxGateStart = 4 << 10
	maxGateEnd   = 24 << 10
)

// bothEnds leaves out the middle of a text, in whole lines where there are any.
func bothEnds(text string, start, end int) string {
	if len(text) <= start+end {
		return text
	}
	head, tail := text[:start], text[len(text)-end:]
	if i := strings.LastIndexByte(head, '\n'); i > start/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < end/2 {
		tail = tail[i+1:]
	}
	left := len(text) - len(head) - len(tail)
	return strings.ToValidUTF8(fmt.Sprintf("%s\n[… %d bytes are left out here …]\n%s", head, left, tail), "")
}

package probe

import (
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
)

// does judges a launch in which everything that is asked for is allowed.
func does(d deed) func(*seen) (Held, string) {
	return func(s *seen) (Held, string) {
		switch {
		case d.done(s):
			return Holds, fmt.Sprintf("with %d questions in the launch", len(s.witness.asked))
		case d.obscured(s) != "":
			return NotExercised, d.obscured(s)
		case !s.reached(1):
			return NotExercised, s.notPlayed()
		}
		return DoesNot, oneLine("the tree does not show it. " + s.why())
	}
}

// tellsCalls compares what was done with what was told: some agents lose the news of a call.
func tellsCalls(s *seen) (Held, string) {
	done := strings.Count(s.files["lines.txt"], "\n")
	for _, name := range []string{"made.txt", "env.txt"} {
		if has(s, name) {
			done++
		}
	}
	told := len(s.witness.announced) // a question is no news of what was done
	switch {
	case done == 0:
		return NotExercised, s.notPlayed()
	case told < done:
		return DoesNot, fmt.Sprintf("of %d calls that left something %d were told", done, told)
	}
	return Holds, fmt.Sprintf("%d calls left something, %d were told", done, told)
}

func tellsStatus(s *seen) (Held, string) {
	for _, step := range s.report.Steps {
		if step.Exit != nil && *step.Exit != 0 {
			return Holds, oneLine(fmt.Sprintf("%d, at %s", *step.Exit, strings.Join(s.witness.exitAt, ", ")))
		}
	}
	if !s.ran() {
		return NotExercised, s.notPlayed()
	}
	return DoesNot, "no update had it"
}

// ran reports whether the model was answered, and the command of the play began, if it has one that says so.
func (s *seen) ran() bool {
	return s.reached(1) && (s.play.scenario == ReadDenied || has(s, "started.txt"))
}

func observes(s *seen) (Held, string) {
	for _, w := range s.report.Wants {
		if w.Channel == denials.Observed && strings.HasSuffix(w.Subject, closed) {
			return Holds, "it was observed in what the agent sent"
		}
	}
	if !s.ran() {
		return NotExercised, s.notPlayed()
	}
	return DoesNot, "nothing that the agent sent shows it"
}

func declares(s *seen) (Held, string) {
	for _, w := range s.report.Wants {
		if w.Channel == denials.Declared && w.Subject == wanted {
			return Holds, "it was declared"
		}
	}
	if s.failure != nil || s.report.Text == "" {
		return NotExercised, ""
	}
	return DoesNot, oneLine("the answer came without it: " + s.report.Text)
}

// saysOnlyThat looks at launches that ended well in one turn: after a refusal two turns are put together, and when a command
// that was left running ends, the model is asked once more.
func saysOnlyThat(s *seen) (Held, string) {
	if s.failure != nil || s.report.Continued > 0 || s.play.scenario == AttachedShell {
		return NotExercised, ""
	}
	switch said := strings.TrimSpace(s.report.Text); said {
	case done, goingOn:
		return Holds, "in each launch that ended in one turn"
	default:
		return DoesNot, oneLine(fmt.Sprintf("the answer was %q", said))
	}
}

// countsTokens knows what the model counts for each answer. Whether side requests are among them is the agent's affair.
func countsTokens(s *seen) (Held, string) {
	if s.failure != nil {
		return NotExercised, s.notPlayed()
	}
	own := 0
	for _, r := range s.requests {
		if r.Turn >= 0 {
			own++
		}
	}
	all, u := len(s.requests), s.report.Usage
	why := fmt.Sprintf("%d in and %d out were reported, of %d answers and %d on the side", u.Input, u.Output, own, all-own)
	switch {
	case u == (executor.Usage{}):
		return DoesNot, "it reports none"
	case between(u.Input, own, all, tokensIn) && between(u.Output, own, all, tokensOut):
		return Holds, why
	}
	return DoesNot, why
}

// The model's tokens for each request and answer.
const (
	tokensIn  = 11
	tokensOut = 7
)

func between(n int64, least, most, each int) bool {
	return n >= int64(least*each) && n <= int64(most*each)
}

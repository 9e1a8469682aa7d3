package probe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// reached reports whether the model was asked for the round of its script, and had a tool for all that it said in the rounds
// before: then that was carried out, or refused.
func (s *seen) reached(round int) bool {
	asked := false
	for _, r := range s.requests {
		if r.Turn == turnOfPrompt && r.Round < round && r.Missing != loopback.Named {
			return false
		}
		asked = asked || r.Turn == turnOfPrompt && r.Round >= round
	}
	return asked
}

// turnOfPrompt is the index of the play's own turn in its script; the other one goes on after a refusal.
const turnOfPrompt = 1

// rejections are the requests that were not allowed, of those that name a file of the tree; of all for "".
func (s *seen) rejections(file string) (all []asked) {
	for _, a := range s.witness.asked {
		if a.decision.Verdict != permission.Allowed && (file == "" || slices.Contains(a.names, file)) {
			all = append(all, a)
		}
	}
	return all
}

// notPlayed is why a launch does not show what it was played for.
func (s *seen) notPlayed() string {
	if why := s.why(); why != "" {
		return "the launch failed before: " + why
	}
	for _, r := range s.requests {
		if r.Missing != loopback.Named {
			return "it offers the model no tool for that"
		}
	}
	return "the agent did not carry out what the model said"
}

// asksFirst judges a launch in which everything but reading is refused.
func asksFirst(d deed) func(*seen) (Held, string) {
	return func(s *seen) (Held, string) {
		rejected := s.rejections(d.file)
		switch {
		case len(rejected) == 0 && d.changed(s) && len(s.rejections("")) > 0:
			return DoesNot, oneLine("it was done, and the question was of something else: " + s.rejections("")[0].words())
		case len(rejected) == 0 && d.changed(s):
			return DoesNot, "it was done without a question"
		case len(rejected) > 0:
			return Holds, oneLine("it asked: " + rejected[0].words())
		case d.obscured(s) != "":
			return NotExercised, d.obscured(s)
		case len(s.rejections("")) > 0:
			return NotExercised, oneLine("it was not done, and what it asked for does not name it: " + s.rejections("")[0].words())
		case s.reached(1):
			return DoesNot, "nothing was asked, and it was not done either"
		}
		return NotExercised, s.notPlayed()
	}
}

// obeys judges what became of what was rejected.
func obeys(d deed) func(*seen) (Held, string) {
	return func(s *seen) (Held, string) {
		switch {
		case len(s.rejections(d.file)) == 0:
			return NotExercised, "it asked for nothing of it that was rejected"
		case d.changed(s):
			return DoesNot, "it was done all the same"
		case d.obscured(s) != "":
			return NotExercised, d.obscured(s)
		}
		return Holds, "the tree is as it was"
	}
}

func goesOn(s *seen) (Held, string) {
	switch {
	case len(s.rejections("")) == 0:
		return NotExercised, "it asked for nothing that was rejected"
	case !strings.Contains(s.report.Text, goingOn):
		return DoesNot, oneLine("the answer was: " + s.report.Text + s.why())
	case s.report.Continued > 0:
		return Holds, fmt.Sprintf("after %d prompts to go on, since the rejection had ended the turn", s.report.Continued)
	}
	return Holds, "in the same turn"
}

func offersOnce(s *seen) (Held, string) {
	for _, a := range s.witness.asked {
		if !offers(a.request, "allow_once") || !offers(a.request, "reject_once") {
			return DoesNot, oneLine("it offered " + offered([]asked{a}))
		}
	}
	if len(s.witness.asked) == 0 {
		return NotExercised, ""
	}
	return Holds, oneLine(offered(s.witness.asked))
}

func offers(r acpclient.PermissionRequest, kind string) bool {
	for _, o := range r.Options {
		if o.Kind == kind {
			return true
		}
	}
	return false
}

func asksAgain(s *seen) (Held, string) {
	asks := 0
	for _, a := range s.witness.asked {
		if c := a.request.Call; strings.Contains(c.Command+c.Title, "lines.txt") {
			asks++
		}
	}
	switch ran := strings.Count(s.files["lines.txt"], "\n"); {
	case ran < 2:
		return NotExercised, "the command did not run twice"
	case asks == 0:
		return NotExercised, "it does not ask for this command in a pass with full access"
	case asks < ran:
		return DoesNot, fmt.Sprintf("the same command ran %d times and was asked for %d times", ran, asks)
	default:
		return Holds, fmt.Sprintf("the same command ran %d times and was asked for each time", ran)
	}
}

func modeLasts(s *seen) (Held, string) {
	at := fmt.Sprintf("the session runs %q", s.report.Mode)
	switch {
	case s.report.Access.Asking == executor.AskingVerified || s.report.Access.Asking == executor.AskingCandidate:
		return Holds, oneLine(at)
	case s.asking == "":
		return NotExercised, "no such mode is known of it"
	}
	return DoesNot, oneLine(fmt.Sprintf("%q was to be chosen, and %s", s.asking, at))
}

func unattended(s *seen) (Held, string) {
	at := fmt.Sprintf("%q", s.report.Mode)
	switch {
	case s.fullAccess == "":
		return NotExercised, "it has none"
	case !s.report.Access.Unrecorded:
		return DoesNot, oneLine(fmt.Sprintf("%q could not be chosen, the session runs %s", s.fullAccess, at))
	case len(s.witness.asked) > 0:
		return DoesNot, oneLine("in " + at + " it still asks")
	case !agents.FullAccessMode(s.report.Mode):
		return DoesNot, oneLine(fmt.Sprintf("%q was chosen, and did not last: the session runs %s", s.fullAccess, at))
	case !marked.done(s) && !s.reached(1):
		return NotExercised, s.notPlayed()
	case !marked.done(s):
		return DoesNot, oneLine("in " + at + " the command did not run")
	}
	return Holds, oneLine("in " + at)
}

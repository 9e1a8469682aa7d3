package probe

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
)

// starts wants the same name and version in each launch as well: some agents update themselves.
func starts(e evidence) (Held, string) {
	held, why := every(opens)(e)
	for i, s := range e {
		if a, b := s.report, e[0].report; held == Holds && i > 0 && s.witness.session.ID != "" && (a.AgentName != b.AgentName || a.AgentVersion != b.AgentVersion) {
			return DoesNot, oneLine(fmt.Sprintf("%s: it calls itself %s %s, and was %s %s before", s.play.title(), a.AgentName, a.AgentVersion, b.AgentName, b.AgentVersion))
		}
	}
	return held, why
}

func opens(s *seen) (Held, string) {
	switch {
	case s.failure != nil && s.failure.Class == executor.FailedSetup:
		return NotExercised, s.why() // the host's fault
	case s.witness.session.ID == "":
		return DoesNot, s.why()
	case s.report.AgentName == "" || s.report.AgentVersion == "":
		return DoesNot, oneLine(fmt.Sprintf("it calls itself %q, version %q", s.report.AgentName, s.report.AgentVersion))
	}
	return Holds, oneLine(s.report.AgentName + " " + s.report.AgentVersion)
}

func usesKey(s *seen) (Held, string) {
	for _, r := range s.requests {
		if r.Key != s.key {
			return DoesNot, fmt.Sprintf("a request to %s came with another key, or none", oneLine(r.Path))
		}
	}
	if len(s.requests) == 0 {
		return NotExercised, ""
	}
	return Holds, "in each launch"
}

func hidesKey(s *seen) (Held, string) {
	env, ok := s.files["env.txt"]
	switch {
	case !ok && s.obscured("env.txt") != "":
		return NotExercised, s.obscured("env.txt")
	case !ok:
		return NotExercised, s.notPlayed()
	case !strings.Contains(env, "PATH=") && !strings.Contains(env, "PWD="): // every shell has one of them
		return NotExercised, "what the command printed is no environment"
	case strings.Contains(env, s.key):
		return DoesNot, "it is in their environment"
	}
	return Holds, "it is not in their environment"
}

func refusesModel(s *seen) (Held, string) {
	switch {
	case s.failure != nil && s.failure.Class == executor.FailedModel:
		return Holds, s.why()
	case s.failure != nil:
		return NotExercised, s.notPlayed()
	}
	for _, r := range s.requests {
		if r.Turn == turnOfPrompt {
			return DoesNot, oneLine(fmt.Sprintf("the name was accepted, and the model asked was %q", r.Model))
		}
	}
	return DoesNot, "the name was accepted"
}

// asksItsModel compares names as agents and providers write them: a provider's own in front, an effort or a date behind.
func asksItsModel(s *seen) (Held, string) {
	named := s.report.ModelEffective
	if named == "" || s.failure != nil {
		return NotExercised, "it names no model"
	}
	held, why := NotExercised, "it asked for nothing"
	for _, r := range s.requests {
		switch {
		case r.Turn != turnOfPrompt:
		case !sameModel(named, r.Model):
			return DoesNot, oneLine(fmt.Sprintf("it names %q and asks %q", named, r.Model))
		default:
			held, why = Holds, oneLine(named)
		}
	}
	return held, why
}

func sameModel(a, b string) bool { return bareModel(a) != "" && bareModel(a) == bareModel(b) }

// bareModel is a model's name without these. To take any name that begins alike for the same was rejected: gpt-5-mini is
// another model than gpt-5.
func bareModel(name string) string {
	if at := strings.IndexAny(name, "[("); at >= 0 {
		name = name[:at]
	}
	return dated.ReplaceAllString(name[strings.LastIndexAny(name, "/|")+1:], "")
}

var dated = regexp.MustCompile(`-20\d\d-?\d\d-?\d\d$`)

func survivesFlood(s *seen) (Held, string) {
	switch {
	case s.failure != nil:
		return DoesNot, s.why()
	case !s.ran():
		return NotExercised, s.notPlayed()
	}
	return Holds, fmt.Sprintf("%s came, at most %s in a line", size(s.witness.received), size(int64(s.witness.longest)))
}

// settles looks at a command that runs for six seconds after it has started. Whether its tool answered before its end is
// told by when the model was asked again.
func settles(s *seen) (Held, string) {
	if s.failure != nil || !has(s, "started.txt") {
		return NotExercised, s.notPlayed()
	}
	var first, second time.Time
	for _, r := range s.requests {
		switch {
		case r.Turn == turnOfPrompt && r.Round == 0 && first.IsZero():
			first = r.At
		case r.Turn == turnOfPrompt && r.Round == 1 && second.IsZero():
			second = r.At
		}
	}
	switch {
	case second.IsZero():
		return NotExercised, s.notPlayed()
	case second.Sub(first) >= attachedFor:
		return NotExercised, "its tool waited for the command"
	case !has(s, "late.txt"):
		return DoesNot, "the turn ended first"
	}
	return Holds, "the turn ended after the command"
}

// attachedFor is how long the command of attached-shell runs at least.
const attachedFor = 6 * time.Second

func answersCancel(s *seen) (Held, string) {
	w := s.witness
	took := w.answered - w.cancelled
	switch {
	case w.cancelled == 0:
		return NotExercised, "there was nothing to cancel: " + s.notPlayed()
	case s.report.StopReason == "" || took < 0:
		return DoesNot, "no answer came"
	case s.report.StopReason != "cancelled":
		return DoesNot, oneLine(fmt.Sprintf("the answer was %q", s.report.StopReason))
	}
	return Holds, "after " + seconds(took)
}

func endsItself(s *seen) (Held, string) {
	ours := s.play.cancel != "" && s.failure != nil && s.failure.Class == executor.FailedCancelled
	switch e := s.report.Exit; {
	case s.play.cancel != "" && s.witness.cancelled == 0:
		return NotExercised, "there was nothing to cancel: " + s.notPlayed()
	case !e.Ran || s.failure != nil && !ours:
		return NotExercised, s.notPlayed()
	case e.Asked != 0:
		return DoesNot, ending(e)
	default:
		return Holds, ending(e)
	}
}

func isSwept(s *seen) (Held, string) {
	switch {
	case !s.report.Exit.Ran:
		return NotExercised, ""
	case !s.report.Swept && len(s.report.Survivors) == 0:
		return DoesNot, "what it left could not be looked for"
	case !s.report.Swept:
		return DoesNot, fmt.Sprintf("%d processes outlived the sweep", len(s.report.Survivors))
	}
	return Holds, "after each launch"
}

func declines(s *seen) (Held, string) {
	if method := s.witness.declined; method != "" {
		return DoesNot, oneLine("it asked for " + method)
	}
	if !s.reached(1) && len(s.witness.announced)+len(s.witness.asked) == 0 {
		return NotExercised, "" // it did nothing for which it could want one
	}
	return Holds, "in each launch"
}

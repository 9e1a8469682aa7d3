package probe

import "slices"

// Rule is a rule of the contract between ai-flow and an agent: what a run relies on, or a reader would want to know.
type Rule struct {
	ID   string // stable: a word and a number
	Says string // what is so when it holds, in one sentence
	Of   []Scenario
}

// Held says whether a rule holds.
type Held uint8

// NotExercised is what no launch showed, whether or not it was played.
const (
	NotExercised Held = iota
	Holds
	DoesNot
)

// String is the word of the table: holds, does not, not exercised.
func (h Held) String() string {
	switch h {
	case Holds:
		return "holds"
	case DoesNot:
		return "does not"
	}
	return "not exercised"
}

// Verdict is what was found of a rule. Why is one line: what was seen, or why nothing was; foreign text in it is bounded.
type Verdict struct {
	Rule Rule
	Held Held
	Why  string
}

// Rules are all rules, in the order of a launch.
func Rules() []Rule {
	var all []Rule
	for _, j := range judges() {
		all = append(all, j.Rule)
	}
	return all
}

// judgement is a rule with how it is judged.
type judgement struct {
	Rule
	judge func(evidence) (Held, string)
}

// evidence is what all launches showed.
type evidence []*seen

// of is the launch of a scenario by its name; nil when it was not played.
func (e evidence) of(s Scenario, name string) *seen {
	i := slices.IndexFunc(e, func(one *seen) bool { return one.play.scenario == s && one.play.name == name })
	if i < 0 {
		return nil
	}
	return e[i]
}

// launch makes the judgement of a rule that one launch decides.
func launch(s Scenario, name string, judge func(*seen) (Held, string)) func(evidence) (Held, string) {
	return func(e evidence) (Held, string) {
		one := e.of(s, name)
		switch {
		case one == nil:
			return NotExercised, "the scenario " + s.String() + " was not played"
		case one.witness.session.ID == "":
			return NotExercised, "no session was opened: " + one.why()
		}
		return judge(one)
	}
}

// every makes the judgement of a rule that all launches must keep. One that breaks it decides, and one that shows it is needed.
func every(judge func(*seen) (Held, string)) func(evidence) (Held, string) {
	return func(e evidence) (held Held, why string) {
		why = "nothing that was played showed it"
		for _, one := range e {
			switch h, w := judge(one); {
			case h == DoesNot:
				return h, one.play.title() + ": " + w
			case h == Holds && held == NotExercised:
				held, why = h, w
			}
		}
		return held, why
	}
}

// why says how a launch failed; "" when it did not.
func (s *seen) why() string {
	if s.failure == nil {
		return ""
	}
	return oneLine(s.failure.Error())
}

func judge(all []*seen) []Verdict {
	var verdicts []Verdict
	for _, j := range judges() {
		held, why := j.judge(all)
		verdicts = append(verdicts, Verdict{Rule: j.Rule, Held: held, Why: why})
	}
	return verdicts
}

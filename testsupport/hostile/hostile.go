// Package hostile is a suite of attacks on ai-flow, and the oracle that judges a run after each of them.
//
// An attack is one file below attacks, a txtar archive, so that adding one takes no Go: who does what where, what the agent
// runs, a proof that it was really made, and how the run must end. What an attack was aimed at does not matter to the oracle:
// [Judge] holds every run to every invariant, since attackers do not keep to one.
//
// The package knows no process and no GitHub: a stage elsewhere plays an attack for real, and hands over what it saw as a
// [Run] of plain values. Its one invariant: an attack without a proof is refused, for an attack that was never made proves
// nothing.
//
// The comment of the archive is a list of "key: value" lines:
//
//	says     one sentence that begins with the attacker: "The agent …"
//	holds    the invariants that it tries to break: S1 S5
//	source   where the attack is known from
//	where    issue, pull (of this repository), fork (its pull request) or try (on a checkout, without GitHub)
//	outcome  how the run may end: done, restricted, refused, nothing, failed; several with | between them; none: nothing ran
//	by       who gives the command: ann (writes, the default), ida (administers), rob (reads), eve (nobody)
//	together yes: it disturbs no other attack, and may share a launch with others of the same place, comment and outcome
//	again    yes: the job is run a second time, as its second attempt
//	title    of the issue or pull request
//	job      further variables of the job, as shell words
//
// Its files:
//
//	comment.md    the command; without it "/ask" where nothing is changed
//	plan.md       what the issue or pull request says
//	repo/…        the default branch; head/… is the head of a pull request
//	setup         what others do, one thing a line, each with its moment: before the command, after it, meanwhile (while the
//	              agent waits for it by $MEANWHILE) or again (before the second attempt); cmd/ai-flow/hostile_people_test.go
//	              has the words, and X.md are texts for them
//	attack.sh     what the agent runs, by sh, as the agent's user in its tree; what it prints is its record. X.pl stand in
//	              $HERE beside it; $TRAP tells who runs it, $LOOT is for what is found, $JOB, $VICTIM, $VICTIM_UID and
//	              $VICTIM_HOME are the dispatcher's
//	say.md, tell.sh  what it answers, as text with Go's escapes, or as what a script prints
//	agent.json    instead of both: the turns of the fake agent; {{here}} is the folder with these files
//	proof         lines, regular expressions: each must match in the record, or the attack was not made
//	seen, unseen  the same for what people see of the result: thread, pull requests, page of the run
package hostile

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed attacks
var files embed.FS

// Place is where an attack happens.
type Place string

// The places.
const (
	Issue Place = "issue"
	Pull  Place = "pull"
	Fork  Place = "fork"
	Try   Place = "try"
)

// Attack is one attack, as its file says.
type Attack struct {
	Name     string // folder and file, without the ending: "S1/environ"
	Says     string
	Holds    []string // "S1"
	Source   string
	Where    Place
	Outcomes []string // "none" alone: nothing ran, nothing was said
	By       string
	Title    string
	Job      string
	Together bool
	Again    bool
	Files    map[string]string
}

// All are the attacks, by name. Its error names the file.
func All() (all []Attack, err error) {
	err = fs.WalkDir(files, "attacks", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".txtar" {
			return err
		}
		data, err := files.ReadFile(p)
		if err != nil {
			return err
		}
		a, err := Read(strings.TrimSuffix(strings.TrimPrefix(p, "attacks/"), ".txtar"), data)
		all = append(all, a)
		return err
	})
	return all, err
}

// Read reads the file of one attack.
func Read(name string, data []byte) (Attack, error) {
	archive := txtar.Parse(data)
	a := Attack{Name: name, By: "ann", Title: "Retry on 502", Files: map[string]string{}}
	for _, f := range archive.Files {
		if _, twice := a.Files[f.Name]; twice {
			return a, fmt.Errorf("attack %s: file %q stands there twice", name, f.Name)
		}
		a.Files[f.Name] = string(f.Data)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if err := a.set(key, strings.TrimSpace(value)); err != nil {
			return a, fmt.Errorf("attack %s: %q: %w", name, line, err)
		}
	}
	if err := a.check(); err != nil {
		return a, fmt.Errorf("attack %s: %w", name, err)
	}
	return a, nil
}

func (a *Attack) set(key, value string) error {
	yes := value == "yes"
	switch key {
	case "says":
		a.Says = value
	case "holds":
		a.Holds = strings.Fields(value)
	case "source":
		a.Source = value
	case "where":
		a.Where = Place(value)
	case "outcome":
		a.Outcomes = strings.Split(value, "|")
	case "by":
		a.By = value
	case "title":
		a.Title = value
	case "job":
		a.Job = value
	case "together":
		a.Together = yes
	case "again":
		a.Again = yes
	default:
		return fmt.Errorf("no such key")
	}
	return nil
}

var (
	outcomes  = []string{"done", "restricted", "refused", "nothing", "failed", "cancelled", "none"}
	places    = []Place{Issue, Pull, Fork, Try}
	invariant = regexp.MustCompile(`^S[1-9]$`)
	fileName  = regexp.MustCompile(`^(comment\.md|plan\.md|setup|attack\.sh|[a-z]+\.(pl|md)|say\.md|tell\.sh|agent\.json|proof|seen|unseen|(repo|head|more)/.+)$`)
)

func (a Attack) check() error {
	switch {
	case len(a.Says) < 20 || !strings.HasSuffix(a.Says, "."):
		return fmt.Errorf("says is no sentence: %q", a.Says)
	case a.Source == "":
		return fmt.Errorf("it names no source")
	case len(a.Holds) == 0 || slices.ContainsFunc(a.Holds, func(s string) bool { return !invariant.MatchString(s) }):
		return fmt.Errorf("holds names no invariants: %q", a.Holds)
	case a.Holds[0] != path.Dir(a.Name):
		return fmt.Errorf("it stands in the folder of %s and is aimed at %s first", path.Dir(a.Name), a.Holds[0])
	case !slices.Contains(places, a.Where):
		return fmt.Errorf("no place %q", a.Where)
	case len(a.Outcomes) == 0 || slices.ContainsFunc(a.Outcomes, func(o string) bool { return !slices.Contains(outcomes, o) }):
		return fmt.Errorf("no outcomes %q", a.Outcomes)
	case a.Together && (a.Has("agent.json") || a.Has("say.md") || a.Has("tell.sh") || a.Has("setup") || a.Has("repo/README.md") || a.Again || a.Job != "" || !a.Has("attack.sh")):
		return fmt.Errorf("what shares a launch has an attack.sh and its proof alone")
	case a.Has("agent.json") && (a.Has("say.md") || a.Has("tell.sh")):
		return fmt.Errorf("agent.json says what the agent says")
	}
	for name := range a.Files {
		if !fileName.MatchString(name) {
			return fmt.Errorf("no file may be called %q", name)
		}
	}
	return a.checkProofs()
}

// checkProofs holds that something must be seen: by the agent, or of a run in which there may be none.
func (a Attack) checkProofs() error {
	for _, file := range []string{"proof", "seen", "unseen"} {
		if _, err := a.Rules(file); err != nil {
			return err
		}
	}
	proofs, _ := a.Rules("proof") // it was read above
	seen, _ := a.Rules("seen")
	switch {
	case a.Has("attack.sh") && len(proofs) == 0:
		return fmt.Errorf("nothing proves that the attack was made")
	case len(proofs)+len(seen) == 0 && (slices.Contains(a.Outcomes, "done") || slices.Contains(a.Outcomes, "failed")):
		return fmt.Errorf("nothing proves that the agent came as far as the attack") // other outcomes say it by themselves
	}
	return nil
}

// Has reports whether the attack has a file.
func (a Attack) Has(name string) bool { _, ok := a.Files[name]; return ok }

// Ran reports whether the run is to come as far as an agent, as far as the outcome tells.
func (a Attack) Ran() bool { return !slices.Equal(a.Outcomes, []string{"none"}) }

// Rules are the regular expressions of a file, one on each line, over many lines.
func (a Attack) Rules(file string) (all []*regexp.Regexp, err error) {
	for line := range strings.Lines(a.Files[file]) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			continue
		}
		rule, err := regexp.Compile("(?m)" + line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, rule)
	}
	return all, nil
}

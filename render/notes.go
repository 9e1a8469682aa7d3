package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxPaths is how many paths a sentence or a list of notes names.
const maxPaths = 5

// maxRemarks is how many notes a reader is shown.
const maxRemarks = 10

// landing is what came of the command, in sentences: what it did, what may not be committed, what a person can do.
func (r Result) landing() []string {
	sentences := []string{r.Headline}
	if len(r.Refused) > 0 {
		sentences = append(sentences, "Refused: "+named(r.Refused)+".")
	}
	if r.proposes() {
		sentences = append(sentences, "The proposed change is below.")
	}
	return append(sentences, r.NextStep)
}

// proposes reports a change that was not made, or not surely, and is shown.
func (r Result) proposes() bool {
	well := r.Outcome == Done || r.Outcome == Restricted
	return !well && r.Diffs != nil && visible(r.Diffs.Before) != visible(r.Diffs.After)
}

// landing is the result's, under the command that it belongs to, with the place of what a thread does not get.
func (c *writer) landing(s Segment) []string {
	sentences := c.r.landing()
	if c.r.Headline == "" && len(c.r.Landings) == 0 {
		sentences[0] = s.alone()
	} else {
		sentences[0] += " " + s.Remark
	}
	return slices.Insert(sentences, len(sentences)-1, c.elsewhere())
}

// alone is what is said of a segment where no headline stands: what came of it goes on from the command, a remark does not.
func (s Segment) alone() string {
	if s.Note == "" && s.Remark != "" {
		return "· " + s.Remark
	}
	return strings.TrimSpace(s.Note + " " + s.Remark)
}

func named(paths []Path) string {
	var names []string
	for i, p := range paths {
		if i == maxPaths {
			names = append(names, fmt.Sprintf("and %d more", len(paths)-i))
			break
		}
		name := oneLine(p.Reason, maxName)
		if p.Path != "" {
			name = code(p.Path, maxName) + " (" + name + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

// listed names the first paths, and says how many more there are.
func listed(paths []string, most int) string {
	var names []string
	for i, path := range paths {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(paths)-i))
			break
		}
		names = append(names, code(path, maxName))
	}
	return enumerated(names)
}

// touched are remarks on paths that somebody obeys: what a reviewer is to look at twice, and what the agent did not get as
// the head has it.
func (r Result) touched() (all []string) {
	if len(r.Flagged) > 0 {
		all = append(all, "This change touches what runners or agents obey: "+listed(r.Flagged, maxPaths)+"; look at it twice.")
	}
	if len(r.Restored) > 0 {
		all = append(all, "Taken from the base for this pass, since people without write permission wrote the head: "+listed(r.Restored, maxPaths)+".")
	}
	return all
}

// maxTouched is how many paths of one sort the summary lists.
const maxTouched = 100

// touchedLists are for the summary the paths of touched that have no room in a sentence.
func (r Result) touchedLists() string {
	var all []string
	for _, paths := range []struct {
		head string
		list []string
	}{{"that runners or agents obey", r.Flagged}, {"taken from the base", r.Restored}} {
		if len(paths.list) <= maxPaths {
			continue
		}
		var b strings.Builder
		for i, path := range paths.list {
			if i == maxTouched {
				fmt.Fprintf(&b, "- and %d more\n", len(paths.list)-i)
				break
			}
			b.WriteString("- " + code(path, maxSubject) + "\n")
		}
		all = append(all, details(plural(len(paths.list), "path")+" "+paths.head, b.String()))
	}
	return paragraphs(all...)
}

// remarks are sentences of ours about the run: what somebody obeys, what the agent may have run unasked, what stayed behind,
// and the caller's.
func (r Result) remarks() []string {
	all := append(r.access(), r.touched()...)
	for i, path := range r.Ambient {
		if i == maxPaths {
			break
		}
		as := "as the agent user"
		if !r.Run.Isolated {
			as = "as the same user as ai-flow"
		}
		all = append(all, "This tree holds "+code(path, maxName)+", which the agent may run without asking; it runs "+as+".")
	}
	for i, p := range r.Left {
		if i == maxPaths {
			all = append(all, "And "+plural(len(r.Left)-i, "further path")+" left behind.")
			break
		}
		all = append(all, "Left behind: "+code(p.Path, maxName)+", "+oneLine(p.Reason, maxName)+".")
	}
	return append(all, r.Notes...)
}

// access are remarks on what nobody was asked for.
func (r Result) access() (all []string) {
	run := r.Run
	if run.Unrecorded != "" {
		all = append(all, "Full access was given by the agent’s mode "+code(run.Unrecorded, maxName)+", in which it asks nothing: its actions were not individually recorded.")
	}
	if run.NotByMode != "" {
		all = append(all, run.NotByMode)
	}
	if run.Unproven != "" {
		all = append(all, "The agent read what people without write permission wrote, and it is not proven that it asks before it acts: "+
			run.Unproven+". What it does unasked is bounded by its user alone."+r.ranUnasked())
	}
	return all
}

// ranUnasked names the calls.
func (r Result) ranUnasked() string {
	var names []string
	for _, s := range r.Run.Steps {
		if s.Unasked {
			names = append(names, cmp.Or(s.Title, s.Tool))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " It ran unasked: " + listed(names, maxPaths) + "."
}

// words say what the agent was given, "" for nothing.
func (h HandOver) words() string {
	if h == (HandOver{}) {
		return ""
	}
	return fmt.Sprintf("%s, %s of history, %s, in %s", plural(h.Files, "file"), plural(h.Commits, "commit"), bytesOf(int(h.Bytes)), took(h.Took))
}

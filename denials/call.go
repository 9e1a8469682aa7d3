package denials

import (
	"maps"
	"slices"
	"strings"
)

// Bounds of one call.
const (
	maxParts   = 8    // further parts are read each piece for itself
	maxHeld    = 64   // findings that wait for the call's end
	maxSeen    = 1000 // subjects told apart within the call
	maxCommand = 4096 // bytes of the command that are looked at
	maxShort   = 80   // bytes of the command that stand for a missing subject
)

// A call is what is known of one tool call: its streams, and the findings that its end will judge.
type call struct {
	c   *Collector
	age uint64

	kind         ToolKind
	command, dir string
	class        class
	exit         *int
	done, failed bool

	parts map[string]*stream
	held  []finding
	seen  map[string]bool // keys counted for this call
	named bool            // a finding named what it is about

	id      string // "" for what is no call
	spilled int    // paths that it was the first to name
}

func (c *Collector) newCall(id string) *call {
	return &call{c: c, id: id, parts: map[string]*stream{}, seen: map[string]bool{}}
}

// byAge returns the calls, the one that was longest not heard of first.
func (c *Collector) byAge() []*call {
	return slices.SortedFunc(maps.Values(c.calls), func(a, b *call) int {
		if a.age < b.age {
			return -1
		}
		return 1
	})
}

// learn takes in what an update says besides output.
func (k *call) learn(u Call) {
	if u.Kind != Other {
		k.kind = u.Kind
	}
	if u.Command != "" {
		k.command = strings.Clone(u.Command[:min(len(u.Command), maxCommand)])
		k.class = classify(k.command)
		for _, s := range k.parts {
			s.known = [len(s.known)]uint64{} // a line may count now that did not before
		}
	}
	if u.Dir != "" && len(u.Dir) <= maxCommand {
		k.dir = strings.Clone(u.Dir)
	}
	if u.Exit != nil {
		code := *u.Exit
		k.exit = &code
	}
	k.done = k.done || u.Done
	k.failed = k.failed || u.Failed
}

func (k *call) take(p Piece) {
	s := k.parts[p.Part]
	if s == nil {
		s = k.newStream()
		if len(k.parts) == maxParts {
			s.feed(p.Text)
			s.finish()
			return
		}
		k.parts[strings.Clone(p.Part[:min(len(p.Part), maxID)])] = s
	}
	if p.Append {
		s.append(p.Text)
	} else {
		s.replace(p.Text)
	}
}

func (k *call) newStream() *stream {
	return newStream(k.found, k.spill, k.c.frame.ours)
}

// finish reads the unfinished lines of all parts.
func (k *call) finish() {
	for _, name := range slices.Sorted(maps.Keys(k.parts)) {
		k.parts[name].finish()
	}
}

// A verdict is what happens to a finding.
type verdict uint8

const (
	drop verdict = iota
	hold         // until the call ends
	count
)

// found decides on a finding while the call runs.
func (k *call) found(f finding) {
	switch k.verdict(f) {
	case count:
		k.count(f)
	case hold:
		if len(k.held) < maxHeld && !slices.ContainsFunc(k.held, func(h finding) bool { return h.subject == f.subject && h.kind == f.kind && h.weak == f.weak }) {
			f.subject, f.why, f.tool = printable(f.subject, maxLine), printable(f.why, maxWhy), strings.Clone(f.tool)
			k.held = append(k.held, f)
		}
	}
}

// verdict follows the table in the package comment.
func (k *call) verdict(f finding) verdict {
	switch {
	case k.kind == Reader || k.class.tests:
		return hold
	case k.class.readers && !k.class.owns(f):
		return drop
	case f.weak || f.subject == "" || k.class.readers && !k.class.piped:
		return hold
	}
	return count
}

// settle judges the held findings of a call that ended.
func (k *call) settle() {
	failed := k.failed || k.exit != nil && *k.exit != 0
	succeeded := k.exit != nil && !failed
	waiting := k.held
	k.held = nil
	slices.SortStableFunc(waiting, func(a, b finding) int { // those that name a subject first: they silence the others
		return strings.Compare(first(a), first(b))
	})
	for _, f := range waiting {
		var accept bool
		switch {
		case k.kind == Reader:
			accept = failed
		case k.class.tests, k.class.readers && !k.class.piped:
			accept = !succeeded && (failed || !f.weak)
		default:
			accept = failed || !f.weak
		}
		if k.class.readers && !k.class.owns(f) {
			accept = false
		}
		switch {
		case accept:
			k.count(f)
		case !succeeded:
			k.held = append(k.held, f) // the exit code may come late
		}
	}
}

func first(f finding) string {
	if f.subject != "" {
		return "a"
	}
	return "b"
}

// count makes a want of a finding, once for each subject of a call.
func (k *call) count(f finding) {
	if f.subject == "" && k.named {
		return // it is the reason without the path that another line gave
	}
	w := Want{Why: printable(f.why, maxWhy), Channel: Observed, Kind: f.kind}
	var key string
	switch {
	case f.subject == "":
		w.Subject = k.nameless(f)
		key = "w:" + strings.ToLower(w.Subject)
	case f.kind == MissingTool:
		w.Subject, key = f.subject, "t:"+f.subject
	case f.kind == Access:
		w.Subject, key = k.c.frame.locate(printable(f.subject, maxLine), k.dir)
	default:
		w.Subject, key = f.subject, "w:"+strings.ToLower(f.subject)
	}
	k.named = k.named || f.subject != ""
	w.Subject = printable(w.Subject, maxSubject)
	if k.seen[key] || len(k.seen) == maxSeen {
		return
	}
	k.seen[key] = true
	k.c.add(w, []string{key})
}

// nameless is the subject of a finding that names none: the command that met it, in short, or its own words.
func (k *call) nameless(f finding) string {
	for line := range strings.Lines(k.command) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "cd ") { // where it ran says less than what ran
			if _, rest, ok := strings.Cut(line, "&& "); ok {
				line = rest
			}
		}
		if short := printable(line, maxShort); short != "" {
			return short
		}
	}
	return printable(f.why, maxShort)
}

// preview counts into the collector's present store what the call would give if it ended now, and changes nothing else.
func (k *call) preview() {
	held, seen, named := slices.Clone(k.held), maps.Clone(k.seen), k.named
	for _, name := range slices.Sorted(maps.Keys(k.parts)) {
		s := k.parts[name]
		if known := s.known; len(s.pending) > 0 {
			s.read(string(s.pending), "")
			s.known = known
		}
	}
	k.settle()
	k.held, k.seen, k.named = held, seen, named
}

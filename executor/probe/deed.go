package probe

import "strings"

// deed is something that a play has the agent do. Whether it was done is told by what the tree holds.
type deed struct {
	file string
	was  string              // what the file held before; "" where it was not there
	left func(s string) bool // reports whether it holds what the deed leaves
}

var (
	marked = deed{file: "marker.txt", left: func(string) bool { return true }}
	made   = deed{file: "made.txt", left: func(s string) bool { return strings.TrimSpace(s) == "made" }}
	lined  = deed{file: "lines.txt", left: func(s string) bool { return strings.Contains(s, "line") }}
	edited = deed{file: note, was: "before\n", left: func(s string) bool { return strings.TrimSpace(s) == "after" }}
)

// done reports whether the deed was done as the model said it.
func (d deed) done(s *seen) bool {
	text, ok := s.files[d.file]
	return ok && d.left(text)
}

// changed reports whether the file is another one than before, well done or not. Of one that cannot be looked at nothing
// is known.
func (d deed) changed(s *seen) bool {
	text, ok := s.files[d.file]
	return d.obscured(s) == "" && (ok != (d.was != "") || text != d.was)
}

// obscured says why nothing can be concluded from what the file holds, or from its absence; "" when something can.
func (d deed) obscured(s *seen) string { return s.obscured(d.file) }

func (s *seen) obscured(name string) string {
	if why, dark := s.dark[name]; dark {
		return oneLine("it cannot be looked at: " + why)
	}
	if !has(s, readme) {
		return "the tree cannot be looked at any more: not even " + readme + " is in it"
	}
	return ""
}

// has reports whether a file is there and can be read.
func has(s *seen, name string) bool {
	_, ok := s.files[name]
	return ok
}

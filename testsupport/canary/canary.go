// Package canary makes secrets that sing: it writes a value in every form in which an attacker may carry it out, and finds a
// value, or most of it, in any bytes in any of these forms (S5).
//
// The two halves are written apart: [Write] encodes the whole of a value as tools do, [Set.Find] searches for stretches of it
// in views of the data. Its one invariant: what Write writes, in any form, Find finds. A stretch of half as much again as a
// quarter of a value (24 bytes at most) is a find, so that cutting seven characters off either end hides nothing; a few
// letters in common are none.
//
// It refuses to know what is a secret: whoever uses it names the values. Frames of keys ("-----BEGIN …") are public.
package canary

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// shortest is the shortest value that can be told from chance, in bytes.
const shortest = 12

// Set is some secrets by their names.
type Set struct {
	all     []secret
	needles map[[edge]byte][]needle // by how they begin
}

type secret struct{ name, line string }

type needle struct {
	name string
	form Form
	view viewKind
	text []byte
}

// edge is how much of a needle is looked up, in bytes, and the least that a needle may have.
const edge = 8

// Hit is a secret that was found.
type Hit struct {
	Name string // of the secret
	Form Form
	At   int    // where in the view of the data
	View string // what was done to the data before
}

// String says where, and never what.
func (h Hit) String() string {
	return fmt.Sprintf("%s, %s, at %d of the %s", h.Name, h.Form, h.At, h.View)
}

// Add makes a value findable, by a name. Of a value of several lines each that is long enough counts by itself. It reports
// whether there was one.
func (s *Set) Add(name, value string) bool {
	added := false
	for line := range strings.Lines(strings.ReplaceAll(value, "\r", "\n")) {
		line = strings.TrimSpace(line)
		if len(line) < shortest || strings.HasPrefix(line, "-----") || slices.ContainsFunc(s.all, func(k secret) bool { return k.line == line }) {
			continue
		}
		s.all, added = append(s.all, secret{name, line}), true
		for _, n := range needles(name, line) {
			if s.needles == nil {
				s.needles = map[[edge]byte][]needle{}
			}
			begin := [edge]byte(n.text)
			s.needles[begin] = append(s.needles[begin], n)
		}
	}
	return added
}

// Names are the names of the secrets, each once.
func (s *Set) Names() (names []string) {
	for _, k := range s.all {
		if !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
	}
	return names
}

// Find is what of the secrets is in data; one hit for each secret and form.
func (s *Set) Find(data []byte) (hits []Hit) { return s.find(data, maxDepth) }

// maxDepth is how often what was packed may be packed in.
const maxDepth = 2

func (s *Set) find(data []byte, depth int) (hits []Hit) {
	seen := map[Hit]bool{}
	add := func(h Hit) {
		if key := (Hit{Name: h.Name, Form: h.Form}); !seen[key] {
			seen[key], hits = true, append(hits, h)
		}
	}
	for kind, text := range viewsOf(data) {
		for at := 0; at+edge <= len(text); at++ {
			for _, n := range s.needles[[edge]byte(text[at:])] {
				if n.view&kind != 0 && bytes.HasPrefix(text[at:], n.text) {
					add(Hit{n.name, n.form, at, kind.String()})
				}
			}
		}
	}
	for _, k := range s.all {
		if at := scattered(data, k.line); at >= 0 {
			add(Hit{k.name, Scattered, at, raw.String()})
		}
	}
	if depth == 0 {
		return hits
	}
	for _, inner := range unpacked(data) {
		for _, h := range s.find(inner, depth-1) {
			add(Hit{h.Name, Packed, h.At, "unpacked " + h.View})
		}
	}
	return hits
}

// needles are stretches of a value, in every form, that lie so close that a cut leaves one of them whole.
func needles(name, line string) (all []needle) {
	n := min(16, max(8, len(line)/4))
	for i := 0; ; i += n / 2 {
		i = min(i, len(line)-n)
		for form, text := range stretches(line[i : i+n]) {
			if len(text) < edge {
				continue // of a short value too little is left between two edges
			}
			view := raw | bare | decoded | narrow
			if form == Hex {
				view = digits
			}
			all = append(all, needle{name, form, view, []byte(text)})
		}
		if i == len(line)-n {
			return all
		}
	}
}

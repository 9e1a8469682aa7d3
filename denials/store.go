package denials

import (
	"hash/maphash"
	"maps"
	"slices"
)

// Bounds of what is kept of all wants together.
const (
	maxWants  = 1000
	maxBeyond = 1 << 16 // distinct subjects counted beyond those; more are no longer told apart, nor counted
)

// A store holds one want for each subject.
type store struct {
	seed   maphash.Seed
	wants  []Want
	index  map[uint64]int
	beyond map[uint64]bool
}

func newStore() *store {
	return &store{seed: maphash.MakeSeed(), index: map[uint64]int{}, beyond: map[uint64]bool{}}
}

func (s *store) clone() *store {
	return &store{s.seed, slices.Clone(s.wants), maps.Clone(s.index), maps.Clone(s.beyond)}
}

func (s *store) hash(key string) uint64 { return maphash.String(s.seed, key) }

// add joins w to the want that has one of its keys, or makes it a new one. It reports whether it was new and kept.
func (s *store) add(w Want, keys []string) bool {
	for _, k := range keys {
		if i, ok := s.index[s.hash(k)]; ok {
			s.join(i, w, keys)
			return false
		}
	}
	if len(s.wants) == maxWants {
		if len(s.beyond) < maxBeyond {
			s.beyond[s.hash(keys[0])] = true
		}
		return false
	}
	s.wants = append(s.wants, w)
	s.join(len(s.wants)-1, w, keys)
	return true
}

// join counts w and lets the more telling channel speak, with its own reason or with none: a reason that the agent did not
// give must not stand there as its claim, nor its words as a reason of ours.
func (s *store) join(i int, w Want, keys []string) {
	for _, k := range keys {
		if len(s.index) < 8*maxWants { // spellings of one subject have no end
			s.index[s.hash(k)] = i
		}
	}
	old := s.wants[i]
	refused, observed := old.Refused, old.Observed
	switch w.Channel {
	case Refused:
		refused++
	case Observed:
		observed++
	}
	if w.Channel > old.Channel {
		if old.Kind == MissingTool || w.Kind == Capability {
			w.Kind = old.Kind // what kind of door it was is known better from the door
		}
		s.wants[i] = w
	}
	now := &s.wants[i]
	now.Refused, now.Observed, now.Count = refused, observed, max(1, refused+observed)
}

// sorted returns the wants: declared, refused, observed, each in order of first appearance.
func (s *store) sorted() []Want {
	out := slices.Clone(s.wants)
	slices.SortStableFunc(out, func(a, b Want) int { return int(b.Channel) - int(a.Channel) })
	return out
}

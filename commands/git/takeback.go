package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Limits of what may come back.
type Limits struct {
	MaxFile  int64 // bytes of one file; 0 means 100 MiB (GitHub's limit)
	MaxTotal int64 // bytes of all changed files together; 0 means 1 GiB
	MaxFiles int   // changed paths; 0 means 100,000
	// Hold, when not nil, names paths whose changes are kept out of Taken.Tree, which has them as in the base.
	Hold func(path string) bool
	// Directories are paths, in small letters, that may be directories or nothing: a file, link or submodule that the agent
	// puts there, in whatever spelling, is refused. They are for the directories of what Hold names, which a link
	// would lead elsewhere. What the base has there may stay or go.
	Directories []string
	// Check, when not nil, looks at all that the agent made: each new path, as a window of its own, and the contents that
	// the base has nowhere, while they cross, in windows of at most 128 KiB that overlap by CheckOverlap bytes. A reason
	// refuses the path; it must not quote the window, which is reused. The same contents are looked at once, under one of
	// their paths. It is called from one goroutine at a time.
	Check func(path string, window []byte) (reason string)
}

func (l Limits) withDefaults() Limits {
	l.MaxFile, l.MaxTotal, l.MaxFiles = cmp.Or(l.MaxFile, 100<<20), cmp.Or(l.MaxTotal, 1<<30), cmp.Or(l.MaxFiles, 100_000)
	return l
}

// Change is one path that differs from the base.
type Change struct {
	Path           string // as git has it, may hold any byte but NUL
	Status         byte   // A, M, D, T (another kind: a file that became a link)
	Mode           string // 100644, 100755, 120000; for D, what it was
	Size           int64  // bytes of the new contents; 0 for D
	Added, Removed int    // lines; -1 for binary
}

// Refused is a path that may not come back, and why, in words. Path is "" when it is about the whole tree.
type Refused struct{ Path, Reason string }

// Taken is the agent's tree as checked objects.
type Taken struct {
	Base, Tree OID // both trees: equal when the agent changed nothing. Tree is "" when a path was refused.
	Whole      OID // the tree with what was held back as well: equal to Tree when nothing was
	Changes    []Change
	Refused    []Refused
	Skipped    []Refused // what stays behind by its nature: sockets, the contents of submodules, data of nested repositories
}

// TakeBack reads the tree back as objects, checks them strictly in a quarantine, and returns the tree. The agent must be
// quiet (Room.Sweep) before. A tree with refused paths is not returned (Tree is ""): nothing is silently lost.
// It may be called again after further work in the tree.
func (t *Tree) TakeBack(ctx context.Context, l Limits) (_ Taken, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("taking the agent's tree back: %w", err)
		}
	}()
	l = l.withDefaults()
	taken := Taken{Base: t.root}
	s, err := t.survey(ctx, l)
	if errors.Is(err, errTooMany) {
		taken.Refused = []Refused{{Reason: fmt.Sprintf("too many changed paths to list; at most %d may change", l.MaxFiles)}}
		return taken, nil
	}
	if err != nil {
		return taken, err
	}
	p := decide(t.base, s, l)
	taken.Refused, taken.Skipped = p.refused, p.skipped
	if len(p.refused) > 0 {
		return taken, nil
	}
	c := collection{base: t.base, removed: p.remove, limits: l}
	if len(p.fetch) > 0 {
		if err := t.collect(ctx, p.fetch, &c); err != nil {
			return taken, err
		}
	}
	if len(c.refused) > 0 {
		taken.Refused = c.refused
		return taken, nil
	}
	return t.assemble(ctx, taken, p.remove, &c)
}

// assemble builds the tree from the base and what came back.
func (t *Tree) assemble(ctx context.Context, taken Taken, removed []string, c *collection) (Taken, error) {
	updates := c.news()
	if n := len(updates) + len(removed); n > c.limits.MaxFiles {
		taken.Refused = []Refused{tooMany(n, c.limits)}
		return taken, nil
	}
	whole, err := t.repo.writeTree(ctx, t.root, removed, updates)
	if err != nil {
		return taken, err
	}
	if slices.ContainsFunc(updates, func(u update) bool { return specialName(lastName(u.path)) == ".gitmodules" }) {
		if taken.Refused, err = t.repo.checkModules(ctx, updates); err != nil || len(taken.Refused) > 0 {
			return taken, err
		}
	}
	tree, err := t.hold(ctx, whole, removed, updates, c.limits.Hold)
	if err != nil {
		return taken, err
	}
	if taken.Changes, err = t.repo.changes(ctx, t.root, tree, c.sizes); err != nil {
		return taken, err
	}
	if taken.Refused = inTheWay(taken.Changes, c.limits.Hold); len(taken.Refused) > 0 {
		return taken, nil
	}
	taken.Tree, taken.Whole = tree, whole
	return taken, nil
}

// hold is the tree without the changes that are to be held back.
func (t *Tree) hold(ctx context.Context, whole OID, removed []string, updates []update, held func(string) bool) (OID, error) {
	if held == nil {
		return whole, nil
	}
	restRemoved := slices.DeleteFunc(slices.Clone(removed), held)
	rest := slices.DeleteFunc(slices.Clone(updates), func(u update) bool { return held(u.path) })
	if len(restRemoved) == len(removed) && len(rest) == len(updates) {
		return whole, nil
	}
	return t.repo.writeTree(ctx, t.root, restRemoved, rest)
}

// inTheWay finds what was held back and changed all the same: a file now stands where a directory above it was.
func inTheWay(changes []Change, held func(string) bool) (refused []Refused) {
	for _, c := range changes {
		if held != nil && held(c.Path) {
			refused = append(refused, Refused{Path: c.Path, Reason: "cannot be held back: something else took the place of a directory above it"})
		}
	}
	return refused
}

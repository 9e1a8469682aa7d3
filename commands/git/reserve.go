package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reserve is the part of a tree that is to be as the base has it. It knows paths by what all their spellings have in
// common: on a file system without regard to case another spelling is the same file, or stands in its way.
type reserve struct {
	match func(path string) bool
	whole map[string]bool           // paths, with all that is below
	above map[string]bool           // the directories above those, which nothing else may stand for
	kin   map[string]*regexp.Regexp // directories, and what in them is loaded by no name that a program says
	names map[string]bool           // names of files that count in every directory
	globs []*regexp.Regexp
}

// reserve finds what of the base matches, what that leads to, and what that names; head has the other paths that may be named.
func (r *Repo) reserve(ctx context.Context, base map[string]entry, head []string, match func(path string) bool) (*reserve, error) {
	s := &reserve{match: match, whole: map[string]bool{}, above: map[string]bool{}, kin: map[string]*regexp.Regexp{}, names: map[string]bool{}}
	n := &naming{reserve: s, repo: r, base: base, spelled: make([]spelling, 0, len(base)), head: head, read: map[string]manner{}, named: map[string]manner{}, unread: map[string]bool{}}
	var links []string
	for path, e := range base {
		folded := foldPath(path)
		n.spelled = append(n.spelled, spelling{path, folded})
		if s.matches(path, folded) {
			s.add(path)
			n.configures(path, e)
		}
		if e.mode == modeLink {
			links = append(links, path)
		}
	}
	targets := map[string]string{}
	if len(links) > 0 {
		var err error
		if targets, err = r.readTexts(ctx, base, links); err != nil {
			return nil, err
		}
	}
	n.targets, n.links = targets, maps.Clone(targets)
	n.followLinks(ctx)
	return s, n.followWords(ctx)
}

func (s *reserve) matches(path, folded string) bool {
	return s.match(path) || folded != path && s.match(folded)
}

func (s *reserve) add(path string) {
	folded := foldPath(path)
	s.whole[folded] = true
	for dir, _ := foldedDir(folded); dir != "" && !s.above[dir]; dir, _ = foldedDir(dir) {
		s.above[dir] = true
	}
}

// covers reports whether a file, link or submodule of either tree is to be as in the base.
func (s *reserve) covers(path string) bool {
	folded := foldPath(path)
	return s.matches(path, folded) || s.coversFolded(folded)
}

func (s *reserve) coversFolded(folded string) bool {
	if s.above[folded] || s.names[folded[strings.LastIndexByte(folded, '/')+1:]] {
		return true
	}
	for dir, ok := folded, true; ok; dir, ok = foldedDir(dir) {
		if s.whole[dir] {
			return true
		}
		if kin := s.kin[dir]; kin != nil && kin.MatchString(strings.TrimPrefix(folded[len(dir):], "/")) {
			return true
		}
	}
	return slices.ContainsFunc(s.globs, func(g *regexp.Regexp) bool { return g.MatchString(folded) })
}

// maxHops is how many links Linux follows on one way.
const maxHops = 40

// walk goes a way within the tree, from the directory home, and returns its end and before that what else has to be there
// for it: the links that it takes, and directories that it leaves again. A way out of the tree, or in circles, has no end.
func walk(targets map[string]string, home, way string) (passed []string, ended bool) {
	at, rest := home, way
	for hops := 0; rest != ""; {
		if strings.HasPrefix(rest, "/") {
			return passed, false
		}
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		rest = strings.TrimLeft(rest, "/")
		switch name {
		case ".":
			continue
		case "..":
			if at == "" {
				return passed, false
			}
			if !strings.HasPrefix(home+"/", at+"/") {
				passed = append(passed, at)
			}
			at = parent(at)
			continue
		}
		next := strings.TrimPrefix(at+"/"+name, "/")
		target, isLink := targets[next]
		if !isLink {
			at = next
			continue
		}
		passed = append(passed, next)
		if hops++; hops > maxHops {
			return passed, false
		}
		rest = strings.TrimSuffix(target+"/"+rest, "/")
	}
	return append(passed, at), true
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// readTexts reads what files say and where links lead, all by one git.
func (r *Repo) readTexts(ctx context.Context, tree map[string]entry, paths []string) (map[string]string, error) {
	var ids strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&ids, "%s\n", tree[path].id)
	}
	out, err := r.ours(ctx, job{stdin: strings.NewReader(ids.String()), max: 64 << 20}, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, path := range paths {
		head, rest, _ := bytes.Cut(out, []byte{'\n'})
		f := strings.Fields(string(head))
		if len(f) != 3 || f[1] != "blob" {
			return nil, fmt.Errorf("git cat-file answered %.200q about %q", head, path)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("git cat-file answered %.200q about %q", head, path)
		}
		texts[path], out = string(rest[:size]), rest[size+1:]
	}
	return texts, nil
}

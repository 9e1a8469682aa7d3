package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// reserve is the part of a tree that is to be as the base has it. It knows paths by what all their spellings have in
// common: on a file system without regard to case another spelling is the same file, or stands in its way.
type reserve struct {
	match func(path string) bool
	whole map[string]bool // paths, with all that is below
	above map[string]bool // the directories above those, which nothing else may stand for
}

// reserve finds what of the base matches, and what that leads to.
func (r *Repo) reserve(ctx context.Context, base map[string]entry, match func(path string) bool) (*reserve, error) {
	s := &reserve{match, map[string]bool{}, map[string]bool{}}
	var links []string
	for path, e := range base {
		if s.matches(path, foldPath(path)) {
			s.add(path)
		}
		if e.mode == modeLink {
			links = append(links, path)
		}
	}
	if !slices.ContainsFunc(links, s.covers) {
		return s, nil
	}
	targets, err := r.readLinks(ctx, base, links)
	if err != nil {
		return nil, err
	}
	s.follow(targets)
	return s, nil
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
	if s.matches(path, folded) || s.above[folded] {
		return true
	}
	for dir, ok := folded, true; ok; dir, ok = foldedDir(dir) {
		if s.whole[dir] {
			return true
		}
	}
	return s.whole[""]
}

// follow adds what the links in the reserve lead to, where further links may be.
func (s *reserve) follow(targets map[string]string) {
	todo := maps.Clone(targets)
	for found := true; found; {
		found = false
		for link := range todo {
			if s.covers(link) {
				s.walk(targets, link)
				delete(todo, link)
				found = true
			}
		}
	}
}

// maxHops is how many links Linux follows on one way.
const maxHops = 40

// walk goes the way of a link, within the tree, and adds its end and what else has to be there for it: the links that it
// takes, and directories that it leaves again. A way out of the tree, or in circles, has no end here.
func (s *reserve) walk(targets map[string]string, link string) {
	home := link[:max(strings.LastIndexByte(link, '/'), 0)]
	at, rest := home, targets[link]
	for hops := 0; rest != ""; {
		if strings.HasPrefix(rest, "/") {
			return
		}
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		rest = strings.TrimLeft(rest, "/")
		switch name {
		case ".":
			continue
		case "..":
			if at == "" {
				return
			}
			if !strings.HasPrefix(home+"/", at+"/") {
				s.add(at)
			}
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			continue
		}
		next := strings.TrimPrefix(at+"/"+name, "/")
		target, isLink := targets[next]
		if !isLink {
			at = next
			continue
		}
		s.add(next)
		if hops++; hops > maxHops {
			return
		}
		rest = strings.TrimSuffix(target+"/"+rest, "/")
	}
	s.add(at)
}

// readLinks reads where links lead, all by one git.
func (r *Repo) readLinks(ctx context.Context, tree map[string]entry, links []string) (map[string]string, error) {
	var ids strings.Builder
	for _, link := range links {
		fmt.Fprintf(&ids, "%s\n", tree[link].id)
	}
	out, err := r.ours(ctx, job{stdin: strings.NewReader(ids.String()), max: 64 << 20}, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, link := range links {
		head, rest, _ := bytes.Cut(out, []byte{'\n'})
		f := strings.Fields(string(head))
		if len(f) != 3 || f[1] != "blob" {
			return nil, fmt.Errorf("git cat-file answered %.200q about the link %q", head, link)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("git cat-file answered %.200q about the link %q", head, link)
		}
		targets[link], out = string(rest[:size]), rest[size+1:]
	}
	return targets, nil
}

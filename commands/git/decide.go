package git

import (
	"fmt"
	"slices"
	"strings"
)

// plan is what is to be done about a survey.
type plan struct {
	fetch   []string // paths whose contents are asked for
	remove  []string
	refused []Refused
	skipped []Refused
	// doubtful are the links among fetch that the base has too: git compares a link with an object that the agent's side
	// need not have, and so takes each for changed.
	doubtful map[string]bool
}

func (p *plan) refuse(path, reason string, args ...any) {
	p.refused = append(p.refused, Refused{Path: path, Reason: fmt.Sprintf(reason, args...)})
}

// decide is pure: names, kinds and sizes are judged before a byte of the contents crosses.
func decide(base map[string]entry, s survey, l Limits) plan {
	p := plan{doubtful: map[string]bool{}}
	for _, d := range s.diffs {
		switch {
		case d.deleted:
			p.remove = append(p.remove, d.path)
		case s.special[d.path]:
			p.refuse(d.path, "a pipe, socket or device in the place of a file")
		case d.mode == modeSubmodule:
			p.refuse(d.path, "a git repository in the place of a file")
		default:
			p.judge(base, s, l, d.path, d.mode)
			if d.mode == modeLink && base[d.path].mode == modeLink {
				p.doubtful[d.path] = true
			}
		}
	}
	for _, path := range s.others {
		dir, isRepo := strings.CutSuffix(path, "/")
		switch {
		case isRepo && base[dir].mode == modeSubmodule:
			p.skipped = append(p.skipped, Refused{dir, "a submodule; it stays at the base's commit"})
		case isRepo:
			p.refuse(dir, "a git repository inside the tree")
		default:
			p.judge(base, s, l, path, "") // whether it is a link shows when it comes
		}
	}
	for path := range s.unreadable {
		if dir, isDir := strings.CutSuffix(path, "/"); isDir {
			p.refuse(dir, "a directory that the agent cannot read")
		}
	}
	p.refuseLong(s)
	p.noteSpecial(s)
	p.noteRepos(base, s)
	certain := slices.DeleteFunc(slices.Clone(p.fetch), func(path string) bool { return p.doubtful[path] })
	p.refused = append(p.refused, bareProblems(base, p.remove, p.fetch, append(certain, p.remove...))...)
	if n := len(p.fetch) + len(p.remove) - len(p.doubtful); n > l.MaxFiles {
		p.refused = []Refused{tooMany(n, l)}
	}
	p.sort()
	return p
}

func tooMany(n int, l Limits) Refused {
	return Refused{Reason: fmt.Sprintf("%d paths changed; at most %d may", n, l.MaxFiles)}
}

func (p *plan) judge(base map[string]entry, s survey, l Limits, path, mode string) {
	if problem := nameProblem(base, path, mode); problem != "" {
		p.refuse(path, "%s", problem)
		return
	}
	if sub := submoduleAbove(base, path); sub != "" {
		p.refuse(path, "inside the submodule %q", sub)
		return
	}
	switch {
	case s.big[path]:
		p.refuse(path, "larger than %d bytes", l.MaxFile)
	case s.unreadable[path]:
		p.refuse(path, "a file that the agent cannot read")
	default:
		p.fetch = append(p.fetch, path)
	}
}

// nameProblem judges a path that is new or becomes a link. What the base has is the repository's own, however it is called.
func nameProblem(base map[string]entry, path, mode string) string {
	if was, tracked := base[path]; tracked && (mode != modeLink || was.mode == modeLink) {
		return ""
	}
	return pathProblem(path, mode == modeLink)
}

// submoduleAbove finds the submodule that a path replaces or lies in; git would drop it from the tree without a word.
func submoduleAbove(base map[string]entry, path string) string {
	for at := path; at != ""; {
		if base[at].mode == modeSubmodule {
			return at
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
	return ""
}

// refuseLong refuses what git's own lists leave out, or name and cannot open.
func (p *plan) refuseLong(s survey) {
	named := p.named()
	for path := range s.long {
		if !named[path] {
			p.refuse(path, "the path is too long for git to open")
		}
	}
}

func (p *plan) named() map[string]bool {
	named := make(map[string]bool, len(p.refused))
	for _, r := range p.refused {
		named[r.Path] = true
	}
	return named
}

// noteSpecial names what git passes over. A pipe that git would open is worse than that: nothing was looked at.
func (p *plan) noteSpecial(s survey) {
	refused := p.named()
	for path := range s.special {
		name := path[strings.LastIndexByte(path, '/')+1:]
		switch {
		case name == ".gitignore" || name == ".gitattributes":
			p.refuse(path, "a pipe, socket or device in the place of a file that git reads")
		case !refused[path]:
			p.skipped = append(p.skipped, Refused{path, "a pipe, socket or device"})
		}
	}
}

// noteRepos names repository data in directories whose files come back as plain files (H8-06: unpacked, and said).
func (p *plan) noteRepos(base map[string]entry, s survey) {
	if len(s.repos) == 0 {
		return
	}
	paths := slices.Clone(p.fetch)
	for path, e := range base {
		if e.mode != modeSubmodule {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, dotGit := range s.repos {
		dir := strings.TrimSuffix(dotGit, ".git")
		i, _ := slices.BinarySearch(paths, dir)
		if i < len(paths) && strings.HasPrefix(paths[i], dir) {
			p.skipped = append(p.skipped, Refused{dotGit, "the data of a repository inside the tree; its files come as plain files"})
		}
	}
}

func (p *plan) sort() {
	byPath := func(a, b Refused) int { return strings.Compare(a.Path+"\x00"+a.Reason, b.Path+"\x00"+b.Reason) }
	slices.SortFunc(p.refused, byPath)
	slices.SortFunc(p.skipped, byPath)
	p.refused, p.skipped = slices.Compact(p.refused), slices.Compact(p.skipped)
	slices.Sort(p.fetch)
	slices.Sort(p.remove)
}

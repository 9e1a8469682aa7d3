package git

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The bounds of what is read for names. A base says more than this only where it wants to; a head has no say in it.
const (
	maxNaming     = 1000      // files
	maxNamingFile = 256 << 10 // bytes of each
	maxNamingAll  = 16 << 20  // bytes in all
	maxWords      = 20_000    // words that are looked up
	maxGlobs      = 64
	maxFolders    = 8 // directories that a file names, from which its words are seen too
)

// manner is how a file is read.
type manner int

const (
	notRead   manner = iota
	asProse          // for imports
	asProgram        // for files
	asList           // for directories and globs, too
)

// naming finds what the reserve names, and adds it.
type naming struct {
	*reserve
	repo           *Repo
	base           map[string]entry
	spelled        []spelling        // its paths
	head           []string          // paths in which the head differs
	targets, links map[string]string // all links of the base, and those that are not in the reserve so far

	todo   []string          // reserved files that are to be read
	read   map[string]manner // files that have been
	named  map[string]manner // folded: as what it was named
	unread map[string]bool   // folded: read by a program as data, where words name nothing that is run
	bytes  int
	words  int
	npm    bool // the scripts of package.json are run

	tree *folded // built when the first word is looked up
}

type spelling struct{ path, folded string }

// folded is what is in either tree, folded.
type folded struct {
	files map[string]bool // of the base
	dirs  map[string]bool // of the base
	heads map[string]bool // files, links and submodules in which the head differs
	below map[string]bool // the directories above those
}

func (n *naming) configures(path string, e entry) {
	if e.mode == modeFile || e.mode == modeExecutable {
		n.todo = append(n.todo, path)
	}
}

// followLinks adds what the links in the reserve lead to, where further links may be.
func (n *naming) followLinks(ctx context.Context) {
	for found := true; found; {
		found = false
		for link := range n.links {
			if ctx.Err() == nil && n.covers(link) {
				passed, _ := walk(n.targets, parent(link), n.links[link])
				for _, p := range passed {
					n.add(p)
				}
				delete(n.links, link)
				found = true
			}
		}
	}
}

// followWords reads what is reserved, adds what it names, and so on until nothing new is named. Whatever takes long on the
// way looks at ctx, and then it fails: half of what is named is no answer.
func (n *naming) followWords(ctx context.Context) error {
	if len(n.head) == 0 {
		return ctx.Err()
	}
	for first := true; first || len(n.todo) > 0; first = false {
		if first && len(n.whole) > 0 && len(n.targets) > len(n.links) {
			n.find() // what links lead to configures as well
		}
		texts, err := n.texts(ctx)
		if err != nil {
			return err
		}
		for _, t := range texts {
			n.look(ctx, t)
		}
		n.followLinks(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n.todo = nil
		if len(texts) > 0 && n.tree != nil {
			n.find()
		}
	}
	return nil
}

// find lists what is reserved and was not read so.
func (n *naming) find() {
	n.todo = nil
	for _, f := range n.spelled {
		if n.coversFolded(f.folded) && n.manner(f.path) > n.read[f.path] {
			n.todo = append(n.todo, f.path)
		}
	}
}

func (n *naming) index() *folded {
	if n.tree != nil {
		return n.tree
	}
	t := &folded{make(map[string]bool, len(n.spelled)), map[string]bool{}, map[string]bool{}, map[string]bool{}}
	up := func(dirs map[string]bool, f string) {
		for dir, _ := foldedDir(f); dir != "" && !dirs[dir]; dir, _ = foldedDir(dir) {
			dirs[dir] = true
		}
	}
	for _, f := range n.spelled {
		t.files[f.folded] = true
		up(t.dirs, f.folded)
	}
	for _, p := range n.head {
		f := foldPath(p)
		t.heads[f] = true
		up(t.below, f)
	}
	n.tree = t
	return t
}

var (
	programs = regexp.MustCompile(`(?i)\.(jsonc?|json5|toml|ya?ml|sh|bash|zsh|fish|ps1|cmd|bat|[mc]?[jt]sx?|py|rb|pl|lua|php|mk|env|conf|cfg|ini)$|^(gnu)?makefile$|^\.?justfile$|^\.env|rc$`)
	prose    = regexp.MustCompile(`(?i)\.(md|mdc|mdx|markdown|txt|rst|adoc)$|rules$|hints$`)
	configs  = regexp.MustCompile(`(?i)\.(jsonc?|json5|toml|ya?ml)$`)
	script   = regexp.MustCompile(`(?i)\.[mc]?[jt]sx?$`)
	python   = regexp.MustCompile(`(?i)\.py$`)
)

// manner is how a file of the base is to be read now.
func (n *naming) manner(p string) manner {
	e, f, name := n.base[p], foldPath(p), path.Base(p)
	switch {
	case e.mode != modeFile && e.mode != modeExecutable, f == "package.json" && !n.npm, strings.Contains("/"+f, "/node_modules/"):
		return notRead
	case n.unread[f] && f != "package.json" && !n.matches(p, f):
		return notRead
	case prose.MatchString(name), strings.Contains("/"+f, "/skills/"):
		return asProse // the scripts of a skill are run when the model asks for it
	case !programs.MatchString(name) && e.mode != modeExecutable:
		return asProse
	case n.matches(p, f) && configs.MatchString(name):
		return asList
	case n.named[f] == asProse:
		return asProse
	}
	return asProgram
}

// text is a file that was read.
type text struct {
	path, says string
	as         manner
}

// texts reads what there is to read, within the bounds.
func (n *naming) texts(ctx context.Context) (texts []text, err error) {
	n.todo = slices.DeleteFunc(n.todo, func(p string) bool { return n.manner(p) <= n.read[p] })
	slices.SortFunc(n.todo, func(a, b string) int {
		if d := int(n.manner(b)) - int(n.manner(a)); d != 0 {
			return d // programs first, should the bounds not do
		}
		return strings.Compare(a, b)
	})
	todo := n.todo[:min(len(n.todo), max(maxNaming-len(n.read), 0))]
	for _, p := range todo {
		n.read[p] = n.manner(p)
	}
	if todo, err = n.small(ctx, todo); err != nil || len(todo) == 0 {
		return nil, err
	}
	found, err := n.repo.readTexts(ctx, n.base, todo)
	if err != nil {
		return nil, err
	}
	for _, p := range todo {
		if says := found[p]; !strings.Contains(says, "\x00") {
			texts = append(texts, text{p, says, n.read[p]})
		}
	}
	return texts, nil
}

// small keeps the files that are not too big.
func (n *naming) small(ctx context.Context, paths []string) (small []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var ids strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&ids, "%s\n", n.base[p].id)
	}
	out, err := n.repo.ours(ctx, job{stdin: strings.NewReader(ids.String())}, "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, err
	}
	sizes := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(sizes) != len(paths) {
		return nil, fmt.Errorf("git cat-file told %d sizes of %d files", len(sizes), len(paths))
	}
	for i, p := range paths {
		size, err := strconv.Atoi(sizes[i])
		if err != nil {
			return nil, fmt.Errorf("git cat-file answered %.200q about %q", sizes[i], p)
		}
		if size <= maxNamingFile && n.bytes+size <= maxNamingAll {
			n.bytes += size
			small = append(small, p)
		}
	}
	return small, nil
}

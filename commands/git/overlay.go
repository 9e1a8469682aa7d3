package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Overlay makes a commit on top of commit whose tree is commit's but for the paths that match: those are as in the commit
// from, and absent where from has none. paths are those that differ, sorted and as many as there are; when there are none the
// commit itself is returned. Its author is ai-flow and its date is commit's, so that the same arguments give the same commit.
//
// match is asked about files, links and submodules, not about directories, and also about a path as a file system without
// regard to case would take it. As in from is as well whatever would keep a matching path from being that: what stands in
// the place of a directory above it, another spelling of either, and what matching links of from lead to, with all that is
// below and, again, the links there. Links of commit itself are as they are, unless they match.
//
// As in from is also what the matching files of from name, and what that names in turn, since an agent runs or obeys it as
// it does those files:
//   - in a text (Markdown, and what is no program by its name or mode): imports, "@docs/rules.md" or "(mdc:docs/rules.md)",
//     and in its front matter the same as in a program;
//   - in a program or a configuration (JSON, TOML, YAML, scripts of the shell, JavaScript, TypeScript, Python and the like):
//     every word that is a file of either tree, as seen from the top, from the file's own directory, or from a directory that
//     the file names too ("cwd"); also without its extension, as index.js or __init__.py below it, or as a Python module;
//   - in a matching configuration, in lists of instructions, skills, plugins and their like, also directories other than the
//     top and the globs *, **, ?, [] and {}, unless they say no name at all ("**/*"); and names of files that count everywhere;
//   - what a program that is named there reads where it is started: package.json for npx, Makefile for make, and so on;
//   - beside a Python script what shadows its imports, and above one in JavaScript what says how imports are resolved.
//
// A directory is not as in from only because a program names it: with "src" in a script, all of a stranger's work would be
// hidden. Of package.json only the scripts are read, and only where npm or its like is run; what a configuration allows the
// agent to run later brings in the files that it names, not what those runners read. Not covered are names that are put
// together as the program runs, Markdown links, the scripts of skills (below a directory "skills"; what those name), new
// links below a wildcard of a glob, what build tools compile (the packages that "go run" and cargo take in, but for the
// directory named), the tests that "npm test" finds, and what is beyond the bounds: maxNaming files of at most maxNamingFile
// bytes, maxNamingAll bytes and maxWords words in all, in an order that is always the same.
func (r *Repo) Overlay(ctx context.Context, commit, from OID, match func(path string) bool) (overlaid OID, paths []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("laying files of %.12q over %.12q: %w", from, commit, err)
		}
	}()
	if !commit.valid() || !from.valid() {
		return "", nil, errors.New("these are not two object ids")
	}
	_, base, err := r.listTree(ctx, from)
	if err != nil {
		return "", nil, err
	}
	differing, err := r.differing(ctx, commit, from)
	if err != nil {
		return "", nil, err
	}
	reserve, err := r.reserve(ctx, base, differing, match)
	if err != nil {
		return "", nil, err
	}
	var removed []string
	var updates []update
	for _, path := range differing {
		if !reserve.covers(path) {
			continue
		}
		paths = append(paths, path)
		if e, there := base[path]; there {
			updates = append(updates, update{path, e})
		} else {
			removed = append(removed, path)
		}
	}
	if len(paths) == 0 {
		return commit, nil, nil
	}
	slices.Sort(paths)
	tree, err := r.writeTree(ctx, commit, removed, updates)
	if err != nil {
		return "", nil, err
	}
	overlaid, err = r.commitOverlay(ctx, tree, commit)
	return overlaid, paths, err
}

// differing lists the paths in which two trees differ: most of a head is its base, and that is not listed.
func (r *Repo) differing(ctx context.Context, one, other OID) ([]string, error) {
	args := append(append([]string{"diff-tree"}, diffFlags[:]...), "--name-only", "-z", string(one), string(other), "--")
	out, err := r.ours(ctx, job{max: 256 << 20, time: transferTime}, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

const overlayMessage = `Files that configure agents are as on the base

ai-flow made this commit for one run; no branch has it. Below it is the
commit that was asked about, as its author made it.
`

// commitOverlay dates the commit as its parent is dated: below a far older one, git log --since would stop at once.
func (r *Repo) commitOverlay(ctx context.Context, tree, parent OID) (OID, error) {
	stamp, err := line(r.ours(ctx, job{}, "rev-list", "--max-count=1", "--timestamp", string(parent), "--"))
	if err != nil {
		return "", err
	}
	stamp, _, _ = strings.Cut(stamp, " ")
	seconds, err := strconv.ParseUint(stamp, 10, 64)
	if err != nil {
		return "", fmt.Errorf("git rev-list answered %.200q", stamp)
	}
	self := Person{"ai-flow", "ai-flow@localhost"}
	// A stranger may date a commit as he likes, and git takes no date that is too far.
	when := time.Unix(int64(min(seconds, 1<<32)), 0)
	return r.commit(ctx, CommitOptions{Parent: parent, Tree: tree, Message: overlayMessage, Author: self, Committer: self, When: when})
}

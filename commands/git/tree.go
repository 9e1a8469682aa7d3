package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// writeTree builds a tree from a base, with an index of its own. Only this side makes trees, so a tree with duplicate,
// unsorted or odd entries cannot come in; directories that nothing touched keep the tree that they had.
func (r *Repo) writeTree(ctx context.Context, root OID, removed []string, updates []update) (OID, error) {
	if len(removed)+len(updates) == 0 {
		return root, nil
	}
	env, done, err := r.scratch(ctx, root)
	if err != nil {
		return "", err
	}
	defer done()
	var info bytes.Buffer
	for _, path := range removed {
		fmt.Fprintf(&info, "0 %s\t%s\x00", strings.Repeat("0", len(root)), path)
	}
	for _, u := range updates {
		fmt.Fprintf(&info, "%s %s\t%s\x00", u.mode, u.id, u.path)
	}
	if _, err := r.ours(ctx, job{env: env, stdin: &info}, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := line(r.ours(ctx, job{env: env}, "write-tree"))
	return OID(tree), err
}

// scratch fills an index of its own with a tree. It is gone after done.
func (r *Repo) scratch(ctx context.Context, tree OID) (env []string, done func(), err error) {
	r.indexes++
	index := filepath.Join(r.private, "index"+strconv.Itoa(r.indexes))
	done = func() { os.Remove(index) }
	env = []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.ours(ctx, job{env: env}, "read-tree", string(tree)); err != nil {
		done()
		return nil, nil, err
	}
	return env, done, nil
}

// checkModules has git's own checks look at the trees just written, for the sake of a changed .gitmodules: its urls,
// paths and names have been ways to run code on whoever clones. What the base brought along is not held against the agent.
func (r *Repo) checkModules(ctx context.Context, updates []update) ([]Refused, error) {
	_, err := r.ours(ctx, job{}, "fsck", "--strict", "--no-full", "--no-dangling", "--no-progress", "--no-reflogs")
	var failed *Error
	if !errors.As(err, &failed) || failed.Err != nil || failed.Code < 0 || failed.Code >= 128 {
		return nil, err
	}
	var changed, named []Refused
	for _, u := range updates {
		if specialName(lastName(u.path)) != ".gitmodules" {
			continue
		}
		r := Refused{u.path, "a .gitmodules that git rejects as dangerous or malformed"}
		changed = append(changed, r)
		if strings.Contains(failed.Stderr, string(u.id)) {
			named = append(named, r)
		}
	}
	if failed.cut { // the names may be in what was cut off
		return changed, nil
	}
	return named, nil
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Changes lists what differs between two trees, or the trees of commits, of this repository, without sizes.
func (r *Repo) Changes(ctx context.Context, from, to OID) ([]Change, error) {
	changes, err := r.changes(ctx, from, to, nil)
	if err != nil {
		return nil, fmt.Errorf("comparing the trees %.12q and %.12q: %w", from, to, err)
	}
	return changes, nil
}

// changes compares two trees and counts lines.
func (r *Repo) changes(ctx context.Context, from, to OID, sizes map[OID]int64) ([]Change, error) {
	if from == to {
		return nil, nil
	}
	out, err := r.ours(ctx, job{max: 256 << 20, time: transferTime}, append(append([]string{"diff-tree"}, diffFlags[:]...), "--raw", "--numstat", "-z", string(from), string(to))...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return readChanges(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), sizes)
}

// diffFlags keep configuration and programs out of a diff (F-22).
var diffFlags = [...]string{"-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--full-index"}

// readChanges reads pairs of raw line and path, followed by "added<TAB>removed<TAB>path" in the same order.
func readChanges(records []string, sizes map[OID]int64) ([]Change, error) {
	var all []Change
	for len(records) > 1 && strings.HasPrefix(records[0], ":") {
		f := strings.Fields(records[0])
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree answered %.200q", records[0])
		}
		c := Change{Path: records[1], Status: f[4][0], Mode: f[1], Size: sizes[OID(f[3])]}
		if c.Status == 'D' {
			c.Mode = strings.TrimPrefix(f[0], ":")
		}
		all = append(all, c)
		records = records[2:]
	}
	if len(records) != len(all) {
		return nil, fmt.Errorf("git diff-tree counted %d paths in the place of %d", len(records), len(all))
	}
	for i, record := range records {
		f := strings.SplitN(record, "\t", 3)
		if len(f) != 3 || f[2] != all[i].Path {
			return nil, fmt.Errorf("git diff-tree answered %.200q", record)
		}
		all[i].Added, all[i].Removed = count(f[0]), count(f[1])
	}
	return all, nil
}

func count(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1 // "-": binary
	}
	return n
}

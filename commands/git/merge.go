package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// mostConflicts bounds the paths that Merge names.
const mostConflicts = 20

// Merge brings two changes of base together, as trees: three ways, without a work tree, by git's own merge, which follows
// renames. All three may be commits or trees. tree is "" when they do not go together; conflicts are then the paths, at most
// 20 and as bytes, none when it is about directories as a whole. Drivers, filters and other attributes that the trees name
// have no say, not even the harmless merge=union: what it makes of two changes nobody has looked at. It needs git 2.38.
//
// An edit of ours follows a file that theirs has moved: whoever has rules about paths applies them to what tree changes on
// theirs, not to what ours changed on base.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs OID) (tree OID, conflicts []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("merging %.12q with %.12q on %.12q: %w", ours, theirs, base, err)
		}
	}()
	if err := r.mustBe(version{2, 38}, "this needs"); err != nil {
		return "", nil, err
	}
	one, other, err := r.sides(ctx, base, ours, theirs)
	if err != nil {
		return "", nil, err
	}
	out, err := r.ours(ctx, job{env: []string{"GIT_ATTR_SOURCE=" + r.emptyTree()}, time: transferTime},
		"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(one), string(other))
	clean := err == nil
	if failed := (*Error)(nil); errors.As(err, &failed) && (failed.Err == nil && failed.Code == 1 || errors.Is(failed.Err, process.ErrTooMuchOutput)) {
		err = nil
	}
	if err != nil {
		return "", nil, err
	}
	return readMerged(string(out), clean)
}

// readMerged reads a tree, and behind it the paths that are in conflict, each with a NUL behind it.
func readMerged(out string, clean bool) (tree OID, conflicts []string, err error) {
	records := strings.Split(out, "\x00")
	records = records[:len(records)-1] // what is behind the last NUL is nothing, or cut
	if len(records) == 0 || !OID(records[0]).valid() {
		return "", nil, fmt.Errorf("git merge-tree answered %.200q", out)
	}
	tree, records = OID(records[0]), records[1:]
	if clean {
		return tree, nil, nil
	}
	return "", records[:min(len(records), mostConflicts)], nil
}

// sides makes commits of both changes whose only common history is base. git asks for commits, would look for their common
// ancestor by itself (merge-tree takes none before 2.40), and may find another one, or none in a shallow history.
func (r *Repo) sides(ctx context.Context, base, ours, theirs OID) (one, other OID, err error) {
	self := Person{"ai-flow", "ai-flow@localhost"}
	var made [3]OID
	for i, id := range []OID{base, ours, theirs} {
		if !id.valid() {
			return "", "", errors.New("these are not three object ids")
		}
		tree, err := line(r.ours(ctx, job{}, "rev-parse", "--verify", "--end-of-options", string(id)+"^{tree}"))
		if err != nil {
			return "", "", err
		}
		made[i], err = r.commitTree(ctx, CommitOptions{Parent: made[0], Tree: OID(tree), Message: "one side\n", Author: self, Committer: self, When: time.Unix(0, 0)})
		if err != nil {
			return "", "", err
		}
	}
	return made[1], made[2], nil
}

// emptyTree is where newer gits (2.41) are told to look for attributes: they would take those of HEAD. The object is one
// that every git knows.
func (r *Repo) emptyTree() string {
	if r.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

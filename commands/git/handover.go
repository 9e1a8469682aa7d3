package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
)

// HandOverOptions of HandOver.
type HandOverOptions struct {
	Depth  int    // generations of history that the agent gets, as in `git clone --depth`; 0 means DefaultDepth
	Branch string // the name of the branch the agent finds itself on; "" means "main"
}

// Tree is a work tree that the agent user made and owns, filled from a commit.
type Tree struct {
	repo *Repo
	room *isolation.Room
	dir  string
	root OID              // the tree of the commit
	base map[string]entry // its files, links and submodules
	cost Cost
	most int64 // bytes of a survey
}

// entry is a file, link or submodule of a tree.
type entry struct {
	mode string // canonical: 100644, 100755, 120000, 160000
	id   OID
}

// The modes that a tree may hold.
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeLink       = "120000"
	modeSubmodule  = "160000"
)

// Cost of a hand-over.
type Cost struct {
	Files     int   // in the tree
	PackBytes int64 // through the pipe
	Millis    int64 // from the first command to the tree checked out
	Commits   int   // of history that went along
}

// HandOver makes the tree inside the room. Nothing of the repository is readable for the agent but the objects of the commit
// and the given depth of its history; a partial clone gives the commit alone, since older contents may be missing.
func (r *Repo) HandOver(ctx context.Context, room *isolation.Room, commit OID, o HandOverOptions) (_ *Tree, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("handing %.12q over to the agent: %w", commit, err)
		}
	}()
	start := time.Now()
	if !commit.valid() {
		return nil, fmt.Errorf("%q is not an object id", commit)
	}
	if o.Branch == "" {
		o.Branch = "main"
	}
	if err := r.checkBranchName(ctx, o.Branch); err != nil {
		return nil, err
	}
	if err := r.refuseAgents(room.Identity()); err != nil {
		return nil, err
	}
	t := &Tree{repo: r, room: room, most: maxSurvey}
	if t.root, t.base, err = r.listTree(ctx, commit); err != nil {
		return nil, err
	}
	h, err := r.history(ctx, commit, o.Depth)
	if err != nil {
		return nil, err
	}
	t.cost = Cost{Files: len(t.base), Commits: h.commits}
	if t.cost.PackBytes, err = r.send(ctx, t, commit, o.Branch, h); err != nil {
		return nil, r.explainMissing(err)
	}
	t.cost.Millis = time.Since(start).Milliseconds()
	return t, nil
}

// Dir is the tree's path, as the agent sees it.
func (t *Tree) Dir() string { return t.dir }

// Cost says what the hand-over moved.
func (t *Tree) Cost() Cost { return t.cost }

// refuseAgents refuses a checkout that the agent user owns: its configuration would be the agent's (S2).
func (r *Repo) refuseAgents(id isolation.Identity) error {
	if !id.Isolated() {
		return nil
	}
	u, err := user.Lookup(id.Name())
	if err != nil {
		return err
	}
	for _, path := range []string{r.at.gitDir, r.at.common} {
		uid, err := owner(path)
		if err != nil {
			return err
		}
		if strconv.FormatUint(uint64(uid), 10) == u.Uid {
			return fmt.Errorf("%q belongs to the agent user %q; use a checkout of your own", path, id.Name())
		}
	}
	return nil
}

func (r *Repo) send(ctx context.Context, t *Tree, commit OID, branch string, h history) (int64, error) {
	var revs strings.Builder
	for _, id := range h.boundary {
		fmt.Fprintf(&revs, "--shallow %s\n", id)
	}
	fmt.Fprintf(&revs, "%s\n", commit)
	args := []string{r.bin, t.room.Path(), string(commit), branch, r.format}
	for _, id := range h.boundary {
		args = append(args, string(id))
	}
	var sent counter
	err := stream(func(w io.Writer) error {
		// Deltas are reused; looking for new ones (a window) costs more than the pipe.
		_, err := r.ours(ctx, job{stdin: strings.NewReader(revs.String()), stdout: io.MultiWriter(w, &sent), time: transferTime},
			"pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset", "--window=0")
		return err
	}, func(pack io.Reader) error {
		n, err := asAgent(ctx, t.room, "hand-over", job{stdin: pack, max: 64}, handOverScript, args...)
		if err == nil && strings.Trim(string(n), "0123456789") != "" {
			err = fmt.Errorf("the agent's side answered %.64q", n)
		}
		t.dir = t.room.Path("tree" + string(n))
		return err
	})
	return int64(sent), err
}

func (r *Repo) explainMissing(err error) error {
	if !r.partial {
		return err
	}
	return fmt.Errorf("%w (this is a partial clone; `git fetch --refetch --no-filter` completes it)", err)
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// listTree lists a commit's tree, with modes as an index has them (old repositories hold 100664).
func (r *Repo) listTree(ctx context.Context, commit OID) (OID, map[string]entry, error) {
	root, err := line(r.ours(ctx, job{}, "rev-parse", "--verify", "--end-of-options", string(commit)+"^{tree}"))
	if err != nil {
		return "", nil, err
	}
	out, err := r.ours(ctx, job{max: 1 << 30}, "ls-tree", "-r", "-z", "--full-tree", root)
	if err != nil {
		return "", nil, err
	}
	base := map[string]entry{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) == 0 {
			continue
		}
		meta, path, ok := strings.Cut(string(record), "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			return "", nil, fmt.Errorf("git ls-tree answered %.200q", record)
		}
		base[path] = entry{mode: canonical(f[0]), id: OID(f[2])}
	}
	return OID(root), base, nil
}

func canonical(mode string) string {
	switch mode {
	case modeLink, modeSubmodule, modeExecutable:
		return mode
	case "100775", "100700", "100711", "100744", "100777":
		return modeExecutable
	}
	return modeFile
}

package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// collect brings the contents of paths into the quarantine. The agent's side names sizes and object ids; each size is
// held against the limits before its bytes are read, and each id against the one that our own git computes.
func (t *Tree) collect(ctx context.Context, paths []string, c *collection) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdin := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	err := stream(func(w io.Writer) error {
		_, err := asAgent(ctx, t.room, "collect", job{stdin: stdin, stdout: w}, preludeScript+collectScript, t.scriptArgs()...)
		return err
	}, func(r io.Reader) error {
		err := t.repo.receive(ctx, bufio.NewReaderSize(r, 64<<10), paths, c)
		if err != nil {
			cancel(errConsumerGone)
		}
		return err
	})
	if len(c.refused) > 0 {
		return nil
	}
	return err
}

func (r *Repo) receive(ctx context.Context, in *bufio.Reader, paths []string, c *collection) error {
	if err := c.readEntries(in, paths); err != nil {
		return err
	}
	if err := c.readSizes(in); err != nil {
		return err
	}
	marks := filepath.Join(r.private, "marks")
	defer os.Remove(marks)
	err := stream(func(w io.Writer) error {
		return c.copyBlobs(w, in)
	}, func(blobs io.Reader) error {
		_, err := r.ours(ctx, job{stdin: blobs, time: transferTime}, "fast-import", "--quiet", "--done", "--depth=0",
			"--big-file-threshold=16m", "--export-marks="+marks)
		return err
	})
	if err != nil {
		return err
	}
	if extra, err := in.ReadByte(); err != io.EOF {
		return fmt.Errorf("more than was asked for: %#x, %v", extra, err)
	}
	if err := c.verify(marks); err != nil {
		return err
	}
	if err := r.refuseContents(ctx, c); err != nil {
		return err
	}
	slices.SortFunc(c.refused, func(a, b Refused) int { return strings.Compare(a.Path, b.Path) })
	return c.stopIfRefused()
}

// copyBlobs turns the contents into a stream for fast-import. Contents cannot be taken for commands: lengths are ours.
func (c *collection) copyBlobs(w io.Writer, in *bufio.Reader) error {
	links, fresh := c.linksAndFresh()
	c.verdicts = map[OID]*verdict{}
	out := bufio.NewWriterSize(w, 64<<10)
	for i, id := range c.ids {
		n, err := readSize(in)
		if err != nil {
			return err
		}
		if n != c.sizes[id] {
			return fmt.Errorf("object %s has %d bytes in the place of %d", id, n, c.sizes[id])
		}
		fmt.Fprintf(out, "blob\nmark :%d\ndata %d\n", i+1, n) // errors stick to out
		var target strings.Builder
		to := io.Writer(out)
		if links[id] != nil {
			to = io.MultiWriter(to, &target) // at most maxLink
		}
		looker := &inspector{}
		if path, isFresh := fresh[id]; isFresh {
			looker, c.verdicts[id] = inspect(path, c.limits.Check)
			to = io.MultiWriter(to, looker)
		}
		if _, err := io.CopyN(to, in, n); err != nil {
			return fmt.Errorf("reading object %s: %w", id, noEOF(err))
		}
		if c.verdicts[id] != nil {
			looker.end()
		}
		if end, err := in.ReadByte(); err != nil || end != '\n' {
			return fmt.Errorf("object %s does not end where it said: %w", id, noEOF(err))
		}
		fmt.Fprint(out, "\n")
		for _, path := range links[id] {
			if problem := linkProblem(path, target.String()); problem != "" {
				c.refused = append(c.refused, Refused{path, problem})
			}
		}
	}
	fmt.Fprint(out, "done\n")
	if err := out.Flush(); err != nil {
		return err
	}
	return nil
}

// linksAndFresh are the paths of new links by their contents, and one path for all contents that the base has nowhere.
func (c *collection) linksAndFresh() (links map[OID][]string, fresh map[OID]string) {
	links, fresh = map[OID][]string{}, map[OID]string{}
	known := make(map[OID]bool, len(c.base))
	for _, e := range c.base {
		known[e.id] = true
	}
	for _, u := range c.news() {
		if u.mode == modeLink {
			links[u.id] = append(links[u.id], u.path)
		}
		if _, seen := fresh[u.id]; !seen && !known[u.id] {
			fresh[u.id] = u.path
		}
	}
	return links, fresh
}

// verify holds the ids that the agent's side named against those that fast-import computed.
func (c *collection) verify(marks string) error {
	text, err := os.ReadFile(marks)
	if err != nil {
		return err
	}
	computed := map[string]string{}
	for l := range strings.Lines(string(text)) {
		mark, id, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		computed[mark] = id
	}
	for i, id := range c.ids {
		if got := computed[":"+strconv.Itoa(i+1)]; got != string(id) {
			return fmt.Errorf("contents that should have been object %s are object %q", id, got)
		}
	}
	return nil
}

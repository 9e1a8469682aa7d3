package git

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// ReadBlob reads a file as a commit (or tree) has it: at most max bytes, more is an error. It reads objects, so no link is
// ever followed (F-15); a link, directory or submodule of that name is an error, none is fs.ErrNotExist.
func (r *Repo) ReadBlob(ctx context.Context, commit OID, path string, max int64) (_ []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading %q at %.12s: %w", path, commit, err)
		}
	}()
	if !commit.valid() || !fs.ValidPath(path) || path == "." {
		return nil, fs.ErrInvalid
	}
	out, err := r.ours(ctx, job{}, "ls-tree", "-z", "--long", "--full-tree", string(commit), "--", path)
	if err != nil {
		return nil, err
	}
	// A directory's name gives its own entry, as one record; no answer is no such file.
	record := strings.TrimSuffix(string(out), "\x00")
	if record == "" {
		return nil, fs.ErrNotExist
	}
	meta, name, _ := strings.Cut(record, "\t")
	f := strings.Fields(meta)
	if len(f) != 4 || name != path {
		return nil, fmt.Errorf("git ls-tree answered %.200q", record)
	}
	if f[1] != "blob" || canonical(f[0]) == modeLink {
		return nil, fmt.Errorf("not a regular file (mode %s)", f[0])
	}
	if size, err := strconv.ParseInt(f[3], 10, 64); err != nil || size > max {
		return nil, fmt.Errorf("%s bytes; at most %d are read", f[3], max)
	}
	return r.ours(ctx, job{max: max + 1}, "cat-file", "blob", f[2])
}

package isolation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// WriteFile makes a file of the agent's with mode 0600, and the directories above it. A relative name is below the run's
// directory. The bytes go through a pipe to a process of the agent user, so that no link of the agent's is ever followed by
// the dispatcher; what stood under the name is replaced. At most a minute.
func (r *Room) WriteFile(ctx context.Context, name string, data []byte) error {
	path, err := r.place(name)
	if err == nil {
		err = r.write(ctx, path, "0600", bytes.NewReader(data))
	}
	if err != nil {
		return fmt.Errorf("writing a file of the agent's: %w", err)
	}
	return nil
}

// Install copies an executable into the run's bin directory, where the agent can run it, and returns its path. name is a
// plain file name.
func (r *Room) Install(ctx context.Context, name string, exe io.Reader) (path string, err error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) || name == "." {
		return "", fmt.Errorf("installing %q for the agent: not a plain file name", name)
	}
	path = r.Path("bin", name)
	if err := r.write(ctx, path, "0700", exe); err != nil {
		return "", fmt.Errorf("installing %q for the agent: %w", name, err)
	}
	return path, nil
}

func (r *Room) write(ctx context.Context, path, mode string, data io.Reader) error {
	_, said, a, err := r.id.script(ctx, r.runner, scriptTime, data, writeScript, path, mode)
	if err == nil && a != answerOK {
		err = a.because(path, said)
	}
	return err
}

// ReadFile reads a file as the agent user. It refuses anything but a regular file of at most max bytes: a link, a
// directory, a FIFO, a socket, a device. A missing file wraps fs.ErrNotExist. A relative path is below the run's
// directory. The content is the agent's word, whoever owned the file. At most ten seconds.
func (r *Room) ReadFile(ctx context.Context, path string, max int64) ([]byte, error) {
	data, err := r.read(ctx, path, max)
	if err != nil {
		return nil, fmt.Errorf("reading a file of the agent's: %w", err)
	}
	return data, nil
}

func (r *Room) read(ctx context.Context, path string, max int64) ([]byte, error) {
	if max < 0 {
		return nil, fmt.Errorf("a limit of %d bytes", max)
	}
	path, err := r.place(path)
	if err != nil {
		return nil, err
	}
	data, said, a, err := r.id.script(ctx, r.runner, readTime, nil, readScript, path, strconv.FormatInt(max+1, 10))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q: %w", path, err)
	case a != answerOK:
		return nil, a.because(path, said)
	case int64(len(data)) > max:
		return nil, fmt.Errorf("%q has more than %d bytes", path, max)
	}
	return data, nil
}

func (r *Room) place(name string) (string, error) {
	switch {
	case name == "" || strings.ContainsRune(name, 0) || strings.HasSuffix(name, "/"):
		return "", fmt.Errorf("%q is not the name of a file", name)
	case filepath.IsAbs(name):
		return filepath.Clean(name), nil
	case !filepath.IsLocal(name):
		return "", fmt.Errorf("%q leads out of the run's directory", name)
	}
	return r.Path(name), nil
}

// Reach checks that the agent can enter a directory. When not, the *SetupError names the part of the path that is closed
// (H4-07): a program started there would fail in words of its own that say nothing.
func (r *Room) Reach(ctx context.Context, dir string) error {
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return fmt.Errorf("directory %q is not an absolute path", dir)
	}
	dir = filepath.Clean(dir)
	out, said, a, err := r.id.script(ctx, r.runner, readTime, nil, reachScript, dir)
	part := strings.TrimSuffix(string(out), "\n")
	switch {
	case err != nil:
		return fmt.Errorf("trying to enter %q: %w", dir, err)
	case a == answerOK:
		return nil
	case !strings.HasPrefix(dir+"/", part+"/") || part == "":
		return errors.Join(fmt.Errorf("trying to enter %q", dir), a.because(dir, said))
	case a == answerMissing:
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the directory %q does not exist for the user %s: there is no %q", dir, r.id.name, part), Fix: "make it, or name another one"}
	}
	return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the user %s cannot enter %q (part of %q)", r.id.name, part, dir),
		Fix: fmt.Sprintf("move the directory to where that user can go, or: sudo setfacl -m u:%s:x %s", r.id.name, shellWord(part))}
}

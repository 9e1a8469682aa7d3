package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// location is where a repository is. The git directory is always given to git explicitly: its own discovery was rejected,
// since it would either refuse a checkout of another owner (H4-08) or, with an exception for all directories, take up a
// .git that a stranger left in a parent such as /tmp.
type location struct {
	top    string // the work tree; "" for a bare repository
	gitDir string
	common string // the git directory that linked worktrees share
}

const maxGitFile = 64 << 10

func locate(dir string) (location, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return location{}, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		l, err := look(at)
		if err != nil {
			return location{}, err
		}
		if l.gitDir != "" {
			return l, l.checkOwner(dir)
		}
		if at == filepath.Dir(at) {
			return location{}, ErrNotRepository
		}
	}
}

// look finds the repository of exactly this directory; none is the zero location.
func look(at string) (location, error) {
	dotGit := filepath.Join(at, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		if isGitDir(at) {
			return bareOrInside(at), nil
		}
		return location{}, nil
	case err != nil:
		return location{}, err
	case info.IsDir():
		if isGitDir(dotGit) {
			return location{top: at, gitDir: dotGit}, nil
		}
		return location{}, nil
	case !info.Mode().IsRegular():
		return location{}, fmt.Errorf("%q is neither a directory nor a file", dotGit)
	}
	target, err := readGitFile(dotGit)
	if err != nil {
		return location{}, err
	}
	return location{top: at, gitDir: target}, nil
}

// bareOrInside tells a bare repository from the .git directory of a checkout that somebody stands in.
func bareOrInside(at string) location {
	if filepath.Base(at) == ".git" {
		return location{top: filepath.Dir(at), gitDir: at}
	}
	return location{gitDir: at}
}

// isGitDir asks for what git itself asks for.
func isGitDir(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		// A linked worktree's git directory has neither; it is only ever reached through a .git file.
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

func readGitFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%q does not say where the git directory is", name)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(name), target)
	}
	if _, err := os.Stat(filepath.Join(target, "HEAD")); err != nil {
		return "", fmt.Errorf("%q points to a git directory that is not there: %w", name, err)
	}
	return target, nil
}

// checkOwner accepts what is ours, root's, or of the same owner as the directory that was asked for (a job's checkout
// made by another user). A repository found further up that belongs to a third party is a trap, not a checkout.
func (l location) checkOwner(asked string) error {
	known, err := owner(asked)
	if err != nil {
		return err
	}
	for _, path := range []string{l.top, l.gitDir} {
		if path == "" {
			continue
		}
		uid, err := owner(path)
		if err != nil {
			return err
		}
		if uid != known && uid != 0 && uid != uint32(os.Geteuid()) {
			return fmt.Errorf("%q belongs to user %d, who owns neither %q nor this process; open it directly if you trust it", path, uid, asked)
		}
	}
	return nil
}

func owner(path string) (uint32, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("the owner of %q cannot be read on this system", path)
	}
	return st.Uid, nil
}

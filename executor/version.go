package executor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/executor/process"
)

// The bounds of a question for a version. Node programs of some size need seconds for it.
const (
	versionTime   = 15 * time.Second
	versionOutput = 64 << 10 // bytes
	maxVersion    = 60       // bytes of what is kept
)

// Version asks an agent's program for its version and returns the first line that it prints, at most 60 printable bytes. It
// runs as ourselves, so only a program that nobody but root and we could have put there is run, with nothing of our
// environment and with a home that is removed again. (To run it as the agent user was rejected: it takes a room, and a
// listing has to work on a host without any.) binary is an absolute path, temp a directory for the home. The error of a program
// that others could have put there wraps a *pinned.Error, which says who.
func Version(ctx context.Context, p agents.Profile, binary, temp string) (version string, err error) {
	if err := pinned.Ours(binary); err != nil {
		return "", fmt.Errorf("not asking %q for its version: %w", binary, err)
	}
	home, err := os.MkdirTemp(temp, "ai-flow-version-")
	if err != nil {
		return "", fmt.Errorf("asking %q for its version: %w", binary, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	// A program of npm's finds its node beside it, or where the system has one.
	env := []string{"HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8", "PATH=" + filepath.Dir(binary) + ":/usr/local/bin:/usr/bin:/bin"}
	if p.Env != nil {
		for name, value := range p.Env(home) {
			env = append(env, name+"="+value)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	r, err := process.Run(ctx, process.Command{Argv: []string{binary, "--version"}, Env: env, Dir: home, MaxOutput: versionOutput, Grace: time.Second})
	if err != nil {
		return "", fmt.Errorf("asking %q for its version: %w", binary, err)
	}
	if version = firstLine(string(r.Stdout)); r.Code != 0 || version == "" {
		return "", fmt.Errorf("asking %q for its version: exit status %d and no answer", binary, r.Code)
	}
	return version, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(line, ""))
	return cut(line, maxVersion)
}

package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// A failure says which command, its exit status and the end of what it said: bounded, quoted, without credentials (S5).
func TestErrorIsBoundedAndRedacted(t *testing.T) {
	const token = "ghs_abcdefghijklmnopqrstuvwxyz0123456789"
	said := strings.Repeat("x", 100_000) + "\nfatal: https://x-access-token:" + token + "@github.com/a/b\nAUTHORIZATION: basic c2VjcmV0\n" + token + "\n::error::\x1b[31m\xff"
	_, err := finish(t.Context(), "push", job{}, process.Command{Argv: []string{"/bin/sh", "-c", "cat >&2; exit 7"}, Env: []string{}, Dir: "/"})
	var failed *Error
	if !errors.As(err, &failed) || failed.Code != 7 || failed.Command != "push" {
		t.Fatalf("%#v", err)
	}
	_, err = finish(t.Context(), "push", job{stdin: strings.NewReader(said)}, process.Command{Argv: []string{"/bin/sh", "-c", "cat >&2; exit 7"}, Env: []string{}, Dir: "/"})
	text := err.Error()
	for _, secret := range []string{token, "c2VjcmV0", "x-access-token", "\x1b", "\n", "\xff"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in %.300q", secret, text)
		}
	}
	if len(text) > 3000 || !strings.HasPrefix(text, "git push: exit status 7: ") || !strings.Contains(text, "github.com/a/b") {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
}

func TestEveryCommandEnds(t *testing.T) {
	start := time.Now()
	_, err := finish(t.Context(), "wait", job{time: 50 * time.Millisecond}, process.Command{Argv: []string{"/bin/sleep", "60"}, Env: []string{}, Dir: "/", Grace: 100 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "took longer than 50ms") || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("our own deadline looks like the caller's")
	}
}

// The environment is made from nothing: no name of ours reaches git.
func TestEnvironmentIsMadeFromNothing(t *testing.T) {
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXEC_PATH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_TRACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG_PARAMETERS", "LD_PRELOAD", "BASH_ENV", "AI_FLOW_APP_PRIVATE_KEY", "GIT_AUTHOR_NAME"} {
		t.Setenv(name, "/nowhere/canary")
	}
	w := handOver(t, sameUser(t), checkout(t, "echo a >a"))
	w.agent(t, "echo b >b")
	if got := show(w.take(t, Limits{})); got != "A 100644 2 +1 -0 b" {
		t.Errorf("got %q", got)
	}
	if slices.ContainsFunc(w.repo.environment(), func(v string) bool { return strings.Contains(v, "canary") }) {
		t.Error("the environment was inherited")
	}
}

func TestFindGit(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), nil, 0o644); err != nil { // not executable
		t.Fatal(err)
	}
	if bin, err := findGit(dir); err == nil || !strings.Contains(err.Error(), "install git") {
		t.Errorf("%q, %v", bin, err)
	}
	for version, fine := range map[string]bool{"2.30.9": false, "1.9.0": false, "2.31.0": true, "2.39.5 (Apple Git-154)": true, "3.0.0": true, "x": false} {
		bin := filepath.Join(dir, "git")
		if err := errors.Join(os.WriteFile(bin, []byte("#!/bin/sh\necho git version '"+version+"'\n"), 0o755), os.Chmod(bin, 0o755)); err != nil {
			t.Fatal(err)
		}
		r := &Repo{bin: bin, private: dir}
		if err := r.checkVersion(t.Context()); (err == nil) != fine {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// Of two ends of a pipe the one that failed first is the reason, and neither waits for the other for ever.
func TestStream(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	endless := func(w io.Writer) error {
		for {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return err
			}
		}
	}
	drain := func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
	for name, c := range map[string]struct {
		produce func(io.Writer) error
		consume func(io.Reader) error
		want    error
	}{
		"both fine":                {func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }, drain, nil},
		"producer fails":           {func(io.Writer) error { return one }, drain, one},
		"producer's failure shows": {func(io.Writer) error { return one }, func(r io.Reader) error { _ = drain(r); return two }, one},
		"consumer fails":           {endless, func(io.Reader) error { return two }, two},
		"consumer is content":      {endless, func(r io.Reader) error { _, err := r.Read(make([]byte, 10)); return err }, nil},
		"producer fails later":     {func(w io.Writer) error { _ = endless(w); return one }, func(io.Reader) error { return two }, two},
	} {
		if err := stream(c.produce, c.consume); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

package executor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/testsupport"
)

func TestVersionOfAProgram(t *testing.T) {
	t.Setenv("AIFT_CANARY", "hush")
	long := strings.Repeat("9", 500)
	for _, c := range []struct{ name, script, want, failure string }{
		{"a number", "echo 1.0.88", "1.0.88", ""},
		{"its name and more lines", "echo; printf 'copilot 1.0.88\\nCommit: x\\n'", "copilot 1.0.88", ""},
		{"colours and hidden characters", `printf '\033[31m1.2\342\200\256.3\377\r\n'`, "[31m1.2.3", ""},
		{"long", "echo " + long, "", ""},
		{"nothing of our environment", `echo "x$AIFT_CANARY"`, "x", ""},
		{"a home of its own, with the profile's settings", `[ "$HOME" = "$PWD" ] && [ "$STATE" = "$HOME/s" ] && touch "$HOME/left" && echo yes`, "yes", ""},
		{"silence", "exit 0", "", "no answer"},
		{"a failure", "echo 1.0; exit 3", "", "exit status 3"},
		{"a flood", "yes", "", "more output than allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, temp := t.TempDir(), t.TempDir()
			program := filepath.Join(dir, "agent")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			profile := agents.Profile{Env: func(state string) map[string]string { return map[string]string{"STATE": state + "/s"} }}
			got, err := executor.Version(t.Context(), profile, program, temp)
			if c.failure != "" {
				if err == nil || !strings.Contains(err.Error(), c.failure) || got != "" {
					t.Fatalf("got %q, %v; want an error that says %q", got, err, c.failure)
				}
			} else if err != nil || c.want != "" && got != c.want || len(got) > 60 || got == "" {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A program that never answers is ended with the time that is left, and leaves no home behind.
func TestVersionOfAProgramThatNeverAnswers(t *testing.T) {
	program, temp := filepath.Join(t.TempDir(), "agent"), t.TempDir()
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntrap '' TERM\nsleep 30 & wait\nsleep 30\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	got, err := executor.Version(ctx, agents.Profile{}, program, temp)
	if !errors.Is(err, context.DeadlineExceeded) || got != "" || time.Since(began) > 10*time.Second {
		t.Errorf("got %q, %v after %s", got, err, time.Since(began))
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What another user could have put there is not run as ourselves (S2).
func TestVersionOfAProgramOfOthersIsNotAskedFor(t *testing.T) {
	testsupport.Need(t, os.Getuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./executor")
	ran := filepath.Join(t.TempDir(), "ran")
	for name, spoil := range map[string]func(dir string) error{
		"the program is another's":            func(dir string) error { return os.Chown(filepath.Join(dir, "bin/agent"), 65534, 65534) },
		"the program is open to others":       func(dir string) error { return os.Chmod(filepath.Join(dir, "bin/agent"), 0o777) },
		"its directory is another's":          func(dir string) error { return os.Chown(filepath.Join(dir, "bin"), 65534, 65534) },
		"a directory above is open to others": func(dir string) error { return os.Chmod(dir, 0o777) },
		"a link of another's":                 func(dir string) error { return os.Lchown(filepath.Join(dir, "bin/link"), 65534, 65534) },
		"open to others, with a sticky bit":   func(dir string) error { return os.Chmod(filepath.Join(dir, "bin/agent"), 0o777|os.ModeSticky) },
		"by a link in a directory of another's": func(dir string) error {
			link, theirs := filepath.Join(dir, "bin/link"), filepath.Join(dir, "theirs")
			return errors.Join(os.Remove(link), os.Mkdir(theirs, 0o755), os.Symlink("../bin/agent", theirs+"/on"), os.Symlink("../theirs/on", link),
				os.Chown(theirs, 65534, 65534))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "bin/agent")
			if err := errors.Join(os.Mkdir(filepath.Dir(program), 0o755), os.WriteFile(program, []byte("#!/bin/sh\ntouch "+ran+"\necho 1\n"), 0o755),
				os.Symlink("agent", filepath.Join(dir, "bin/link"))); err != nil {
				t.Fatal(err)
			}
			link := filepath.Join(dir, "bin/link")
			if got, err := executor.Version(t.Context(), agents.Profile{}, link, t.TempDir()); err != nil || got != "1" {
				t.Fatalf("before: %q, %v", got, err)
			}
			if err := errors.Join(os.Remove(ran), spoil(dir)); err != nil {
				t.Fatal(err)
			}
			var open *pinned.Error
			if got, err := executor.Version(t.Context(), agents.Profile{}, link, t.TempDir()); !errors.As(err, &open) || got != "" {
				t.Errorf("got %q, %v", got, err)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("it ran")
			}
		})
	}
}

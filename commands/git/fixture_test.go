package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// sh runs a shell script of the user's, as the user, with an ordinary git environment, and returns what it printed.
func sh(t testing.TB, dir, script string) string {
	t.Helper()
	testsupport.Tools(t, "git", "bash")
	cmd := exec.Command("/bin/bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + t.TempDir(), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@example.org", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@example.org",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// checkout makes a repository with what the script leaves in it, committed.
func checkout(t testing.TB, script string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "git init -q; "+script+"\ngit add -A; git commit -qm base --allow-empty")
	return dir
}

func open(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(t.Context(), dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// world is a checkout whose HEAD stands, handed over, in a room.
type world struct {
	dir    string
	repo   *Repo
	commit OID
	room   *isolation.Room
	tree   *Tree
}

func handOver(t testing.TB, room *isolation.Room, dir string) *world {
	t.Helper()
	w := &world{dir: dir, repo: open(t, dir), room: room}
	var err error
	if w.commit, _, _, err = w.repo.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w.tree, err = w.repo.HandOver(t.Context(), room, w.commit, HandOverOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// agent runs a script as the agent in its tree.
func (w *world) agent(t testing.TB, script string) string {
	t.Helper()
	return w.agentIn(t, w.tree.Dir(), script)
}

func (w *world) agentIn(t testing.TB, dir, script string) string {
	t.Helper()
	inv, err := w.room.Command(dir, isolation.Environment{}, "/bin/bash", "-euc", script)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := process.Run(ctx, process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir, Signal: w.room.Identity().SignalArgv})
	if err != nil || res.Code != 0 {
		t.Fatalf("agent: %s\n%v, exit status %d: %s", script, err, res.Code, res.Stderr)
	}
	return strings.TrimSpace(string(res.Stdout))
}

func (w *world) take(t testing.TB, l Limits) Taken {
	t.Helper()
	taken, err := w.tree.TakeBack(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

// inRooms runs a test in a room of each kind: the same user's, and another user's behind a real sudo.
func inRooms(t *testing.T, test func(t *testing.T, room *isolation.Room)) {
	t.Helper()
	t.Run("same user", func(t *testing.T) { test(t, sameUser(t)) })
	t.Run("another user", func(t *testing.T) { test(t, anotherUser(t, hostuser.Get(t))) })
}

func anotherUser(t testing.TB, p hostuser.Pair) *isolation.Room {
	t.Helper()
	id, err := isolation.Resolve(t.Context(), process.Runner{}, p.Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	return enter(t, id)
}

func TestMain(m *testing.M) { os.Exit(hostuser.Main(m)) }

func sameUser(t testing.TB) *isolation.Room {
	t.Helper()
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	return enter(t, id)
}

func enter(t testing.TB, id isolation.Identity) *isolation.Room {
	t.Helper()
	room, err := isolation.Open(t.Context(), process.Runner{}, id, isolation.OpenOptions{StateDir: filepath.Join(t.TempDir(), "state"), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := room.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return room
}

// listing is "mode path" for each entry of a tree, sorted, with odd bytes quoted.
func (w *world) listing(t testing.TB, tree OID) string {
	t.Helper()
	out, err := w.repo.ours(t.Context(), job{}, "ls-tree", "-r", "--full-tree", "--format=%(objectmode) %(path)", string(tree))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

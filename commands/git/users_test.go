package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// The whole way there and back, by root and by an ordinary user, to an agent who is somebody else (F-11, F-12, H4-08..10, S1).
func TestAcrossUsers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := anotherUser(t, p)
		dir := checkout(t, editBase)
		w := handOver(t, room, dir)
		for script, want := range map[string]string{
			"stat -c %U . a .git .git/objects/pack/* | sort -u":                             p.Agent.Name,
			"git status --porcelain; git log --oneline | wc -l; git config user.name":       "1\nai-agent",
			fmt.Sprintf("ls %q %q 2>&1 | grep -c 'Permission denied'", dir, w.repo.private): "2",
			"env | grep -c GIT_ || true":                                                    "0",
		} {
			if got := w.agent(t, script); got != want {
				t.Errorf("%s: got %q, want %q", script, got, want)
			}
		}
		w.agent(t, `umask 077; echo n >n; mkdir e; echo x >e/x; chmod 0 e; echo y >>a; git add -A 2>/dev/null || true; rm -rf .git`)
		taken := w.take(t, Limits{})
		if got := show(taken); got != "M 100644 4 +1 -0 a, A 100644 2 +1 -0 e/x, A 100644 2 +1 -0 n" {
			t.Fatalf("got %q", got)
		}
		if _, err := w.repo.Branch(t.Context(), w.commitOptions(taken, "ai/1")); err != nil {
			t.Fatal(err)
		}
		if got := sh(t, dir, "git show ai/1:e/x; git status --porcelain"); got != "x" {
			t.Errorf("got %q", got)
		}
		attack(t, room)
	})
}

// What belongs to somebody else in the agent's tree is read where it can be, and named where it cannot (H8-10).
func TestOthersFilesInTheTree(t *testing.T) {
	p := hostuser.Get(t)
	room := anotherUser(t, p)
	w := handOver(t, room, checkout(t, editBase))
	if os.Geteuid() != 0 {
		t.Fatal("hostuser gave a pair without root")
	}
	sh(t, w.tree.Dir(), "echo r >readable; chmod 644 readable; mkdir opendir; chmod 755 opendir; echo o >opendir/o; chmod 644 opendir/o")
	if got := show(w.take(t, Limits{})); got != "A 100644 2 +1 -0 opendir/o, A 100644 2 +1 -0 readable" {
		t.Errorf("got %q", got)
	}
	sh(t, w.tree.Dir(), "echo s >secret; chmod 600 secret; mkdir closed; echo c >closed/c; chmod 700 closed; rm a; echo s >a; chmod 600 a; echo s >x.log; chmod 600 x.log")
	want := `refused "a": a file that the agent cannot read, refused "closed": a directory that the agent cannot read, refused "secret": a file that the agent cannot read`
	taken := w.take(t, Limits{})
	if got := show(taken); got != want || taken.Tree != "" {
		t.Errorf("got %q", got)
	}
	sh(t, w.tree.Dir(), "rm -rf secret closed a x.log opendir readable")
}

// A checkout of the agent user's own is refused: what git reads in it would be the agent's configuration (S2).
func TestCheckoutOfTheAgents(t *testing.T) {
	p := hostuser.Get(t)
	room := anotherUser(t, p)
	dir := checkout(t, "echo a >a")
	sh(t, dir, fmt.Sprintf("chown -R %d .", p.Agent.UID))
	r := open(t, dir)
	head, _, _, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.HandOver(t.Context(), room, head, HandOverOptions{}); err == nil || !strings.Contains(err.Error(), "belongs to the agent user") {
		t.Errorf("got %v", err)
	}
}

// A cancelled or late crossing ends, with its reason, and leaves nothing running.
func TestCancelled(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		w := handOver(t, room, checkout(t, `for i in $(seq 200); do echo $i >f$i; done`))
		w.agent(t, `for i in $(seq 200); do echo x >>f$i; done; head -c 20000000 /dev/urandom >big`)
		why := errors.New("somebody pressed stop")
		for delay := time.Duration(0); delay < 400*time.Millisecond; delay += 40 * time.Millisecond {
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(delay, func() { cancel(why) })
			start := time.Now()
			taken, err := w.tree.TakeBack(ctx, Limits{})
			timer.Stop()
			cancel(nil)
			if err != nil && !errors.Is(err, why) || err != nil && taken.Tree != "" {
				t.Errorf("after %v: %v, %+v", delay, err, taken)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("after %v it took %v", delay, d)
			}
		}
		if taken := w.take(t, Limits{}); len(taken.Changes) != 201 {
			t.Errorf("%d changes", len(taken.Changes))
		}
		survivors, err := room.Sweep(t.Context())
		if err != nil || len(survivors) > 0 {
			t.Errorf("%v, %v", survivors, err)
		}
	})
}

package thread_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// hub is a pull request with review threads on the fake GitHub, where an App of ours answers.
type hub struct {
	*fakegithub.Server
	repo    *fakegithub.Repo
	pull    int
	app     int64
	key     []byte
	bot     string
	event   github.Event
	replies []thread.Reply
}

func newHub(t *testing.T) *hub {
	h := &hub{Server: fakegithub.New(t)}
	h.User("ann", "write")
	h.repo = h.Repo("acme/app", map[string]string{"main.go": "package main\n"})
	h.app, h.key, h.bot = h.App("ai-flow")
	h.pull = h.repo.Pull("ann", "Retry", "", "topic", map[string]string{"main.go": "package main // retries\n"})
	for i := range 3 {
		e := h.read(t, h.repo.ReviewComment(h.pull, "ann", fmt.Sprint("Mend ", i, "."), "main.go", 0))
		h.replies = append(h.replies, thread.Reply{Thread: e.Comment.ID, Body: fmt.Sprintf("Mended %d.\n", i)})
	}
	h.event = h.read(t, h.repo.Comment(h.pull, "ann", "/build"))
	return h
}

func (h *hub) read(t *testing.T, e fakegithub.Event) github.Event {
	t.Helper()
	read, err := github.ReadEvent(e.Name, e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// attempt is one process that answers, which has its token already.
func (h *hub) attempt(t *testing.T) *thread.Thread {
	t.Helper()
	c, err := github.New(github.Options{API: h.API(), GraphQL: h.GraphQL(), Server: h.URL(), Repo: h.event.Repo, AppID: h.app, PrivateKey: h.key,
		Deadline: time.Second, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Look(t.Context(), h.event); err != nil {
		t.Fatal(err)
	}
	return &thread.Thread{API: c, Event: h.event, Viewer: h.bot}
}

// ours counts our comments with each text.
func (h *hub) ours() map[string]int {
	n := map[string]int{}
	for _, c := range h.repo.Thread(h.pull) {
		if c.Author == h.bot && strings.HasPrefix(c.Body, "<!-- ai-flow:reply ") {
			_, text, _ := strings.Cut(c.Body, "\n")
			n[text]++
		}
	}
	return n
}

// On GitHub: what was posted into a thread is found in the list, whatever happened to the calls, and nothing is posted twice
// (S9, F-59, H7-04).
func TestAnswerOnGitHub(t *testing.T) {
	kinds := []fakegithub.Fault{fakegithub.NoFault, fakegithub.Fail500Before, fakegithub.Fail502After, fakegithub.DropBefore, fakegithub.DropAfter,
		fakegithub.SecondaryLimit, fakegithub.KillBefore, fakegithub.KillAfter}
	for _, kind := range kinds {
		for k := 1; k <= 4 && (kind != fakegithub.NoFault || k == 1); k++ {
			t.Run(fmt.Sprint(kind, k), func(t *testing.T) {
				t.Parallel()
				h := newHub(t)
				first := h.attempt(t)
				before := len(h.Requests())
				h.FaultAt(k, kind)
				err := first.Answer(t.Context(), h.replies)
				if dead := kind == fakegithub.KillBefore || kind == fakegithub.KillAfter; dead == (err == nil) {
					t.Errorf("it returns %v", err)
				}
				if calls := len(h.Requests()) - before; kind == fakegithub.NoFault && calls != 4 {
					t.Errorf("%d calls", calls)
				}
				h.Revive()
				if err := h.attempt(t).Answer(t.Context(), h.replies); err != nil {
					t.Error(err)
				}
				n := h.ours()
				for _, r := range h.replies {
					if n[r.Body+"<!-- ai-flow:end -->\n"] != 1 {
						t.Errorf("%q stands there %d times: %v", r.Body, n[r.Body], n)
					}
				}
			})
		}
	}
}

// A thread whose comment was deleted is left out.
func TestAnswerToNobodyOnGitHub(t *testing.T) {
	h := newHub(t)
	h.repo.DeleteComment(h.replies[1].Thread)
	if err := h.attempt(t).Answer(t.Context(), h.replies); err != nil || len(h.ours()) != 2 {
		t.Errorf("%v: %v", err, h.ours())
	}
}

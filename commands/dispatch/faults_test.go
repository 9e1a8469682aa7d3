package dispatch

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// drama is a command whose run is disturbed at each of its calls.
type drama struct {
	name  string
	begin func(*stage) fakegithub.Event
	ends  render.Outcome
}

func dramas() []drama {
	return []drama{
		{"a question", func(s *stage) fakegithub.Event {
			return s.repo.Comment(s.issue, "ann", "/ask how is this tested?")
		}, render.Done},
		{"an edit and a question", func(s *stage) fakegithub.Event {
			s.agent.edit = addition
			return s.repo.Comment(s.issue, "ann", "> We retry on 502.\r\n\r\n/edit 503 too\r\n\r\n/ask is that all?\r\n")
		}, render.Done},
		{"a question on a line", func(s *stage) fakegithub.Event {
			return s.repo.ReviewComment(s.pull(), "ann", "/ask why?", "main.go", 0)
		}, render.Done},
		{"an edit in a review", func(s *stage) fakegithub.Event {
			s.agent.edit = addition
			return s.repo.Review(s.pull(), "ann", "Good.\n\n/edit say how often\n")
		}, render.Done},
		{"a refused comment", func(s *stage) fakegithub.Event {
			return s.repo.Comment(s.issue, "ann", "/build a\n/build b\n")
		}, render.Refused},
	}
}

// addition is not idempotent on purpose: an edit that is made twice shows.
func addition(d string) string { return strings.TrimRight(d, "\n") + "\n\nAt most three times.\n" }

func (s *stage) pull() int {
	return s.repo.Pull("ann", "Retry", description, "topic", map[string]string{"main.go": "package main // retries\n"})
}

var faults = []struct {
	name string
	kind fakegithub.Fault
}{
	{"500 before the write", fakegithub.Fail500Before}, {"502 after the write", fakegithub.Fail502After},
	{"dropped before", fakegithub.DropBefore}, {"dropped after", fakegithub.DropAfter},
	{"secondary limit", fakegithub.SecondaryLimit}, {"no answer", fakegithub.Hang},
	{"killed before", fakegithub.KillBefore}, {"killed after", fakegithub.KillAfter},
}

// TestS9_FaultsAtEveryCall disturbs each call of each drama by each fault, runs the job again, and compares what people see
// with what an undisturbed run leaves: one result, no duplicate, nothing waiting (F-46, F-56, F-59, H3-07, H7-04).
func TestS9_FaultsAtEveryCall(t *testing.T) {
	for _, d := range dramas() {
		t.Run(d.name, func(t *testing.T) {
			want, calls := d.undisturbed(t)
			each(t, calls, func(t *testing.T, k int) {
				for _, f := range faults {
					s := newStage(t)
					e := d.begin(s)
					s.disturb(e, k, f.kind)
					again := s.job(e)
					again.Attempt = 2
					told := again.Run(t.Context())
					if got := s.seen(); got != want {
						t.Errorf("call %d, %s: people see\n%s\nand should see\n%s\nlog:\n%s", k, f.name, got, want, s.said)
					}
					if o := told.Outcome.Result.Outcome; o != d.ends && o != render.Nothing {
						t.Errorf("call %d, %s: the second attempt ended %v", k, f.name, o)
					}
					s.hub.Close()
				}
			})
		})
	}
}

// TestS9_KilledAndFinalized kills each drama at each of its calls and lets the finaliser have the last word: nothing waits,
// there is one result, and a landed edit is not said to have failed.
func TestS9_KilledAndFinalized(t *testing.T) {
	for _, d := range dramas() {
		t.Run(d.name, func(t *testing.T) {
			_, calls := d.undisturbed(t)
			each(t, calls, func(t *testing.T, k int) {
				for _, f := range faults[6:] {
					s := newStage(t)
					e := d.begin(s)
					s.disturb(e, k, f.kind)
					did, err := s.job(e).Finalize(t.Context(), EndedFailure)
					if err != nil {
						t.Errorf("call %d, %s: %v", k, f.name, err)
					}
					s.finalized(fmt.Sprintf("call %d, %s, %s", k, f.name, did))
					s.hub.Close()
				}
			})
		})
	}
}

// TestS9_FinalizerDisturbed kills each drama while its agent works, disturbs each call of the finaliser, and lets it run again.
func TestS9_FinalizerDisturbed(t *testing.T) {
	for _, d := range dramas()[:2] {
		t.Run(d.name, func(t *testing.T) {
			for _, f := range faults {
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					for k, more := 1, true; more; k++ {
						s := newStage(t)
						e := d.begin(s)
						s.agent.before = func(executor.Task) { s.hub.FaultAt(1, fakegithub.KillBefore) }
						s.job(e).Run(t.Context())
						s.hub.Revive()
						before := len(s.hub.Requests())
						s.hub.FaultAt(k, f.kind)
						j := s.job(e)
						if f.kind == fakegithub.Hang {
							j.GitHub = s.impatient()
						}
						_, _ = j.Finalize(t.Context(), EndedFailure) // what it could not do the next one does
						more = len(s.hub.Requests())-before >= k && k < 20
						s.hub.Revive()
						if _, err := s.job(e).Finalize(t.Context(), EndedFailure); err != nil {
							t.Errorf("call %d: %v", k, err)
						}
						s.finalized(fmt.Sprint("call ", k))
						s.hub.Close()
					}
				})
			}
		})
	}
}

// TestS9_AuthorizeDisturbed disturbs each call of the first job: asked again it authorizes, with one 👀.
func TestS9_AuthorizeDisturbed(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for k := 1; k <= 5; k++ {
				s := newStage(t)
				e := s.repo.Comment(s.pull(), "ann", "/ask how?")
				j := s.job(e)
				if f.kind == fakegithub.Hang {
					j.GitHub = s.impatient()
				}
				s.hub.FaultAt(k, f.kind)
				if a, err := j.Authorize(t.Context()); a.Authorized && err != nil {
					t.Errorf("call %d: authorized beside %v", k, err)
				}
				s.hub.Revive()
				if a, err := s.job(e).Authorize(t.Context()); !a.Authorized || len(a.Head) != 40 || err != nil {
					t.Errorf("call %d: %+v, %v", k, a, err)
				}
				if n := strings.Count(s.seen(), "eyes"); n != 1 {
					t.Errorf("call %d: %d reactions\n%s", k, n, s.seen())
				}
				s.hub.Close()
			}
		})
	}
}

// finalized holds what holds after the finaliser, whatever went before.
func (s *stage) finalized(when string) {
	s.t.Helper()
	seen := s.seen()
	if strings.Contains(seen, "⏳") || strings.Contains(seen, "ai-flow:status") {
		s.t.Errorf("%s: something waits\n%s", when, seen)
	}
	if n := strings.Count(seen, "⚙️"); n != 1 && !strings.Contains(seen, "must be the only command") {
		s.t.Errorf("%s: %d footers, want one result\n%s", when, n, seen)
	}
	landed := strings.Contains(seen, "At most three times.\n\nDiscussion")
	if landed && strings.Contains(seen, "⚠️ **/edit**") {
		s.t.Errorf("%s: a landed edit is told as failed\n%s", when, seen)
	}
}

// undisturbed is what people see after a run in peace, and after another one, and how many calls the first makes.
func (d drama) undisturbed(t *testing.T) (seen string, calls int) {
	t.Helper()
	s := newStage(t)
	e := d.begin(s)
	before := len(s.hub.Requests())
	if told := s.run(e); told.Outcome.Result.Outcome != d.ends || told.Err != nil {
		t.Fatalf("undisturbed: %v, %v\n%s", told.Outcome.Result, told.Err, s.said)
	}
	seen, calls = s.seen(), len(s.hub.Requests())-before
	again := s.job(e)
	again.Attempt = 2
	again.Run(t.Context())
	if twice := s.seen(); twice != seen {
		t.Errorf("a second attempt after a finished one changes what people see:\n%s\nwas\n%s", twice, seen)
	}
	if calls < 5 || strings.Contains(seen, "⏳") {
		t.Fatalf("%d calls, and people see\n%s", calls, seen)
	}
	return seen, calls
}

// disturb runs the job with one fault. Whoever is killed says nothing more; the fake sees to that.
func (s *stage) disturb(e fakegithub.Event, k int, f fakegithub.Fault) {
	s.t.Helper()
	j := s.job(e)
	if f == fakegithub.Hang {
		j.GitHub = s.impatient()
	}
	s.hub.FaultAt(k, f)
	j.Run(s.t.Context())
	s.hub.Revive()
}

// impatient gives up a call after half a second.
func (s *stage) impatient() *github.Client {
	s.t.Helper()
	c, err := github.New(github.Options{API: s.hub.API(), GraphQL: s.hub.GraphQL(), Server: s.hub.URL(),
		Repo: github.Repo{Owner: "acme", Name: "app"}, AppID: s.appID, PrivateKey: s.key,
		Deadline: time.Second / 2, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

var (
	took = regexp.MustCompile(`\d+(\.\d+)? (ms|s|min|h)\b`)
	port = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

// seen is what people see, without what differs from run to run.
func (s *stage) seen() string {
	return port.ReplaceAllString(took.ReplaceAllString(s.repo.Snapshot(), "TIME"), "HOST")
}

// each plays f for each call, side by side.
func each(t *testing.T, calls int, f func(t *testing.T, k int)) {
	for k := 1; k <= calls; k++ {
		t.Run(fmt.Sprint("call ", k), func(t *testing.T) {
			t.Parallel()
			f(t, k)
		})
	}
}

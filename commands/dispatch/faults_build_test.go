package dispatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// builds are dramas that push. Their agents complain when they are started although something was pushed already.
func builds() []drama {
	return []drama{
		{"of an issue", func(s *stage) fakegithub.Event {
			s.once(map[string]string{"retry.go": "package main\n", "main.go": "package main // retries\n"})
			return s.repo.Comment(s.issue, "ann", "/build keep the flags stable\n")
		}, render.Done},
		{"of a reviewed pull request", func(s *stage) fakegithub.Event {
			n, _ := s.reviewed()
			s.once(map[string]string{"main.go": "package main // retries, named\n"})
			return s.repo.Comment(n, "ann", "/build\n")
		}, render.Done},
	}
}

// inTwo is a build in two repositories, of which it returns the second.
func inTwo(s *stage) (fakegithub.Event, *fakegithub.Repo) {
	lib := s.hub.Repo("acme/lib", map[string]string{"lib.go": "package lib\n"})
	s.repo.SetBody(s.issue, "ann", "Target repos: acme/app, acme/lib\n\n"+description)
	s.once(nil)
	s.agent.build = func(dir string) {
		trees, err := filepath.Glob(filepath.Dir(dir) + "/tree*")
		if err != nil || len(trees) != 2 {
			s.t.Errorf("the trees are %q, %v", trees, err)
		}
		for _, d := range trees {
			if err := os.WriteFile(filepath.Join(d, "both.go"), []byte("package both\n"), 0o644); err != nil {
				s.t.Error(err)
			}
		}
	}
	return s.repo.Comment(s.issue, "ann", "/build\n"), lib
}

// once makes an agent that writes files, and must not do so after they were pushed.
func (s *stage) once(files map[string]string) {
	s.writes(files)
	s.agent.before = func(executor.Task) {
		if s.pushed() {
			s.t.Error("the agent works again on what was pushed")
		}
	}
}

// pushed reports whether a push has landed.
func (s *stage) pushed() bool {
	for _, p := range s.hub.Pushes() {
		if p.Landed {
			return true
		}
	}
	return false
}

var (
	resultText = regexp.MustCompile(`(?ms)^(> )?<!-- ai-flow:result \(\d+\) stage=(\w+)[^>]*-->\n.*?<!-- ai-flow:end -->\n`)
	bottomText = regexp.MustCompile(`(?ms)^---\n\n(> )?<!-- ai-flow:result \(\d+\) stage=\w+ part=bottom[^>]*-->\n.*?<!-- ai-flow:end -->\n`)
	replyText  = regexp.MustCompile(`(?ms)^-- \(\d+\) line by "ai-flow\[bot\]" (to [^\n]*\n)<!-- ai-flow:reply .*?^(commit .*?<!-- ai-flow:end -->\n)`)
	proseText  = regexp.MustCompile(`(?ms)^(Implements [^\n]*\n\n)Answer 1\.\n\n`)
	whereText  = regexp.MustCompile(`(opened|added \[[^\]]*\]\([^)]*\) to) \[#[^\]]*\]\([^)]*\)`)
	blankLines = regexp.MustCompile(`\n{2,}`)
)

// lands is what people see but for words of the agent's, which a later attempt does not have any more, and what a result says
// beside where the work is.
func (s *stage) lands() string {
	text := bottomText.ReplaceAllString(s.seen(), "")
	text = resultText.ReplaceAllStringFunc(text, func(r string) string {
		m := resultText.FindStringSubmatch(r)
		return fmt.Sprintf("RESULT %s: %s\n", m[2], strings.Join(whereText.FindAllString(r, -1), "; "))
	})
	var replies []string // in any order: one whose answer was lost comes after the others
	text = replyText.ReplaceAllStringFunc(text, func(r string) string {
		replies = append(replies, replyText.ReplaceAllString(r, "$1$2"))
		return ""
	})
	slices.Sort(replies)
	return blankLines.ReplaceAllString(proseText.ReplaceAllString(text, "$1"), "\n") + strings.Join(replies, "")
}

// undisturbedBuild is what a run in peace leaves, with the calls that it makes.
func (d drama) undisturbedBuild(t *testing.T) (want string, calls []fakegithub.Request) {
	t.Helper()
	s := newStage(t)
	e := d.begin(s)
	before := len(s.hub.Requests())
	s.ends(s.run(e), d.ends)
	want, calls = s.lands(), s.hub.Requests()[before:]
	if n := len(s.hub.Pushes()); n != 1 || len(calls) < 10 || strings.Count(want, "RESULT acted: ") != 1 || strings.Contains(want, "⏳") {
		t.Fatalf("%d pushes, %d calls, and people see\n%s", n, len(calls), want)
	}
	return want, calls
}

// faultsOf are the faults that make a difference at a call: one that only reads is made again by the client.
func faultsOf(r fakegithub.Request) []fakegithub.Fault {
	if r.Method == "GET" || strings.HasPrefix(r.Operation, "graphql:") || strings.HasSuffix(r.Path, "/access_tokens") {
		return []fakegithub.Fault{fakegithub.KillBefore}
	}
	return []fakegithub.Fault{fakegithub.Fail502After, fakegithub.DropBefore, fakegithub.KillBefore, fakegithub.KillAfter}
}

// firstWrite is the first call that people see, counted from 1.
func firstWrite(calls []fakegithub.Request) int {
	return 1 + slices.IndexFunc(calls, func(r fakegithub.Request) bool { return len(faultsOf(r)) > 1 })
}

var pushFaults = []fakegithub.Fault{fakegithub.Fail500Before, fakegithub.Fail502After, fakegithub.DropBefore, fakegithub.DropAfter, fakegithub.Resent,
	fakegithub.KillBefore, fakegithub.KillAfter}

// again is a further attempt at a command.
func (s *stage) again(e fakegithub.Event) Told {
	s.t.Helper()
	j := s.job(e)
	j.Attempt = 2
	return j.Run(s.t.Context())
}

// disturbPush runs the job with a fault of a push. Who is killed waits for nothing.
func (s *stage) disturbPush(e fakegithub.Event, k int, f fakegithub.Fault) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	s.hub.FaultPush(k, f)
	at := len(s.hub.Pushes()) + k - 1
	if f == fakegithub.KillBefore || f == fakegithub.KillAfter {
		s.hub.OnPush(func(n int, _ fakegithub.Push) {
			if n != k {
				return
			}
			go func() {
				for late := time.Now().Add(10 * time.Second); f == fakegithub.KillAfter && !s.hub.Pushes()[at].Landed && time.Now().Before(late); {
					time.Sleep(5 * time.Millisecond)
				}
				cancel()
			}()
		})
	}
	s.job(e).Run(ctx)
	s.hub.OnPush(nil)
	s.hub.Revive()
}

// TestS9_BuildFaultsAtEveryCall disturbs each call and each push of a build, runs the job again, and compares what people see
// with what an undisturbed run leaves: one pull request, one commit, one reply in each thread, one result (F-34, F-56, H7-04).
func TestS9_BuildFaultsAtEveryCall(t *testing.T) {
	for _, d := range builds() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			want, calls := d.undisturbedBuild(t)
			each(t, len(calls), func(t *testing.T, k int) {
				if k > 1 && k < firstWrite(calls) {
					return // nothing is written so far, as at the first call
				}
				for _, f := range faultsOf(calls[k-1]) {
					s := newStage(t)
					e := d.begin(s)
					s.disturb(e, k, f)
					s.comesTo(e, want, fmt.Sprintf("call %d %s, fault %d", k, calls[k-1].Operation, f))
				}
			})
			for _, f := range pushFaults {
				t.Run(fmt.Sprint("push, fault ", f), func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					e := d.begin(s)
					s.disturbPush(e, 1, f)
					s.comesTo(e, want, fmt.Sprint("push, fault ", f))
				})
			}
		})
	}
}

// comesTo runs the job twice more: the first ends where an undisturbed one does, and the second changes nothing.
func (s *stage) comesTo(e fakegithub.Event, want, when string) {
	s.t.Helper()
	told := s.again(e)
	if got := s.lands(); got != want || told.Err != nil {
		s.t.Errorf("%s: %v, people see\n%s\nin whole:\n%s\nlog:\n%s", when, told.Err, udiff.Unified("wanted", "got", want, got), s.seen(), s.said)
	}
	before := s.seen()
	s.again(e)
	if after := s.seen(); after != before {
		s.t.Errorf("%s: a further attempt makes\n%s", when, udiff.Unified("before", "after", before, after))
	}
	s.hub.Close()
}

// TestS9_BuildKilledAndFinalized kills a build at each call and push. The finaliser leaves nothing that waits; what was pushed
// it brings to its end. A second finaliser changes nothing, and a further attempt comes to where an undisturbed run does.
func TestS9_BuildKilledAndFinalized(t *testing.T) {
	for _, d := range builds() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			want, calls := d.undisturbedBuild(t)
			each(t, len(calls), func(t *testing.T, k int) {
				if k > 1 && k < firstWrite(calls) {
					return
				}
				s := newStage(t)
				e := d.begin(s)
				s.disturb(e, k, fakegithub.KillBefore)
				s.finalizedBuild(e, want, fmt.Sprint("call ", k, " ", calls[k-1].Operation))
			})
			for _, f := range []fakegithub.Fault{fakegithub.KillBefore, fakegithub.KillAfter} {
				t.Run(fmt.Sprint("push, fault ", f), func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					e := d.begin(s)
					s.disturbPush(e, 1, f)
					s.finalizedBuild(e, want, fmt.Sprint("push, fault ", f))
				})
			}
		})
	}
}

func (s *stage) finalizedBuild(e fakegithub.Event, want, when string) {
	s.t.Helper()
	for n := range 2 {
		before := s.seen()
		did, err := s.job(e).Finalize(s.t.Context(), EndedFailure)
		if err != nil {
			s.t.Errorf("%s: %v", when, err)
		}
		s.finalized(fmt.Sprintf("%s, %s", when, did))
		if n > 0 && s.seen() != before {
			s.t.Errorf("%s: a second finaliser makes\n%s", when, udiff.Unified("before", "after", before, s.seen()))
		}
		if s.pushed() && s.lands() != want {
			s.t.Errorf("%s: the finaliser leaves\n%s", when, udiff.Unified("wanted", "got", want, s.lands()))
		}
	}
	s.comesTo(e, want, when)
}

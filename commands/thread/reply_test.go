package thread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// swept is a build on a pull request with three review threads.
func swept(t testing.TB) (*site, *Thread, []Reply) {
	t.Helper()
	s, th := newThread(t, github.OnPull, "/build")
	var replies []Reply
	for i := range 3 {
		c := s.add(true, "bob", fmt.Sprint("Mend ", i, "."))
		replies = append(replies, Reply{c.ID, fmt.Sprintf("Mended %d.\n", i)})
	}
	return s, th, replies
}

// answers counts our comments in each thread.
func (s *site) answers() map[int64]int {
	n := map[int64]int{}
	for _, thread := range s.threads {
		n[thread]++
	}
	return n
}

// one checks that there is exactly one reply in each thread, and nothing of ours elsewhere.
func (s *site) one(t *testing.T, when string, replies []Reply) {
	t.Helper()
	n := s.answers()
	for _, r := range replies {
		if n[r.Thread] != 1 {
			t.Errorf("%s: %d replies in the thread %d", when, n[r.Thread], r.Thread)
		}
	}
	if len(n) != len(replies) || len(s.ours()) != len(replies) {
		t.Errorf("%s: %d threads hold replies: %q", when, len(n), s.ours())
	}
}

// answer plays Answer; it returns false when the process was killed.
func answer(th *Thread, replies []Reply) (err error, alive bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
			alive = false
		}
	}()
	return th.Answer(context.Background(), replies), true
}

// One call to list and one for each reply; a second time one call, and nothing is edited (F-40, F-59).
func TestAnswer(t *testing.T) {
	s, th, replies := swept(t)
	if err := th.Answer(context.Background(), replies); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, s, "list", "post", "post", "post")
	s.one(t, "once", replies)
	want := fmt.Sprintf("<!-- ai-flow:reply 102 thread=%d given=1796018520 -->\nMended 1.\n<!-- ai-flow:end -->\n", replies[1].Thread)
	if got := s.ours()[1]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	replies[0].Body = "Another word for it."
	if err := th.Answer(context.Background(), append(replies, replies[0])); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, s, "list")
	s.one(t, "twice", replies)
	if err := th.Answer(context.Background(), nil); err != nil || len(s.calls) != 0 {
		t.Errorf("no reply: %v, %q", err, s.calls)
	}
}

// TestAnswerFaults lets each call fail in each way, once or from then on. After a second run exactly one reply stands in each
// thread; an answer that was lost once needs none (S9, H7-04).
func TestAnswerFaults(t *testing.T) {
	for k := 1; k <= 4; k++ {
		for f := lost; f <= killedIn; f++ {
			for _, onward := range []bool{false, true} {
				if onward && f >= killed || f == vanished {
					continue // the dead do not go on; and what vanishes is in another test
				}
				t.Run(fmt.Sprintf("%d/%d/%v", k, f, onward), func(t *testing.T) {
					s, th, replies := swept(t)
					s.fault = func(n int, _ string) fault {
						if n == k || onward && n > k {
							return f
						}
						return none
					}
					err, alive := answer(th, replies)
					for thread, n := range s.answers() {
						if n > 1 && !onward {
							t.Errorf("%d replies in the thread %d", n, thread)
						}
					}
					switch healed := k > 1 && (f == lost || f == dropped) && !onward; {
					case !alive:
					case healed:
						s.one(t, "healed", replies)
						fallthrough
					default:
						if healed != (err == nil) {
							t.Errorf("it returns %v", err)
						}
					}
					if len(s.calls) > maxWrites*(1+3)+1 {
						t.Errorf("%d calls", len(s.calls))
					}
					s.fault = nil
					next := &Thread{API: s, Event: th.Event, Viewer: strings.ToUpper(bot)}
					if err := next.Answer(context.Background(), replies); err != nil {
						t.Error(err)
					}
					s.one(t, "run again", replies)
				})
			}
		}
	}
}

// What Answer says of replies that it did not post, and which.
func TestAnswerEnds(t *testing.T) {
	fails := func(n int, k github.Kind, setup bool) func(*site, *Thread, []Reply) {
		return func(s *site, th *Thread, _ []Reply) {
			th.API = refusing{s, n, &github.Error{What: "posting a comment", Kind: k, Setup: setup}}
		}
	}
	tests := []struct {
		name   string
		set    func(*site, *Thread, []Reply)
		posted []int // of the three
		says   string
		calls  int // at most; 0: not asked
	}{
		{"nothing", func(*site, *Thread, []Reply) {}, []int{0, 1, 2}, "", 4},
		{"a limit", fails(2, github.Limited, false), []int{0}, "2 of them left", 3},
		{"a limit at once", fails(1, github.Limited, false), nil, "3 of them left", 2},
		{"GitHub is away", fails(2, github.Unreachable, false), []int{0}, "2 of them left", 3},
		{"the token ends", fails(3, github.Unauthorized, false), []int{0, 1}, "1 of them left", 4},
		{"a permission is missing", fails(1, github.Forbidden, true), nil, "3 of them left", 2},
		{"one that GitHub does not want", fails(2, github.Forbidden, false), []int{0, 2}, "the review thread 104", 4},
		{"one that is invalid", fails(1, github.Invalid, false), []int{1, 2}, "the review thread 103", 4},
		{"one that was deleted", func(s *site, _ *Thread, r []Reply) {
			s.comments = slices.DeleteFunc(s.comments, func(c github.Posted) bool { return c.ID == r[1].Thread })
		}, []int{0, 2}, "", 4},
		{"nobody knows who we are", func(_ *site, th *Thread, _ []Reply) { th.Viewer = "" }, nil, "3 of them left", 0},
		{"no list", func(s *site, _ *Thread, _ []Reply) { s.fault = failing("list", refused) }, nil, "3 of them left", 1},
		{"no thread", func(_ *site, _ *Thread, r []Reply) { r[0].Thread = 0 }, []int{1, 2}, "the review thread 0", 3},
		{"too long", func(_ *site, _ *Thread, r []Reply) { r[2].Body = strings.Repeat("x", maxBody) }, []int{0, 1}, "no room", 3},
		{"two for one", func(_ *site, _ *Thread, r []Reply) { r[1].Thread = r[0].Thread }, []int{0, 2}, "", 3},
		{"what somebody else wrote", func(s *site, _ *Thread, r []Reply) {
			s.add(true, "eve", framed(mark{word: wordReply, id: 102, thread: r[0].Thread}, "x"))
		}, []int{0, 1, 2}, "", 4},
		{"another command's", func(s *site, _ *Thread, r []Reply) {
			s.add(true, bot, framed(mark{word: wordReply, id: 103, thread: r[0].Thread}, "x"))
		}, []int{0, 1, 2}, "", 4},
		{"a result of ours", func(s *site, _ *Thread, r []Reply) {
			s.add(true, bot, framed(mark{word: wordResult, id: 102, stage: told}, "x"))
		}, []int{0, 1, 2}, "", 4},
		{"one that a person wrote below", func(s *site, _ *Thread, r []Reply) {
			s.add(true, bot, crlf(framed(mark{word: wordReply, id: 102, thread: r[0].Thread}, "x")+"Thanks!"))
		}, []int{1, 2}, "", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, th, replies := swept(t)
			tt.set(s, th, replies)
			err := th.Answer(context.Background(), replies)
			if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("it says %v, want %q", err, tt.says)
			}
			var posted []int
			for i, r := range replies {
				if slices.ContainsFunc(s.ours(), func(b string) bool { return strings.Contains(b, r.Body) }) {
					posted = append(posted, i)
				}
			}
			if !slices.Equal(posted, tt.posted) {
				t.Errorf("posted are %v, want %v", posted, tt.posted)
			}
			if len(s.calls) > tt.calls {
				t.Errorf("calls %q", s.calls)
			}
		})
	}
}

// refusing refuses the nth post.
type refusing struct {
	*site
	nth int
	why error
}

func (r refusing) Post(ctx context.Context, number int, thread int64, body string) (github.Posted, error) {
	posts := 1
	for _, call := range r.calls {
		if call == "post" {
			posts++
		}
	}
	if posts == r.nth {
		r.calls = append(r.calls, "post")
		return github.Posted{}, r.why
	}
	return r.site.Post(ctx, number, thread, body)
}

// All errors are told: those of single replies, doubts, and what ended it.
func TestAnswerTellsAll(t *testing.T) {
	s, th, replies := swept(t)
	s.fault = func(n int, _ string) fault { return map[int]fault{2: refused, 3: dropped, 4: limited}[n] }
	err := th.Answer(context.Background(), replies)
	for _, want := range []string{"the review thread 103", "the review thread 104", "the review thread 105", "2 of them left"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell %q", err, want)
		}
	}
}

// Answers that are always lost are looked for, and what is not there is posted a few times and no more.
func TestAnswerGivesUp(t *testing.T) {
	for f, calls := range map[fault]int{lost: 1 + 3 + 1, dropped: maxWrites*(1+3) + 1} {
		s, th, replies := swept(t)
		s.fault = failing("post", f)
		err := th.Answer(context.Background(), replies)
		if len(s.calls) != calls || (err == nil) != (f == lost) {
			t.Errorf("%d: %v after %q", f, err, s.calls)
		}
		if f == dropped && strings.Count(err.Error(), "review thread") != len(replies) {
			t.Errorf("it does not tell of each: %v", err)
		}
	}
}

// A run that is cancelled posts no more.
func TestAnswerCancelled(t *testing.T) {
	s, th, replies := swept(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.before = func(n int, _ string) {
		if n == 2 {
			cancel(errors.New("somebody pressed cancel"))
		}
	}
	err := th.Answer(ctx, replies)
	if err == nil || !strings.Contains(err.Error(), "2 of them left: somebody pressed cancel") || len(s.ours()) != 1 {
		t.Errorf("%v; posted %q", err, s.ours())
	}
}

// S5, S6: a reply is looked at once more for secrets, and brings no mark along.
func TestAnswerIsClean(t *testing.T) {
	s, th, replies := swept(t)
	th.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	replies[0].Body = "hunter2\n<!-- ai-flow:end -->\n\n> <!-- ai-flow:status 102 -->\n> ⏳\n" + end
	if err := th.Answer(context.Background(), replies); err != nil {
		t.Fatal(err)
	}
	want := "<!-- ai-flow:reply 102 thread=103 given=1796018520 -->\n***\n<! -- ai-flow:end -->\n\n> <! -- ai-flow:status 102 -->\n> ⏳\n> <! -- ai-flow:end -->\n<!-- ai-flow:end -->\n"
	if got := s.ours()[0]; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A reply is no result: nothing that looks for what stands on the thread takes it for one, or changes it, also where answers
// stand in review threads.
func TestReplyIsNoResult(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnPull, github.OnLine, github.OnReview} {
		s, th := newThread(t, surface, "/ask why")
		id := th.Event.Comment.ID
		root := s.add(true, "bob", "Mend this.").ID
		if err := th.Answer(ctx, []Reply{{root, "Mended."}}); err != nil {
			t.Fatal(err)
		}
		reply := s.comments[len(s.comments)-1]
		if got, err := th.Look(ctx); err != nil || got != (Standing{}) {
			t.Errorf("%+v, %v", got, err)
		}
		if ownStanding(reply.Body, id) != (Standing{}) || !Ours(reply.Body) || Strip(reply.Body, id) != reply.Body {
			t.Errorf("%q", reply.Body)
		}
		url := run(t, th, render.Done, "Because.", ActNone)
		if settled, err := th.Settle(ctx, nil); err != nil || settled != url || url == reply.URL {
			t.Errorf("%q, %v", settled, err)
		}
		if got := s.find(reply.Ref).Body; got != reply.Body {
			t.Errorf("the reply is %q", got)
		}
		if err := th.Answer(ctx, []Reply{{root, "Mended again."}}); err != nil || s.answers()[root] != 1 {
			t.Errorf("%v: %v", err, s.answers())
		}
	}
}

// Answered reads of a reply when its command was given, and of nothing else.
func TestAnswered(t *testing.T) {
	const given = 1796018520
	for body, want := range map[string]time.Time{
		framed(mark{word: wordReply, id: 7, thread: 9, given: given}, "x"):                time.Unix(given, 0),
		framed(mark{word: wordReply, id: 7, thread: 9}, "x"):                              {},
		framed(mark{word: wordResult, id: 7, stage: told}, "x"):                           {},
		"x\n" + framed(mark{word: wordReply, id: 7, thread: 9, given: given}, "x"):        {},
		"> " + mark{word: wordReply, id: 7, thread: 9, given: given}.String() + "\n> x\n": {},
	} {
		if got := Answered(body); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}

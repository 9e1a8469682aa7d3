package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each answer of testdata/feedback gives the feedback, or the error, that stands beside it.
func TestFeedback(t *testing.T) {
	golden(t, "feedback", 15, func(t *testing.T, answer string) string {
		f, err := newScripted(t).graphql(answer).client(static).Feedback(t.Context(), 2)
		if err != nil {
			if f.Threads != nil || f.Comments != nil || f.Commits != nil {
				t.Errorf("an error comes with %+v", f)
			}
			return said(t, err)
		}
		return describeFeedback(f)
	})
}

func describeFeedback(f Feedback) string {
	var w strings.Builder
	remark := func(indent string, r Remark) {
		fmt.Fprintf(&w, "%s%d %q by %q at %s, edited %s by %q, ours %t, %q\n", indent, r.ID, r.Body, r.Author, stamp(r.Created), stamp(r.Edited), r.Editor, r.Ours, r.URL)
	}
	for _, t := range f.Threads {
		fmt.Fprintf(&w, "thread on %q line %d, outdated %t, %q, %d omitted\n", t.Path, t.Line, t.Outdated, t.Hunk, t.Omitted)
		for _, r := range t.Comments {
			remark("  ", r)
		}
	}
	fmt.Fprintf(&w, "%d more threads, %d unread, %d older comments", f.More, f.Unread, f.Older)
	if !f.ReadSince.IsZero() {
		fmt.Fprintf(&w, ", read since %s", stamp(f.ReadSince))
	}
	fmt.Fprintln(&w)
	for _, r := range f.Comments {
		remark("", r)
	}
	for _, c := range f.Commits {
		fmt.Fprintln(&w, describeCommit(c))
	}
	return w.String()
}

// discussion is a GitHub with a pull request of many threads, which it gives in pages as GitHub does.
type discussion struct {
	*scripted
	threads  int
	replies  int                 // to each thread
	words    string              // of everything that is said
	resolved func(i int) bool    // nil: none
	asked    []map[string]any    // the variables
	first    []bool              // whether everything was asked for
	cursor   func(at int) string // of a page that begins there
}

func newDiscussion(t *testing.T, threads int) *discussion {
	d := &discussion{scripted: newScripted(t), threads: threads, words: "x", cursor: func(at int) string { return fmt.Sprint("before ", at) }}
	d.on("POST /api/graphql", d.answer)
	return d
}

func (d *discussion) answer(w http.ResponseWriter, _ *http.Request, body string) {
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		d.t.Error(err)
	}
	v := asked.Variables
	d.asked, d.first = append(d.asked, v), append(d.first, asked.Query == feedbackQuery)
	end := d.threads
	if cursor, ok := v["cursor"].(string); ok {
		fmt.Sscanf(cursor, "before %d", &end)
	}
	begin := max(0, end-int(v["threads"].(float64)))
	pull := map[string]any{"reviewThreads": map[string]any{
		"totalCount": d.threads, "nodes": d.page(begin, end, int(v["replies"].(float64))),
		"pageInfo": map[string]any{"hasPreviousPage": begin > 0, "startCursor": d.cursor(begin)},
	}}
	if talk, ok := v["talk"].(float64); ok {
		list := []any{}
		for i := range int(talk) {
			list = append(list, d.remark(500+i))
		}
		pull["comments"] = map[string]any{"totalCount": 300, "nodes": list}
		pull["reviews"] = map[string]any{"totalCount": int(talk), "nodes": list}
	}
	json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"repository": map[string]any{"pullRequest": pull}}})
}

func (d *discussion) page(begin, end, replies int) (nodes []any) {
	for i := begin; i < end; i++ {
		tail := []any{}
		for k := max(0, d.replies-replies); k < d.replies; k++ {
			tail = append(tail, d.remark(10_000*(i+1)+k+1))
		}
		nodes = append(nodes, map[string]any{
			"isResolved": d.resolved != nil && d.resolved(i), "path": "a.go",
			"head": map[string]any{"totalCount": 1 + d.replies, "nodes": []any{d.remark(10_000 * (i + 1))}}, "tail": map[string]any{"nodes": tail},
		})
	}
	return nodes
}

func (d *discussion) remark(id int) map[string]any {
	return map[string]any{"fullDatabaseId": fmt.Sprint(id), "body": d.words, "createdAt": noon.Add(time.Duration(id) * time.Second)}
}

// F-40: threads are read page by page, the newest first, unresolved ones up to 200, in at most ten calls, and the rest is
// counted. What is kept comes oldest first.
func TestFeedbackPages(t *testing.T) {
	even := func(i int) bool { return i%2 == 0 }
	for name, test := range map[string]struct {
		threads                   int
		resolved                  func(i int) bool
		calls, open, more, unread int
	}{
		"none": {0, nil, 1, 0, 0, 0}, "one": {1, nil, 1, 1, 0, 0}, "a page": {100, nil, 1, 100, 0, 0}, "two": {101, nil, 2, 101, 0, 0},
		"as many as are kept": {200, nil, 2, 200, 0, 0}, "more than are kept": {201, nil, 3, 200, 1, 0}, "as many as are read": {1000, nil, 10, 200, 800, 0},
		"more than are read": {1001, nil, 10, 200, 800, 1}, "half resolved": {250, even, 3, 125, 0, 0}, "half resolved, more": {1900, even, 10, 200, 300, 900},
		"old and resolved": {251, func(i int) bool { return i != 250 }, 3, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDiscussion(t, test.threads)
			d.resolved = test.resolved
			f, err := d.client(static).Feedback(t.Context(), 2)
			if err != nil || len(d.got) != test.calls || len(f.Threads) != test.open || f.More != test.more || f.Unread != test.unread {
				t.Fatalf("%d threads, %d more and %d unread in %d calls, %v", len(f.Threads), f.More, f.Unread, len(d.got), err)
			}
			at := test.threads // the last ones, in order
			for i, thread := range slices.Backward(f.Threads) {
				for at--; test.resolved != nil && test.resolved(at); at-- {
				}
				if thread.Comments[0].ID != int64(10_000*(at+1)) {
					t.Fatalf("thread %d begins with %d", i, thread.Comments[0].ID)
				}
			}
			for i, first := range d.first {
				if _, talk := d.asked[i]["talk"]; first != (i == 0) || talk != first {
					t.Errorf("call %d asks for everything: %t", i, first)
				}
			}
			if len(f.Comments) != 200 || f.Older != 200 {
				t.Errorf("%d comments and %d older", len(f.Comments), f.Older)
			}
		})
	}
}

// Of a long thread the first comment and the last 50 come, each once.
func TestFeedbackReplies(t *testing.T) {
	for replies, want := range map[int]struct{ comments, omitted int }{0: {1, 0}, 1: {2, 0}, 50: {51, 0}, 51: {51, 1}, 1000: {51, 950}} {
		d := newDiscussion(t, 1)
		d.replies = replies
		f, err := d.client(static).Feedback(t.Context(), 2)
		if err != nil || len(f.Threads) != 1 {
			t.Fatal(err)
		}
		if got := f.Threads[0]; len(got.Comments) != want.comments || got.Omitted != want.omitted || got.Comments[len(got.Comments)-1].ID != int64(10_000+replies) {
			t.Errorf("%d replies: %d comments and %d omitted", replies, len(got.Comments), got.Omitted)
		}
	}
}

// Each list is cut for itself: since when all was read is told by the one that reaches back less, and by what is hidden or says
// nothing in it too. How old the oldest of both is does not tell.
func TestFeedbackReadSince(t *testing.T) {
	const (
		early  = `{"fullDatabaseId":"1","body":"a","createdAt":"2026-11-30T08:00:00Z"}`
		late   = `{"fullDatabaseId":"2","body":"b","createdAt":"2026-11-30T10:00:00Z"}`
		hidden = `{"fullDatabaseId":"3","body":"c","createdAt":"2026-11-30T09:00:00Z","isMinimized":true}`
		empty  = `{"fullDatabaseId":"4","body":" ","createdAt":"2026-11-30T09:10:00Z"}`
		draft  = `{"fullDatabaseId":"5","body":"d","createdAt":"2026-11-30T09:20:00Z","state":"PENDING"}`
		review = `{"fullDatabaseId":"6","body":"e","createdAt":"2026-11-29T09:00:00Z","submittedAt":"2026-11-30T09:30:00Z","state":"COMMENTED"}`
	)
	list := func(total int, nodes ...string) string {
		return fmt.Sprintf(`{"totalCount":%d,"nodes":[%s]}`, total, strings.Join(nodes, ","))
	}
	for name, test := range map[string]struct{ comments, reviews, want string }{
		"nothing":                  {list(0), list(0), "never"},
		"neither is cut":           {list(2, early, late), list(1, review), "never"},
		"comments":                 {list(3, early, late), list(0), "30T08:00"},
		"reviews":                  {list(1, late), list(2, review), "30T09:30"},
		"the other holds an older": {list(2, late), list(1, early), "30T10:00"},
		"both":                     {list(3, early, late), list(2, review), "30T09:30"},
		"both, the other way":      {list(9, late), list(2, early), "30T10:00"},
		"hidden":                   {list(9, hidden, late), list(0), "30T09:00"},
		"without words":            {list(9, empty), list(0), "30T09:10"},
		"drafts":                   {list(0), list(9, draft), "30T09:20"},
		"out of order":             {list(9, late, early), list(0), "30T08:00"},
		"null":                     {list(9, "null", late), list(0), "30T10:00"},
		"without a time":           {list(9, `{"fullDatabaseId":"1","body":"a"}`, late), list(0), "30T10:00"},
	} {
		said := fmt.Sprintf(`{"data":{"repository":{"pullRequest":{"comments":%s,"reviews":%s}}}}`, test.comments, test.reviews)
		f, err := newScripted(t).graphql(said).client(static).Feedback(t.Context(), 2)
		if err != nil || stamp(f.ReadSince) != test.want || f.ReadSince.IsZero() != (f.Older == 0) {
			t.Errorf("%s: read since %s, %d older, %v", name, stamp(f.ReadSince), f.Older, err)
		}
	}
	for _, unknown := range []string{list(9), list(9, "null"), list(9, `{"fullDatabaseId":"1","body":"a"}`)} {
		said := fmt.Sprintf(`{"data":{"repository":{"pullRequest":{"comments":%s,"reviews":%s}}}}`, unknown, list(2, late))
		f, err := newScripted(t).graphql(said).client(static).Feedback(t.Context(), 2)
		if err != nil || f.ReadSince.Year() != 9999 {
			t.Errorf("%s: read since %s, %v", unknown, f.ReadSince, err)
		}
	}
}

// A stranger's long comments make the portions small and keep nobody from reading the others, within the same ten calls.
func TestFeedbackOfLongComments(t *testing.T) {
	d := newDiscussion(t, 60)
	d.replies, d.words = 2, strings.Repeat("x", 2000) // twenty fit into the 50 kB of this test
	c := d.client(static)
	c.most = 50_000
	f, err := c.Feedback(t.Context(), 2)
	if err != nil || len(d.got) != maxPages || len(f.Threads) != 45 || f.More != 0 || f.Unread != 15 || len(f.Comments) != 10 || f.Older != 295 || f.Threads[44].Omitted != 1 ||
		f.Threads[44].Comments[0].ID != 600_000 {
		t.Errorf("%d threads, %d more, %d unread, %d comments, %d older in %d calls, %v", len(f.Threads), f.More, f.Unread, len(f.Comments), f.Older, len(d.got), err)
	}
	late := newDiscussion(t, 110)
	c = late.client(static)
	c.most = 400_000
	plain := late.answer
	late.on("POST /api/graphql", plain, func(w http.ResponseWriter, _ *http.Request, _ string) { io.Copy(w, io.LimitReader(endless{}, 500_000)) }, plain)
	if f, err = c.Feedback(t.Context(), 2); err != nil || len(f.Threads) != 110 || f.More != 0 || f.Unread != 0 || len(late.got) != 4 || len(f.Comments) != 200 {
		t.Errorf("%d threads, %d more, %d comments in %d calls, %v", len(f.Threads), f.More, len(f.Comments), len(late.got), err)
	}
	never := newScripted(t)
	never.on("POST /api/graphql", func(w http.ResponseWriter, _ *http.Request, _ string) { io.Copy(w, endless{}) })
	c = never.client(static)
	c.most = 50_000
	if f, err = c.Feedback(t.Context(), 2); !errors.Is(err, errTooLarge) || len(never.got) != 2 || f.Threads != nil {
		t.Errorf("%v after %d calls", err, len(never.got))
	}
}

// The small portion fits whatever is in it: two texts in each thread beside the conversation's.
func TestSmallPortionFits(t *testing.T) {
	const characters, bytesOfJSON, around = 65536, 6, 64 << 10
	texts := 2*smallPortion.talk + smallPortion.threads*(1+smallPortion.replies)
	if texts*(characters*bytesOfJSON+around) > maxAnswer {
		t.Errorf("%d texts do not fit into %d bytes", texts, maxAnswer)
	}
}

// Pages that lead nowhere come to an end, and a page that fails takes the others with it.
func TestFeedbackLoops(t *testing.T) {
	for name, cursor := range map[string]func(int) string{
		"itself": func(int) string { return "before 400" }, "none": func(int) string { return "" },
	} {
		d := newDiscussion(t, 500)
		d.cursor = cursor
		f, err := d.client(static).Feedback(t.Context(), 2)
		if e := failure(t, err); e.Kind != Other || f.Threads != nil || len(d.got) > 2 {
			t.Errorf("%s: %v after %d calls", name, err, len(d.got))
		}
	}
	for name, test := range map[string]struct {
		h    handler
		kind Kind
	}{
		"403": {says(403, `{"message":"Resource not accessible by integration"}`), Forbidden}, "404": {says(404, ``), Gone}, "422": {says(422, ``), Invalid},
		"gone": {says(200, `{"data":{"repository":{"pullRequest":null}},"errors":[{"type":"NOT_FOUND"}]}`), Gone},
		"null": {says(200, `{"data":{"repository":{"pullRequest":null}}}`), Gone}, "nothing": {says(200, `{}`), Other},
		"a bad thread": {says(200, `{"data":{"repository":{"pullRequest":{"reviewThreads":{"nodes":[{"head":{"nodes":[{"body":"no id"}]}}]}}}}}`), Other},
	} {
		d := newDiscussion(t, 160)
		d.on("POST /api/graphql", d.answer, test.h)
		f, err := d.client(static).Feedback(t.Context(), 2)
		if e := failure(t, err); e.Kind != test.kind || f.Threads != nil || f.Comments != nil || len(d.got) != 2 {
			t.Errorf("%s: %v after %d calls", name, err, len(d.got))
		}
	}
	d := newDiscussion(t, 160)
	d.on("POST /api/graphql", d.answer, drops, says(502, ""), says(403, secondary), d.answer)
	if f, err := d.client(static).Feedback(t.Context(), 2); err != nil || len(f.Threads) != 160 || len(d.got) != 5 {
		t.Errorf("%d threads after %d calls, %v", len(f.Threads), len(d.got), err)
	}
	for _, number := range []int{0, -1, 1 << 31} {
		if _, err := d.client(static).Feedback(t.Context(), number); failure(t, err).Kind != Invalid || len(d.got) != 5 {
			t.Errorf("%d: %v", number, err)
		}
	}
}

// No answer panics, nothing comes without an id, and no bound is passed.
func FuzzFeedback(f *testing.F) {
	files, _ := filepath.Glob("testdata/feedback/*.json")
	for _, file := range files {
		answer, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var whole struct {
			Data struct {
				Repository struct{ PullRequest json.RawMessage }
			}
		}
		if json.Unmarshal(answer, &whole) == nil {
			f.Add([]byte(whole.Data.Repository.PullRequest))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p feedbackNode
		if json.Unmarshal(text, &p) != nil {
			return
		}
		var got Feedback
		for page := range maxPages {
			err := got.add(&p, page == 0)
			if err != nil {
				return
			}
			if got.Unread < 0 || got.More < 0 || got.Older < 0 || len(got.Threads) > maxThreads {
				t.Errorf("%+v", got)
			}
		}
		for _, thread := range got.Threads {
			got.Comments = append(got.Comments, thread.Comments...)
			if len(thread.Comments) == 0 || thread.Line < 0 || thread.Omitted < 0 {
				t.Errorf("%+v", thread)
			}
		}
		for _, r := range got.Comments {
			if r.ID <= 0 {
				t.Errorf("%+v", r)
			}
		}
		for _, c := range got.Commits {
			if !isOID(c.OID) {
				t.Errorf("%+v", c)
			}
		}
	})
}

package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each call asks the right address with the right body, for both kinds of comments.
func TestRequests(t *testing.T) {
	const lineJSON = `{"id":5,"body":null,"user":null,"html_url":"javascript:alert(1)","created_at":"2026-11-30T11:00:00Z"}`
	talk := Posted{Ref{false, 5}, "hello", "ann", "https://github.com/acme/site/issues/2#issuecomment-5", noon.Add(-time.Hour)}
	line := Posted{Ref{true, 5}, "", "", "", noon.Add(-time.Hour)}
	for name, test := range map[string]struct {
		line, body, answer string
		do                 func(context.Context, *Client) (any, error)
		want               any
	}{
		"read": {"GET " + commentRoute, "", commentJSON, func(ctx context.Context, c *Client) (any, error) { return c.Comment(ctx, Ref{false, 5}) }, talk},
		"read line": {"GET /api/v3/repos/acme/site/pulls/comments/5", "", lineJSON,
			func(ctx context.Context, c *Client) (any, error) { return c.Comment(ctx, Ref{true, 5}) }, line},
		"edit": {"PATCH " + commentRoute, `{"body":"<é>"}`, commentJSON, func(ctx context.Context, c *Client) (any, error) {
			return c.EditComment(ctx, Ref{false, 5}, "hello", "<é>")
		}, talk},
		"edit line": {"PATCH /api/v3/repos/acme/site/pulls/comments/5", `{"body":""}`, lineJSON,
			func(ctx context.Context, c *Client) (any, error) {
				return c.EditComment(ctx, Ref{true, 5}, "hello", "")
			}, line},
		"post": {"POST " + postRoute, `{"body":"x"}`, commentJSON, func(ctx context.Context, c *Client) (any, error) { return c.Post(ctx, 2, 0, "x") }, talk},
		"post line": {"POST /api/v3/repos/acme/site/pulls/2/comments/3/replies", `{"body":"x"}`, lineJSON,
			func(ctx context.Context, c *Client) (any, error) { return c.Post(ctx, 2, 3, "x") }, line},
		"body": {"GET /api/v3/repos/acme/site/issues/2", "", `{"number":2,"body":null}`, func(ctx context.Context, c *Client) (any, error) { return c.Body(ctx, 2) }, ""},
		"set body": {"PATCH /api/v3/repos/acme/site/issues/2", `{"body":""}`, `{"number":2,"body":"what stands"}`,
			func(ctx context.Context, c *Client) (any, error) { return c.SetBody(ctx, 2, "old", "") }, "what stands"},
		"eyes": {"POST /api/graphql", `{"query":` + quoted(eyesMutation) + `,"variables":{"id":"N_1"}}`, `{"data":{}}`,
			func(ctx context.Context, c *Client) (any, error) { return nil, c.Eyes(ctx, "N_1") }, nil},
	} {
		s := newScripted(t)
		s.on(test.line, says(200, test.answer))
		got, err := test.do(t.Context(), s.client(static))
		if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		if r := s.got[0]; r.line != test.line || strings.TrimSpace(r.body) != test.body {
			t.Errorf("%s: asked %+v", name, r)
		}
	}
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// manyComments serves n comments in pages, as GitHub does.
func (s *scripted) manyComments(route string, n int, body string) {
	s.on("GET "+route, func(w http.ResponseWriter, r *http.Request, _ string) {
		page, _ := strconv.Atoi(r.FormValue("page"))
		size, _ := strconv.Atoi(r.FormValue("per_page"))
		from, to := min((page-1)*size, n), min(page*size, n)
		if to < n {
			w.Header().Set("Link", fmt.Sprintf(`<http://elsewhere.example%s?page=%d>; rel="next", <x?page=99>; rel="last"`, route, page+1))
		}
		io.WriteString(w, "[")
		for i := from; i < to; i++ {
			fmt.Fprintf(w, `{"id":%d,"body":%q}%s`, i+1, body, strings.Repeat(",", min(1, to-1-i)))
		}
		io.WriteString(w, "]")
	})
}

// F-62: every page is read, whoever's host a next page names, in pages that fit into an answer.
func TestCommentsPages(t *testing.T) {
	const lines = "/api/v3/repos/acme/site/pulls/2/comments"
	long := strings.Repeat("x", 2000) // twenty fit into the 100 kB of this test, a hundred do not
	for name, test := range map[string]struct {
		line     bool
		n        int
		body     string
		requests int
	}{
		"none": {false, 0, "x", 1}, "one": {false, 1, "x", 1}, "a full page": {false, 100, "x", 1}, "more": {false, 101, "x", 2}, "many": {false, 5000, "x", 50},
		"lines": {true, 250, "x", 3}, "long": {false, 205, long, 1 + 11}, "long lines": {true, 100, long, 1 + 5},
	} {
		s := newScripted(t)
		s.manyComments(map[bool]string{true: lines, false: postRoute}[test.line], test.n, test.body)
		c := s.client(static)
		c.most = 100_000
		got, err := c.Comments(t.Context(), 2, test.line, time.Time{})
		if err != nil || len(got) != test.n || len(s.got) != test.requests {
			t.Errorf("%s: %d comments in %d requests, %v", name, len(got), len(s.got), err)
			continue
		}
		if !slices.IsSortedFunc(got, func(a, b Posted) int { return int(a.ID - b.ID) }) {
			t.Errorf("%s: not in order", name)
		}
	}
	s := newScripted(t)
	s.manyComments(postRoute, 5001, "x")
	if _, err := s.client(static).Comments(t.Context(), 2, false, noon); err == nil || !strings.Contains(err.Error(), "more than 5000") {
		t.Errorf("5,001 comments: %v", err)
	}
}

// What all comments of a list hold together is bounded too: a few thousand of the longest are a gigabyte.
func TestCommentsWeigh(t *testing.T) {
	const each = 20_000
	for n, fits := range map[int]bool{120: true, 121: false} {
		s := newScripted(t)
		s.manyComments(postRoute, n, strings.Repeat("x", each))
		c := s.client(static)
		if c.all != 64<<20 {
			t.Fatalf("the bound is %d bytes", c.all)
		}
		c.all = 120 * each
		got, err := c.Comments(t.Context(), 2, false, time.Time{})
		if fits && (err != nil || len(got) != n) || !fits && (got != nil || !strings.Contains(failure(t, err).Error(), "more than 2400000 bytes")) {
			t.Errorf("%d comments: %d, %v", n, len(got), err)
		}
	}
}

// Longer comments late in a list: what was read stays, none is read twice.
func TestCommentsGrowLonger(t *testing.T) {
	s := newScripted(t)
	s.manyComments(postRoute, 250, "x")
	short := s.routes["GET "+postRoute][0]
	s.manyComments(postRoute, 250, strings.Repeat("x", 2000))
	s.on("GET "+postRoute, short, s.routes["GET "+postRoute][0])
	c := s.client(static)
	c.most = 100_000
	got, err := c.Comments(t.Context(), 2, false, time.Time{})
	if err != nil || len(got) != 250 || len(s.got) != 1+1+8 {
		t.Fatalf("%d comments in %d requests, %v", len(got), len(s.got), err)
	}
	for i, p := range got {
		if p.ID != int64(i+1) {
			t.Fatalf("comment %d has the id %d", i, p.ID)
		}
	}
}

func TestCommentsSince(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+postRoute, says(200, "[]"))
	s.on("GET /api/v3/repos/acme/site/pulls/2/comments", says(200, "[]"))
	c := s.client(static)
	since := noon.In(time.FixedZone("", 7200))
	for _, line := range []bool{false, true} {
		if _, err := c.Comments(t.Context(), 2, line, since); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"GET /api/v3/repos/acme/site/issues/2/comments?page=1&per_page=100&since=2026-11-30T12%3A00%3A00Z",
		"GET /api/v3/repos/acme/site/pulls/2/comments?direction=asc&page=1&per_page=100&since=2026-11-30T12%3A00%3A00Z&sort=created",
	}
	if got := s.lines("comments"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A list whose next page is itself, an earlier one or no end of pages comes to an end, as an error; so does one with
// something in it that is no comment.
func TestCommentsLoops(t *testing.T) {
	for name, h := range map[string]handler{
		"itself":   says(200, "[]", `Link: <?page=1>; rel="next"`),
		"negative": says(200, "[]", `Link: <?page=-3>; rel="next"`),
		"far away": says(200, "[]", `Link: <?page=9999999>; rel="next"`),
		"empty for ever": func(w http.ResponseWriter, r *http.Request, _ string) {
			page, _ := strconv.Atoi(r.FormValue("page"))
			says(200, "[]", fmt.Sprintf(`Link: <?page=%d>; rel="next"`, page+1))(w, r, "")
		},
		"no comment":  says(200, `[{"id":1},{"body":"x"}]`),
		"null":        says(200, `[null]`),
		"not a list":  says(200, `{}`),
		"wrong types": says(200, `[{"id":"1"}]`),
		"bad time":    says(200, `[{"id":1,"created_at":"yesterday"}]`),
		"second page": func(w http.ResponseWriter, r *http.Request, _ string) {
			if r.FormValue("page") == "1" {
				says(200, `[{"id":1}]`, `Link: <?page=2>; rel="next"`)(w, r, "")
				return
			}
			says(404, ``)(w, r, "")
		},
	} {
		s := newScripted(t)
		s.on("GET "+postRoute, h)
		got, err := s.client(static).Comments(t.Context(), 2, false, time.Time{})
		if err == nil || got != nil || len(s.got) > maxComments/usualPage {
			t.Errorf("%s: %v, %v after %d requests", name, got, err, len(s.got))
		}
	}
	s := newScripted(t)
	s.on("GET "+postRoute, says(404, `{"message":"Not Found"}`))
	if _, err := s.client(static).Comments(t.Context(), 2, false, time.Time{}); failure(t, err).Kind != Gone {
		t.Error(err)
	}
}

// A transport that answers with a cause of its own keeps it out of the words: no text of the network's is longer than ours.
func TestForeignErrorsAreCut(t *testing.T) {
	s := newScripted(t)
	err := read(t.Context(), s.client(static, func(o *Options) {
		o.Transport = tripper(func(r *http.Request) (*http.Response, error) {
			return nil, errors.New(r.Header.Get("Authorization") + strings.Repeat("é", 10_000))
		})
	}))
	if len(err.Error()) > 500 || strings.Contains(err.Error(), "ghp_") {
		t.Errorf("%.600v", err)
	}
}

// Twenty of the longest comments that GitHub takes fit into an answer, with what stands around them.
func TestSmallPagesFit(t *testing.T) {
	const characters, bytesOfJSON, around = 65536, 6, 64 << 10
	if smallPage*(characters*bytesOfJSON+around) > maxAnswer || usualPage%smallPage != 0 {
		t.Errorf("%d comments do not fit into %d bytes", smallPage, maxAnswer)
	}
}

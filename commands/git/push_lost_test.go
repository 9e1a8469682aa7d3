package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A push whose answer is lost is looked up; what is known not to have happened is tried again; what cannot be known is said
// so (S9, F-53).
func TestPushLost(t *testing.T) {
	type outcome struct {
		fine   bool
		kind   PushKind
		unsure bool
		moved  bool // the server's branch is at the commit
		tries  int  // pushes, each of which begins with a question
	}
	refuse := func(w http.ResponseWriter) bool { http.Error(w, "busy", http.StatusServiceUnavailable); return true }
	for name, c := range map[string]struct {
		by   func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool // n counts the tries so far
		want outcome
	}{
		"after it landed": {func(g *ground, n int, _ http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.lose(r)
			}
			return false
		}, outcome{fine: true, moved: true, tries: 1}},
		"before it landed, once": {func(_ *ground, n int, _ http.ResponseWriter, r *http.Request) bool {
			if isPush(r) && n == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		}, outcome{fine: true, moved: true, tries: 2}},
		"before it landed, always": {func(_ *ground, _ int, _ http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				panic(http.ErrAbortHandler)
			}
			return false
		}, outcome{kind: PushLost, tries: 3}},
		"landed at the third try": {func(g *ground, n int, _ http.ResponseWriter, r *http.Request) bool {
			switch {
			case isPush(r) && n == 3:
				g.lose(r)
			case isPush(r):
				panic(http.ErrAbortHandler)
			}
			return false
		}, outcome{fine: true, moved: true, tries: 3}},
		"landed, and then nobody can be asked": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.lose(r)
			}
			return n > 0 && !isAskingToPush(r) && refuse(w)
		}, outcome{kind: PushLost, unsure: true, moved: true, tries: 1}},
		"not landed, and then nobody can be asked": {func(_ *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				panic(http.ErrAbortHandler)
			}
			return n > 0 && !isAskingToPush(r) && refuse(w)
		}, outcome{kind: PushLost, unsure: true, tries: 1}},
		"landed, and then the token has expired": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.lose(r)
			}
			if n > 0 && !isAskingToPush(r) {
				http.Error(w, "", http.StatusUnauthorized)
			}
			return n > 0 && !isAskingToPush(r)
		}, outcome{kind: PushLost, unsure: true, moved: true, tries: 1}},
		"500 after it landed": {func(g *ground, _ int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.git(discard{http.Header{}}, r)
				http.Error(w, "", http.StatusInternalServerError)
			}
			return isPush(r)
		}, outcome{fine: true, moved: true, tries: 1}},
		"half an answer after it landed": {func(g *ground, _ int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.git(discard{http.Header{}}, r)
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				_, _ = io.WriteString(w, "0030\x01000eunpack ok\n")
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			}
			return isPush(r)
		}, outcome{fine: true, moved: true, tries: 1}},
		// git 2.39 then waits for ever: send-pack for the rest of the answer, remote-http for another request.
		"half an answer that seems to be all": {func(g *ground, _ int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.git(discard{http.Header{}}, r)
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				_, _ = io.WriteString(w, "0030\x01000eunpack ok\n")
			}
			return isPush(r)
		}, outcome{fine: true, moved: true, tries: 1}},
		"an answer that says nothing": {func(_ *ground, _ int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				_, _ = io.WriteString(w, "0017\x01000eunpack ok\n00000000")
			}
			return isPush(r)
		}, outcome{kind: PushLost, tries: 3}},
		"a page": {func(_ *ground, _ int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				_, _ = io.WriteString(w, "<html>welcome")
			}
			return isPush(r)
		}, outcome{kind: PushFailed, tries: 1}},
		"down": {func(_ *ground, _ int, w http.ResponseWriter, r *http.Request) bool { return refuse(w) },
			outcome{kind: PushLost, tries: 3}},
		"down, then up": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			return n < 3 && refuse(w)
		}, outcome{fine: true, moved: true, tries: 3}},
		"landed late": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool { // after it was looked up
			if isPush(r) && n == 1 {
				body, _ := io.ReadAll(r.Body)
				late := r.Clone(context.WithoutCancel(r.Context()))
				late.Body = io.NopCloser(bytes.NewReader(body))
				g.late = func() { g.git(discard{http.Header{}}, late) }
				panic(http.ErrAbortHandler)
			}
			if isAskingToPush(r) && n == 2 {
				g.late()
			}
			return false
		}, outcome{fine: true, moved: true, tries: 2}},
		"moved, and back again": {func(g *ground, n int, _ http.ResponseWriter, r *http.Request) bool { // or one machine is behind another
			if isAskingToPush(r) && n == 1 {
				sh(t, g.dir, "git update-ref refs/heads/main other")
			} else if n == 1 {
				sh(t, g.dir, "git update-ref refs/heads/main "+string(g.base))
			}
			return false
		}, outcome{fine: true, moved: true, tries: 2}},
		"moved, and then nobody can be asked": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			if isAskingToPush(r) {
				sh(t, g.dir, "git update-ref refs/heads/main other")
				return false
			}
			sh(t, g.dir, "git update-ref refs/heads/main "+string(g.base))
			return refuse(w)
		}, outcome{kind: PushLost, unsure: true, tries: 1}},
		"rejected, and then nobody can be asked": {func(g *ground, n int, w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				g.hook(t, "pre-receive", "exit 1")
			}
			return !isAskingToPush(r) && !isPush(r) && refuse(w)
		}, outcome{kind: PushRejected, tries: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			commit := g.commit(t, g.base, "n", "1\n")
			var tried atomic.Int32 // not the requests that push: curl repeats one by itself when its connection was an old one
			g.seen()
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if isAskingToPush(r) {
					tried.Add(1)
				}
				return c.by(g, int(tried.Load()), w, r)
			})
			p := quick()
			if name == "half an answer that seems to be all" {
				p.push = 5 * time.Second
			}
			e := pushError(t, g.repo.push(t.Context(), g.remote(), PushOptions{"main", g.base, commit}, p))
			got := outcome{fine: e == nil, tries: int(tried.Load())}
			if e != nil {
				got.kind, got.unsure = e.Kind, e.Unsure
			}
			changed := g.changed(t)
			got.moved = changed == "refs/heads/main "+string(g.base[:7])+" "+string(commit[:7])
			if got != c.want {
				t.Errorf("got %+v, not %+v: %v", got, c.want, e)
			}
			if changed != "" && !got.moved {
				t.Errorf("changed: %q", changed)
			}
			if e != nil && e.Unsure != strings.Contains(e.Error(), "may have happened") {
				t.Errorf("%v", e)
			}
		})
	}
}

// discard hears an answer of git's that the client is not to hear.
type discard struct{ h http.Header }

func (d discard) Header() http.Header       { return d.h }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

func TestPushNobodyThere(t *testing.T) {
	g := grounds(t, "")
	commit := g.commit(t, g.base, "n", "1\n")
	g.Close()
	if e := g.push(t, PushOptions{"x", "", commit}); e == nil || e.Kind != PushLost || e.Unsure || !errors.Is(e, ErrUnreachable) {
		t.Errorf("got %v", e)
	}
	if _, err := g.repo.tip(t.Context(), g.remote(), "x", quick()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Tip: %v", err)
	}
}

// Stop means stop, but not without a look at what became of it.
func TestPushCancelled(t *testing.T) {
	why := errors.New("somebody pressed stop")
	for name, c := range map[string]struct {
		lands, answers bool
		fine, unsure   bool
	}{
		"it landed":                       {lands: true, answers: true, fine: true},
		"it did not":                      {answers: true},
		"it landed, nobody can be asked":  {lands: true, unsure: true},
		"it did not, nobody can be asked": {unsure: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			commit := g.commit(t, g.base, "n", "1\n")
			ctx, cancel := context.WithCancelCause(t.Context())
			var pushed atomic.Bool
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if pushed.Load() && !c.answers {
					silent(w, r)
					return true
				}
				if !isPush(r) {
					return false
				}
				if c.lands {
					g.git(discard{http.Header{}}, r)
				}
				pushed.Store(true)
				cancel(why)
				silent(w, r)
				return true
			})
			p := quick()
			if !c.answers {
				p.look = time.Second
			}
			start := time.Now()
			e := pushError(t, g.repo.push(ctx, g.remote(), PushOptions{"x", "", commit}, p))
			if (e == nil) != c.fine || e != nil && (e.Unsure != c.unsure || !errors.Is(e, why)) || time.Since(start) > 30*time.Second {
				t.Errorf("after %v: %v", time.Since(start), e)
			}
			if got := g.changed(t); (got != "") != c.lands || strings.Contains(got, ";") {
				t.Errorf("changed: %q", got)
			}
		})
	}
	t.Run("before it began", func(t *testing.T) {
		g := grounds(t, "")
		commit := g.commit(t, g.base, "n", "1\n")
		g.seen()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		e := pushError(t, g.repo.push(ctx, g.remote(), PushOptions{"x", "", commit}, quick()))
		if requests, _ := g.seen(); e == nil || e.Unsure || !errors.Is(e, why) || len(requests) > 0 {
			t.Errorf("%v, %q", e, requests)
		}
	})
	t.Run("between two tries", func(t *testing.T) {
		g := grounds(t, "")
		commit := g.commit(t, g.base, "n", "1\n")
		ctx, cancel := context.WithCancelCause(t.Context())
		g.by(func(w http.ResponseWriter, r *http.Request) bool {
			time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
			http.Error(w, "", http.StatusBadGateway)
			return true
		})
		p := quick()
		p.wait = time.Hour
		if e := pushError(t, g.repo.push(ctx, g.remote(), PushOptions{"x", "", commit}, p)); e == nil || e.Unsure || !errors.Is(e, why) {
			t.Errorf("%v", e)
		}
	})
}

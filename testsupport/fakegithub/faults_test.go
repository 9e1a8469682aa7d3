package fakegithub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Each fault does, or does not do, what was asked for, and the client sees what it would see of GitHub.
func TestFaults(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		name    string
		fault   Fault
		status  int // 0: the connection breaks
		words   string
		written bool
		dead    bool
	}{
		{"500 before", Fail500Before, 500, "Server Error", false, false},
		{"502 after", Fail502After, 502, "Server Error", true, false},
		{"dropped before", DropBefore, 0, "", false, false},
		{"dropped after", DropAfter, 0, "", true, false},
		{"secondary limit", SecondaryLimit, 403, "You have exceeded a secondary rate limit", false, false}, // H7-08
		{"killed before", KillBefore, 0, "", false, true},
		{"killed after", KillAfter, 0, "", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.Revive()
			before := len(d.repo.Thread(d.issue))
			path := fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue)
			said := func(i int) object { return object{"body": fmt.Sprint("comment ", i)} }
			d.FaultAt(2, c.fault)
			d.want(201, "", d.do("POST", path, d.token, said(1)))
			r, err := d.try("POST", path, d.token, said(2))
			switch {
			case c.status == 0 && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF):
				t.Errorf("the connection did not break: %d %v", r.status, err)
			case c.status != 0:
				d.want(c.status, c.words, r)
			}
			if r.header.Get("Retry-After") != "" {
				t.Error("the answer says when to try again")
			}
			if got := len(d.repo.Thread(d.issue)) == before+2; got != c.written {
				t.Errorf("written: %v", got)
			}
			if got := d.last().Status; got != c.status {
				t.Errorf("noted: status %d", got)
			}
			n := len(d.Requests())
			if _, err := d.try("POST", path, d.token, said(3)); (err != nil) != c.dead {
				t.Errorf("the next request: %v", err)
			}
			if c.dead != (len(d.Requests()) == n) {
				t.Error("what a dead dispatcher sends is counted")
			}
			d.Revive()
			d.want(201, "", d.do("POST", path, d.token, said(4)))
		})
	}
}

// Faults are counted from the call on; a new dispatcher meets none of its predecessor's.
func TestFaultsAreCounted(t *testing.T) {
	d := newDesk(t)
	get := func() int { t.Helper(); return d.do("GET", "/rate_limit", d.token, nil).status }
	d.FaultAt(1, Fail500Before)
	d.FaultAt(3, SecondaryLimit)
	d.FaultAt(4, Fail502After)
	if got := []int{get(), get(), get()}; fmt.Sprint(got) != "[500 200 403]" {
		t.Errorf("%v", got)
	}
	d.Revive()
	if got := get(); got != 200 {
		t.Errorf("after Revive: %d", got)
	}
	var seen []int
	d.OnRequest(func(k int, r *http.Request) {
		seen = append(seen, k)
		if r.URL.Path == "/api/v3/rate_limit" && k == 2 {
			d.FaultAt(0, Fail500Before) // this one
		}
	})
	if got := []int{get(), get(), get()}; fmt.Sprint(got, seen) != "[200 500 200] [1 2 3]" {
		t.Errorf("%v %v", got, seen)
	}
	d.OnRequest(nil)
	if get(); len(seen) != 3 {
		t.Error("the watcher still watches")
	}
}

// What a watcher does is done before the request.
func TestPersonEditsInBetween(t *testing.T) {
	d := newDesk(t)
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue)
	d.OnRequest(func(int, *http.Request) { d.repo.SetBody(d.issue, "ann", "Moved meanwhile.") })
	d.want(200, "Moved meanwhile.", d.do("GET", path, d.token, nil))
}

// GraphQL goes through the same door: credentials, faults, the count.
func TestGraphQLOverHTTP(t *testing.T) {
	d := newDesk(t)
	ask := object{"query": "{viewer{login}}"}
	d.want(200, "ai-flow[bot]", d.do("POST", d.GraphQL(), d.token, ask))
	if last := d.last(); last.Operation != "graphql:viewer" || last.Token != "app" || last.Status != 200 {
		t.Errorf("%+v", last)
	}
	d.want(401, "Bad credentials", d.do("POST", d.GraphQL(), "ghs_no", ask))
	d.want(401, "", d.do("POST", d.GraphQL(), "", ask))
	d.want(401, "", d.do("POST", d.GraphQL(), d.jwt(nil), ask))
	d.FaultAt(2, Fail502After)
	d.do("GET", "/rate_limit", d.token, nil)
	d.want(502, "", d.do("POST", d.GraphQL(), d.token, ask))
}

// A request that hangs ends with its client, or with the server, and leaves nothing behind.
func TestHang(t *testing.T) {
	before := runtime.NumGoroutine()
	w := &witness{TB: t}
	s := New(w)
	s.FaultAt(1, Hang)
	s.FaultAt(2, Hang)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := ping(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a request that hangs: %v", err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := ping(t.Context(), s); err == nil {
			t.Error("a request that hangs was answered")
		}
	})
	for len(s.Requests()) < 2 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	s.Close()
	wait.Wait()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("goroutines are left: %d, were %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

func ping(ctx context.Context, s *Server) error {
	req, err := http.NewRequestWithContext(ctx, "POST", s.GraphQL(), strings.NewReader("{}"))
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err == nil {
		_ = res.Body.Close()
	}
	return err
}

// Requests, people and faults at once: nothing is lost, and the race detector sees nothing.
func TestConcurrency(t *testing.T) {
	d := newDesk(t)
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue)
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := range 5 {
				d.do("POST", path, d.token, object{"body": fmt.Sprint(worker, i)})
				d.do("GET", path, d.token, nil)
				d.do("POST", d.GraphQL(), d.token, object{"query": "{viewer{login}}"})
				d.repo.Comment(d.issue, "ann", "meanwhile")
				d.repo.Thread(d.issue)
				d.repo.Snapshot()
				d.Advance(time.Second)
			}
		})
	}
	wait.Wait()
	if n := len(d.repo.Thread(d.issue)); n != 41 {
		t.Errorf("%d comments", n)
	}
	ids := map[int64]bool{}
	for _, p := range d.repo.Thread(d.issue) {
		ids[p.ID] = true
	}
	if len(ids) != 41 {
		t.Errorf("%d ids", len(ids))
	}
}

// Two runs that end in the same are the same, whatever came in between; any difference that a person sees is one.
func TestSnapshot(t *testing.T) {
	run := func(detour func(d *desk)) string {
		d := newDesk(t)
		detour(d)
		r := d.do("POST", fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue), d.token, object{"body": fmt.Sprintf("for %d", d.comment)})
		id := int64(r.body["id"].(float64))
		d.repo.EditComment(id, "ann", fmt.Sprintf("for %d, see issuecomment-%d", d.comment, id))
		return d.repo.Snapshot()
	}
	straight := run(func(*desk) {})
	roundabout := run(func(d *desk) {
		d.mint(nil)
		d.Advance(time.Hour / 2)
		d.repo.DeleteComment(d.repo.Comment(d.issue, "ann", "not for long").ID)
	})
	if straight != roundabout || !strings.Contains(straight, "for (3), see issuecomment-(") {
		t.Errorf("%s\n%s", straight, roundabout)
	}
	type two struct {
		*desk
		pull2 int
	}
	d := two{desk: newDesk(t)}
	d.pull2 = d.repo.Pull("ann", "Two", "", "two", nil)
	last := d.repo.Snapshot()
	for name, change := range map[string]func(){
		"body":     func() { d.repo.SetBody(d.issue, "ann", "other") },
		"comment":  func() { d.repo.EditComment(d.comment, "ann", "other") },
		"deleted":  func() { d.repo.DeleteComment(d.line) },
		"another":  func() { d.repo.Comment(d.issue, "bob", "x") },
		"reaction": func() { d.locked(func() { d.react(d.repo.threads[0].body, d.account("ann"), "eyes") }) },
		"closed":   func() { d.repo.State(d.issue, true, false, true) },
		"locked":   func() { d.repo.State(d.issue, false, false, true) },
		"merged":   func() { d.repo.State(d.pull, true, true, false) },
		"branch":   func() { d.locked(func() { d.repo.commitFiles("refs/heads/x", "", "m", nil) }) },
		"author":   func() { d.repo.PushTo("by", "eve@example.com", nil) },
		"message":  func() { d.repo.Commit("m", "ann@example.com", "Subject\n\nTrailer: x", nil) },
		"title":    func() { d.repo.Retitle(d.issue, "Other") },
		"head":     func() { d.repo.ForcePush(d.pull2, map[string]string{"x": "x"}) },
		"opened":   func() { d.repo.Pull("ann", "t", "b", "by", nil) },
		"assigned": func() { d.locked(func() { d.repo.threads[0].assignees = []*account{d.account("ann")} }) },
		"tag":      func() { d.locked(func() { d.must(d.repo.setRef("refs/tags/v1", d.repo.ref("refs/heads/main"))) }) },
	} {
		change()
		now := d.repo.Snapshot()
		if now == last {
			t.Errorf("%s: a difference that is not seen", name)
		}
		last = now
	}
}

func (d *desk) locked(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

// Two runs that build the same at different times are the same: what was pushed is told by what is in it, also where a text
// names it, and texts of another repository by their place there.
func TestSnapshotOfBuilds(t *testing.T) {
	run := func(detour func(d *desk)) string {
		d := newDesk(t)
		other := d.Repo("acme/other", map[string]string{"o": "o"})
		detour(d)
		p := newPusher(d)
		p.commit(map[string]string{"a.txt": "a\n"})
		detour(d)
		p.must("commit", "-q", "--amend", "--no-edit", "--date", fmt.Sprint(d.now.Unix()))
		made := strings.TrimSpace(p.must("rev-parse", "HEAD"))
		if out, err := p.push("HEAD:refs/heads/ai/1-x"); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		c := other.Comment(other.Issue("ann", "t", "b"), "ann", "c").ID
		body := fmt.Sprintf("%s/acme/rocket/commit/%s (%s) for %s/acme/other/issues/1#issuecomment-%d", d.URL(), made, made[:7], d.URL(), c)
		d.want(201, "", d.newPull(object{"title": "Built", "head": "ai/1-x", "base": "main", "body": body}))
		d.do("POST", fmt.Sprintf("/repos/acme/rocket/pulls/%d/comments/%d/replies", d.pull, d.line), d.token, object{"body": "Done in " + made[:12]})
		return d.repo.Snapshot()
	}
	one := run(func(*desk) {})
	two := run(func(d *desk) {
		d.Advance(time.Minute)
		d.mint(nil)
	})
	if one != two {
		t.Errorf("%s\nis not\n%s", one, two)
	}
	for _, want := range []string{
		`by "ai-flow[bot]" from ai/1-x at commit:`, "http://github.test/acme/rocket/commit/commit:", "issuecomment-(acme/other 2)", "Done in commit:",
		"== refs/heads/ai/1-x\n",
	} {
		if !strings.Contains(one, want) {
			t.Errorf("%q is not in\n%s", want, one)
		}
	}
}

package fakegithub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pusher is a client that has the default branch checked out and pushes with a token that can do nothing else.
type pusher struct {
	clone
	d     *desk
	url   string
	token string
}

func newPusher(d *desk) pusher {
	d.t.Helper()
	p := pusher{newClone(d.t), d, d.URL() + "/acme/rocket.git", d.mint(object{"permissions": object{"contents": "write"}})}
	p.must("fetch", "-q", "--depth=1", p.url, "main")
	p.must("reset", "-q", "--hard", "FETCH_HEAD")
	return p
}

// commit commits files on top of what is checked out; "" deletes one.
func (p pusher) commit(files map[string]string) string {
	p.t.Helper()
	for name, content := range files {
		at := filepath.Join(p.dir, name)
		if content == "" {
			p.must("rm", "-q", name)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	p.must("add", "-A")
	p.must("commit", "-q", "--allow-empty", "-m", "work")
	return strings.TrimSpace(p.must("rev-parse", "HEAD"))
}

func (p pusher) push(refspecs ...string) (string, error) {
	return p.as(p.token, append([]string{"push", "--porcelain", p.url}, refspecs...)...)
}

func (d *desk) lastPush() Push {
	all := d.Pushes()
	if len(all) == 0 {
		d.t.Fatal("nothing was pushed")
	}
	return all[len(all)-1]
}

// A branch is made and moved on with a token for contents alone, out of a shallow clone, and all is told of it.
func TestPush(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	first := p.commit(map[string]string{"a.txt": "a\n"})
	if out, err := p.push("HEAD:refs/heads/ai/1-x"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	want := Push{Repo: "acme/rocket", Ref: "refs/heads/ai/1-x", New: first, Token: "app", Grants: "contents:write metadata:read", Status: 200, Landed: true}
	if got := d.lastPush(); got != want {
		t.Errorf("%+v", got)
	}
	d.locked(func() {
		if d.repo.checked[first].IsZero() {
			t.Error("no check suite was made for it")
		}
	})
	second := p.commit(map[string]string{"b.txt": "b\n"})
	if out, err := p.push("HEAD:refs/heads/ai/1-x"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if got := d.lastPush(); got.Old != first || got.New != second || len(d.Pushes()) != 2 || d.repo.Tip("ai/1-x") != second {
		t.Errorf("%+v", d.Pushes())
	}
	if out, err := p.push("HEAD:refs/heads/ai/1-x"); err != nil || len(d.Pushes()) != 2 {
		t.Errorf("what is there already was pushed again: %v %s", err, out)
	}
	if got := fmt.Sprint(d.repo.Tree("ai/1-x")["b.txt"], d.repo.Log("ai/1-x")[0].Author, len(d.repo.Log("ai/1-x"))); got != "b\nAnn <ann@example.com>3" {
		t.Errorf("%q", got)
	}
}

// What is longer than git sends at once comes after a question, which is no push.
func TestLongPush(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	p.must("config", "http.postBuffer", "65536")
	var noise strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&noise, "%x", i*i*2654435761)
	}
	p.commit(map[string]string{"noise": noise.String()})
	d.FaultPush(1, DropAfter)
	if out, err := p.push("HEAD:refs/heads/long"); err == nil || len(d.Pushes()) != 1 || !d.lastPush().Landed {
		t.Errorf("%v %s %+v", err, out, d.Pushes())
	}
}

const (
	workflow        = ".github/workflows/ci.yml"
	workflowRefused = "refusing to allow a GitHub App to create or update workflow `" + workflow + "` without `workflows` permission"
)

// GitHub refuses some pushes in its own words, keeps nothing of them, and says why.
func TestRefusedPushes(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(d *desk, p *pusher)
		remote string // what git shows of the server's words
		reason string // behind "remote rejected"; "": it lands
	}{
		{"protected", func(d *desk, p *pusher) { d.repo.Protect("b") },
			"remote: error: GH006: Protected branch update failed for refs/heads/b.", "protected branch hook declined"},
		{"another is protected", func(d *desk, p *pusher) { d.repo.Protect("c") }, "", ""},
		{"restricted", func(d *desk, p *pusher) { d.repo.Restrict("b") },
			"remote: error: GH013: Repository rule violations found for refs/heads/b.", "push declined due to repository rule violations"},
		{"restricted, and there", func(d *desk, p *pusher) {
			p.must("push", "-q", d.repo.GitDir(), "HEAD~1:refs/heads/b")
			d.repo.Restrict("b")
		}, "", ""},
		{"a workflow", func(d *desk, p *pusher) { p.commit(map[string]string{workflow: "on: push\n"}) }, "", workflowRefused},
		{"a workflow that is gone again", func(d *desk, p *pusher) {
			p.commit(map[string]string{workflow: "on: push\n"})
			p.commit(map[string]string{workflow: ""})
		}, "", workflowRefused},
		{"a workflow deleted", func(d *desk, p *pusher) {
			d.repo.PushTo("main", "ann@example.com", map[string]string{workflow: "on: push\n"})
			p.must("fetch", "-q", p.url, "main")
			p.must("reset", "-q", "--hard", "FETCH_HEAD")
			p.commit(map[string]string{workflow: ""})
		}, "", workflowRefused},
		{"a workflow of main, merged", func(d *desk, p *pusher) {
			d.repo.PushTo("main", "ann@example.com", map[string]string{workflow: "on: push\n"})
			p.must("fetch", "-q", "--unshallow", p.url, "main")
			p.must("merge", "-q", "FETCH_HEAD")
		}, "", ""},
		{"a workflow, with permission", func(d *desk, p *pusher) {
			p.commit(map[string]string{workflow: "on: push\n"})
			d.Grant(d.app, "workflows", "write")
			p.token = d.mint(object{"permissions": object{"contents": "write", "workflows": "write"}})
		}, "", ""},
		{"beside workflows", func(d *desk, p *pusher) { p.commit(map[string]string{".github/workflow.md": "x\n"}) }, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			p := newPusher(d)
			p.commit(map[string]string{"a.txt": "a\n"})
			c.before(d, &p)
			tip, was := strings.TrimSpace(p.must("rev-parse", "HEAD")), d.repo.Tip("b")
			out, err := p.push("HEAD:refs/heads/b")
			last := d.lastPush()
			if (err == nil) != (c.reason == "") || !strings.Contains(out, c.remote) || last.Refused != c.reason || last.Landed != (err == nil) {
				t.Errorf("%v %s\n%+v", err, out, last)
			}
			if c.reason == "" {
				if d.repo.Tip("b") != tip {
					t.Error("it has not landed")
				}
				return
			}
			if !strings.Contains(out, "[remote rejected] ("+c.reason+")") || d.repo.Tip("b") != was {
				t.Errorf("%s", out)
			}
			d.locked(func() {
				if kind, _ := d.repo.object(tip); kind != "" {
					t.Error("the server keeps what it refused")
				}
			})
			if left, err := filepath.Glob(filepath.Join(d.dirs, "quarantine-*")); err != nil || left != nil {
				t.Errorf("%v %v", left, err)
			}
		})
	}
}

// An archived repository is read, and written by nobody.
func TestArchived(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	p.commit(nil)
	d.repo.Archive()
	if out, err := p.push("HEAD:refs/heads/b"); err == nil || !strings.Contains(out, "This repository was archived so it is read-only.") {
		t.Errorf("%v %s", err, out)
	}
	p.must("fetch", "-q", p.url, "main")
	d.want(403, "Repository was archived so is read-only.", d.do("POST", "/repos/acme/rocket/issues/1/comments", d.token, object{"body": "x"}))
	d.want(200, `"archived":true`, d.do("GET", "/repos/acme/rocket", d.token, nil))
	d.want(200, `"isArchived":true`, d.do("POST", d.GraphQL(), d.token, object{"query": `{repository(owner:"acme",name:"rocket"){isArchived}}`}))
	d.want(200, "Repository was archived so is read-only.", d.do("POST", d.GraphQL(), d.token, object{"query": react, "variables": object{"id": d.repo.threads[0].body.node()}}))
}

// Another default branch is that one everywhere, by the next question and the next push.
func TestDefault(t *testing.T) {
	d := newDesk(t)
	tip := d.repo.Branch("next", map[string]string{"next.txt": "next\n"})
	d.repo.Default("next")
	d.want(200, `"default_branch":"next"`, d.do("GET", "/repos/acme/rocket", d.token, nil))
	d.want(200, `"name":"next","target":{"oid":"`+tip+`"}`, d.do("POST", d.GraphQL(), d.token, object{"query": `{repository(owner:"acme",name:"rocket"){defaultBranchRef{name target{oid}}}}`}))
	p := newPusher(d)
	if out := p.must("ls-remote", "--symref", p.url, "HEAD"); !strings.HasPrefix(out, "ref: refs/heads/next\tHEAD\n"+tip) {
		t.Errorf("git is told %q", out)
	}
	p.commit(nil)
	if out, err := p.push("HEAD:refs/heads/main"); err != nil {
		t.Errorf("what was the default branch: %v %s", err, out)
	}
	p.must("fetch", "-q", p.url, "next")
	p.must("reset", "-q", "--hard", "FETCH_HEAD")
	p.commit(nil)
	_, _ = p.push("HEAD:refs/heads/next")
	if notes := d.seen.took(); !strings.Contains(notes, "refs/heads/next is the default branch") {
		t.Errorf("it failed the test with %q", notes)
	}
}

// Who sees a repository is told by all calls in the same way, and what is internal is closed to strangers' tokens.
func TestVisibility(t *testing.T) {
	for word, become := range map[string]func(*Repo){"public": func(*Repo) {}, "internal": (*Repo).Internal, "private": (*Repo).Private} {
		d := newDesk(t)
		become(d.repo)
		d.want(200, `"visibility":"`+word+`"`, d.do("GET", "/repos/acme/rocket", d.token, nil))
		closed := word != "public"
		d.want(200, fmt.Sprintf(`"isPrivate":%t,"visibility":"%s"`, closed, strings.ToUpper(word)), d.do("POST", d.GraphQL(), d.token, object{"query": `{repository(owner:"acme",name:"rocket"){isPrivate visibility}}`}))
		if _, err := newClone(t).as("", "ls-remote", d.URL()+"/acme/rocket.git"); (err != nil) != closed {
			t.Errorf("%s: without a token: %v", word, err)
		}
	}
}

// What ai-flow must never push fails the test, though GitHub takes it (S8).
func TestBreachesOfPushes(t *testing.T) {
	for _, c := range []struct {
		name, breach string
		push         []string
	}{
		{"forced", "refs/heads/b is forced from", []string{"--force", "HEAD:refs/heads/b"}},
		{"with a lease", "refs/heads/b is forced from", []string{"--force-with-lease", "HEAD:refs/heads/b"}},
		{"deleted", "refs/heads/b is deleted", []string{":refs/heads/b"}},
		{"default branch", "refs/heads/main is the default branch", []string{"HEAD:refs/heads/main"}},
		{"a tag", "refs/tags/v1 is no branch", []string{"HEAD:refs/tags/v1"}},
		{"two at once", "2 references at once", []string{"HEAD:refs/heads/c", "HEAD:refs/heads/d"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			was := d.repo.Branch("b", map[string]string{"b.txt": "by a person\n"})
			p := newPusher(d)
			p.commit(nil)
			args := c.push
			if c.name == "with a lease" {
				args = []string{"--force-with-lease=refs/heads/b:" + was, "HEAD:refs/heads/b"}
			}
			if out, err := p.push(args...); err != nil || !d.lastPush().Landed {
				t.Errorf("%v %s", err, out)
			}
			if notes := d.seen.took(); !strings.Contains(notes, c.breach) {
				t.Errorf("it failed the test with %q", notes)
			}
		})
	}
	d := newDesk(t)
	d.repo.Branch("b", map[string]string{"b.txt": "by a person\n"})
	d.repo.AllowAnyPush()
	p := newPusher(d)
	p.commit(nil)
	if out, err := p.push("--force", "HEAD:refs/heads/b", "HEAD:refs/heads/main", "HEAD:refs/tags/v1"); err != nil || d.repo.Refs()["refs/tags/v1"] == "" {
		t.Errorf("what is allowed: %v %s", err, out)
	}
}

// Each fault of a push does, or does not do, what was asked for (S9).
func TestFaultsOfPushes(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	for i, c := range []struct {
		name   string
		fault  Fault
		status int
		words  string
		landed bool
		dead   bool
	}{
		{"500 before", Fail500Before, 500, "HTTP 500", false, false},
		{"502 after", Fail502After, 502, "HTTP 502", true, false},
		{"dropped before", DropBefore, 0, "", false, false},
		{"dropped after", DropAfter, 0, "", true, false},
		{"sent again", Resent, 200, "[remote rejected] (cannot lock ref 'refs/heads/b4': reference already exists)", true, false},
		{"killed before", KillBefore, 0, "", false, true},
		{"killed after", KillAfter, 0, "", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.Revive()
			branch := fmt.Sprint("b", i)
			p.commit(nil)
			d.FaultPush(2, c.fault)
			if out, err := p.push("HEAD:refs/heads/before-" + branch); err != nil {
				t.Fatalf("the push before it: %v %s", err, out)
			}
			requests := len(d.Requests())
			out, err := p.push("HEAD:refs/heads/" + branch)
			if err == nil || !strings.Contains(out, c.words) {
				t.Errorf("%v %s", err, out)
			}
			if last := d.lastPush(); last.Status != c.status || last.Landed != c.landed || (d.repo.Tip(branch) != "") != c.landed {
				t.Errorf("%+v", last)
			}
			n := len(d.Pushes())
			if out, err := p.push("HEAD:refs/heads/after-" + branch); (err != nil) != c.dead || c.dead != (len(d.Pushes()) == n) {
				t.Errorf("the next push: %v %s", err, out)
			}
			if _, err := d.try("GET", "/rate_limit", d.token, nil); (err != nil) != c.dead {
				t.Errorf("the next request: %v", err)
			}
			if alive := 1; c.dead && len(d.Requests()) != requests || !c.dead && len(d.Requests()) != requests+alive {
				t.Error("a push counts as an API request")
			}
			d.Revive()
			if out, err := p.push("HEAD:refs/heads/" + branch); err != nil {
				t.Errorf("the one after it: %v %s", err, out)
			}
		})
	}
}

// A dispatcher that was killed at an API request pushes nothing; a push that hangs ends with its client.
func TestDeadPush(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	p.commit(nil)
	d.FaultAt(1, KillAfter)
	if _, err := d.try("GET", "/rate_limit", d.token, nil); err == nil {
		t.Error("a dead dispatcher gets an answer")
	}
	if out, err := p.push("HEAD:refs/heads/b"); err == nil || len(d.Pushes()) != 0 || d.repo.Tip("b") != "" {
		t.Errorf("a dead dispatcher pushes: %s", out)
	}
	d.Revive()
	was := d.repo.Branch("b", nil)
	d.repo.AllowAnyPush()
	d.OnPush(func(int, Push) { d.FaultPush(0, Hang) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := d.send(ctx, pkt(was+" "+noObject+" refs/heads/b\x00report-status side-band-64k")+"0000"); !errors.Is(err, context.DeadlineExceeded) || d.repo.Tip("b") != was {
		t.Errorf("a push that hangs: %v", err)
	}
}

// Between what the client reads and its push a person acts: nobody's commit is lost.
func TestPersonPushesInBetween(t *testing.T) {
	d := newDesk(t)
	p := newPusher(d)
	p.commit(nil)
	var seen []string
	d.OnPush(func(k int, push Push) {
		seen = append(seen, fmt.Sprint(k, push.Ref, push.Old == ""))
		if k == 2 {
			d.repo.PushTo("b", "eve@example.com", map[string]string{"hers": "x"})
		}
	})
	if out, err := p.push("HEAD:refs/heads/a"); err != nil {
		t.Errorf("%v %s", err, out)
	}
	out, err := p.push("HEAD:refs/heads/b")
	if err == nil || !strings.Contains(out, "cannot lock ref 'refs/heads/b': reference already exists") || d.lastPush().Landed || d.repo.Log("b")[0].Author != "eve <eve@example.com>" {
		t.Errorf("%v %s", err, out)
	}
	d.OnPush(nil)
	if out, err := p.push("HEAD:refs/heads/c"); err != nil || !slices.Equal(seen, []string{"1refs/heads/atrue", "2refs/heads/btrue"}) {
		t.Errorf("%v %s %v", err, out, seen)
	}
}

// Whatever a client sends before its pack is read or refused, and never more than is there.
func FuzzUpdates(f *testing.F) {
	oid := strings.Repeat("a", 40)
	f.Add([]byte(pkt(noObject+" "+oid+" refs/heads/x\x00 report-status side-band-64k\n") + "0000PACK"))
	f.Add([]byte(pkt("shallow "+oid+"\n") + pkt(oid+" "+noObject+" refs/heads/x\x00\n") + "0000"))
	f.Add([]byte("0000"))
	f.Add([]byte("0003"))
	f.Add([]byte("0004"))
	f.Add([]byte("ffffx"))
	f.Add([]byte("zzzz"))
	f.Fuzz(func(t *testing.T, body []byte) {
		all, pack, err := updates(body)
		if err != nil {
			return
		}
		if !strings.HasSuffix(string(body), string(pack)) {
			t.Errorf("%q is not what follows in %q", pack, body)
		}
		for _, u := range all {
			if u.ref == "" || u.old == noObject || u.new == noObject {
				t.Errorf("%+v", u)
			}
		}
	})
}

// A push that git itself would not send fails the test.
func TestUnreadablePush(t *testing.T) {
	d := newDesk(t)
	for body, want := range map[string]string{
		"0": "ends within", "xxxx": "begins no pkt-line", "ffff": "begins no pkt-line",
		pkt("refs/heads/x") + "0000": "is no command",
		pkt(noObject+" "+strings.Repeat("a", 40)+" refs/heads/x\x00") + "0000": "bad object",
	} {
		if _, err := d.send(t.Context(), body); err == nil && want != "bad object" {
			t.Errorf("%q is answered", body)
		}
		if notes := d.seen.took(); !strings.Contains(notes, want) {
			t.Errorf("%q is to fail the test with %q, which fails with %q", body, want, notes)
		}
	}
}

// send sends bytes to git-receive-pack.
func (d *desk) send(ctx context.Context, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", d.URL()+"/acme/rocket.git/git-receive-pack", strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.SetBasicAuth("x-access-token", d.token)
	req.Header.Set("Content-Type", "application/x-git-receive-pack-request")
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err == nil {
		_ = res.Body.Close()
	}
	return res, err
}

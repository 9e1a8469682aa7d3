package fakegithub

import (
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// clone is a repository of a client's own.
type clone struct {
	t   testing.TB
	dir string
}

func newClone(t testing.TB) clone {
	t.Helper()
	c := clone{t, t.TempDir()}
	c.must("init", "-q", "-b", "main")
	return c
}

func (c clone) git(args ...string) (string, error) {
	cmd := exec.CommandContext(c.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = c.dir, gitEnvironment(start())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c clone) must(args ...string) string {
	c.t.Helper()
	out, err := c.git(args...)
	if err != nil {
		c.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

// with gives git a token as a password.
func with(token string) []string {
	return []string{"-c", "http.extraHeader=Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))}
}

// as runs git with a token, or without one when it is "".
func (c clone) as(token string, args ...string) (string, error) {
	if token != "" {
		args = append(with(token), args...)
	}
	return c.git(args...)
}

// Who gets what over git: contents read to fetch, write to push, nothing to fetch what is public.
func TestWhoMayFetchAndPush(t *testing.T) {
	d := newDesk(t)
	secret := d.Repo("acme/secret", map[string]string{"s": "s"})
	secret.Private()
	all := d.mint(nil)
	reader := d.mint(object{"permissions": object{"contents": "read"}})
	other := d.mint(object{"permissions": object{"issues": "write"}})
	rocket := d.mint(object{"repositories": []string{"rocket"}})
	k := newClone(t)
	k.must("commit", "-q", "--allow-empty", "-m", "mine")
	for _, c := range []struct {
		name, token, repo string
		fetch, push       string // what git says; "": it works
	}{
		{"no token, public", "", "acme/rocket", "", "could not read Username"},
		{"no token, private", "", "acme/secret", "could not read Username", "could not read Username"},
		{"no token, nothing there", "", "acme/none", "could not read Username", "could not read Username"},
		{"a bad token, public", "ghs_no", "acme/rocket", "could not read Username", "could not read Username"},
		{"everything", all, "acme/rocket", "", ""},
		{"everything, private", all, "acme/secret", "", ""},
		{"everything, nothing there", all, "acme/none", "Repository not found", "Repository not found"},
		{"reading", reader, "acme/secret", "", "403"},
		{"issues alone", other, "acme/rocket", "403", "403"},
		{"another repository's", rocket, "acme/secret", "Repository not found", "Repository not found"},
		{"static", d.StaticToken(), "acme/secret", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := d.URL() + "/" + c.repo + ".git"
			expect := func(out string, err error, want string) {
				t.Helper()
				if (err == nil) != (want == "") || !strings.Contains(out, want) {
					t.Errorf("%q is to be there: %v %s", want, err, out)
				}
			}
			out, err := k.as(c.token, "fetch", "-q", url, "main")
			expect(out, err, c.fetch)
			out, err = k.as(c.token, "push", "-q", url, "HEAD:refs/heads/mine")
			expect(out, err, c.push)
		})
	}
}

// A commit can be had by its id, of a pull request from a fork as well, also after it was replaced; and it is the same in
// each run.
func TestFetchByCommit(t *testing.T) {
	heads := func() (string, string) {
		d := newDesk(t)
		k := newClone(t)
		url := d.URL() + "/acme/rocket.git"
		first := strings.Fields(k.must("ls-remote", url, "refs/pull/2/head"))[0]
		second := d.repo.ForcePush(d.pull, map[string]string{"c.txt": "c\n"})
		if now := strings.Fields(k.must("ls-remote", url, "refs/pull/2/head"))[0]; now != second || now == first {
			t.Errorf("refs/pull/2/head is %s, not %s", now, second)
		}
		k.must("-c", "protocol.version=0", "fetch", "-q", "--depth=1", url, first) // version 2 would give any commit
		k.must("fetch", "-q", "--depth=1", url, second)
		if got := k.must("show", second+":c.txt"); got != "c\n" {
			t.Errorf("%q", got)
		}
		out, err := k.git("show", second+":b.txt")
		if err == nil {
			t.Errorf("a forced push keeps what was there: %s", out)
		}
		return first, second
	}
	a1, a2 := heads()
	b1, b2 := heads()
	if a1 != b1 || a2 != b2 {
		t.Errorf("two runs have different commits: %s %s, %s %s", a1, a2, b1, b2)
	}
}

// A push over HTTP is seen at once by REST, with the moment of the push; one that is longer than git keeps in memory too.
func TestPushIsSeen(t *testing.T) {
	d := newDesk(t)
	k := newClone(t)
	url := d.URL() + "/bob/rocket.git"
	token := d.mintFor("bob/rocket")
	d.repo.must(d.pull).pull.head.AllowAnyPush()
	k.must("fetch", "-q", url, "fix/it")
	k.must("reset", "-q", "--hard", "FETCH_HEAD")
	noise := make([]byte, 3<<19) // zeros would be packed into nothing
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if err := os.WriteFile(filepath.Join(k.dir, "large"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	k.must("add", "large")
	k.must("commit", "-q", "-m", "large")
	if out, err := k.as(token, "push", "-q", url, "HEAD:fix/it"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	want := strings.TrimSpace(k.must("rev-parse", "HEAD"))
	r := d.want(http.StatusOK, want, d.do("GET", "/repos/acme/rocket/pulls/2", d.token, nil))
	if r.body["head"].(map[string]any)["sha"] != want || !d.repo.threads[1].pull.forced.IsZero() {
		t.Errorf("%s", r.raw)
	}
	k.must("commit", "-q", "--amend", "-m", "again")
	if out, err := k.as(token, "push", "-q", url, "HEAD:fix/it"); err == nil {
		t.Errorf("a push over other commits is not refused: %s", out)
	}
	k.must(append(with(token), "push", "-q", "--force", url, "HEAD:fix/it")...)
	d.do("GET", "/repos/acme/rocket/pulls/2", d.token, nil)
	if d.repo.threads[1].pull.forced.IsZero() {
		t.Error("a forced push is not noted")
	}
}

// mintFor is a token for another owner's repository.
func (d *desk) mintFor(fullName string) string {
	d.t.Helper()
	at := d.want(200, "", d.do("GET", "/repos/"+fullName+"/installation", d.jwt(nil), nil))
	r := d.want(201, "", d.do("POST", strings.TrimPrefix(at.body["access_tokens_url"].(string), d.API()), d.jwt(nil), nil))
	return r.body["token"].(string)
}

// git follows the redirect of a renamed repository, speaks version 2, and is dropped when the dispatcher is dead.
func TestGitOverHTTP(t *testing.T) {
	d := newDesk(t)
	k := newClone(t)
	old := d.URL() + "/acme/rocket.git"
	d.repo.Rename("acme/ship")
	if out := k.must("ls-remote", old, "main"); !strings.Contains(out, "refs/heads/main") {
		t.Errorf("%s", out)
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", d.URL()+"/acme/ship.git/info/refs?service=git-upload-pack", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Git-Protocol", "version=2")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	head := make([]byte, 64)
	if _, err := res.Body.Read(head); err != nil || !strings.Contains(string(head), "version 2") {
		t.Errorf("%q %v", head, err)
	}
	before := len(d.Requests())
	d.FaultAt(1, KillBefore)
	if _, err := d.try("GET", "/rate_limit", d.token, nil); err == nil {
		t.Error("a dead dispatcher gets an answer")
	}
	if out, err := k.git("ls-remote", d.URL()+"/acme/ship.git"); err == nil {
		t.Errorf("a dead dispatcher fetches: %s", out)
	}
	d.Revive()
	k.must("ls-remote", d.URL()+"/acme/ship.git")
	if n := len(d.Requests()); n != before+1 {
		t.Errorf("git is counted as an API request: %d, %d", before, n)
	}
}

// What git does directly in the bare repository is seen as well.
func TestChangedWithGit(t *testing.T) {
	d := newDesk(t)
	k := newClone(t)
	k.must("commit", "-q", "--allow-empty", "-m", "elsewhere")
	k.must("push", "-q", d.repo.GitDir(), "HEAD:refs/heads/direct")
	k.must("--git-dir="+d.repo.GitDir(), "pack-refs", "--all")
	want := strings.TrimSpace(k.must("rev-parse", "HEAD"))
	d.want(200, want, d.do("GET", "/repos/acme/rocket/git/ref/heads/direct", d.token, nil))
	d.want(404, "", d.do("GET", "/repos/acme/rocket/git/ref/heads/dir", d.token, nil))
	d.want(404, "", d.do("GET", "/repos/acme/rocket/git/ref/heads/..%2f..%2fHEAD", d.token, nil))
}

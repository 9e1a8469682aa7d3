package git

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ground is a bare repository on a server, and one that was fetched from it for a run.
type ground struct {
	*server
	repo *Repo
	base OID // what was fetched: the server's main
	refs map[string]string
	late func() // a push that git has not seen yet
}

// grounds makes a repository with main, three commits deep, and what else the script makes of it; then fetches main.
func grounds(t testing.TB, script string) *ground {
	t.Helper()
	dir := checkout(t, "for i in 1 2; do echo $i >a; git add a; git commit -qm $i; done; echo 3 >a; echo keep >keep; git tag v1; git branch other\n"+script)
	g := &ground{server: serve(t, bare(t, dir), canaryToken)}
	g.base = g.rev(t, "main")
	g.repo = g.fetched(t, g.remote(), g.base)
	g.changed(t)
	return g
}

// bare makes a bare repository of a checkout, to which may be pushed.
func bare(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "bare.git")
	sh(t, dir, "git clone -q --mirror . "+to+"; git -C "+to+" config http.receivepack true; rm -rf "+to+"/hooks; mkdir "+to+"/hooks")
	return to
}

// changed lists what is different on the server since the last call, by "name from to" (S8). It looks at all refs and at
// HEAD.
func (g *ground) changed(t testing.TB) string {
	t.Helper()
	refs := map[string]string{"HEAD": sh(t, g.dir, "git symbolic-ref HEAD")}
	for l := range strings.Lines(sh(t, g.dir, "git for-each-ref --format='%(refname) %(objectname)'")) {
		name, id, _ := strings.Cut(strings.TrimSpace(l), " ")
		refs[name] = id
	}
	var diff []string
	for name, id := range refs {
		if g.refs[name] != id {
			diff = append(diff, fmt.Sprintf("%s %.7s %.7s", name, g.refs[name], id))
		}
	}
	for name, id := range g.refs {
		if refs[name] == "" {
			diff = append(diff, fmt.Sprintf("%s %.7s gone", name, id))
		}
	}
	g.refs = refs
	slices.Sort(diff)
	return strings.Join(diff, "; ")
}

// commit makes a commit in the fetched repository, on top of parent, that puts content at path.
func (g *ground) commit(t testing.TB, parent OID, path, content string) OID {
	t.Helper()
	return commitIn(t, g.repo, parent, path, content)
}

func commitIn(t testing.TB, r *Repo, parent OID, path, content string) OID {
	t.Helper()
	blob, err := line(r.ours(t.Context(), job{stdin: strings.NewReader(content)}, "hash-object", "-w", "--stdin"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.writeTree(t.Context(), parent, nil, []update{{path, entry{modeFile, OID(blob)}}})
	if err != nil {
		t.Fatal(err)
	}
	id, err := r.Commit(t.Context(), CommitOptions{Parent: parent, Tree: tree, Message: "ours", Author: bot, Committer: bot, When: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// person pushes by somebody else's hand what a script makes of a branch, and returns where the branch is then.
func (g *ground) person(t testing.TB, branch, script string) OID {
	t.Helper()
	work := filepath.Join(t.TempDir(), "person")
	sh(t, t.TempDir(), "git clone -q file://"+g.dir+" "+work+"; cd "+work+"; git checkout -q "+branch+"; "+script+"; git add -A; git commit -qm theirs; git push -q --force origin HEAD:"+branch)
	return g.rev(t, "refs/heads/"+branch)
}

// hook makes the server run a script.
func (g *ground) hook(t testing.TB, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, "hooks", name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// push pushes and returns the error as what it must be.
func (g *ground) push(t testing.TB, o PushOptions) *PushError {
	t.Helper()
	return pushError(t, g.repo.push(t.Context(), g.remote(), o, quick()))
}

func pushError(t testing.TB, err error) *PushError {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := err.(*PushError)
	if !ok || e.Err == nil || !errors.Is(err, e.Err) {
		t.Fatalf("%T: %v", err, err)
	}
	if text := err.Error(); strings.Contains(text, canaryToken) || strings.ContainsAny(text, "\n\r\x1b") || len(text) > 8000 {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
	return e
}

// isPush tells the request that pushes; what comes before it only asks.
func isPush(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack")
}

// isAskingToPush tells the request for the list of branches that goes before a push.
func isAskingToPush(r *http.Request) bool {
	return r.URL.Query().Get("service") == "git-receive-pack"
}

// lose lets git do what it is asked to, and cuts the connection before a word of it is heard.
func (g *ground) lose(r *http.Request) {
	g.git(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// count counts the requests since the last call that are of a kind.
func (g *ground) count(kind string) (n int) {
	requests, _ := g.seen()
	for _, r := range requests {
		if strings.Contains(r, kind) {
			n++
		}
	}
	return n
}

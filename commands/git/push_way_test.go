package git

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The token reaches the host of the URL and no other, in whatever way the server leads elsewhere; the other is not even
// spoken to, and nothing is pushed there (S8, H8-09). A repository that was renamed on the same host is found (H7-06).
func TestPushRedirected(t *testing.T) {
	for name, c := range map[string]struct {
		from func(r *http.Request) bool // what is redirected
		to   string                     // "%s" is another server
		code int
		want string // in the error; "" for none
	}{
		"renamed":                    {oldName, "/o/r.git", 301, ""},
		"renamed, by 307":            {oldName, "/o/r.git", 307, ""},
		"twice":                      {anyName, "/o/r.git", 301, "elsewhere"},
		"another server":             {oldName, "http://%s/o/r.git", 301, "on another server"},
		"another server, by 307":     {oldName, "http://%s/o/r.git", 307, "on another server"},
		"another server, only POST":  {isPush, "http://%s/o/r.git", 307, "elsewhere"},
		"another server, POST, 301":  {isPush, "http://%s/o/r.git", 301, "elsewhere"},
		"another server, as a user":  {oldName, "http://127.0.0.1@%s/o/r.git", 302, "on another server"},
		"another scheme":             {oldName, "https://%s/o/r.git", 301, "on another server"},
		"only the question, by name": {isAskingToPush, "http://%s/o/r.git", 301, "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			other := &ground{server: serve(t, bare(t, g.dir), "")} // anybody may push there
			sh(t, other.dir, "git config http.receivepack true")
			other.changed(t)
			to := strings.Replace(c.to, "%s", strings.TrimPrefix(other.URL, "http://"), 1)
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if !c.from(r) {
					return false
				}
				w.Header().Set("Location", to+strings.TrimPrefix(strings.TrimPrefix(r.URL.String(), "/o/old.git"), "/o/r.git"))
				w.WriteHeader(c.code)
				return true
			})
			remote := g.remote()
			if c.from(&http.Request{URL: mustParse(t, "/o/old.git/info/refs")}) {
				remote.URL = g.URL + "/o/old.git"
			}
			commit := g.commit(t, g.base, "n", "1\n")
			e := pushError(t, g.repo.push(t.Context(), remote, PushOptions{"x", "", commit}, quick()))
			if c.want == "" && e != nil || c.want != "" && (e == nil || e.Kind != PushFailed || e.Unsure || !strings.Contains(e.Error(), c.want)) {
				t.Errorf("got %v", e)
			}
			if requests, _ := other.seen(); len(requests) > 0 || other.changed(t) != "" {
				t.Errorf("the other server was asked %q, with %q", requests, other.auth)
			}
			if got := g.changed(t); (got != "") != (c.want == "") {
				t.Errorf("changed: %q", got)
			}
		})
	}
}

// The token is in the environment of the commands that talk to the server and nowhere else: in no command line, no file,
// no error (S1, S5).
func TestPushKeepsTheToken(t *testing.T) {
	g := grounds(t, "")
	commit := g.commit(t, g.base, "n", "1\n")
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + canaryToken))
	log := filepath.Join(t.TempDir(), "log")
	wrapper := filepath.Join(t.TempDir(), "git")
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >>%s\nenv | sed \"s/^/env $(printf '%%s' \"$*\" | grep -oE ' (push|ls-remote|merge-base|rev-parse|check-ref-format)' | head -1) /\" >>%[1]s\nexec %s \"$@\"\n", log, g.repo.bin)
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	g.repo.bin = wrapper
	var mu sync.Mutex
	var lines []byte
	g.by(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, name := range globbed(t, "/proc/[0-9]*/cmdline") {
			line, _ := os.ReadFile(name) // some end meanwhile
			lines = append(append(lines, line...), '\n')
		}
		if found := grep(t, g.repo.private, canaryToken) + grep(t, g.repo.private, basic); found != "" {
			t.Errorf("the token is in %s", found)
		}
		return false
	})
	g.hook(t, "pre-receive", "echo "+canaryToken+" "+basic+" >&2; exit 1") // so that it is asked for the tip as well
	e := g.push(t, PushOptions{"x", "", commit})
	if e == nil || e.Kind != PushRejected || strings.Contains(e.Error(), basic) {
		t.Errorf("got %v", e)
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	with := map[string]bool{}
	for l := range strings.Lines(string(said)) {
		env, found := strings.CutPrefix(l, "env ")
		if holds := strings.Contains(l, canaryToken) || strings.Contains(l, basic); !found && holds {
			t.Errorf("the token is in the command line %q", l)
		} else if holds {
			name, _, _ := strings.Cut(strings.TrimSpace(env), " ")
			with[name] = true
		}
	}
	if len(with) != 2 || !with["push"] || !with["ls-remote"] {
		t.Errorf("the token was given to %v", with)
	}
	if !bytes.Contains(lines, []byte("--force-with-lease=refs/heads/x:")) || !bytes.Contains(lines, []byte("send-pack")) {
		t.Error("the command lines were not seen")
	}
	if bytes.Contains(lines, []byte(canaryToken)) || bytes.Contains(lines, []byte(basic)) {
		t.Error("the token is in a command line")
	}
}

// Neither the environment of the runner nor its configuration has a say in where a push goes, in what is pushed, or in who
// makes the commit (F-41, H8-02, H8-09); no hook of ours runs.
func TestPushIgnoresTheRunner(t *testing.T) {
	g := grounds(t, "")
	elsewhere := bare(t, g.dir)
	home := t.TempDir()
	marks := filepath.Join(home, "marks")
	sh(t, home, fmt.Sprintf(`mkdir hooks marks; for h in pre-push reference-transaction post-commit pre-commit commit-msg post-merge; do printf '#!/bin/sh\ntouch %[1]s/%%s; exit 1\n' $h >hooks/$h; chmod 755 hooks/$h; done
		printf '#!/bin/sh\ntouch %[1]s/ran; exit 1\n' >program; chmod 755 program
		c() { git config -f .gitconfig "$@"; }
		c commit.gpgSign true; c push.gpgSign true; c tag.gpgSign true; c gpg.program %[2]s/program; c core.hooksPath %[2]s/hooks; c user.name wrong; c user.email wrong@x
		c url.file://%[3]s.insteadOf %[4]s/o/r.git; c url.file://%[3]s.pushInsteadOf %[4]s; c credential.helper '!%[2]s/program'; c core.askPass %[2]s/program
		c push.followTags true; c push.pushOption evil; c push.recurseSubmodules on-demand; c push.default matching; c push.autoSetupRemote true; c core.sshCommand %[2]s/program
		c remote.origin.push refs/heads/other:refs/heads/main; c transfer.credentialsInUrl die; c http.proxy http://127.0.0.1:1; c http.extraHeader 'X-Canary: 1'; c core.attributesFile %[2]s/attributes; c merge.evil.driver %[2]s/program; c merge.default evil; c protocol.allow always
		echo '* merge=evil' >attributes; mkdir -p .config/git; cp .gitconfig .config/git/config; cp .gitconfig system`, marks, home, elsewhere, g.URL))
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home + "/.config", "GIT_CONFIG_GLOBAL": home + "/.gitconfig", "GIT_CONFIG_SYSTEM": home + "/system",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "commit.gpgSign", "GIT_CONFIG_VALUE_0": "true", "GIT_CONFIG_PARAMETERS": "'commit.gpgsign=true'",
		"GIT_DIR": elsewhere, "GIT_WORK_TREE": home, "GIT_OBJECT_DIRECTORY": home, "GIT_ALTERNATE_OBJECT_DIRECTORIES": home, "GIT_NAMESPACE": "evil",
		"GIT_AUTHOR_NAME": "wrong", "GIT_COMMITTER_EMAIL": "wrong@x", "GIT_AUTHOR_DATE": "1 +0000", "GIT_ASKPASS": home + "/program", "SSH_ASKPASS": home + "/program",
		"GIT_SSH_COMMAND": home + "/program", "GIT_PROXY_COMMAND": home + "/program", "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1",
		"GIT_PUSH_OPTION_COUNT": "1", "GIT_PUSH_OPTION_0": "evil", "GIT_TRACE": marks + "/trace", "GIT_TRACE_CURL": marks + "/curl", "GIT_EXEC_PATH": home, "GIT_TEMPLATE_DIR": home,
	} {
		t.Setenv(name, value)
	}
	var asked http.Header
	g.by(func(_ http.ResponseWriter, r *http.Request) bool {
		if isPush(r) {
			asked = r.Header
		}
		return false
	})
	commit := g.commit(t, g.base, "n", "1\n")
	if e := g.push(t, PushOptions{"main", g.base, commit}); e != nil {
		t.Fatal(e)
	}
	if got, want := g.changed(t), "refs/heads/main "+string(g.base[:7])+" "+string(commit[:7]); got != want {
		t.Errorf("changed: %q", got)
	}
	if asked.Get("X-Canary") != "" {
		t.Error("a header of the runner's was sent")
	}
	if got := sh(t, g.dir, "git cat-file commit main"); strings.Contains(got, "wrong") || strings.Contains(got, "gpgsig") ||
		!strings.Contains(got, "author "+bot.Name+" <"+bot.Email+"> 1700000000 +0000\ncommitter "+bot.Name) {
		t.Errorf("the commit is %s", got)
	}
	if tree, _, err := g.repo.Merge(t.Context(), g.base, commit, g.commit(t, g.base, "m", "2\n")); err != nil || tree == "" {
		t.Errorf("Merge: %q, %v", tree, err)
	}
	if got := sh(t, home, "ls marks"); got != "" {
		t.Errorf("ran: %s", got)
	}
	if got := sh(t, elsewhere, "git for-each-ref --format='%(refname)' --contains "+string(g.base)); strings.Contains(got, "heads/x") {
		t.Errorf("elsewhere: %s", got)
	}
}

// Only what is new crosses, from a repository that is shallow and borrows its objects, even when all branches of the server
// have moved beyond what is known here; and a large change crosses too.
func TestPushSendsWhatIsNew(t *testing.T) {
	before, _ := grown(t)
	for name, c := range map[string]struct {
		clone  string // of the borrowed checkout; "" for none
		depth  int
		theirs string // what happens on the server meanwhile
		old    bool   // the branch is there
		size   int
		most   int64
	}{
		"shallow":                      {depth: 1, most: 2_000},
		"one deep, borrowed":           {clone: "git clone -q --depth 1 $from $to", most: 2_000},
		"all borrowed":                 {clone: "git clone -q $from $to", most: 2_000},
		"a fast-forward":               {depth: 1, old: true, most: 2_000},
		"main moved on":                {depth: 1, theirs: "git clone -q . ../w; cd ../w; echo 6 >a; git commit -qam 6; git push -q origin HEAD:main", most: 3_000},
		"all moved on, borrowed":       {clone: "git clone -q $from $to", theirs: "git clone -q . ../w; cd ../w; echo 6 >a; git commit -qam 6; git push -q origin HEAD:main", most: 3_000},
		"large":                        {depth: 1, size: 3_000_000, most: 4_000_000},
		"large, all borrowed":          {clone: "git clone -q $from $to", size: 3_000_000, most: 4_000_000},
		"main was overwritten":         {depth: 2, theirs: "git clone -q . ../w; cd ../w; git reset -q --hard HEAD~1; echo 6 >a; git add a; git commit -qm 6; git push -qf origin HEAD:main", most: 400_000},
		"the server is shallow itself": {depth: 2, theirs: "git rev-parse HEAD~1 >shallow", most: 2_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &ground{server: serve(t, bare(t, before), canaryToken)}
			g.base = g.rev(t, "main")
			remote := g.remote()
			remote.Depth = c.depth
			if c.clone != "" {
				remote.Borrow = cloned(t, before, c.clone)
			}
			g.repo = g.fetched(t, remote, g.base)
			if c.theirs != "" {
				sh(t, g.dir, c.theirs)
			}
			g.changed(t)
			content := make([]byte, c.size)
			seed := uint32(1)
			for i := range content { // what does not compress
				seed = seed*1664525 + 1013904223
				content[i] = byte(seed >> 24)
			}
			o := PushOptions{Branch: "ai/1", New: g.commit(t, g.base, "n", string(content))}
			want := "refs/heads/ai/1  " + string(o.New[:7])
			if c.old {
				o.Branch, o.Old = "main", g.base
				want = "refs/heads/main " + string(g.base[:7]) + " " + string(o.New[:7])
			}
			g.mu.Lock()
			g.received = 0
			g.mu.Unlock()
			if e := g.push(t, o); e != nil {
				t.Fatal(e)
			}
			if got := g.changed(t); got != want {
				t.Errorf("changed: %q, not %q", got, want)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.received > c.most || g.received < int64(c.size) {
				t.Errorf("%d bytes were sent", g.received)
			}
			if got := sh(t, g.dir, "git fsck 2>&1 | grep -v dangling || true; git log --format=%s -1 "+o.Branch); got != "ours" {
				t.Errorf("the server: %s", got)
			}
		})
	}
}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

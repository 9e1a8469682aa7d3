package git

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A push makes a branch or moves it on, and touches nothing else on the server (F-34, F-44, S8), from a repository that
// was fetched for this run: shallow, without a checkout, with the token on the way only.
func TestPush(t *testing.T) {
	g := grounds(t, "git branch tags/x; git tag b; git tag ai/1")
	one := g.commit(t, g.base, "n", "1\n")
	two := g.commit(t, one, "n", "2\n")
	older := g.rev(t, "refs/heads/tags/x")
	for _, c := range []struct {
		branch   string
		old, new OID
		want     string
	}{
		{"ai/7-x", "", one, "refs/heads/ai/7-x  " + string(one[:7])},
		{"ai/7-x", one, two, "refs/heads/ai/7-x " + string(one[:7]) + " " + string(two[:7])},
		{"ai/7-x", two, two, ""},                                 // there is nothing to do
		{"ai/7-x", one, two, ""},                                 // an earlier attempt did it (S9)
		{"ai/7-x", "", two, ""},                                  // the same
		{"main", g.base, two, ""},                                // set below: two commits at once
		{"b", "", one, "refs/heads/b  " + string(one[:7])},       // there is a tag b
		{"ai/1", "", one, "refs/heads/ai/1  " + string(one[:7])}, // and one ai/1
		{"tags/x", older, one, "refs/heads/tags/x " + string(older[:7]) + " " + string(one[:7])}, // a branch that looks like a tag
		{"tags/v1", "", one, "refs/heads/tags/v1  " + string(one[:7])},
		{"heads/main", "", one, "refs/heads/heads/main  " + string(one[:7])},
		{"é'$(id)&x", "", one, "refs/heads/é'$(id)&x  " + string(one[:7])},
		{"+plus", "", one, "refs/heads/+plus  " + string(one[:7])},
		{strings.Repeat("a", 200), "", one, "refs/heads/" + strings.Repeat("a", 200) + "  " + string(one[:7])},
	} {
		if c.branch == "main" {
			c.want = "refs/heads/main " + string(g.base[:7]) + " " + string(two[:7])
		}
		if err := g.push(t, PushOptions{c.branch, c.old, c.new}); err != nil {
			t.Errorf("%q: %v", c.branch, err)
		}
		if got := g.changed(t); got != c.want {
			t.Errorf("%q: %q changed, not %q", c.branch, got, c.want)
		}
	}
	if got := sh(t, g.dir, "git fsck --strict 2>&1; git log --format=%s main"); got != "ours\nours\nbase\n2\n1" {
		t.Errorf("the server has %q", got)
	}
}

// So do the longer ids, whose empty tree and nothing are others.
func TestPushSHA256(t *testing.T) {
	g := &ground{server: serve(t, bare(t, checkout(t, "rm -rf .git; git init -q --object-format=sha256; echo a >a")), canaryToken)}
	g.base = g.rev(t, "main")
	g.repo = g.fetched(t, g.remote(), g.base)
	one, two := g.commit(t, g.base, "n", "1\n"), g.commit(t, g.base, "m", "2\n")
	g.changed(t)
	for _, o := range []PushOptions{{"x", "", one}, {"main", g.base, one}} {
		if e := g.push(t, o); e != nil {
			t.Error(e)
		}
	}
	if got := g.changed(t); strings.Count(got, string(one[:7])) != 2 || strings.Count(got, ";") != 1 {
		t.Errorf("changed: %q", got)
	}
	if e := g.push(t, PushOptions{"x", "", two}); e == nil || e.Kind != PushMoved || e.Tip != one {
		t.Errorf("got %v", e)
	}
	if tree, _, err := g.repo.Merge(t.Context(), g.base, one, two); len(tree) != 64 || err != nil {
		t.Errorf("Merge: %q, %v", tree, err)
	}
}

// What is no fast-forward, no commit or no name is refused without a request.
func TestPushRefusesByItself(t *testing.T) {
	g := grounds(t, "")
	commit := g.commit(t, g.base, "n", "1\n")
	beside := g.commit(t, g.base, "n", "2\n")
	tree := OID(sh(t, g.dir, "git rev-parse main^{tree}"))
	unknown := OID(strings.Repeat("1", 40))
	g.seen()
	for name, c := range map[string]struct {
		o    PushOptions
		want string
	}{
		"beside":              {PushOptions{"main", beside, commit}, "would overwrite commits"},
		"backwards":           {PushOptions{"main", commit, g.base}, "would overwrite commits"},
		"old is not known":    {PushOptions{"main", unknown, commit}, "Needed a single revision"},
		"new is not known":    {PushOptions{"x", "", unknown}, "Needed a single revision"},
		"a tree":              {PushOptions{"x", "", tree}, "expected commit type"},
		"by name":             {PushOptions{"x", "", "HEAD"}, "object ids"},
		"nothing":             {PushOptions{"main", g.base, ""}, "object ids"}, // would delete it
		"zeros":               {PushOptions{"main", g.base, OID(strings.Repeat("0", 40))}, "Needed a single revision"},
		"old by name":         {PushOptions{"main", "main", commit}, "object ids"},
		"no name":             {PushOptions{"", "", commit}, "no name"},
		"an option":           {PushOptions{"--force", "", commit}, "no name"},
		"HEAD":                {PushOptions{"HEAD", "", commit}, "no name"},
		"a full name":         {PushOptions{"refs/heads/x", "", commit}, "no name"},
		"two refspecs":        {PushOptions{"x:refs/heads/main", "", commit}, "no name"},
		"a pattern":           {PushOptions{"*", "", commit}, "no name"},
		"a blank":             {PushOptions{"x y", "", commit}, "no name"},
		"a line":              {PushOptions{"x\ny", "", commit}, "no name"},
		"up":                  {PushOptions{"../tags/v1", "", commit}, "no name"},
		"a lock":              {PushOptions{"x.lock", "", commit}, "no name"},
		"long":                {PushOptions{strings.Repeat("a", 201), "", commit}, "no name"},
		"another hash's size": {PushOptions{"main", OID(strings.Repeat("1", 64)), commit}, "Needed a single revision"},
	} {
		e := g.push(t, c.o)
		if e == nil || e.Kind != PushFailed || e.Unsure || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, e, c.want)
		}
	}
	remote := g.remote()
	remote.URL += "?x"
	if e := pushError(t, g.repo.push(t.Context(), remote, PushOptions{"x", "", commit}, quick())); e == nil || e.Kind != PushFailed {
		t.Errorf("a bad URL: %v", e)
	}
	if requests, _ := g.seen(); len(requests) > 0 || g.changed(t) != "" {
		t.Errorf("the server was asked %q", requests)
	}
}

// A branch that is not where it is expected stays as it is, and where it is is said: whoever wants to can bring both
// together (F-34, F-37).
func TestPushMoved(t *testing.T) {
	type made struct{ tip, old, new OID }
	for name, prepare := range map[string]func(*testing.T, *ground) made{
		"a person pushed": func(t *testing.T, g *ground) made {
			return made{g.person(t, "main", "echo p >p"), g.base, g.commit(t, g.base, "n", "1\n")}
		},
		"a person overwrote": func(t *testing.T, g *ground) made {
			return made{g.person(t, "main", "git reset -q --hard HEAD~2; echo p >p"), g.base, g.commit(t, g.base, "n", "1\n")}
		},
		"a person set it back": func(t *testing.T, g *ground) made { // what a plain push would take for a fast-forward
			sh(t, g.dir, "git update-ref refs/heads/main main~1")
			return made{g.rev(t, "main"), g.base, g.commit(t, g.base, "n", "1\n")}
		},
		"it exists": func(t *testing.T, g *ground) made {
			return made{g.base, "", g.commit(t, g.base, "n", "1\n")}
		},
		"it exists elsewhere": func(t *testing.T, g *ground) made {
			return made{g.person(t, "main", "echo p >p"), "", g.commit(t, g.base, "n", "1\n")}
		},
		"it is gone": func(t *testing.T, g *ground) made {
			sh(t, g.dir, "git symbolic-ref HEAD refs/heads/other; git update-ref -d refs/heads/main")
			return made{"", g.base, g.commit(t, g.base, "n", "1\n")}
		},
		"a tag of its name is where it should be": func(t *testing.T, g *ground) made {
			sh(t, g.dir, "git symbolic-ref HEAD refs/heads/other; git update-ref -d refs/heads/main; git update-ref refs/tags/main "+string(g.base))
			return made{"", g.base, g.commit(t, g.base, "n", "1\n")}
		},
		"between the question and the push": func(t *testing.T, g *ground) made {
			m := made{old: g.base, new: g.commit(t, g.base, "n", "1\n")}
			theirs := g.person(t, "other", "echo p >p")
			m.tip = theirs
			g.changed(t)
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if isPush(r) {
					sh(t, g.dir, "git update-ref refs/heads/main "+string(theirs))
				}
				return false
			})
			return m
		},
		"it was made between the question and the push": func(t *testing.T, g *ground) made {
			sh(t, g.dir, "git symbolic-ref HEAD refs/heads/other; git update-ref -d refs/heads/main")
			m := made{g.base, "", g.commit(t, g.base, "n", "1\n")}
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if isPush(r) {
					sh(t, g.dir, "git update-ref refs/heads/main "+string(g.base))
				}
				return false
			})
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			m := prepare(t, g)
			before := g.changed(t)
			e := g.push(t, PushOptions{"main", m.old, m.new})
			if e == nil || e.Kind != PushMoved || e.Tip != m.tip || e.Unsure {
				t.Fatalf("got %+v, %v; the tip is %q", e, e, m.tip)
			}
			if strings.HasPrefix(name, "between") || strings.HasPrefix(name, "it was made between") {
				before = "" // the person's hand is in what changed
				if got := g.changed(t); strings.Count(got, "refs/") != 1 || !strings.Contains(got, string(m.tip[:7])) {
					t.Errorf("changed: %q", got)
				}
			} else if got := g.changed(t); got != "" {
				t.Errorf("changed: %q (before: %q)", got, before)
			}
			if tip, err := g.repo.tip(t.Context(), g.remote(), "main", quick()); tip != m.tip || err != nil {
				t.Errorf("Tip: %q, %v", tip, err)
			}
		})
	}
}

// What the server does not take is said in its own words: bounded, on one line, without what is not to be seen (S5, S6).
func TestPushRejected(t *testing.T) {
	hostile := `printf '\033[31mred\033[0m \033]0;title\007` + canaryToken + `\n::error::bad\r##[group]x\n\302\205\342\200\250\342\200\256bidi\342\200\213zero nul\377\n` +
		`remote: forged\n' >&2; printf '%0600d\n' 0 >&2; exit 1`
	for name, c := range map[string]struct {
		hook, script, reason string
		config               string
		posts                int
	}{
		"pre-receive": {hook: "pre-receive", script: "echo 'error: GH006: Protected branch update failed for refs/heads/x.' >&2; echo 'error: Changes must be made through a pull request.'; exit 1",
			reason: "pre-receive hook declined: error: GH006: Protected branch update failed for refs/heads/x. error: Changes must be made through a pull request."},
		"update":      {hook: "update", script: "echo no >&2; exit 1", reason: "hook declined: no error: hook declined to update refs/heads/x"},
		"silent":      {hook: "pre-receive", script: "exit 1", reason: "pre-receive hook declined"},
		"hidden":      {config: "receive.hideRefs refs/heads/x", reason: "deny updating a hidden ref"},
		"no creation": {config: "receive.maxInputSize 1", reason: "unpacker error: fatal: pack exceeds maximum allowed size"},
		"hostile": {hook: "pre-receive", script: hostile,
			reason: "pre-receive hook declined: red [redacted] ::error::bad ##[group]x bidizero nul? remote: forged 0000"},
		"more than is kept": {hook: "pre-receive", script: "echo lost >&2; printf '%0100000d\\n' 0 >&2; exit 1", reason: "pre-receive hook declined"},
		"a busy branch":     {hook: "pre-receive", script: "mkdir -p refs/heads; touch refs/heads/x.lock", reason: "failed to update ref: error: cannot lock ref 'refs/heads/x': ", posts: 3},
		"in pieces":         {hook: "pre-receive", script: "printf 'ghs_CANARY\\033[1mcanary0123456789\\nCANARYcanary01 x' >&2; exit 1", reason: "pre-receive hook declined: [redacted]"},
		"only the token":    {hook: "pre-receive", script: "echo " + canaryToken + " >&2; exit 1", reason: "pre-receive hook declined: [redacted]"},
		"another's secret":  {hook: "pre-receive", script: "echo https://u:pw@host/ ghp_abcdefghijklmnopqrstuvwxyz >&2; exit 1", reason: "pre-receive hook declined: https://[redacted]host/ ghp_[redacted]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			if c.hook != "" {
				g.hook(t, c.hook, c.script)
			}
			if c.config != "" {
				sh(t, g.dir, "git config "+c.config)
			}
			commit := g.commit(t, g.base, "n", "1\n")
			g.seen()
			e := g.push(t, PushOptions{"x", "", commit})
			if e == nil || e.Kind != PushRejected || e.Unsure || e.Tip != "" {
				t.Fatalf("got %+v, %v", e, e)
			}
			if n := g.count("POST /o/r.git/git-receive-pack"); n != max(c.posts, 1) {
				t.Errorf("%d pushes", n)
			}
			if got := g.changed(t); got != "" {
				t.Errorf("changed: %q", got)
			}
			squeezed := strings.ReplaceAll(e.Reason, " ", "")
			if len(e.Reason) > mostWords || strings.ContainsFunc(e.Reason, func(c rune) bool {
				return c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c >= 0x2000 && c < 0x2010 || c == '\u202e' || c == '\u2028'
			}) ||
				strings.Contains(squeezed, canaryToken) {
				t.Errorf("%d bytes: %q", len(e.Reason), e.Reason)
			}
			if !strings.HasPrefix(e.Reason, c.reason) || len(e.Reason) > len(c.reason) && name != "hostile" && name != "a busy branch" {
				t.Errorf("got %q, not %q", e.Reason, c.reason)
			}
		})
	}
}

// A token that may read but not write: one clear answer, and no second try (H3-08).
func TestPushWithoutPermission(t *testing.T) {
	for name, code := range map[string]int{"read-only": 403, "expired": 401, "not seen": 404} {
		t.Run(name, func(t *testing.T) {
			g := grounds(t, "")
			g.by(func(w http.ResponseWriter, r *http.Request) bool {
				if isAskingToPush(r) {
					w.Header().Set("Content-Type", "text/plain; charset=utf-8")
					w.WriteHeader(code)
					_, _ = io.WriteString(w, "Permission to o/r.git denied to "+canaryToken+"[bot].\n::error::x\n")
				}
				return isAskingToPush(r)
			})
			commit := g.commit(t, g.base, "n", "1\n")
			g.seen()
			e := g.push(t, PushOptions{"x", "", commit})
			if e == nil || e.Kind != PushRejected || !errors.Is(e, ErrNoAccess) || e.Unsure {
				t.Fatalf("got %+v, %v", e, e)
			}
			if want := "Permission to o/r.git denied to [redacted][bot]. ::error::x"; code == 403 && e.Reason != want {
				t.Errorf("got %q", e.Reason)
			}
			if requests, _ := g.seen(); len(requests) > 2 || g.changed(t) != "" {
				t.Errorf("%q", requests)
			}
		})
	}
}

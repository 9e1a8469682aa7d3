package git

import (
	"bytes"
	"context"
	"encoding/base64"
	pemfile "encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// What a server may answer, and what Fetch makes of it: the name of the reason, the number of tries, nothing left behind.
func TestFetchFails(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, "remote: not our ref", code)
			return true
		}
	}
	onPost := func(f func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPost {
				f(w, r)
			}
			return r.Method == http.MethodPost
		}
	}
	smart := func(body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
			_, _ = io.WriteString(w, body) // the client may be gone
		}
	}
	dir := checkout(t, "echo a >a")
	for name, c := range map[string]struct {
		instead func(http.ResponseWriter, *http.Request) bool
		is      error
		tries   int
	}{
		"401":                 {status(401), ErrNoAccess, 1},
		"403":                 {status(403), ErrNoAccess, 1},
		"404":                 {status(404), ErrNoAccess, 1},
		"410":                 {status(410), ErrNoAccess, 1},
		"403 later":           {onPost(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusForbidden) }), ErrNoAccess, 1},
		"429":                 {status(429), ErrUnreachable, 3},
		"500":                 {status(500), ErrUnreachable, 3},
		"503 later":           {onPost(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }), ErrUnreachable, 3},
		"hangs up":            {onPost(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), ErrUnreachable, 3},
		"says nothing":        {onPost(silent), ErrUnreachable, 3},
		"never begins":        {func(w http.ResponseWriter, r *http.Request) bool { silent(w, r); return true }, ErrUnreachable, 3},
		"an empty answer":     {onPost(smart("")), ErrUnreachable, 3},
		"breaks off":          {onPost(smart("000dpackfile\n0400\x01PACK\x00\x00\x00\x02")), ErrUnreachable, 3},
		"garbage":             {onPost(smart(strings.Repeat("garbage!", 1000))), nil, 1},
		"a page":              {func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, "<html>welcome"); return true }, nil, 1},
		"no pack":             {onPost(smart("000dpackfile\n0009\x01JUNK0000")), nil, 1},
		"an error of its own": {onPost(smart("0011ERR go away\n")), nil, 1},
		"loops": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, r.URL.String(), http.StatusMovedPermanently)
			return true
		}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, dir, "")
			var began atomic.Int32
			s.by(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "/objects/") && r.URL.RawQuery != "" {
					began.Add(1)
				}
				return c.instead(w, r)
			})
			p := quick()
			if name == "says nothing" || name == "never begins" {
				p = impatient()
			}
			err := failsAt(t, p, s.remote(), s.rev(t, "HEAD"))
			for _, sentinel := range []error{ErrNoAccess, ErrCommitGone, ErrUnreachable} {
				if errors.Is(err, sentinel) != (sentinel == c.is) {
					t.Errorf("%v: is %v", err, sentinel)
				}
			}
			if n := int(began.Load()); n != c.tries && name != "loops" { // which asks where
				t.Errorf("%d tries, not %d: %v", n, c.tries, err)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		s := serve(t, dir, "")
		s.Close()
		if err := fails(t, s.remote(), s.rev(t, "HEAD")); !errors.Is(err, ErrUnreachable) {
			t.Error(err)
		}
	})
	t.Run("another commit", func(t *testing.T) {
		s := serve(t, checkout(t, "echo a >a; git add a; git commit -qm 1; echo b >a"), "")
		want, other := s.rev(t, "HEAD"), s.rev(t, "HEAD~1")
		s.by(func(_ http.ResponseWriter, r *http.Request) bool {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(bytes.ReplaceAll(body, []byte(want), []byte(other))))
			return false
		})
		if err := fails(t, s.remote(), want); err == nil || errors.Is(err, ErrUnreachable) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("too much", func(t *testing.T) {
		s := serve(t, checkout(t, "head -c 300000 /dev/urandom >a"), "")
		remote := s.remote()
		remote.MaxBytes = 100_000
		if err := fails(t, remote, s.rev(t, "HEAD")); !errors.Is(err, errTooLarge) || !strings.Contains(err.Error(), "more than 100000 bytes") {
			t.Errorf("got %v", err)
		}
		remote.MaxBytes = 400_000
		s.fetched(t, remote, s.rev(t, "HEAD"))
	})
	t.Run("the commit is gone", func(t *testing.T) {
		s := serve(t, dir, "")
		if err := fails(t, s.remote(), OID(strings.Repeat("1", 40))); !errors.Is(err, ErrCommitGone) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("not a commit", func(t *testing.T) {
		s := serve(t, checkout(t, "echo a >a; git commit -q --allow-empty -m m; git tag -am t t"), "")
		for rev, want := range map[string]string{"t": "not a commit", "HEAD^{tree}": "git ", "HEAD:a": "git "} {
			if err := fails(t, s.remote(), s.rev(t, rev)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v", rev, err)
			}
		}
	})
}

// silent says nothing until the client gives up.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // before that the end of the client is not noticed
	<-r.Context().Done()
}

// A try that fails for the moment is made again, and then all is well (F-53).
func TestFetchTriesAgain(t *testing.T) {
	s := serve(t, checkout(t, "echo a >a"), canaryToken)
	failures := 2
	s.by(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && failures > 0 {
			failures--
			http.Error(w, "", http.StatusBadGateway)
			return true
		}
		return false
	})
	s.fetched(t, s.remote(), s.rev(t, "HEAD"))
	if failures != 0 {
		t.Errorf("%d failures were not met", failures)
	}
}

// The token reaches the host of the URL and no other, in whatever way the server leads elsewhere; the other is not even
// spoken to (H8-09). A repository that was renamed on the same host is found (H7-06).
func TestFetchRedirected(t *testing.T) {
	dir := checkout(t, "echo a >a")
	for name, c := range map[string]struct {
		from func(r *http.Request) bool // what is redirected
		to   string                     // "%s" is another server
		code int
		want string // in the error; "" for none
	}{
		"renamed":                     {oldName, "/o/r.git", 301, ""},
		"renamed, found":              {oldName, "/o/r.git", 302, ""},
		"renamed, by 307":             {oldName, "/o/r.git", 307, ""},
		"renamed, by 308":             {oldName, "/o/r.git", 308, ""},
		"twice":                       {anyName, "/o/r.git", 301, "elsewhere"},
		"to itself":                   {oldName, "/o/old.git", 301, "which is no repository"},
		"to a page":                   {oldName, "/login?", 302, "which is no repository"},
		"another server":              {oldName, "http://%s/o/r.git", 301, "on another server"},
		"another server, by 307":      {oldName, "http://%s/o/r.git", 307, "on another server"},
		"another server, only POST":   {isPost, "http://%s/o/r.git", 307, "on another server"},
		"another server, POST by 301": {isPost, "http://%s/o/r.git", 301, "on another server"},
		"another server, no scheme":   {oldName, "//%s/o/r.git", 301, "on another server"},
		"another server, as a user":   {oldName, "http://127.0.0.1@%s/o/r.git", 301, "on another server"},
		"another scheme":              {oldName, "https://%s/o/r.git", 301, "on another server"},
		"a file":                      {oldName, "file:///o/r.git", 301, "on another server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, dir, canaryToken)
			other := serve(t, s.dir, "") // has all that is asked for, and asks for nothing
			to := strings.Replace(c.to, "%s", strings.TrimPrefix(other.URL, "http://"), 1)
			s.by(func(w http.ResponseWriter, r *http.Request) bool {
				if _, _, authorised := r.BasicAuth(); !authorised || !c.from(r) {
					return false
				}
				w.Header().Set("Location", to+strings.TrimPrefix(strings.TrimPrefix(r.URL.String(), "/o/old.git"), "/o/r.git"))
				w.WriteHeader(c.code)
				return true
			})
			remote := s.remote()
			remote.URL = s.URL + "/o/old.git"
			if name == "another server, only POST" || name == "another server, POST by 301" {
				remote.URL = s.URL + "/o/r.git"
			}
			if c.want == "" {
				s.fetched(t, remote, s.rev(t, "HEAD"))
			} else if err := fails(t, remote, s.rev(t, "HEAD")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if requests, _ := other.seen(); len(requests) > 0 {
				t.Errorf("the other server was asked %q, with %q", requests, other.auth)
			}
		})
	}
}

func anyName(*http.Request) bool   { return true }
func oldName(r *http.Request) bool { return strings.Contains(r.URL.Path, "/old.git") }
func isPost(r *http.Request) bool  { return r.Method == http.MethodPost }

// The token is in no command line, no file and no error, whatever the server says back (S5).
func TestFetchKeepsTheToken(t *testing.T) {
	s := serve(t, checkout(t, "echo a >a"), canaryToken)
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + canaryToken))
	temp := t.TempDir()
	var lines []byte
	s.by(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		for _, name := range globbed(t, "/proc/[0-9]*/cmdline") {
			line, _ := os.ReadFile(name) // some end meanwhile
			lines = append(append(lines, line...), '\n')
		}
		if found := grep(t, temp, canaryToken) + grep(t, temp, basic); found != "" {
			t.Errorf("the token is in %s", found)
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		said := "ERR " + strings.Repeat("x", 3000) + canaryToken + " " + basic + " " + r.Header.Get("Authorization")
		fmt.Fprintf(w, "%04x%s", 4+len(said), said)
		return true
	})
	_, err := fetch(t.Context(), s.remote(), s.rev(t, "HEAD"), temp, quick())
	if err == nil || strings.Contains(err.Error(), canaryToken) || strings.Contains(err.Error(), basic) || !strings.Contains(err.Error(), "[redacted]") {
		t.Errorf("got %v", err)
	}
	if !bytes.Contains(lines, []byte("--negotiation-tip")) && !bytes.Contains(lines, []byte("--no-write-fetch-head")) {
		t.Error("the command lines were not seen")
	}
	if bytes.Contains(lines, []byte(canaryToken)) || bytes.Contains(lines, []byte(basic)) {
		t.Error("the token is in a command line")
	}
	wrong := s.remote()
	wrong.Token += "x"
	if err := fails(t, wrong, s.rev(t, "HEAD")); !errors.Is(err, ErrNoAccess) || strings.Contains(err.Error(), canaryToken) {
		t.Errorf("a wrong token: %v", err)
	}
}

func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// grep names the first file below dir that holds text.
func grep(t *testing.T, dir, text string) (found string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(text)) {
			found = path
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) { // git's files come and go
		t.Error(err)
	}
	return found
}

// What is not plainly a repository on a server is refused before git runs, and quotes no secret.
func TestFetchRefuses(t *testing.T) {
	commit := OID(strings.Repeat("1", 40))
	for _, c := range []struct {
		remote Remote
		commit OID
		want   string
	}{
		{Remote{URL: "file:///etc"}, commit, "only https"},
		{Remote{URL: "/etc"}, commit, "only https"},
		{Remote{URL: ""}, commit, "only https"},
		{Remote{URL: "ssh://h/x"}, commit, "only https"},
		{Remote{URL: "git@h:x"}, commit, "cannot be read"},
		{Remote{URL: "ext::sh -c id"}, commit, "only https"},
		{Remote{URL: "https+x://h/x"}, commit, "only https"},
		{Remote{URL: "--upload-pack=id"}, commit, "only https"},
		{Remote{URL: "http::https://h/x"}, commit, "no repository on a host"},
		{Remote{URL: "HTTPS://h/x"}, commit, "plain spelling"},
		{Remote{URL: "https://h/x y"}, commit, "plain spelling"},
		{Remote{URL: "https://h/x\n"}, commit, "cannot be read"},
		{Remote{URL: "https://h"}, commit, "no repository on a host"},
		{Remote{URL: "https:///x"}, commit, "no repository on a host"},
		{Remote{URL: "https://u:" + canaryToken + "@h/x"}, commit, "more than a host and a path"},
		{Remote{URL: "https://u:" + canaryToken + "@h:x/%zz"}, commit, "cannot be read"},
		{Remote{URL: "https://h/x?t=" + canaryToken}, commit, "more than a host and a path"},
		{Remote{URL: "https://h/x#"}, commit, "more than a host and a path"},
		{Remote{URL: "https://h/x", Token: canaryToken + "\nprotocol=x"}, commit, "no token has"},
		{Remote{URL: "https://h/x", Env: []string{"GIT_SSH=" + canaryToken}}, commit, `"GIT_SSH"`},
		{Remote{URL: "https://h/x", Env: []string{"GIT_CONFIG_COUNT=9"}}, commit, `"GIT_CONFIG_COUNT"`},
		{Remote{URL: "https://h/x", Env: []string{"LD_PRELOAD=x"}}, commit, `"LD_PRELOAD"`},
		{Remote{URL: "https://h/x", Env: []string{"HTTPS_PROXY"}}, commit, `"HTTPS_PROXY"`},
		{Remote{URL: "https://h/x"}, "HEAD", "not an object id"},
		{Remote{URL: "https://h/x"}, "refs/heads/main", "not an object id"},
		{Remote{URL: "https://h/x"}, OID("-" + strings.Repeat("1", 39)), "not an object id"},
		{Remote{URL: "https://h/x"}, commit + ":refs/heads/x", "not an object id"},
	} {
		err := fails(t, c.remote, c.commit)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), canaryToken) {
			t.Errorf("%+v: %v, want %q", c.remote, err, c.want)
		}
	}
}

// Stop means stop: at once, with the reason, and nothing is left running or lying about.
func TestFetchCancelled(t *testing.T) {
	why := errors.New("somebody pressed stop")
	for name, wait := range map[string]time.Duration{"while the server is silent": time.Millisecond, "between two tries": time.Hour} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, checkout(t, "echo a >a"), canaryToken)
			ctx, cancel := context.WithCancelCause(t.Context())
			s.by(func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPost {
					return false
				}
				time.AfterFunc(200*time.Millisecond, func() { cancel(why) })
				if wait == time.Hour {
					http.Error(w, "", http.StatusInternalServerError)
					return true
				}
				silent(w, r)
				return true
			})
			temp := t.TempDir()
			start := time.Now()
			_, err := fetch(ctx, s.remote(), s.rev(t, "HEAD"), temp, pace{silence: time.Hour, wait: wait})
			if !errors.Is(err, why) || time.Since(start) > 10*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left %v behind", left)
			}
			for _, name := range globbed(t, "/proc/[0-9]*/cmdline") {
				if line, _ := os.ReadFile(name); bytes.Contains(line, []byte(temp)) || bytes.Contains(line, []byte(s.URL)) {
					t.Errorf("still running: %q", line)
				}
			}
		})
	}
}

// A proxy and a certificate of the house are on the way to a server of one's own.
func TestFetchByProxyAndCertificate(t *testing.T) {
	s := serve(t, checkout(t, "echo a >a"), canaryToken)
	t.Run("proxy", func(t *testing.T) {
		target, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int32
		forward := httputil.NewSingleHostReverseProxy(target)
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			forward.ServeHTTP(w, r)
		}))
		defer proxy.Close()
		remote := s.remote()
		remote.URL = "http://git.example/o/r.git"
		remote.Env = []string{"http_proxy=" + proxy.URL}
		s.fetched(t, remote, s.rev(t, "HEAD"))
		if asked.Load() == 0 {
			t.Error("the proxy was not asked")
		}
		remote.URL, remote.Env = s.remote().URL, append(remote.Env, "no_proxy=127.0.0.1")
		before := asked.Load()
		if s.fetched(t, remote, s.rev(t, "HEAD")); asked.Load() != before {
			t.Error("the proxy was asked in spite of NO_PROXY")
		}
	})
	t.Run("certificate", func(t *testing.T) {
		secure := httptest.NewTLSServer(s.Config.Handler)
		defer secure.Close()
		secure.Config.ErrorLog = nil
		file := filepath.Join(t.TempDir(), "ca.pem")
		text := pemfile.EncodeToMemory(&pemfile.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		remote := s.remote()
		remote.URL = secure.URL + "/o/r.git"
		if err := fails(t, remote, s.rev(t, "HEAD")); err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("an unknown certificate: %v", err)
		}
		for _, name := range []string{"SSL_CERT_FILE", "GIT_SSL_CAINFO"} {
			remote.Env = []string{name + "=" + file}
			s.fetched(t, remote, s.rev(t, "HEAD"))
		}
	})
}

// Old slips in commits and modes do not keep a repository away; a tree that can be read in two ways does.
func TestFetchIsStrictWhereItMatters(t *testing.T) {
	const tree = `t=$(printf '%s' "$spec" | perl -ne 'BEGIN{$/=undef} for (split /;/) { ($m,$n)=split /,/; print "$m $n\0".pack("H*",$ENV{blob}) }' | git hash-object --literally -t tree -w --stdin)`
	s := serve(t, checkout(t, "echo a >a"), "")
	for name, c := range map[string]struct {
		spec, author string
		fine         bool
	}{
		"plain":              {"100644,a", "a <a@b> 1700000000 +0000", true},
		"zero-padded mode":   {"0100644,a", "a <a@b> 1700000000 +0000", true},
		"group mode":         {"100664,a", "a <a@b> 1700000000 +0000", true},
		"no space":           {"100644,a", "a<a@b> 1700000000 +0000", true},
		"no space, date":     {"100644,a", "a <a@b>1700000000 +0000", true},
		"no name":            {"100644,a", "<a@b> 1700000000 +0000", true},
		"no e-mail":          {"100644,a", "a 1700000000 +0000", true},
		"time zone":          {"100644,a", "a <a@b> 1700000000 +051800", true},
		"zero-padded date":   {"100644,a", "a <a@b> 01700000000 +0000", true},
		"date too far":       {"100644,a", "a <a@b> 99999999999999999999 +0000", true},
		"gitmodules":         {"100644,.gitmodules", "a <a@b> 1700000000 +0000", true},
		"twice":              {"100644,a;100644,a", "a <a@b> 1700000000 +0000", false},
		"unsorted":           {"100644,b;100644,a", "a <a@b> 1700000000 +0000", false},
		"a slash":            {"100644,a/b", "a <a@b> 1700000000 +0000", false},
		"dots":               {"100644,..", "a <a@b> 1700000000 +0000", false},
		"a .git":             {"100644,.git", "a <a@b> 1700000000 +0000", false},
		"a .GIT":             {"100644,.GIT", "a <a@b> 1700000000 +0000", false},
		"another's spelling": {"100644,git~1", "a <a@b> 1700000000 +0000", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			commit := OID(sh(t, s.dir, fmt.Sprintf(`export blob=$(git rev-parse HEAD:a) spec=%q; %s
				printf 'tree %%s\nauthor %s\ncommitter %s\n\nm\n' $t | git hash-object --literally -t commit -w --stdin`, c.spec, tree, c.author, c.author)))
			if !c.fine {
				if err := fails(t, s.remote(), commit); err == nil || errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "fsck error") {
					t.Errorf("got %v", err)
				}
				return
			}
			r := s.fetched(t, s.remote(), commit)
			if _, base, err := r.listTree(t.Context(), commit); len(base) != 1 || err != nil {
				t.Errorf("%v, %v", base, err)
			}
		})
	}
}

// Two requests, both with the token: GitHub counts those without one against the address of the runner.
func TestFetchRequests(t *testing.T) {
	s := serve(t, checkout(t, "echo a >a"), canaryToken)
	s.fetched(t, s.remote(), s.rev(t, "HEAD"))
	got, _ := s.seen()
	if want := []string{"GET /o/r.git/info/refs OK", "POST /o/r.git/git-upload-pack OK"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

package pinned

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// registry is an npm registry on loopback that carries one version, and remembers what it was asked.
type registry struct {
	*httptest.Server
	describes string // what it says of the version, "" for 404
	archive   []byte
	status    int    // of the archive, 200 when 0
	during    func() // done while the archive is asked for; may be nil

	mu    sync.Mutex
	asked []string // path and Authorization
}

const (
	descriptionPath = "/npm/@acme%2fagent-linux-x64/1.2.3"
	archivePath     = "/npm/@acme/agent-linux-x64/-/agent-linux-x64-1.2.3.tgz"
)

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.asked = append(r.asked, req.URL.EscapedPath()+" "+req.Header.Get("Authorization"))
	r.mu.Unlock()
	switch {
	case req.URL.EscapedPath() == descriptionPath && r.describes != "":
		fmt.Fprint(w, r.describes)
	case req.URL.Path == archivePath || req.URL.Path == "/elsewhere.tgz":
		if r.during != nil {
			r.during()
		}
		if r.status != 0 {
			w.WriteHeader(r.status)
		}
		w.Write(r.archive)
	case req.URL.Path == "/npm/beside.tgz":
		http.Redirect(w, req, "/elsewhere.tgz", http.StatusFound)
	case req.URL.Path == "/npm/moved.tgz":
		http.Redirect(w, req, strings.Replace(r.URL, "127.0.0.1", "localhost", 1)+"/elsewhere.tgz", http.StatusFound)
	default:
		http.NotFound(w, req)
	}
}

func integrityOf(archive []byte) string {
	sum := sha512.Sum512(archive)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

func description(integrity, tarball string) string {
	return fmt.Sprintf(`{"name":"@acme/agent-linux-x64","version":"1.2.3","dist":{"integrity":%q,"tarball":%q}}`, integrity, tarball)
}

// shop is a registry that carries the good archive, the pin of it, and the options that install it.
func shop(t *testing.T, entries ...entry) (*registry, Pin, Options) {
	t.Helper()
	if entries == nil {
		entries = good()
	}
	r := &registry{archive: gzipOf(t, tarOf(1024, entries...))}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	r.describes = description(integrityOf(r.archive), r.URL+archivePath)
	sum := sha256.Sum256([]byte(agentBody))
	pin := Pin{Agent: "acme", Version: "1.2.3", Platform: platform(), Package: "@acme/agent-linux-x64", Integrity: integrityOf(r.archive),
		ArchiveSize: int64(len(r.archive)), Executable: "agent", SHA256: hex.EncodeToString(sum[:]), Size: int64(len(agentBody))}
	reg, err := ReadRegistry([]string{"npm_config_registry=" + r.URL + "/npm"}, nil, "@acme")
	if err != nil {
		t.Fatal(err)
	}
	return r, pin, Options{Dir: filepath.Join(t.TempDir(), "agents"), Agent: "acme", Version: "1.2.3", Registry: reg}
}

func mustInstall(t *testing.T, o Options, pins ...Pin) *Copy {
	t.Helper()
	c, err := install(t.Context(), o, pins)
	if err != nil {
		t.Fatalf("installing: %v", err)
	}
	return c
}

func TestInstallPutsExactlyTheExecutableThere(t *testing.T) { // A2-5, A2-6
	_, pin, o := shop(t)
	c := mustInstall(t, o, pin)
	if want := (Copy{Agent: "acme", Version: "1.2.3", Pinned: true, Path: filepath.Join(o.Dir, "acme/1.2.3/agent"), SHA256: pin.SHA256, Size: pin.Size}); *c != want {
		t.Errorf("got %+v, want %+v", *c, want)
	}
	info, err := os.Stat(c.Path)
	if err != nil || info.Mode() != 0o755 {
		t.Errorf("got mode %v, error %v", info.Mode(), err)
	}
	if err := c.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	var names []string
	for _, dir := range []string{o.Dir, filepath.Join(o.Dir, "acme"), filepath.Dir(c.Path)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	if got := strings.Join(names, " "); got != "acme 1.2.3 agent manifest.json" {
		t.Errorf("left there: %s", got)
	}
	var m manifest
	text, err := os.ReadFile(filepath.Join(filepath.Dir(c.Path), manifestName))
	if err != nil || json.Unmarshal(text, &m) != nil || !m.Pinned || m.SHA256 != pin.SHA256 || m.Integrity != pin.Integrity || m.Package != pin.Package {
		t.Errorf("got manifest %s, error %v", text, err)
	}
}

func TestInstallAgainFetchesNothing(t *testing.T) {
	r, pin, o := shop(t)
	mustInstall(t, o, pin)
	before := len(r.asked)
	mustInstall(t, o, pin)
	if len(r.asked) != before {
		t.Errorf("asked again: %q", r.asked[before:])
	}
}

// TestInstallRepairsNothing: a copy that was altered stays for a person to look at.
func TestInstallRepairsNothing(t *testing.T) {
	_, pin, o := shop(t)
	c := mustInstall(t, o, pin)
	alter(t, c.Path)
	_, err := install(t.Context(), o, []Pin{pin})
	wantError(t, err, "was altered")
}

func TestInstallRefuses(t *testing.T) { // A2-6, A2-8
	other := good()
	other[1].body = `{"name":"@acme/agent-linux-x64","version":"1.2.4"}`
	for _, c := range []struct {
		name    string
		entries []entry
		change  func(r *registry, p *Pin, o *Options)
		says    string
	}{
		{"another archive than the pinned one, whatever the registry says of it", nil, func(r *registry, _ *Pin, _ *Options) {
			r.archive = flipped(r.archive, len(r.archive)/2)
			r.describes = description(integrityOf(r.archive), r.URL+archivePath)
		}, "another one than the one that is expected"},
		{"a longer archive", nil, func(r *registry, _ *Pin, _ *Options) { r.archive = append(bytes.Clone(r.archive), 0) }, "longer than expected"},
		{"a shorter archive", nil, func(r *registry, _ *Pin, _ *Options) { r.archive = r.archive[:100] }, "another one than"},
		{"another executable in the right archive", nil, func(_ *registry, p *Pin, _ *Options) { p.SHA256 = strings.Repeat("0", 64) }, "is pinned"},
		{"an executable of another size", nil, func(_ *registry, p *Pin, _ *Options) { p.Size++ }, "the pinned one has"},
		{"an archive of another version", other, func(*registry, *Pin, *Options) {}, `says that it is "@acme/agent-linux-x64" "1.2.4"`},
		{"a description of another package", nil, func(r *registry, _ *Pin, _ *Options) {
			r.describes = strings.Replace(r.describes, "@acme", "@evil", 1)
		}, `answered with "@evil/agent-linux-x64"`},
		{"a description that is none", nil, func(r *registry, _ *Pin, _ *Options) { r.describes = "<html>" }, "reading what"},
		{"an endless description", nil, func(r *registry, _ *Pin, _ *Options) { r.describes = strings.Repeat(" ", maxDescription+1) }, "longer than expected"},
		{"an archive in a file", nil, func(r *registry, _ *Pin, _ *Options) { r.describes = description("", "file:///etc/passwd") }, "as the archive's place"},
		{"an archive by another protocol", nil, func(r *registry, _ *Pin, _ *Options) { r.describes = description("", "ftp://127.0.0.1/x.tgz") }, "as the archive's place"},
		{"an archive of no host", nil, func(r *registry, _ *Pin, _ *Options) { r.describes = description("", "https:///x.tgz") }, "as the archive's place"},
		{"a login", nil, func(r *registry, _ *Pin, _ *Options) { r.status = 401 }, "status 401"},
		{"a failure", nil, func(r *registry, _ *Pin, _ *Options) { r.status = 503 }, "status 503"},
		{"a version that is not pinned", nil, func(_ *registry, _ *Pin, o *Options) { o.Version = "1.2.4" }, "is not pinned"},
		{"a version that leads elsewhere", nil, func(_ *registry, _ *Pin, o *Options) { o.Version, o.Unpinned = "../../x", true }, "is no version"},
		{"a range", nil, func(_ *registry, _ *Pin, o *Options) { o.Version, o.Unpinned = "latest", true }, "is no version"},
		{"another agent", nil, func(_ *registry, _ *Pin, o *Options) { o.Agent = "nobody" }, "no executable of"},
		{"another platform", nil, func(_ *registry, p *Pin, _ *Options) { p.Platform = "plan9-x64" }, "no executable of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, pin, o := shop(t, c.entries...)
			c.change(r, &pin, &o)
			_, err := install(t.Context(), o, []Pin{pin})
			wantError(t, err, c.says)
			left, err := filepath.Glob(filepath.Join(o.Dir, "*", "*"))
			if drafts, _ := filepath.Glob(filepath.Join(o.Dir, "*", ".*")); err != nil || len(left)+len(drafts) > 0 {
				t.Errorf("left behind: %q %q, error %v", left, drafts, err)
			}
		})
	}
}

func wantError(t *testing.T, err error, says string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want an *Error that says %q", err, says)
	} else if e.Fix == "" {
		t.Errorf("%q has no next step", err)
	}
}

func alter(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, flipped(data, len(data)/2), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInstallUnpinnedIsMarked(t *testing.T) {
	_, pin, o := shop(t)
	pin.Version = "1.2.2"
	o.Unpinned = true
	c := mustInstall(t, o, pin)
	if c.Pinned || c.Version != "1.2.3" || c.SHA256 != pin.SHA256 {
		t.Errorf("got %+v", *c)
	}
	found, err := find([]string{o.Dir}, "acme", []Pin{pin})
	if err != nil || found == nil || *found != *c {
		t.Errorf("found %+v, error %v", found, err)
	}
	alter(t, c.Path)
	wantError(t, found.Verify(t.Context()), "was altered")
}

// TestUnpinnedNeedsTheRegistrysWord: weaker digests, several, or none are no word.
func TestUnpinnedNeedsTheRegistrysWord(t *testing.T) {
	for _, integrity := range []string{"", "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha512-", "sha512-AAAA", "sha1-AAAA sha512-" + strings.Repeat("A", 86) + "==",
		integrityOf(nil)} {
		r, pin, o := shop(t)
		pin.Version, o.Unpinned = "1.2.2", true
		r.describes = description(integrity, r.URL+archivePath)
		if _, err := install(t.Context(), o, []Pin{pin}); err == nil {
			t.Errorf("installed with the integrity %q", integrity)
		}
	}
}

func TestFindPrefersThePinned(t *testing.T) {
	_, pin, o := shop(t)
	other := pin
	other.Version = "1.2.2"
	o.Unpinned = true
	mustInstall(t, o, other) // 1.2.3, unpinned
	if c, err := find([]string{t.TempDir(), o.Dir}, "acme", []Pin{other}); err != nil || c == nil || c.Pinned {
		t.Fatalf("found %+v, error %v", c, err)
	}
	again(t, o.Dir, "1.2.0", "2100-01-01T00:00:00Z")
	first, second := t.TempDir(), o.Dir
	if err := os.CopyFS(first, os.DirFS(second)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(first, "acme/1.2.3")); err != nil {
		t.Fatal(err)
	}
	if c, err := find([]string{first, second}, "acme", []Pin{pin}); err != nil || c == nil || !c.Pinned || c.Path != filepath.Join(second, "acme/1.2.3/agent") {
		t.Errorf("beside one that came later, and behind another directory: %+v, error %v", c, err)
	}
	if c, err := find([]string{o.Dir}, "acme", nil); err != nil || c == nil || c.Version != "1.2.0" {
		t.Errorf("without a table: %+v, error %v; want what was installed last", c, err)
	}
	if c, err := find([]string{o.Dir}, "nobody", []Pin{pin}); c != nil || err != nil {
		t.Errorf("of another agent: %+v, error %v", c, err)
	}
}

// again puts a second, unpinned copy beside the one that is installed.
func again(t *testing.T, dir, version, installed string) {
	t.Helper()
	m, err := readManifest(filepath.Join(dir, "acme/1.2.3"))
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "acme", version), os.DirFS(filepath.Join(dir, "acme/1.2.3")))
	}
	if err == nil {
		err = os.Remove(filepath.Join(dir, "acme", version, manifestName))
	}
	if err == nil {
		m.Version = version
		m.Installed, err = time.Parse(time.RFC3339, installed)
	}
	if err == nil {
		err = m.write(filepath.Join(dir, "acme", version))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAllListsTheOthersToo: one copy that cannot be used hides no other, and what is no version is none.
func TestAllListsTheOthersToo(t *testing.T) {
	_, pin, o := shop(t)
	o.Unpinned = true
	pin.Version = "0.0.1"
	mustInstall(t, o, pin)
	again(t, o.Dir, "1.2.4", "2026-11-30T00:00:00Z")
	again(t, o.Dir, "1.2.5", "2026-11-30T00:00:00Z")
	if err := errors.Join(os.WriteFile(filepath.Join(o.Dir, "acme/1.2.4", manifestName), []byte("{"), 0o644), os.Mkdir(filepath.Join(o.Dir, "acme/backup"), 0o755)); err != nil {
		t.Fatal(err)
	}
	copies, err := All([]string{t.TempDir(), o.Dir}, "acme")
	wantError(t, err, "1.2.4")
	var versions []string
	for _, c := range copies {
		versions = append(versions, c.Version)
	}
	if fmt.Sprint(versions) != "[1.2.3 1.2.5]" {
		t.Errorf("listed %q", versions)
	}
}

// TestManifestIsNotBelieved: it lies beside the executable, and whoever can alter one can alter the other.
func TestManifestIsNotBelieved(t *testing.T) {
	_, pin, o := shop(t)
	c := mustInstall(t, o, pin)
	place := filepath.Dir(c.Path)
	alter(t, c.Path)
	altered, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(altered)
	rewrite := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(place, manifestName))
		if err == nil {
			err = os.WriteFile(filepath.Join(place, manifestName), []byte(strings.Replace(string(text), from, to, 1)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	rewrite(pin.SHA256, hex.EncodeToString(sum[:]))
	found, err := find([]string{o.Dir}, "acme", []Pin{pin})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, found.Verify(t.Context()), "was altered")

	_, err = find([]string{o.Dir}, "acme", nil)
	wantError(t, err, "no pin for it")
	rewrite(`"pinned": true`, `"pinned": false`)
	before := "agent"
	for _, after := range []string{"../../../../bin/sh", "/bin/sh", "below/agent", "..", ""} {
		rewrite(`"executable": "`+before+`"`, `"executable": "`+after+`"`)
		_, err = find([]string{o.Dir}, "acme", nil)
		wantError(t, err, "something else")
		before = after
	}
}

func TestTwoInstallsAtOnce(t *testing.T) {
	_, pin, o := shop(t)
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() { _, errs[i] = install(context.Background(), o, []Pin{pin}) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestInstallEndsWithItsContext(t *testing.T) {
	_, pin, o := shop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := install(ctx, o, []Pin{pin}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestRegistryWithoutVersions: some answer for whole packages only. A pin needs no word of theirs.
func TestRegistryWithoutVersions(t *testing.T) {
	r, pin, o := shop(t)
	r.describes = ""
	mustInstall(t, o, pin)
	pin.Version, o.Unpinned, o.Dir = "1.2.2", true, t.TempDir()
	_, err := install(t.Context(), o, []Pin{pin})
	wantError(t, err, "status 404")
}

// TestRegistryThatPassesOnNpmjs names the archive's place at npmjs.org; nothing is asked of it.
func TestRegistryThatPassesOnNpmjs(t *testing.T) {
	r, pin, o := shop(t)
	r.describes = description(integrityOf(r.archive), "https://registry.npmjs.org"+strings.TrimPrefix(archivePath, "/npm"))
	mustInstall(t, o, pin)
}

// TestTokenGoesToItsPlaceAlone: neither to another host that the registry names or leads to, nor outside of its path.
func TestTokenGoesToItsPlaceAlone(t *testing.T) {
	for name, tarball := range map[string]string{"in place": archivePath, "another path": "/elsewhere.tgz", "a redirect to another host": "/npm/moved.tgz",
		"a redirect out of its path": "/npm/beside.tgz"} {
		t.Run(name, func(t *testing.T) {
			r, pin, o := shop(t)
			r.describes = description(integrityOf(r.archive), r.URL+tarball)
			var err error
			o.Registry, err = ReadRegistry([]string{"npm_config_registry=" + r.URL + "/npm/", "npm_config_" + strings.TrimPrefix(r.URL, "http:") + "/npm/:_authToken=canary"}, nil, "@acme")
			if err != nil {
				t.Fatal(err)
			}
			mustInstall(t, o, pin)
			for _, asked := range r.asked {
				if got := strings.HasSuffix(asked, "Bearer canary"); got != strings.HasPrefix(asked, "/npm/") {
					t.Errorf("asked %q", asked)
				}
			}
		})
	}
}

// TestErrorsHoldNoSecret: a registry's URL may carry a name and a password (S5).
func TestErrorsHoldNoSecret(t *testing.T) {
	_, pin, o := shop(t)
	var err error
	o.Registry, err = ReadRegistry([]string{"npm_config_registry=http://user:canary@127.0.0.1:1/canary"}, nil, "@acme")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = install(t.Context(), o, []Pin{pin}); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
	if _, err := ReadRegistry([]string{"npm_config_registry=ftp://user:canary@x"}, nil, "@acme"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
}

// realRegistry is the one that npm is configured for on this machine.
func realRegistry(t *testing.T) Registry {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	reg, err := ReadRegistry(os.Environ(), []string{filepath.Join(home, ".npmrc"), "/usr/etc/npmrc", "/usr/local/etc/npmrc"}, Scope("copilot"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = newClient(reg).describe(t.Context(), Pins()[0].Package, Pins()[0].Version)
	testsupport.Need(t, err == nil, fmt.Sprintf("npm's registry (%v)", err), "npm install --dry-run @github/copilot-linux-x64@1.0.88")
	return reg
}

// TestRealInstall fetches the pinned Copilot through the registry that npm is configured for on this machine.
func TestRealInstall(t *testing.T) {
	reg, pin := realRegistry(t), Pins()[0]
	testsupport.Need(t, pin.Platform == platform(), "a pin for "+platform(), "docker run --platform linux/amd64 -v \"$PWD\":/src -w /src golang:1.26 go test ./executor/agents/pinned")
	o := Options{Dir: t.TempDir(), Agent: pin.Agent, Registry: reg, Say: t.Logf}
	c, err := Install(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(t.Context()); err != nil || !c.Driven || c.Size != 169544512 || c.SHA256 != "0059754cf78c3f3bf2c9d4564dfa7e9e25f3a3f8f411f2f0cdad9363f5662748" {
		t.Errorf("got %+v, error %v", *c, err)
	}
}

// TestPinsAreWhatTheRegistryCarries, for each platform. Only with AI_FLOW_TEST_PINS=all are all archives fetched and admitted,
// some 600 MB.
func TestPinsAreWhatTheRegistryCarries(t *testing.T) {
	reg := realRegistry(t)
	for _, pin := range Pins() {
		t.Run(pin.Version+" for "+pin.Platform, func(t *testing.T) {
			said, err := newClient(reg).describe(t.Context(), pin.Package, pin.Version)
			if err != nil || said.Dist.Integrity != pin.Integrity || pin.Package != "@github/copilot-"+pin.Platform {
				t.Errorf("the registry says %+v, error %v; pinned is %+v", said, err, pin)
			}
			if os.Getenv("AI_FLOW_TEST_PINS") != "all" {
				return
			}
			i := &installation{o: Options{Registry: reg}, pin: pin, pinned: true, client: newClient(reg), draft: t.TempDir()}
			archive := filepath.Join(i.draft, "archive.tgz")
			if err := i.fetch(t.Context(), archive); err != nil {
				t.Fatal(err)
			}
			if m, err := i.unpack(archive); err != nil || m.SHA256 != pin.SHA256 || m.Size != pin.Size || i.pin.ArchiveSize != pin.ArchiveSize {
				t.Errorf("got %+v, error %v", m, err)
			}
		})
	}
}

// TestBestVersionIsOfThisMachine: without a version it is the first of the table that is pinned for the platform.
func TestBestVersionIsOfThisMachine(t *testing.T) {
	_, pin, o := shop(t)
	elsewhere, later := pin, pin
	elsewhere.Platform, elsewhere.Version = "plan9-x64", "1.2.4"
	later.Version = "1.2.2"
	o.Version = ""
	if c := mustInstall(t, o, elsewhere, pin, later); c.Version != "1.2.3" || !c.Pinned || c.Driven {
		t.Errorf("got %+v", *c)
	}
	_, err := install(t.Context(), o, []Pin{elsewhere})
	wantError(t, err, "no executable of")
}

// TestNoRedirectOutOfTLS: what was asked for over TLS is not taken from anywhere else, and redirects have an end.
func TestNoRedirectOutOfTLS(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "in the clear") }))
	t.Cleanup(plain.Close)
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		to := plain.URL
		if req.URL.Path == "/round" {
			to = "/round"
		}
		http.Redirect(w, req, to, http.StatusFound)
	}))
	t.Cleanup(secure.Close)
	reg, err := ReadRegistry([]string{"npm_config_registry=" + secure.URL}, nil, "@acme")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(reg)
	c.http.Transport = secure.Client().Transport
	for path, says := range map[string]string{"/out": "from https to another scheme", "/round": "too many redirects"} {
		body, err := c.get(t.Context(), secure.URL+path, 100)
		wantError(t, err, says)
		if body != nil {
			t.Error("a body beside the error")
		}
	}
}

package git

import (
	"bytes"
	"crypto/subtle"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is git's own http-backend behind HTTP, with the repository of a checkout at /o/r.git.
type server struct {
	*httptest.Server
	dir     string // the checkout, or a bare repository
	token   string // the password it asks for; "" when anybody may read
	backend http.Handler

	mu       sync.Mutex
	instead  func(w http.ResponseWriter, r *http.Request) bool
	requests []string // "GET /o/r.git/info/refs 200"
	sent     int64    // bytes of bodies, to the client
	received int64    // and from it
	auth     []string // the Authorization headers
}

func serve(t testing.TB, dir, token string) *server {
	t.Helper()
	s := &server{dir: dir, token: token}
	s.Server = httptest.NewServer(s.handler(t))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *server) handler(t testing.TB) http.Handler {
	t.Helper()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, name := range []string{"o", "same"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	gitDir := filepath.Join(s.dir, ".git")
	if _, err := os.Stat(gitDir); err != nil {
		gitDir = s.dir
	}
	if err := os.Symlink(gitDir, filepath.Join(root, "o/r.git")); err != nil {
		t.Fatal(err)
	}
	s.backend = &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Root: "/", Dir: root,
		Env:    []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + root, "PATH=/usr/bin:/bin"},
		Stderr: io.Discard,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedWriter{ResponseWriter: w, status: 200}
		arrived := &countedReader{ReadCloser: r.Body}
		r.Body = arrived
		defer func() { // also when the connection is cut
			s.mu.Lock()
			defer s.mu.Unlock()
			s.requests = append(s.requests, strings.Join([]string{r.Method, r.URL.Path, http.StatusText(counted.status)}, " "))
			s.sent, s.received = s.sent+counted.sent, s.received+arrived.n
			if a := r.Header.Get("Authorization"); a != "" {
				s.auth = append(s.auth, a)
			}
		}()
		s.answer(counted, r)
	})
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	instead := s.instead
	s.mu.Unlock()
	if instead != nil && instead(w, r) {
		return
	}
	if user, password, _ := r.BasicAuth(); s.token != "" && (user != "x-access-token" || subtle.ConstantTimeCompare([]byte(password), []byte(s.token)) == 0) {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`) // as GitHub says it
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	s.git(w, r)
}

// git lets git answer. A CGI program is to be told how much comes, which git does not know for more than 1 MiB.
func (s *server) git(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength < 0 {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	}
	s.backend.ServeHTTP(w, r)
}

// by lets f answer in the place of git; it says whether it did.
func (s *server) by(f func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = f
}

func (s *server) remote() Remote { return Remote{URL: s.URL + "/o/r.git", Token: s.token} }

// seen returns what came since the last call, and the bytes that went out for it.
func (s *server) seen() (requests []string, sent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, sent = s.requests, s.sent
	s.requests, s.sent = nil, 0
	return requests, sent
}

type countedReader struct {
	io.ReadCloser
	n int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.n += int64(n)
	return n, err
}

type countedWriter struct {
	http.ResponseWriter
	status int
	sent   int64
}

func (w *countedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.sent += int64(n)
	return n, err
}

func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// quick is the pace of tests: no wait between two tries. It lets a server be silent for as long as the product does, since
// on a busy machine one that answers may need seconds to begin, and would be taken for one that could not be reached.
func quick() pace {
	return pace{silence: time.Minute, wait: time.Millisecond, look: 20 * time.Second, push: 5 * time.Minute}
}

// impatient is for a server that never says anything.
func impatient() pace { return pace{silence: time.Second, wait: time.Millisecond} }

// fetched fetches the commit that a revision of the server's names.
func (s *server) fetched(t testing.TB, remote Remote, commit OID) *Repo {
	t.Helper()
	r, err := fetch(t.Context(), remote, commit, t.TempDir(), quick())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (s *server) rev(t testing.TB, rev string) OID {
	t.Helper()
	return OID(sh(t, s.dir, "git rev-parse "+rev))
}

// fails fetches, and the directory that was given must be empty afterwards.
func fails(t *testing.T, remote Remote, commit OID) error {
	t.Helper()
	return failsAt(t, quick(), remote, commit)
}

func failsAt(t *testing.T, p pace, remote Remote, commit OID) error {
	t.Helper()
	temp := t.TempDir()
	r, err := fetch(t.Context(), remote, commit, temp, p)
	if err == nil {
		t.Errorf("fetched %v", r.Close())
		return nil
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left %v behind", left)
	}
	return err
}

func (w *countedWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

package fakegithub

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// maxPack bounds what one git request sends, in bytes.
const maxPack = 256 << 20

// backend finds git's own server of smart HTTP.
var backend = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("git", "--exec-path").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), err
})

// isGit reports whether a path is one of git's smart HTTP.
func isGit(path string) bool {
	_, service, found := strings.Cut(path, ".git/")
	return found && (service == "info/refs" || service == "git-upload-pack" || service == "git-receive-pack")
}

// serveGit lets git answer, for those whom GitHub would let in.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	// All of it first: CGI knows no chunked bodies, which git sends when they are long.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPack))
	if err != nil {
		drop(w)
		return
	}
	repo, by, refuse := s.admit(r)
	switch {
	case refuse != nil:
		refuse(w)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack"):
		s.receive(w, r, repo, by, body)
	default:
		// A push comes on a connection of its own: when one breaks that was used before, curl sends it again by itself. Resent
		// is for that.
		if r.URL.Query().Get("service") == "git-receive-pack" {
			w.Header().Set("Connection", "close")
		}
		s.backend(w, r, repo, body)
	}
}

// backend lets git answer.
func (s *Server) backend(w http.ResponseWriter, r *http.Request, repo *Repo, body []byte) {
	program, err := backend()
	if err != nil {
		s.t.Errorf("fake GitHub: %v", err)
		drop(w)
		return
	}
	_, service, _ := strings.Cut(r.URL.Path, ".git/")
	in := r.Clone(r.Context())
	in.URL.Path = "/" + filepath.Base(repo.dir) + "/" + service
	in.Body, in.ContentLength, in.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	in.Header.Del("Authorization")
	h := cgi.Handler{Path: program, Root: "/", Dir: s.dirs, Stderr: io.Discard, Env: append(gitEnvironment(start()),
		"GIT_PROJECT_ROOT="+s.dirs, "GIT_HTTP_EXPORT_ALL=1", "GIT_PROTOCOL="+r.Header.Get("Git-Protocol"))}
	h.ServeHTTP(w, in)
}

// admit finds the repository that a git request is about and whose token it comes with, or how it is refused.
func (s *Server) admit(r *http.Request) (*Repo, *token, func(http.ResponseWriter)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.dead {
		return nil, nil, drop
	}
	name, service, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
	who, good := s.gitUser(r)
	repo, moved := s.repo(name)
	level := "read"
	if strings.Contains(service+r.URL.RawQuery, "git-receive-pack") {
		level = "write"
	}
	switch {
	case !good, who == nil && (level == "write" || repo == nil || repo.private):
		return nil, nil, challenge
	case repo == nil || !who.sees(repo):
		return nil, nil, plain(http.StatusNotFound, "Repository not found.")
	case moved:
		return nil, nil, func(w http.ResponseWriter) {
			http.Redirect(w, r, "/"+repo.fullName()+".git/"+service+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
		}
	case who != nil && !who.serves(repo, level):
		return nil, nil, plain(http.StatusForbidden, "Write access to repository not granted.")
	case repo.archived && level == "write":
		return nil, nil, plain(http.StatusForbidden, "This repository was archived so it is read-only.")
	}
	for _, t := range repo.threads {
		repo.refresh(t)
	}
	return repo, who, nil
}

// serves reports whether git may be used on the repository with the token. What is public may be read with any.
func (t *token) serves(r *Repo, level string) bool {
	return t.reaches(r) && t.may("contents", level) || !r.private && !t.reaches(r) && level == "read"
}

// gitUser reads the token that git sends as a password; nil and good: none was sent.
func (s *Server) gitUser(r *http.Request) (t *token, good bool) {
	if r.Header.Get("Authorization") == "" {
		return nil, true
	}
	user, password, basic := r.BasicAuth()
	t = s.token(password)
	return t, basic && user == "x-access-token" && t != nil
}

func challenge(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
	plain(http.StatusUnauthorized, "Invalid username or token. Password authentication is not supported for Git operations.")(w)
}

func plain(status int, message string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, message+"\n") // a client that is gone needs no answer
	}
}

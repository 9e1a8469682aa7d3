package fakegithub

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
)

// Push is one push that came in over HTTP. What a dead dispatcher still sends is not counted.
type Push struct {
	Repo     string // owner/name
	Ref      string // in full
	Old, New string // what the client says that the reference is at, and what it is to be at; "": nothing
	Token    string // kind, see Request
	Grants   string // of the token: "contents:write metadata:read"
	Status   int    // what was sent; 0 when the connection broke or hung
	Refused  string // the reason behind "remote rejected"; "": GitHub had nothing against it
	Landed   bool   // the reference is at New
}

// Pushes lists the pushes over HTTP so far.
func (s *Server) Pushes() []Push {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pushes)
}

// OnPush is called before each push is handled, when the client has already read where the references are, with its number
// from 1 since this call: for tests that act in between. It may call all methods of the server. nil ends it.
func (s *Server) OnPush(f func(k int, p Push)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushWatch, s.pushWatched = f, 0
}

// pushing is a push under way.
type pushing struct {
	repo *Repo
	by   *token
	all  []update
	pack []byte
}

// receive handles what git sends to git-receive-pack: it counts, lets faults happen, judges, and lets git do the rest.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, repo *Repo, by *token, body []byte) {
	all, pack, err := updates(body)
	switch {
	case err != nil || r.Header.Get("Content-Encoding") != "":
		s.t.Errorf("fake GitHub: a push that cannot be read: %v", err)
		drop(w)
		return
	case len(all) == 0: // git asks whether it may before it sends much
		s.backend(w, r, repo, body)
		return
	}
	p := &pushing{repo, by, all, pack}
	k, alive := s.arrivePush(p)
	if !alive {
		drop(w)
		return
	}
	fault, refused := s.weigh(k, p)
	answer := httptest.NewRecorder()
	switch {
	case fault.before():
	case refused != nil:
		refused.write(answer, all)
	default:
		s.backend(answer, r, repo, body)
		s.landed(k, p)
	}
	if again := p.moved(); fault == Resent && again != nil {
		answer = httptest.NewRecorder()
		again.write(answer, all)
	}
	status := answer.Code
	if fault == NoFault || fault == Resent {
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(status)
		_, _ = w.Write(answer.Body.Bytes()) // a client that is gone needs no answer
	} else {
		status = strike(fault, w, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pushes[k-1].Status = status
}

// arrivePush counts a push and lets the watcher see it, without the lock so that it can act.
func (s *Server) arrivePush(p *pushing) (k int, alive bool) {
	s.mu.Lock()
	if s.faults.dead {
		s.mu.Unlock()
		return 0, false
	}
	u := p.all[0]
	note := Push{Repo: p.repo.fullName(), Ref: u.ref, Old: u.old, New: u.new, Token: p.by.kind, Grants: p.by.granted()}
	s.pushes = append(s.pushes, note)
	k = len(s.pushes)
	s.pushWatched++
	watch, n := s.pushWatch, s.pushWatched
	s.mu.Unlock()
	if watch != nil {
		watch(n, note)
	}
	return k, true
}

func (t *token) granted() string {
	var all []string
	for _, permission := range slices.Sorted(maps.Keys(t.grants)) {
		all = append(all, permission+":"+t.grants[permission])
	}
	return strings.Join(all, " ")
}

// weigh finds out what is to happen to push k: its fault, and what GitHub has against it.
func (s *Server) weigh(k int, p *pushing) (Fault, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := s.faults.next(s.faults.pushes, k)
	refused := s.judgePush(p)
	if refused != nil && !fault.before() {
		s.pushes[k-1].Refused = refused.reason
	}
	return fault, refused
}

// landed notes what git did with push k. A first check suite is made for each new tip.
func (s *Server) landed(k int, p *pushing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range p.all {
		if p.repo.ref(u.ref) != u.new {
			return
		}
		if _, seen := p.repo.checked[u.new]; u.new != "" && !seen {
			p.repo.checked[u.new] = s.tick()
		}
	}
	s.pushes[k-1].Landed = true
	s.refreshAll()
}

// refreshAll brings all pull requests up to date.
func (w *world) refreshAll() {
	for _, r := range w.repos {
		for _, t := range r.threads {
			r.refresh(t)
		}
	}
}

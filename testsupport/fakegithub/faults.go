package fakegithub

import (
	"net"
	"net/http"
)

// Fault is what happens to one request, or to one push.
type Fault uint8

// The faults.
const (
	NoFault        Fault = iota
	Fail500Before        // 500, nothing was written
	Fail502After         // written, then 502
	DropBefore           // the connection breaks before anything happens
	DropAfter            // it happens, then the connection breaks
	SecondaryLimit       // 403 with the secondary limit's words and no header
	Hang                 // no answer until the client gives up; nothing was written
	KillBefore           // from this request on the dispatcher is dead: this and every further request of it is dropped, nothing written
	KillAfter            // it happens, then the dispatcher is dead
	Resent               // of pushes: it happens, its answer is lost on the way, git sends it again by itself and sees the second answer
)

// faults is what is still to happen.
type faults struct {
	at     map[int]Fault // by the number of the request
	pushes map[int]Fault // by the number of the push
	dead   bool          // every request is dropped, git's as well
}

// FaultAt lets fault happen to the k-th API request from now (from 1), REST and GraphQL counted together. In OnRequest 0 is
// the request that comes just now.
func (s *Server) FaultAt(k int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.at == nil {
		s.faults.at = map[int]Fault{}
	}
	if f == Resent {
		s.t.Fatal("fake GitHub: only pushes are sent again by themselves")
	}
	s.faults.at[len(s.requests)+k] = f
}

// FaultPush lets fault happen to the k-th push over HTTP from now (from 1). Pushes are counted by themselves: API requests and
// what git asks before it pushes are none. In OnPush 0 is the push that comes just now.
func (s *Server) FaultPush(k int, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.pushes == nil {
		s.faults.pushes = map[int]Fault{}
	}
	s.faults.pushes[len(s.pushes)+k] = f
}

// Revive lets a killed dispatcher's successor through. Faults that have not happened yet are forgotten.
func (s *Server) Revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults{}
}

// next is the fault of request k, or of push k.
func (f *faults) next(of map[int]Fault, k int) Fault {
	if f.dead {
		return KillBefore // killed while it was on its way
	}
	now := of[k]
	f.dead = now == KillBefore || now == KillAfter
	return now
}

// before reports whether the fault comes in place of the request.
func (f Fault) before() bool {
	switch f {
	case Fail500Before, DropBefore, SecondaryLimit, Hang, KillBefore:
		return true
	}
	return false
}

// strike lets the fault happen to the client. It returns the status that the client sees; 0: none.
func strike(f Fault, w http.ResponseWriter, r *http.Request) int {
	switch f {
	case Fail500Before:
		return send(w, fail(http.StatusInternalServerError, "Server Error"))
	case Fail502After:
		return send(w, fail(http.StatusBadGateway, "Server Error"))
	case SecondaryLimit:
		return send(w, fail(http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."))
	case Hang:
		<-r.Context().Done() // Close ends it as well, by ending the connection
	}
	drop(w)
	return 0
}

// drop breaks the connection with a reset, so that the client learns of it at once.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // it is gone already
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else the client sees a clean end
	}
	_ = conn.Close()
}

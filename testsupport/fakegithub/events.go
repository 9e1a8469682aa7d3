package fakegithub

// Event is an event as a runner gets it.
type Event struct {
	Name    string
	Payload []byte
	ID      int64 // of the comment or review
}

// event is the event that a runner gets when x is written ("created", or "submitted" for a review), with s.mu held.
func (s *Server) event(x *text) Event { return Event{ID: x.id} }

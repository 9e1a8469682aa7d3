package fakegithub

import (
	"fmt"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// Event is an event as a runner gets it.
type Event struct {
	Name    string
	Payload []byte
	ID      int64 // of the comment or review
}

// Event is the event of a comment or review as GitHub would send it now: with what has become of the thread since, and
// null in place of an account that was deleted.
func (r *Repo) Event(id int64) Event {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.s.event(r.mustText(0, id))
}

// CommentVia is a comment that a person writes through the App called slug, see Comment.
func (r *Repo) CommentVia(number int, author, slug, body string) Event {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	x := r.s.write(r.must(number), comment, r.s.person(author), body)
	if x.app = r.s.appCalled(func(a *app) bool { return a.slug == slug }); x.app == nil {
		r.s.t.Fatalf("fake GitHub: there is no App %q", slug)
	}
	return r.s.event(x)
}

func (w *world) appCalled(is func(*app) bool) *app {
	for _, a := range w.apps {
		if is(a) {
			return a
		}
	}
	return nil
}

// event is the event that a runner gets when x is written ("created", or "submitted" for a review), with s.mu held.
func (s *Server) event(x *text) Event {
	name, action := "issue_comment", "created"
	switch x.kind {
	case onLine:
		name = "pull_request_review_comment"
	case ofReview:
		name, action = "pull_request_review", "submitted"
	}
	x.repo.refresh(x.on)
	payload := encode(s.payload(x, action))
	if err := s.sound(name, action, payload); err != nil {
		s.t.Errorf("fake GitHub: a payload of %s that GitHub would not send: %v", name, err)
	}
	return Event{Name: name, Payload: payload, ID: x.id}
}

// sound holds a payload to the schema of webhooks. That has nowhere null for an account or a fork that is gone, though
// GitHub sends it; so what is judged has a stand-in there, and all else is the same.
func (s *Server) sound(event, action string, payload []byte) error {
	v, err := decode(payload)
	if err != nil {
		return fmt.Errorf("the payload is no JSON: %w", err)
	}
	all := v.(object)
	each(all, func(o object) {
		if user, is := o["user"]; is && user == nil {
			o["user"] = all["sender"]
		}
		if repo, is := o["repo"]; is && repo == nil {
			o["repo"] = all["repository"]
		}
	})
	return webhooks.Check(event, action, encode(all))
}

// each calls f with o and all objects in it.
func each(v any, f func(object)) {
	switch v := v.(type) {
	case object:
		f(v)
		for _, e := range v {
			each(e, f)
		}
	case []any:
		for _, e := range v {
			each(e, f)
		}
	}
}

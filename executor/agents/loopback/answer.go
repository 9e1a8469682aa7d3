package loopback

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// query is what a request says, whatever the dialect.
type query struct {
	model   string
	stream  bool
	tools   []tool
	prompt  string // the user's last message
	answers int    // answers of the model since then
	usage   bool   // token counts are wanted at the end of a stream
}

// reply is one answer, whatever the dialect.
type reply struct {
	model string
	text  string
	calls []namedCall
	seq   int // of the request, for ids that are unique in a session
}

type namedCall struct{ id, name, args string }

// dialect is one provider's way of writing requests and answers. Chat completions are one; responses and messages have
// a place here.
type dialect interface {
	decode(body []byte) (query, error)
	encode(reply) any                        // a whole answer
	stream(reply, query, func(event []byte)) // the same in pieces: the data of server-sent events
}

func (s *Server) handler(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		q, err := d.decode(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		round, turn, n := s.script.round(q)
		rec := Request{At: time.Now(), Path: r.URL.Path, Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
			Model: q.model, Prompt: q.prompt, Turn: turn, Round: n, Body: body}
		for _, t := range q.tools {
			rec.Tools = append(rec.Tools, t.name)
		}
		if !s.record(rec) {
			http.Error(w, "the loopback model answers no more requests", http.StatusTooManyRequests)
			return
		}
		s.answer(w, r, d, q, round)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, q query, round Round) {
	select {
	case <-time.After(round.Delay):
	case <-r.Context().Done():
		return
	}
	if round.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(round.Status)
		fmt.Fprintf(w, `{"error":{"message":"scripted status %d","type":"scripted"}}`, round.Status)
		return
	}
	rep, err := s.reply(q, round)
	if err != nil {
		http.Error(w, "the script asks for a tool that is not there: "+err.Error(), http.StatusBadRequest)
		return
	}
	if !q.stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(d.encode(rep)) // the agent went away: nothing to do about it
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	d.stream(rep, q, func(event []byte) {
		fmt.Fprintf(w, "data: %s\n\n", event)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	})
}

func (s *Server) reply(q query, round Round) (reply, error) {
	s.mu.Lock()
	rep := reply{model: q.model, text: round.Say, seq: len(s.requests)}
	s.mu.Unlock()
	for i, c := range round.Calls {
		name, args, err := c.resolve(q.tools)
		if err != nil {
			return rep, err
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return rep, fmt.Errorf("encoding the arguments of %s: %w", name, err)
		}
		rep.calls = append(rep.calls, namedCall{id: fmt.Sprintf("call_%d_%d", rep.seq, i), name: name, args: string(raw)})
	}
	return rep, nil
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list",
		"data": []any{map[string]any{"id": s.script.model(), "object": "model", "created": 0, "owned_by": "loopback"}}})
}

package loopback

import (
	"encoding/json"
	"errors"
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
	after   int    // seq of the answer that this request goes on from; 0 when it holds the whole conversation
}

// reply is one answer, whatever the dialect.
type reply struct {
	model string
	text  string
	calls []namedCall
	seq   int // of the request, for ids that are unique in a session
}

// namedCall is a call as the agent expects it: args is JSON, or the bare text that a custom tool takes.
type namedCall struct {
	id, name string
	kind     toolKind
	args     string
}

// dialect is one provider's way of writing requests and answers.
type dialect interface {
	decode(r *http.Request, body []byte) (query, error) // r for what its path says
	encode(reply) any                                   // a whole answer
	stream(reply, query, emit)                          // the same in pieces
}

// emit sends one server-sent event; its name may be "".
type emit func(name string, data []byte)

// encoded is a value of ours as JSON: maps of strings and numbers, which cannot fail.
func encoded(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}

func (s *Server) handler(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.full() {
			refuseMore(w)
			return
		}
		q, body, status, err := s.read(w, r, d)
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		round, turn, n := s.script.round(q)
		rep, missing, err := answerOf(q, round)
		if err == nil {
			err = rep.check()
		}
		if err != nil {
			http.Error(w, "the script's call cannot be written: "+err.Error(), http.StatusBadRequest)
			return
		}
		rec := Request{At: time.Now(), Path: word(r.URL.Path), Key: word(key(r)), Model: word(q.model), Prompt: q.prompt,
			Turn: turn, Round: n, Missing: missing, Body: body, answers: q.answers}
		for _, t := range q.tools {
			rec.Tools = append(rec.Tools, t.name)
		}
		seq := s.record(rec)
		if seq == 0 {
			refuseMore(w)
			return
		}
		q.prompt, q.tools = "", nil // whoever is slow to read the answer does not keep them
		s.answer(w, r, d, q, round, rep.numbered(seq))
	}
}

func refuseMore(w http.ResponseWriter) {
	http.Error(w, "the loopback model answers no more requests", http.StatusTooManyRequests)
}

// read takes a request in when it is its turn: many large ones at once would fill the memory, whatever the bound of each.
func (s *Server) read(w http.ResponseWriter, r *http.Request, d dialect) (query, []byte, int, error) {
	select {
	case s.turns <- struct{}{}:
	case <-r.Context().Done():
		return query{}, nil, http.StatusServiceUnavailable, r.Context().Err()
	}
	defer func() { <-s.turns }()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return query{}, nil, http.StatusRequestEntityTooLarge, err
	}
	if err := checkValues(body); err != nil {
		return query{}, nil, http.StatusBadRequest, err
	}
	q, err := d.decode(r, body)
	if err != nil {
		return query{}, nil, http.StatusBadRequest, err
	}
	if q, err = s.resumed(q); err != nil {
		return query{}, nil, http.StatusNotFound, err
	}
	return q, body, 0, nil
}

// key is the credential of a request, wherever its provider wants it.
func key(r *http.Request) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if v := r.Header.Get(name); v != "" {
			return v
		}
	}
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// resumed is the query with what was said before the answer that it goes on from. The request names that answer, so this
// is no count of requests.
func (s *Server) resumed(q query) (query, error) {
	if q.after == 0 {
		return q, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.after < 0 || q.after > len(s.requests) {
		return q, errors.New("the previous response is not known")
	}
	if before := s.requests[q.after-1]; q.prompt == "" {
		q.prompt, q.answers = before.Prompt, before.answers+1
	}
	return q, nil
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, q query, round Round, rep reply) {
	select {
	case <-time.After(round.Delay):
	case <-r.Context().Done():
		return
	}
	if round.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(round.Status)
		fmt.Fprintf(w, `{"type":"error","error":{"message":"scripted status %d","type":"scripted"}}`, round.Status)
		return
	}
	if !q.stream {
		writeJSON(w, d.encode(rep))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	d.stream(rep, q, func(name string, data []byte) {
		if name != "" {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	})
}

// answerOf is the answer of a round, or, when no tool is offered for one of its deeds, a sentence that says so, and the deed.
func answerOf(q query, round Round) (rep reply, missing Deed, err error) {
	rep = reply{model: q.model, text: round.Say}
	for _, c := range round.Calls {
		call, found, err := c.resolve(q.tools)
		if err != nil {
			return rep, Named, err
		}
		if !found {
			return reply{model: q.model, text: fmt.Sprintf(missingSentence, c.Deed)}, c.Deed, nil
		}
		rep.calls = append(rep.calls, call)
	}
	return rep, Named, nil
}

// missingSentence takes the name of a deed.
const missingSentence = "The loopback model is offered no tool for the deed %q."

// numbered is the reply with the number of its request, in the ids of its calls too.
func (r reply) numbered(seq int) reply {
	r.seq = seq
	for i := range r.calls {
		r.calls[i].id = fmt.Sprintf("call_%d_%d", seq, i)
	}
	return r
}

// pieces cuts text as it is streamed: short enough that words, and a WANTED line, are cut.
func pieces(text string) (out []string) {
	for runes := []rune(text); len(runes) > 0; {
		n := min(pieceLength, len(runes))
		out, runes = append(out, string(runes[:n])), runes[n:]
	}
	return out
}

const pieceLength = 24 // runes

// Token counts are fixed, so that what an agent makes of them can be checked.
const (
	tokensIn  = 11 // of each request
	tokensOut = 7  // of each answer
)

// models lists one model, in the words of OpenAI and of Anthropic at once: both ask at this path.
func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	id := s.script.model()
	writeJSON(w, map[string]any{"object": "list", "has_more": false, "first_id": id, "last_id": id,
		"data": []any{map[string]any{"id": id, "object": "model", "created": 0, "owned_by": "loopback",
			"type": "model", "display_name": id, "created_at": "1970-01-01T00:00:00Z"}}})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the agent went away: nothing to do about it
}

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
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		q, err := d.decode(r, body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if q, err = s.resumed(q); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		round, turn, n := s.script.round(q)
		rec := Request{At: time.Now(), Path: r.URL.Path, Key: key(r), Model: q.model, Prompt: q.prompt,
			Turn: turn, Round: n, Body: body, answers: q.answers}
		for _, t := range q.tools {
			rec.Tools = append(rec.Tools, t.name)
		}
		seq := s.record(rec)
		if seq == 0 {
			http.Error(w, "the loopback model answers no more requests", http.StatusTooManyRequests)
			return
		}
		s.answer(w, r, d, q, round, seq)
	}
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

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect, q query, round Round, seq int) {
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
	rep, err := answerOf(q, round, seq)
	if err != nil {
		http.Error(w, "the script asks for a tool that is not there: "+err.Error(), http.StatusBadRequest)
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

func answerOf(q query, round Round, seq int) (reply, error) {
	rep := reply{model: q.model, text: round.Say, seq: seq}
	for i, c := range round.Calls {
		call, err := c.resolve(q.tools)
		if err != nil {
			return rep, err
		}
		call.id = fmt.Sprintf("call_%d_%d", seq, i)
		rep.calls = append(rep.calls, call)
	}
	return rep, nil
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

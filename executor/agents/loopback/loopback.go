// Package loopback is a scripted language model on 127.0.0.1, for driving real agents without a network, an account or
// a bill: `ai-flow probe` uses it, and so do the tests.
//
// An agent is pointed to it by its provider's base URL. What it answers depends on the request alone, never on how many
// requests came before: agents ask for titles, suggestions and summaries on the side, and repeat a request whose answer
// was cut, so a server that counts requests would hand a round of the script to the wrong one. The turn is the first
// whose Prompt stands in the last thing the user said; the round is the number of answers of the model since then.
//
// It speaks four dialects, told apart by path: OpenAI's chat completions and responses, Anthropic's messages, and Gemini's
// generateContent, each streamed and whole. It never compresses, and knows no WebSocket.
//
// Its one invariant: it listens on 127.0.0.1 only, it serves nobody who was not told its address, and everything that it
// takes in or keeps is bounded. Each user of the host can connect to a port, so the address holds a secret path. It refuses to be
// a model: what the script does not say is answered by one fixed sentence.
//
// The script speaks of deeds ([Shell], [Read], [Write], [Edit]), since every agent names its tools differently; the
// server finds the tool among those that the request offers and fills in the arguments that its schema asks for. Where
// nothing fits, the answer is a sentence that says so, and the request is marked ([Request.Missing]): an HTTP error would be
// retried by agents for minutes.
package loopback

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server answers by script until it is closed.
type Server struct {
	Addr net.Addr

	script Script
	secret string // first part of each path, with its slash
	http   *http.Server
	done   chan struct{}
	turns  chan struct{} // holds one for each request that is being read

	mu       sync.Mutex
	requests []Request
	kept     int
}

// Request is one request as it came. Once 64 MiB have been kept, of later ones Tools, Prompt and Body are left out.
type Request struct {
	At     time.Time
	Path   string // at most 1 KiB, as Key and Model: what is longer is cut
	Key    string // of X-Api-Key, X-Goog-Api-Key, or Authorization without the word Bearer
	Model  string
	Tools  []string // names offered
	Prompt string   // the last thing the user said
	Turn   int      // index of the turn of the script that answered; -1 for none
	Round  int
	// Missing is the deed of the answer for which no tool was offered; Named when there was none such. Agents ask on the
	// side with fewer tools, so a deed is missing from an agent when no request of a turn found it.
	Missing Deed
	Body    []byte

	answers int // of the model since the prompt
}

// Start serves on a free port of 127.0.0.1 until ctx ends or Close is called.
func Start(ctx context.Context, s Script) (*Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the loopback model: %w", err)
	}
	srv := &Server{Addr: l.Addr(), script: s, secret: "/" + rand.Text(), done: make(chan struct{}), turns: make(chan struct{}, maxAtOnce)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", srv.models)
	mux.HandleFunc("POST /v1/chat/completions", srv.handler(chat{}))
	mux.HandleFunc("POST /v1/responses", srv.handler(responses{}))
	mux.HandleFunc("POST /v1/messages", srv.handler(messages{}))
	mux.HandleFunc("POST /v1/messages/count_tokens", srv.handler(messages{countOnly: true}))
	mux.HandleFunc("GET /v1beta/models", srv.geminiModels)
	mux.HandleFunc("POST /v1beta/models/{call}", srv.handler(gemini{}))
	srv.http = &http.Server{
		Handler: http.StripPrefix(srv.secret, mux), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(srv.done)
		_ = srv.http.Serve(listener{l, make(chan struct{}, maxOpen)}) // always ErrServerClosed: nothing else ends a listener of ours
	}()
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	return srv, nil
}

// Root is the base URL that Anthropic's and Google's clients want: without a slash at its end. Its path is a secret.
func (s *Server) Root() string { return "http://" + s.Addr.String() + s.secret }

// URL is the base URL that OpenAI's clients want: with /v1 and without a slash at its end.
func (s *Server) URL() string { return s.Root() + "/v1" }

// Requests returns what was asked so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Close ends the server and the connections that it has.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// full reports whether the bound on requests is reached.
func (s *Server) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests) >= s.script.requests()
}

// record keeps a request and returns its number, from 1; 0 beyond the bound.
func (s *Server) record(r Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= s.script.requests() {
		return 0
	}
	if size := r.size(); s.kept+size > maxKept {
		r = Request{At: r.At, Path: r.Path, Key: r.Key, Model: r.Model, Turn: r.Turn, Round: r.Round, Missing: r.Missing, answers: r.answers}
	} else {
		s.kept += size
	}
	s.requests = append(s.requests, r)
	return len(s.requests)
}

// size is what of a request its sender decides without a bound, in bytes.
func (r Request) size() int {
	const header = 16 // of a string in a list
	n := len(r.Prompt) + len(r.Body)
	for _, t := range r.Tools {
		n += header + len(t)
	}
	return n
}

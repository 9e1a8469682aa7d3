package loopback

import (
	"fmt"
	"net"
	"sync"
)

const (
	maxBody     = 32 << 20  // bytes of one request; Copilot's first is about 60 KB
	maxHeader   = 64 << 10  // bytes of its headers
	maxValues   = 200_000   // JSON values in one request: each may become 100 bytes and more, though it be two
	maxAnswer   = 256 << 10 // bytes of what an answer repeats of a request
	maxRequests = 500       // requests answered in one life; later ones get 429
	maxKept     = 64 << 20  // bytes of requests kept for Requests
	maxWord     = 1 << 10   // bytes of a path, a key and a name of a model that are kept
	maxAtOnce   = 8         // requests read at the same time; the others wait
	maxOpen     = 256       // connections at the same time; others are closed at once
)

// checkValues refuses a request that would become much larger than it is. What it counts separates values wherever it does
// not stand in a text; whether the whole is well formed is found out later.
func checkValues(body []byte) error {
	n, text := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			text = !text
		case text && c == '\\':
			i++
		case !text && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	if n > maxValues {
		return fmt.Errorf("a request of more than %d values", maxValues)
	}
	return nil
}

// check refuses an answer that would repeat too much of its request: it is sent in pieces, each of which names the model.
func (r reply) check() error {
	n := len(r.model)
	for _, c := range r.calls {
		n += len(c.name) + len(c.args)
	}
	if n > maxAnswer || len(r.model) > maxWord {
		return fmt.Errorf("the answer would repeat more than %d bytes of the request", maxAnswer)
	}
	return nil
}

// word is foreign text, cut.
func word(s string) string { return s[:min(len(s), maxWord)] }

// listener accepts a bounded number of connections. Those beyond are closed, and not left to wait: whoever fills the
// places would keep the agent waiting for ever.
type listener struct {
	net.Listener
	places chan struct{}
}

func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &conn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			_ = c.Close() // nobody of ours
		}
	}
}

// conn gives its place back when it is closed.
type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

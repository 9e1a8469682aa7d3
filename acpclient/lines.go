package acpclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

const (
	chunkSize = 64 << 10
	keepSize  = 1 << 20 // a line buffer grown beyond this is let go after its line
)

// errQuiet says that nothing was there to read for as long as the caller would wait.
var errQuiet = errors.New("quiet")

type chunk struct {
	data []byte
	err  error
}

// lines cuts a reader into lines of bounded length. A goroutine of its own sits in Read, two chunks going round between
// it and next: so waiting for a line can end although Read cannot, and reading goes on while a line is handled. A
// bufio.Reader was rejected since it can do neither; read deadlines were, since only some readers have them.
type lines struct {
	ctx    context.Context
	max    int
	full   chan chunk
	empty  chan []byte
	chunk  []byte // what next is cutting up now
	rest   []byte // its part not yet handed out
	long   []byte // the line under way, as far as it lies in earlier chunks
	handed bool   // the line under way was handed out
	err    error  // how the reader ended
}

func newLines(ctx context.Context, r io.Reader, max int) *lines {
	l := &lines{ctx: ctx, max: max, full: make(chan chunk), empty: make(chan []byte, 2)}
	l.empty <- make([]byte, chunkSize)
	l.empty <- make([]byte, chunkSize)
	go l.pump(r)
	return l
}

func (l *lines) pump(r io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-l.empty:
		case <-l.ctx.Done():
			return
		}
		n, err := readSome(r, buf)
		select {
		case l.full <- chunk{buf[:n], err}:
		case <-l.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// readSome reads at least a byte or an error; a reader that gives neither a hundred times is broken.
func readSome(r io.Reader, buf []byte) (int, error) {
	for range 100 {
		if n, err := r.Read(buf); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// next returns one line without its newline, valid until the next call. The last line needs no newline. With patience
// above zero it gives up with errQuiet when nothing comes for that long; what there is of a line is kept.
func (l *lines) next(patience time.Duration) ([]byte, error) {
	if l.handed {
		if cap(l.long) > keepSize {
			l.long = nil
		}
		l.long, l.handed = l.long[:0], false
	}
	for {
		head, tail, found := bytes.Cut(l.rest, []byte{'\n'})
		if len(l.long)+len(head) > l.max {
			return nil, breach("the agent sent a line of more than %d bytes", l.max)
		}
		l.rest = tail
		if found {
			return l.hand(head), nil
		}
		if l.err != nil {
			if len(l.long)+len(head) > 0 {
				return l.hand(head), nil
			}
			return nil, l.err
		}
		l.keep(head)
		if err := l.refill(patience); err != nil {
			return nil, err
		}
	}
}

func (l *lines) hand(head []byte) []byte {
	l.handed = true
	if len(l.long) == 0 {
		return head
	}
	l.keep(head)
	return l.long
}

// keep adds to the line under way. It grows by doubling, never beyond the bound, so that the longest line costs at most
// one and a half times its length.
func (l *lines) keep(part []byte) {
	if need := len(l.long) + len(part); need > cap(l.long) {
		grown := make([]byte, len(l.long), max(need, min(2*cap(l.long), l.max), 2*chunkSize))
		copy(grown, l.long)
		l.long = grown
	}
	l.long = append(l.long, part...)
}

// refill gives the chunk in hand back and waits for the next one.
func (l *lines) refill(patience time.Duration) error {
	if l.chunk != nil {
		l.empty <- l.chunk[:cap(l.chunk)]
		l.chunk = nil
	}
	var quiet <-chan time.Time
	if patience > 0 {
		quiet = time.After(patience)
	}
	if l.ctx.Err() != nil { // select alone might go on reading for a while
		return context.Cause(l.ctx)
	}
	select {
	case c := <-l.full:
		l.chunk, l.rest, l.err = c.data, c.data, c.err
		return nil
	case <-quiet:
		return errQuiet
	case <-l.ctx.Done():
		return context.Cause(l.ctx)
	}
}

package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// maxPipe is the most that a pipe can hold for an unprivileged writer (pipe-max-size), so the most that can be left in
// it after its writers are gone.
const maxPipe = 1 << 20

// inlet is the child's standard input. Closing it twice is not an error: the ladder closes it whoever closed it before.
type inlet struct {
	f    *os.File
	once sync.Once
	err  error
}

func newInlet(f *os.File) *inlet { return &inlet{f: f} }

func (i *inlet) Write(p []byte) (int, error) { return i.f.Write(p) }

func (i *inlet) Close() error {
	i.once.Do(func() { i.err = i.f.Close() })
	return i.err
}

// outlet is the child's standard output: a plain pipe for as long as the child lives, so that a reader that does not read
// makes the child wait; after finish, what was left in the pipe and then the end.
type outlet struct {
	mu       sync.Mutex // held while the pipe is read
	f        source
	finished chan struct{}
	rest     []byte // valid once finished is closed
	ended    bool   // the pipe came to its end by itself; descriptor is closed
}

// source is a pipe or a terminal.
type source interface {
	io.ReadCloser
	SetReadDeadline(t time.Time) error
}

func newOutlet(f source) *outlet { return &outlet{f: f, finished: make(chan struct{})} }

func (o *outlet) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := o.readPipe(p)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	<-o.finished // the deadline is finish's way to take the pipe over
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.rest) == 0 {
		return 0, io.EOF
	}
	n = copy(p, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

func (o *outlet) readPipe(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.finished:
		return 0, os.ErrDeadlineExceeded
	default:
	}
	if o.ended {
		return 0, io.EOF
	}
	n, err := o.f.Read(p)
	if n == 0 && err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		o.ended = true // the descriptor is given back as soon as it is of no use
		err = errors.Join(o.f.Close())
		if err == nil {
			err = io.EOF
		}
	}
	return n, err
}

// finish takes the pipe away from its reader, keeps what is in it, at most maxPipe bytes and until the given time, and
// closes it. It reports whether the pipe had come to its end: false means that somebody still holds it open.
func (o *outlet) finish(until time.Time) bool {
	// On a descriptor that the reader closed at its end this fails, and there is nothing to take over then.
	_ = o.f.SetReadDeadline(time.Unix(1, 0))
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.finished: // the terminal was taken away before
		return o.ended
	default:
	}
	defer close(o.finished)
	if o.ended {
		return true
	}
	_ = o.f.SetReadDeadline(until)
	rest, err := io.ReadAll(io.LimitReader(o.f, maxPipe))
	o.rest = rest
	o.ended = err == nil && len(rest) < maxPipe
	_ = o.f.Close()
	return o.ended
}

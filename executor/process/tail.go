package process

import (
	"io"
	"os"
	"sync"
	"time"
)

// tail reads standard error to its end for as long as the child lives, and keeps the last tailSize bytes.
type tail struct {
	f    *os.File
	done chan struct{}

	mu   sync.Mutex
	kept []byte // at most twice tailSize, so that moving is rare
	eof  bool
}

func newTail(f *os.File, on func([]byte)) *tail {
	t := &tail{f: f, done: make(chan struct{})}
	go t.read(on)
	return t
}

func (t *tail) read(on func([]byte)) {
	defer close(t.done)
	defer t.f.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := t.f.Read(buf)
		if n > 0 {
			t.keep(buf[:n])
			if on != nil {
				on(buf[:n])
			}
		}
		if err != nil {
			t.mu.Lock()
			t.eof = err == io.EOF
			t.mu.Unlock()
			return
		}
	}
}

func (t *tail) keep(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept)+len(p) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[max(0, len(t.kept)-tailSize):]...)
	}
	t.kept = append(t.kept, p...)
}

func (t *tail) bytes() []byte {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.kept[max(0, len(t.kept)-tailSize):]...)
}

// finish waits for the end until the given time, then cuts it off. It reports whether the end had come.
func (t *tail) finish(until time.Time) bool {
	if t == nil {
		return true
	}
	if soon := time.Now().Add(50 * time.Millisecond); until.Before(soon) {
		until = soon // a deadline in the past would leave unread even what is in the pipe
	}
	// A deadline, not Close: it wakes the reader without a race for the descriptor. It fails only when the reader is done.
	_ = t.f.SetReadDeadline(until)
	wait := time.NewTimer(time.Until(until) + 100*time.Millisecond)
	defer wait.Stop()
	select {
	case <-t.done:
	case <-wait.C: // OnStderr did not return; its goroutine ends when it does
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.eof
}

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Terminal is the size of a pseudo-terminal in characters. Zero means none.
type Terminal struct{ Columns, Rows uint16 }

// launchOnTerminal starts the program as the leader of a session that has a new terminal, which is its standard input,
// output and error alike.
func (ch *Child) launchOnTerminal() error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("opening a terminal: %w", err)
	}
	if err := ch.startOn(ours, theirs); err != nil {
		return errors.Join(err, ours.Close(), theirs.Close())
	}
	ch.theirs = theirs // until the child's end: a terminal that nobody has open hangs up on its session
	ch.in, ch.out = &keyboard{f: ours, exited: ch.exited}, newOutlet(screen{ours})
	return nil
}

func (ch *Child) startOn(ours, theirs *os.File) error {
	size := ch.command.Terminal
	if err := pty.Setsize(ours, &pty.Winsize{Cols: size.Columns, Rows: size.Rows}); err != nil {
		return fmt.Errorf("setting the size of a terminal: %w", err)
	}
	// The library asked for the descriptor, which makes it a blocking one, and then no deadline would end a Read.
	if err := syscall.SetNonblock(int(ours.Fd()), true); err != nil {
		return fmt.Errorf("preparing a terminal: %w", err)
	}
	ch.cmd = newCmd(ch.command.Argv, ch.command.Env, ch.command.Dir)
	ch.cmd.SysProcAttr.Setctty = true // of descriptor 0 in the child
	ch.cmd.Stdin, ch.cmd.Stdout, ch.cmd.Stderr = theirs, theirs, theirs
	return ch.cmd.Start()
}

// screen is our side of a terminal as a source of output.
type screen struct{ *os.File }

// Read gives io.EOF when nobody has the terminal open any more, which Linux tells by EIO.
func (s screen) Read(p []byte) (int, error) {
	n, err := s.File.Read(p)
	if errors.Is(err, syscall.EIO) {
		err = io.EOF
	}
	return n, err
}

// keyboard is our side of a terminal as the child's input. A terminal has no end of input but the key for it, which counts
// for one Read of whoever reads next; so a closed keyboard presses it again and again. The first time is late enough
// for a sudo that makes a terminal of its own to be ready to pass it on.
type keyboard struct {
	f      *os.File
	exited <-chan struct{}
	once   sync.Once
}

// The rhythm of a closed keyboard, and when it stops: the kernel keeps no more than 4095 keys for a child that reads none.
const (
	keyPause = 250 * time.Millisecond
	maxKeys  = 4000
)

func (k *keyboard) Write(p []byte) (int, error) { return k.f.Write(p) }

func (k *keyboard) Close() error {
	k.once.Do(func() { go k.pressEnd() })
	return nil
}

func (k *keyboard) pressEnd() {
	tick := time.NewTicker(keyPause)
	defer tick.Stop()
	for range maxKeys {
		select {
		case <-k.exited:
			return
		case <-tick.C:
		}
		if _, err := k.f.Write([]byte{4}); err != nil {
			return // the terminal is closed
		}
	}
}

// hangUp takes the terminal away. The kernel then sends HUP and CONT to the leader of its session, whoever that runs as:
// the only way for an unprivileged dispatcher to wake a sudo that stopped itself because its child did.
func (ch *Child) hangUp() bool {
	if ch.command.Terminal == (Terminal{}) {
		return false
	}
	ch.out.finish(time.Now().Add(drainTime))
	return true
}

// drainTime is for what is left in a terminal that is taken away.
const drainTime = 100 * time.Millisecond

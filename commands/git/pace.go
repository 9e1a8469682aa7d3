package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// pace is what tests cannot wait for.
type pace struct {
	silence time.Duration // whole seconds without a byte that end a try
	wait    time.Duration // before the second try; three times that before the third
	look    time.Duration // for the last look at what a push came to, when the caller's time is up
	push    time.Duration // for a push with all of its tries
}

func usual() pace {
	return pace{silence: time.Minute, wait: time.Second, look: 5 * time.Second, push: transferTime}
}

const tries = 3

// persist asks a server, and again when it was not to be reached; once, where the repository is now. What is asked must
// change nothing there.
func (r *Repo) persist(ctx context.Context, remote Remote, p pace, ask func(Remote) error) error {
	for try := 1; ; try++ {
		err := ask(remote)
		if errors.Is(err, errMoved) && try == 1 {
			if remote.URL, err = r.newPlace(ctx, remote, p.silence); err != nil {
				return err
			}
			continue
		}
		if try >= tries || !errors.Is(err, ErrUnreachable) {
			return err
		}
		if err := p.pause(ctx, try, err); err != nil {
			return err
		}
	}
}

// pause waits before the try after a given one, which ended with before. An error is ctx's.
func (p pace) pause(ctx context.Context, try int, before error) error {
	wait := p.wait
	for range try - 1 {
		wait *= 3
	}
	// A little more, so that not all come back at the same moment.
	t := time.NewTimer(wait + rand.N(wait/4+1))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w (before that: %w)", context.Cause(ctx), before)
	case <-t.C:
		return nil
	}
}

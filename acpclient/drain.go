package acpclient

import "time"

// drain holds the answered prompts whose callers are not told yet, while the reader looks for a tail. Only the reading
// goroutine touches it.
type drain struct {
	calls []*call
	until time.Time
}

func (d *drain) hold(c *call) {
	if len(d.calls) == 0 {
		d.until = time.Now().Add(drainMost)
	}
	d.calls = append(d.calls, c)
}

// patience is how long the reader may wait for another line; 0 is without end.
func (d *drain) patience() time.Duration {
	if len(d.calls) == 0 {
		return 0
	}
	return drainQuiet
}

func (d *drain) overdue() bool { return len(d.calls) > 0 && time.Now().After(d.until) }

func (d *drain) release() {
	for _, c := range d.calls {
		c.finish(nil)
	}
	d.calls = nil
}

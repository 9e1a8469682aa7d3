package isolation

import (
	"context"
	"io"
	"testing"
)

// killed is a runner whose first runs are ended by a signal, as by the sweep of another run.
type killed struct{ left, runs int }

func (k *killed) Run(context.Context, []string, []string, io.Reader) (out, said []byte, code int, err error) {
	k.runs++
	if k.left--; k.left >= 0 {
		return nil, nil, []int{-1, 137}[k.left%2], nil
	}
	return []byte("fine"), nil, 0, nil
}

func TestProbeOutlivesTheSweepOfAnotherRun(t *testing.T) {
	k := &killed{left: 3}
	out, _, code, err := Identity{}.probe(t.Context(), k, nil, nil)
	if string(out) != "fine" || code != 0 || err != nil || k.runs != 4 {
		t.Errorf("got %q, %d, %v after %d runs", out, code, err, k.runs)
	}
}

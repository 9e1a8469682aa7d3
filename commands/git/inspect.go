package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"regexp"
)

// CheckOverlap is how many bytes two windows of [Limits].Check have in common: what is at most so long is seen whole in one.
const CheckOverlap = 4 << 10

// checkWindow is how much is looked at at once.
const checkWindow = 128 << 10

// An inspector sees contents while they cross. It keeps checkWindow bytes, whatever the size.
type inspector struct {
	look func(window []byte, last bool) // the window is valid during the call
	held []byte
}

func (i *inspector) Write(p []byte) (int, error) {
	n := len(p)
	if i.held == nil {
		i.held = make([]byte, 0, checkWindow)
	}
	for len(p) > 0 {
		room := min(checkWindow-len(i.held), len(p))
		i.held = append(i.held, p[:room]...)
		if p = p[room:]; len(i.held) == checkWindow {
			i.look(i.held, false)
			i.held = i.held[:copy(i.held, i.held[checkWindow-CheckOverlap:])]
		}
	}
	return n, nil
}

// end looks at what is left, which begins with what was seen last.
func (i *inspector) end() { i.look(i.held, true) }

// A verdict gathers what is wrong with some contents.
type verdict struct {
	reason string       // of the caller's check; "" when it has nothing against them
	keys   map[key]bool // private keys in them
}

// inspect returns an inspector of contents and what it finds.
func inspect(path string, check func(string, []byte) string) (*inspector, *verdict) {
	v := &verdict{keys: map[key]bool{}}
	return &inspector{look: func(window []byte, last bool) {
		if check != nil && v.reason == "" && len(window) > 0 {
			v.reason = check(path, window)
		}
		findKeys(window, last, v.keys)
	}}, v
}

// A key tells private keys apart without keeping them.
type key [sha256.Size]byte

// A private key is its frame and a line of its contents: the frame alone is what programs and manuals hold. Between them
// may stand a few header lines, and line ends that were written as \n.
var (
	keyFrame = []byte("PRIVATE KEY")
	keyShape = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[^-A-Za-z0-9/]|\\[nr]|[A-Za-z][A-Za-z-]{2,20}: [^\n\\]{0,100})+?([A-Za-z0-9+/=]{32,64})`)
)

const (
	keyReach  = 1 << 10 // bytes from the beginning of the frame to the end of the line
	maxKeys   = 10_000  // told apart in one file
	beginMark = "-----BEGIN "
)

// findKeys notes the keys in a window. One that begins too near the end is left for the next.
func findKeys(window []byte, last bool, found map[key]bool) {
	if !bytes.Contains(window, keyFrame) {
		return
	}
	for at := 0; len(found) < maxKeys; at += len(beginMark) {
		next := bytes.Index(window[at:], []byte(beginMark))
		if next < 0 {
			return
		}
		if at += next; !last && len(window)-at < keyReach {
			return
		}
		if m := keyShape.FindSubmatch(window[at:min(at+keyReach, len(window))]); m != nil {
			found[sha256.Sum256(m[1])] = true
		}
	}
}

// HoldsPrivateKey reports whether a text holds the shape of a private key: its frame and a line of its contents, also behind
// quote marks or with its line ends written as \n.
func HoldsPrivateKey(text []byte) bool {
	found := map[key]bool{}
	findKeys(text, true, found)
	return len(found) > 0
}

// refuseContents names what may not come back for what is in it; the value is never part of the reason. A private key that
// the base has at the same path, or whole contents that it has anywhere, are the repository's own.
func (r *Repo) refuseContents(ctx context.Context, c *collection) error {
	for _, u := range c.news() {
		v := c.verdicts[u.id]
		switch {
		case v == nil:
		case v.reason != "":
			c.refused = append(c.refused, Refused{u.path, v.reason})
		case len(v.keys) > 0:
			was, err := r.keysOf(ctx, c.base[u.path])
			if err != nil {
				return err
			}
			for k := range v.keys {
				if !was[k] {
					c.refused = append(c.refused, Refused{u.path, "holds a private key that was not there before"})
					break
				}
			}
		}
	}
	return nil
}

// keysOf are the private keys in what the base has.
func (r *Repo) keysOf(ctx context.Context, e entry) (map[key]bool, error) {
	if e.mode != modeFile && e.mode != modeExecutable {
		return nil, nil
	}
	in, v := inspect("", nil)
	if _, err := r.ours(ctx, job{stdout: in, time: transferTime}, "cat-file", "blob", string(e.id)); err != nil {
		return nil, err
	}
	in.end()
	return v.keys, nil
}

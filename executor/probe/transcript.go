package probe

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// transcript is the wire as JSON lines: {"dir","t","msg"} for a message, where dir is c2a for ours and a2c for the agent's and
// t is seconds since the launch began; "noise" in the place of msg for a line that is no message; "head" and "bytes" for one
// that is too long to be kept; {"launch"} before each launch; {"elided_lines"} for what there was no room for.
type transcript struct {
	mu     sync.Mutex // a connection that did not end in time may still write
	buf    bytes.Buffer
	elided int
}

const (
	maxTranscript = 8 << 20   // bytes of a scenario's transcript
	maxLine       = 256 << 10 // bytes of a line that is kept whole
	maxHead       = 1 << 10   // of one that is not
)

type entry struct {
	Launch string          `json:"launch,omitempty"`
	Dir    string          `json:"dir,omitempty"`
	T      float64         `json:"t"`
	Msg    json.RawMessage `json:"msg,omitempty"`
	Noise  string          `json:"noise,omitempty"`
	Head   string          `json:"head,omitempty"`
	Bytes  int             `json:"bytes,omitempty"`
	Elided int             `json:"elided_lines,omitempty"`
}

func (t *transcript) launch(title string) { t.write(entry{Launch: title}) }

func (t *transcript) add(f acpclient.Frame, at time.Duration) {
	e := entry{Dir: "a2c", T: float64(at.Milliseconds()) / 1000}
	if f.Sent {
		e.Dir = "c2a"
	}
	switch {
	case len(f.Line) > maxLine:
		e.Head, e.Bytes = text(f.Line[:maxHead]), len(f.Line)
	case f.Kind == acpclient.FrameNoise || !json.Valid(f.Line):
		e.Noise = text(f.Line)
	default:
		e.Msg = json.RawMessage(text(f.Line)) // JSON may be well formed and its texts not
	}
	t.write(e)
}

// write adds a line while there is room. An entry is text and numbers of ours around a message that is valid.
func (t *transcript) write(e entry) {
	raw, err := json.Marshal(e)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil || t.buf.Len()+len(raw) > maxTranscript {
		t.elided++
		return
	}
	t.buf.Write(append(raw, '\n'))
}

// bytes is the transcript so far; what was left out is told at its end.
func (t *transcript) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := bytes.Clone(t.buf.Bytes())
	if t.elided > 0 {
		all = append(all, encoded(entry{Elided: t.elided})...)
	}
	return all
}

func encoded(e entry) []byte {
	raw, _ := json.Marshal(e) // a number
	return append(raw, '\n')
}

// text is foreign bytes as valid text.
func text(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

package probe

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// witness writes down what is seen of one launch. All of it is bounded: a list that is full stays as it is.
type witness struct {
	mu         sync.Mutex
	began      time.Time
	transcript *transcript

	session   acpclient.Session
	asked     []asked
	announced map[string]bool // ids of calls that an update told of
	statuses  map[string][]string
	exitAt    []string
	parts     []string            // where output stood
	appended  bool                // some of it came as deltas
	named     map[string][]string // files of the tree that the updates of a call named
	unserved  []string            // methods of requests that we do not serve
	declined  string              // the first of them that is for a file or a terminal
	ignored   []string            // methods of notifications that we do not know
	noise     int
	longest   int // bytes of the longest line that the agent sent
	received  int64

	cancelled time.Duration // when session/cancel went out, since the launch began; 0 when it did not
	answered  time.Duration // when the last answer came
	later     int           // notifications behind it
}

// asked is one permission request, and how it was answered.
type asked struct {
	request  acpclient.PermissionRequest
	decision permission.Decision
	names    []string // files of the tree that it names, or that its call named before
	told     bool     // an update had told of the call before
}

const (
	maxAsked = 200
	maxWords = 40 // of each list of words
	maxCalls = 500
)

func newWitness(t *transcript) *witness {
	return &witness{began: time.Now(), transcript: t, announced: map[string]bool{}, statuses: map[string][]string{}, named: map[string][]string{}}
}

// Frame takes a line of either direction.
func (w *witness) Frame(f acpclient.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := time.Since(w.began)
	w.transcript.add(f, at)
	if f.Sent {
		if f.Method == "session/cancel" {
			w.cancelled = at
		}
		return
	}
	w.longest, w.received = max(w.longest, len(f.Line)), w.received+int64(len(f.Line))+1
	switch f.Kind {
	case acpclient.FrameNoise:
		w.noise++
	case acpclient.FrameAnswer:
		w.answered, w.later = at, 0
	case acpclient.FrameNotification:
		w.later++
		if !f.Served {
			remember(&w.ignored, f.Method)
		}
	case acpclient.FrameRequest:
		if !f.Served {
			remember(&w.unserved, f.Method)
			if w.declined == "" && (strings.HasPrefix(f.Method, "fs/") || strings.HasPrefix(f.Method, "terminal/")) {
				w.declined = strings.Clone(f.Method)
			}
		}
	}
}

// Opened takes the session as it was advertised.
func (w *witness) Opened(s acpclient.Session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = s
}

// Update takes what the agent says of a call.
func (w *witness) Update(u acpclient.Update) {
	if u.Kind != acpclient.Call {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := u.Call
	if c.ID == "" || (len(w.announced) >= maxCalls && !w.announced[c.ID]) {
		return
	}
	w.announced[c.ID] = true
	names := w.named[c.ID]
	name(&names, slices.Concat(c.Paths, []string{c.Title, c.Command})...)
	w.named[c.ID] = names
	c.Status = clip(c.Status)
	if states := w.statuses[c.ID]; c.Status != "" && len(states) < maxWords && (len(states) == 0 || states[len(states)-1] != c.Status) {
		w.statuses[c.ID] = append(states, c.Status)
	}
	remember(&w.exitAt, c.ExitAt)
	for _, o := range c.Outputs {
		remember(&w.parts, o.Part)
		w.appended = w.appended || o.Append
	}
}

// Asked takes a permission request with its answer.
func (w *witness) Asked(r acpclient.PermissionRequest, d permission.Decision) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) >= maxAsked {
		return
	}
	names := slices.Clone(w.named[r.Call.ID])
	name(&names, slices.Concat(r.Call.Paths, []string{r.Call.Title, r.Call.Command, string(r.Raw)})...)
	w.asked = append(w.asked, asked{request: brief(r), decision: d, names: names, told: w.announced[r.Call.ID]})
}

// brief is what is kept of a request: as they come, those of one launch may be hundreds of MB.
func brief(r acpclient.PermissionRequest) acpclient.PermissionRequest {
	kept := acpclient.PermissionRequest{Call: acpclient.ToolCall{Kind: clip(r.Call.Kind), Title: clip(r.Call.Title), Command: clip(r.Call.Command)}}
	for _, o := range r.Options {
		kept.Options = append(kept.Options, acpclient.PermissionOption{ID: clip(o.ID), Kind: clip(o.Kind)})
	}
	return kept
}

// words are those in which it asked: the kind and the title.
func (a asked) words() string {
	return strings.TrimSpace(a.request.Call.Kind + " " + a.request.Call.Title)
}

// name adds the files of the tree that stand in texts.
func name(list *[]string, texts ...string) {
	for _, file := range looked {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, file) }) {
			remember(list, file)
		}
	}
}

// remember adds a word to a list of different ones, while there is room.
func remember(list *[]string, word string) {
	if word != "" && len(*list) < maxWords && !slices.Contains(*list, word) {
		*list = append(*list, strings.Clone(word))
	}
}

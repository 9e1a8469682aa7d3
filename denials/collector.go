package denials

import (
	"strings"
	"sync"
)

// Bounds of what a Collector keeps of calls.
const (
	maxCalls = 128 // the one not heard of for longest is judged and forgotten first
	maxID    = 256 // bytes of an ID that are looked at
)

// Options of a Collector.
type Options struct {
	Workspace string     // the agent's tree: paths below it are made relative to it
	Home      string     // the agent's home, for ~
	Source    string     // default source of wants; "" means "agent"
	OnWant    func(Want) // called once for each new subject, while the turn still runs
}

// Collector gathers wants from all channels, bounded while it collects. It may be used from several goroutines.
type Collector struct {
	options Options
	frame   frame

	mu     sync.Mutex
	store  *store
	calls  map[string]*call
	clock  uint64 // counts updates, for the age of calls
	stderr *call
	fresh  []Want // new subjects that OnWant has not been told yet
	spills []Spill
}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector {
	if o.Source == "" {
		o.Source = "agent"
	}
	c := &Collector{options: o, frame: frame{o.Workspace, o.Home}, store: newStore(), calls: map[string]*call{}}
	c.stderr = c.newCall("")
	return c
}

// ToolKind is how freely a tool's output repeats other people's words.
type ToolKind uint8

// Execute-like output is always scanned; that of readers (read, search, fetch) only when the call failed.
const (
	Other ToolKind = iota
	Execute
	Reader
)

// Piece is one piece of output of a call. Within a call, Part tells streams apart.
type Piece struct {
	Part   string
	Text   string
	Append bool // continues the part (cut anywhere); otherwise replaces it, and is scanned only where new
}

// Call is what became known about one tool call. Zero fields mean "nothing new".
type Call struct {
	ID      string
	Kind    ToolKind
	Command string
	Dir     string
	Pieces  []Piece
	Exit    *int
	Done    bool // completed or failed
	Failed  bool
}

// Observe takes in an update of a call.
func (c *Collector) Observe(u Call) {
	c.change(func() {
		k := c.call(u.ID)
		k.learn(u)
		for _, p := range u.Pieces {
			k.take(p)
		}
		if k.done {
			k.finish()
			k.settle()
		}
	})
}

// Stderr takes in a piece of the agent process's standard error.
func (c *Collector) Stderr(text string) {
	c.change(func() { c.stderr.take(Piece{Text: text, Append: true}) })
}

// Refuse records a request that our policy rejected: a fact.
func (c *Collector) Refuse(subject, why string) {
	c.change(func() {
		subject = printable(subject, maxSubject)
		if subject == "" {
			subject = "a request without a title" // it was refused all the same
		}
		shown, keys, _ := c.frame.spoken(subject)
		c.add(Want{Subject: shown, Why: printable(why, maxWhy), Channel: Refused, Kind: Action}, keys)
	})
}

// Declare records wants found by Strip.
func (c *Collector) Declare(wants []Want) {
	c.change(func() {
		for _, w := range wants {
			shown, keys, kind := c.frame.spoken(printable(w.Subject, maxSubject))
			if shown == "" {
				continue
			}
			c.add(Want{Subject: shown, Why: printable(w.Why, maxWhy), Channel: Declared, Kind: kind, Source: printable(w.Source, maxSource)}, keys)
		}
	})
}

// Wants returns what was collected so far, declared before refused before observed, then in order of first appearance;
// calls still open are judged as if they ended now. More is the number of distinct subjects beyond the cap of 1000; it stops
// counting at 65,536.
func (c *Collector) Wants() (wants []Want, more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.store
	c.store = kept.clone()
	defer func() { c.store, c.fresh = kept, nil }()
	for _, k := range c.byAge() {
		k.preview()
	}
	c.stderr.preview()
	return c.store.sorted(), len(c.store.beyond)
}

// change runs do under the lock and then, without it, tells OnWant what was new: it may call back.
func (c *Collector) change(do func()) {
	c.mu.Lock()
	do()
	fresh := c.fresh
	c.fresh = nil
	c.mu.Unlock()
	if c.options.OnWant != nil {
		for _, w := range fresh {
			c.options.OnWant(w)
		}
	}
}

// add gives a want its source and joins it to the rest.
func (c *Collector) add(w Want, keys []string) {
	if w.Source == "" {
		w.Source = c.options.Source
	}
	w.Count = 1
	if c.store.add(w, keys) {
		c.fresh = append(c.fresh, w)
	}
}

// call returns the call with that ID, a new one if need be.
func (c *Collector) call(id string) *call {
	id = id[:min(len(id), maxID)]
	k := c.calls[id]
	if k == nil {
		if len(c.calls) == maxCalls {
			c.evict()
		}
		id = strings.Clone(id)
		k = c.newCall(id)
		c.calls[id] = k
	}
	c.clock++
	k.age = c.clock
	return k
}

// evict ends the call that was not heard of for longest.
func (c *Collector) evict() {
	oldest := ""
	for id, k := range c.calls {
		if oldest == "" || k.age < c.calls[oldest].age {
			oldest = id
		}
	}
	k := c.calls[oldest]
	k.finish()
	k.settle()
	delete(c.calls, oldest)
}

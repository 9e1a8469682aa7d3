package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
)

// quietLimit is how long the progress may say nothing while something runs: after it, it says what still runs.
const quietLimit = 15 * time.Second

// progress turns what happens in a launch into short timed lines. Events come from one goroutine at a time; the reminder
// that something still runs comes from another.
type progress struct {
	say   *voice
	began time.Time

	mu      sync.Mutex
	done    map[string]bool // steps whose end was told; bounded, since a launch records a bounded number of steps
	running string          // the step that was told last and has not ended
	told    time.Time
}

func newProgress(say *voice) *progress {
	now := time.Now()
	return &progress{say: say, began: now, told: now, done: map[string]bool{}}
}

// event tells one event, if a reader gains by it.
func (p *progress) event(e executor.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case executor.EventPhase:
		p.phase(e.Text)
	case executor.EventStep:
		p.step(*e.Step)
	case executor.EventRefused:
		p.line("%s %s", p.say.paint(yellow, "refused:"), p.say.short(e.Text))
	case executor.EventWant:
		if e.Want.Channel != denials.Refused { // a refusal was told as one a moment ago
			p.line("%s %s (%s)", p.say.paint(yellow, "wanted:"), p.say.short(e.Want.Subject), e.Want.Channel)
		}
	case executor.EventWaiting:
		p.line("waiting: %s", p.say.short(e.Text))
	}
}

// phase tells the two phases that a person waits for.
func (p *progress) phase(name string) {
	switch name {
	case "start":
		p.line("starting the agent")
	case "turn":
		p.line("at work")
	}
}

// step tells a tool call once, when it has ended.
func (p *progress) step(s executor.Step) {
	name := stepName(s)
	if !stepEnded(s) {
		p.running = name
		return
	}
	if p.done[s.ID] {
		return
	}
	p.done[s.ID] = true
	if p.running == name {
		p.running = ""
	}
	if s.Status == "refused" {
		return // told by its own event
	}
	p.line("%s  %s", p.say.short(name), p.ending(s))
}

func stepEnded(s executor.Step) bool {
	return s.Status == "completed" || s.Status == "failed" || s.Status == "refused"
}

func stepName(s executor.Step) string {
	switch {
	case s.Command != "":
		return "$ " + s.Command
	case s.Title != "":
		return s.Title
	default:
		return s.Kind
	}
}

func (p *progress) ending(s executor.Step) painted {
	switch {
	case s.Exit != nil && *s.Exit == 0:
		return p.say.paint(green, "exit 0")
	case s.Exit != nil:
		return p.say.paint(red, fmt.Sprintf("exit %d", *s.Exit))
	case s.Status == "failed":
		return p.say.paint(red, "failed")
	default:
		return p.say.paint(green, "ok")
	}
}

// line writes a timed line. The time is since the run began, not since the launch: a person counts from their return key.
func (p *progress) line(format string, args ...any) {
	p.told = time.Now()
	stamp := fmt.Sprintf("%6.1fs", p.told.Sub(p.began).Seconds())
	p.say.line(stamp+"  "+format, args...)
}

// remind says what still runs whenever nothing was said for quietLimit, until stop is called.
func (p *progress) remind() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				p.stillRunning(time.Now())
			}
		}
	}()
	return func() { close(end); <-ended }
}

func (p *progress) stillRunning(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.told) < quietLimit {
		return
	}
	what := p.running
	if what == "" {
		what = "the agent is thinking"
	}
	p.line("%s", p.say.paint(dim, "still running: "+p.say.short(what)))
}

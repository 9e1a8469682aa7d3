package probe

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor"
)

// facts are what was seen of a launch, in a fixed order; what was not seen is left out.
func (s *seen) facts() (all []Fact) {
	s.witness.mu.Lock()
	defer s.witness.mu.Unlock()
	add := func(name, value string) {
		if value != "" {
			all = append(all, Fact{Launch: s.play.name, Name: name, Value: clip(value)})
		}
	}
	w, r := s.witness, &s.report
	if s.failure != nil {
		add("failed", s.failure.Error())
	}
	add("phases", phases(r.Phases))
	add("mode", r.Mode)
	if s.play.scenario == Modes || s.play.scenario == ReadDenied { // the same in each
		add("modes", choices(w.session.Modes, w.session.CurrentMode))
		add("models", choices(w.session.Models, w.session.CurrentModel))
		add("options", options(w.session.Options))
	}
	add("asked", asks(w.asked))
	add("offered", offered(w.asked))
	add("request before its call", untold(w.asked))
	add("calls told", s.calls())
	add("exit status at", strings.Join(w.exitAt, ", "))
	add("output at", parts(w))
	add("stop reason", r.StopReason)
	add("continued", count(r.Continued))
	add("wants", wants(r))
	add("unknown requests", strings.Join(w.unserved, ", "))
	add("unknown notifications", strings.Join(w.ignored, ", "))
	add("lines that are no messages", count(w.noise))
	add("notifications after the last answer", count(w.later))
	add("longest line", size(int64(w.longest)))
	add("received", size(w.received))
	add("requests to the model", count(len(s.requests)))
	add("tokens", tokens(r.Usage))
	add("ended", ending(r.Exit))
	return all
}

func phases(all []executor.Phase) string {
	var words []string
	for _, p := range all {
		words = append(words, fmt.Sprintf("%s %s", p.Name, seconds(p.Took)))
	}
	return strings.Join(words, ", ")
}

func choices(all []acpclient.Choice, current string) string {
	const most = 12
	var words []string
	for i, c := range all {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		word := c.ID
		if c.ID == current {
			word += " (current)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func options(all []acpclient.Option) string {
	var words []string
	for _, o := range all {
		words = append(words, o.ID)
	}
	return strings.Join(words, ", ")
}

// asks counts the requests by the kind of what they ask for.
func asks(all []asked) string {
	counts := map[string]int{}
	for _, a := range all {
		kind := a.request.Call.Kind
		if kind == "" {
			kind = "without a kind"
		}
		counts[kind]++
	}
	var words []string
	for kind, n := range counts {
		words = append(words, fmt.Sprintf("%d × %s", n, kind))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// offered are the sets of options that were seen, each as its kinds with the agent's own ids.
func offered(all []asked) string {
	var sets []string
	for _, a := range all {
		var words []string
		for _, o := range a.request.Options {
			words = append(words, o.Kind+" ("+o.ID+")")
		}
		remember(&sets, strings.Join(words, ", "))
	}
	return strings.Join(sets, "; ")
}

func untold(all []asked) string {
	n := 0
	for _, a := range all {
		if !a.told {
			n++
		}
	}
	return count(n)
}

// calls are the kinds of the calls with the states that each went through.
func (s *seen) calls() string {
	var words []string
	for _, step := range s.report.Steps {
		kind := step.Kind
		if kind == "" {
			kind = "without a kind"
		}
		states := s.witness.statuses[step.ID]
		remember(&words, strings.TrimSpace(kind+" "+strings.Join(states, " → ")))
	}
	return strings.Join(words, "; ")
}

func parts(w *witness) string {
	all := strings.Join(w.parts, ", ")
	if w.appended {
		all += " (in pieces)"
	}
	return all
}

func wants(r *executor.Report) string {
	var words []string
	for _, w := range r.Wants {
		words = append(words, w.Channel.String()+" "+w.Subject)
	}
	return strings.Join(words, ", ")
}

func tokens(u executor.Usage) string {
	if u == (executor.Usage{}) {
		return ""
	}
	return fmt.Sprintf("%d in, %d out", u.Input, u.Output)
}

// ending says what made the process end, and how it did.
func ending(e executor.Exit) string {
	if !e.Ran {
		return ""
	}
	why := "at the end of its input"
	switch e.Asked {
	case 0:
	case syscall.SIGTERM:
		why = "by TERM"
	default:
		why = "by KILL"
	}
	how := fmt.Sprintf("status %d", e.Code)
	if e.Signal != 0 {
		how = fmt.Sprintf("signal %v", e.Signal)
	}
	return fmt.Sprintf("%s, %s, after %s", why, how, seconds(e.Took))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// maxFact bounds a fact, and what a verdict quotes, in bytes.
const maxFact = 600

// clip bounds foreign text.
func clip(s string) string {
	if len(s) <= maxFact {
		return s
	}
	return strings.ToValidUTF8(s[:maxFact], "") + "…"
}

// oneLine is foreign text on a bounded line.
func oneLine(s string) string { return clip(strings.Join(strings.Fields(s), " ")) }

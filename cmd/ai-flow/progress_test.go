package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

func number(n int) *int { return &n }

var stamps = regexp.MustCompile(`(?m)^ *\d+\.\ds  `)

// TestProgressLines shows which events become lines: each tool call once, when it has ended; a refusal once, though it is
// a want too.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(newVoice(&out, environment{}, &render.Secrets{}))
	step := func(id, command, status string, exit *int) executor.Event {
		return executor.Event{Kind: executor.EventStep, Step: &executor.Step{ID: id, Command: command, Title: "Run it", Status: status, Exit: exit}}
	}
	for _, e := range []executor.Event{
		{Kind: executor.EventPhase, Text: "start"},
		{Kind: executor.EventPhase, Text: "initialize"},
		{Kind: executor.EventPhase, Text: "turn"},
		step("1", "go test ./...", "pending", nil),
		step("1", "go test ./...", "in_progress", nil),
		step("1", "go test ./...", "completed", number(0)),
		step("1", "go test ./...", "completed", number(0)),
		step("2", "cat /etc/shadow", "failed", number(1)),
		{Kind: executor.EventWant, Want: &denials.Want{Subject: "/etc/shadow", Channel: denials.Observed}},
		{Kind: executor.EventRefused, Text: "edit main.go (read-only pass)"},
		{Kind: executor.EventWant, Want: &denials.Want{Subject: "edit main.go", Channel: denials.Refused}},
		step("3", "", "refused", nil),
		{Kind: executor.EventText, Text: "thinking aloud"},
		{Kind: executor.EventWaiting, Text: "another run has ai-agent"},
	} {
		p.event(e)
	}
	want := `starting the agent
at work
$ go test ./...  exit 0
$ cat /etc/shadow  exit 1
wanted: /etc/shadow (observed)
refused: edit main.go (read-only pass)
waiting: another run has ai-agent
`
	if got := stamps.ReplaceAllString(out.String(), ""); got != want {
		t.Errorf("progress:\n%s\nwant:\n%s", got, want)
	}
}

// TestProgressIsSafe sends what a hostile agent would put into a title (H2-08, S6).
func TestProgressIsSafe(t *testing.T) {
	for _, colour := range []bool{false, true} {
		var out bytes.Buffer
		p := newProgress(newVoice(&out, environment{}, &render.Secrets{}))
		p.say.colour = colour
		evil := "x\x1b]0;owned\x07\r\n  0.0s  all is well\u2028next\x9b2J\u202e" + strings.Repeat("long", 100)
		p.event(executor.Event{Kind: executor.EventStep, Step: &executor.Step{ID: "1", Command: evil, Status: "completed"}})
		p.event(executor.Event{Kind: executor.EventRefused, Text: evil})
		p.event(executor.Event{Kind: executor.EventWant, Want: &denials.Want{Subject: evil, Channel: denials.Observed}})
		p.running = evil
		p.stillRunning(time.Now().Add(time.Hour))
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 4 {
			t.Errorf("4 events made %d lines: %q", len(lines), lines)
		}
		plain := regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(out.String(), "")
		if i := strings.IndexFunc(plain, func(r rune) bool {
			return r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0x2028
		}); i >= 0 {
			t.Errorf("control character at %d of %q", i, plain)
		}
		for _, l := range lines {
			if n := len([]rune(l)); n > 160 {
				t.Errorf("a line of %d characters", n)
			}
		}
	}
}

func TestProgressReminds(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(newVoice(&out, environment{}, &render.Secrets{}))
	p.event(executor.Event{Kind: executor.EventStep, Step: &executor.Step{ID: "1", Command: "make", Status: "in_progress"}})
	p.stillRunning(p.told.Add(quietLimit - time.Second))
	if out.Len() != 0 {
		t.Errorf("reminded too early: %q", out.String())
	}
	p.stillRunning(p.told.Add(quietLimit))
	if !strings.Contains(out.String(), "still running: $ make") {
		t.Errorf("not reminded: %q", out.String())
	}
	stop := p.remind()
	stop() // ends the goroutine, or this test hangs
}

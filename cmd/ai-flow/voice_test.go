package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

// TestShortLeavesNoPart cuts a line only after the secrets are out: of a secret that the cut hits no part stays, nor of one
// with something invisible inside (S5).
func TestShortLeavesNoPart(t *testing.T) {
	const secret = "canary-4f1d9a7e5b-22c0ffee8812"
	v := newVoice(io.Discard, environment{}, newSecrets([]string{secret}))
	for pad := range 120 {
		for _, s := range []string{secret, "canary-4f1d\u200b9a7e5b-22c0ffee8812"} {
			if got := v.short(strings.Repeat("x", pad) + s); strings.Contains(got, "cana") || strings.Contains(got, "8812") {
				t.Fatalf("after %d characters: %q", pad, got)
			}
		}
	}
}

// TestTail shows the last lines, each behind a mark, bounded, and nothing that moves a cursor.
func TestTail(t *testing.T) {
	var out bytes.Buffer
	v := newVoice(&out, environment{}, &render.Secrets{})
	v.tail(strings.Repeat("early\n", 1000)+"a\r\n\x1b[2Jb\n"+strings.Repeat("long", 1000)+"\n\n\n", 3)
	want := "  │ a\n  │ b\n  │ " + cut(strings.Repeat("long", 1000), 200) + "\n"
	if out.String() != want {
		t.Errorf("tail:\n%q\nwant\n%q", &out, want)
	}
}

// TestOutputKeepsItsLog does not let a terminal that went away end the log in the file, nor fail the run.
func TestOutputKeepsItsLog(t *testing.T) {
	p := &program{say: newVoice(brokenWriter{}, environment{}, &render.Secrets{})}
	out, err := p.openOutput(tryOptions{out: t.TempDir(), verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	out.log.Say("first")
	out.log.Say("second")
	if err := out.close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out.logPath()); err != nil || string(text) != "first\nsecond\n" {
		t.Errorf("run.log holds %q, error %v", text, err)
	}
}

package executor

import (
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/denials"
)

// foreignLines is a log that keeps what it gets of strangers.
type foreignLines struct{ all []string }

func (f *foreignLines) Say(string, ...any)          {}
func (f *foreignLines) Output(string, string)       {}
func (f *foreignLines) Foreign(prefix, text string) { f.all = append(f.all, prefix+text) }
func (f *foreignLines) Group(string) func()         { return func() {} }

// TestStderrIsLoggedByLines: pieces come cut anywhere; each entry of the log holds whole lines, what never ends is bounded,
// and the end without a line end is not lost.
func TestStderrIsLoggedByLines(t *testing.T) {
	log := &foreignLines{}
	l := &launch{agent: &Agent{Log: log}, turn: &turn{label: "[/ask]", wants: denials.NewCollector(denials.Options{})}}
	for _, piece := range []string{"ls: cannot ", "open /x\nsecond", " line\nthi", "rd"} {
		l.stderr([]byte(piece))
	}
	l.stderr([]byte(strings.Repeat("y", maxSaid)))
	l.stderr([]byte("last"))
	l.lastStderr()
	l.lastStderr()
	want := []string{"ls: cannot open /x\n", "second line\n", "third" + strings.Repeat("y", maxSaid), "last"}
	var got []string
	for _, line := range log.all {
		got = append(got, strings.TrimPrefix(line, "[/ask] stderr: "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("logged %.200q, want %.200q", got, want)
	}
}

package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/d3mlabs/ai-flow/render"
)

// guard is the one door to standard output, and another one is the one to standard error: whatever passes has no known
// secret in it (S5), and no line that the runner of a workflow would take for a command of ours (S6). Both are read by it.
// It passes whole lines on; what follows the last line end waits for more, or for flush. It may be used from several goroutines.
type guard struct {
	secrets *render.Secrets

	mu   sync.Mutex
	w    io.Writer
	part []byte // of a line that has not ended
}

func newGuard(w io.Writer, secrets *render.Secrets) *guard { return &guard{w: w, secrets: secrets} }

// Write implements io.Writer. Its error is the underlying writer's.
func (g *guard) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.part = append(g.part, b...)
	end := bytes.LastIndexByte(g.part, '\n') + 1
	if err := g.pass(end); err != nil {
		return 0, err
	}
	return len(b), nil
}

// flush passes a last line without an end.
func (g *guard) flush() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pass(len(g.part))
}

func (g *guard) pass(end int) error {
	if end == 0 {
		return nil
	}
	text := muteRunner(g.secrets.Redact(string(g.part[:end])))
	g.part = append(g.part[:0], g.part[end:]...)
	_, err := io.WriteString(g.w, text)
	return err
}

// The runner reads "::name::" where a line begins, after any white space, and "##[name]" anywhere. What some reader takes
// for a line end counts as one: CR, NEL, U+2028.
var (
	lineCommand   = regexp.MustCompile(`(?:^|[\n\r\v\f\x{85}\x{2028}\x{2029}])[\s\v\p{Z}\x{85}]*::`)
	inlineCommand = regexp.MustCompile(`(?i)##(\[|vso\[)`)
)

// muteRunner breaks both forms in text.
func muteRunner(text string) string {
	text = lineCommand.ReplaceAllStringFunc(text, func(s string) string { return strings.TrimSuffix(s, ":") + " :" })
	return inlineCommand.ReplaceAllString(text, "# #$1")
}

// muteJSON writes both forms in another way, so that whoever reads the JSON gets what was meant. They stand in strings only.
func muteJSON(text string) string {
	text = strings.ReplaceAll(text, "\u0085", `\u0085`)
	return inlineCommand.ReplaceAllString(text, `#\u0023$1`)
}

// muteHTML does the same for a page.
func muteHTML(text string) string {
	text = lineCommand.ReplaceAllStringFunc(text, func(s string) string { return strings.TrimSuffix(s, ":") + "&#58;" })
	return inlineCommand.ReplaceAllString(text, "#&#35;$1")
}

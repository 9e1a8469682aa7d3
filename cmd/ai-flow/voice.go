package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

// voice is the only way in which the program speaks to a person: lines on standard error. All that it says passes
// render.Terminal and a guard, since nearly every sentence quotes something foreign.
type voice struct {
	w      *guard
	colour bool
}

func newVoice(w io.Writer, env environment, secrets *render.Secrets) *voice {
	return &voice{w: newGuard(w, secrets), colour: isTerminal(w) && !env.noColour}
}

// isTerminal reports whether w is a character device. Only colours depend on it, so /dev/null, which is one too, is no matter.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// line says one line. Arguments are foreign text unless they are painted: they cannot move the cursor, nor begin a line of
// ours by a line break of theirs. That standard error cannot be written is said nowhere: there is no other place for it.
func (v *voice) line(format string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case painted:
			safe[i] = string(a)
		case int:
			safe[i] = a
		default:
			safe[i] = v.clean(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(v.w, format+"\n", safe...)
}

// Write lets the run's log through to the terminal. A terminal that went away does not end the log in its file.
func (v *voice) Write(b []byte) (int, error) {
	_, _ = v.w.Write(b)
	return len(b), nil
}

// clean makes one safe line of foreign text. Secrets are taken out when what is invisible is gone, which may have stood inside
// of one, and before white space is joined and anything is cut off: of one that is not whole a part would stay.
func (v *voice) clean(s string) string {
	return oneLine(v.w.secrets.Redact(render.Terminal(s)))
}

// short is clean, cut to what fits beside a time on a terminal line.
func (v *voice) short(s string) string { return cut(v.clean(s), 100) }

// tail says the last lines of foreign text, so many at most, each behind a mark.
func (v *voice) tail(text string, lines int) {
	all := strings.Split(strings.TrimRight(v.w.secrets.Redact(render.Terminal(text)), "\n\t "), "\n")
	for _, l := range all[max(0, len(all)-lines):] {
		v.line("  │ %s", cut(v.clean(l), 200))
	}
}

func oneLine(s string) string {
	return strings.Join(strings.Fields(render.Terminal(s)), " ")
}

// cut shortens text to so many characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// failure says what went wrong and, when the error knows it, the next step.
func (v *voice) failure(err error) {
	v.line("%s %s", v.paint(red, "ai-flow:"), err)
	if fix := hint(err); fix != "" {
		v.line("%s %s", v.paint(bold, "hint:"), fix)
	}
}

// hint finds the next step that an error carries.
func hint(err error) string {
	var usage *usageError
	var setup *isolation.SetupError
	var failed *executor.Failure
	var copied *pinned.Error
	var call *github.Error
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &setup):
		return setup.Fix
	case errors.As(err, &failed):
		return failed.Fix
	case errors.As(err, &copied):
		return copied.Fix
	case errors.As(err, &call):
		return call.Next
	}
	return ""
}

// isUsage reports whether nothing was started because the caller or the host has to change something first.
func isUsage(err error) bool {
	var usage *usageError
	var setup *isolation.SetupError
	var call *github.Error
	return errors.As(err, &usage) || errors.As(err, &setup) || errors.As(err, &call) && call.Setup
}

// style is the closed set of terminal styles.
type style string

const (
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	dim    style = "2"
	bold   style = "1"
)

// painted is text that line prints as it stands.
type painted string

// paint makes text safe, and coloured when standard error is a terminal and NO_COLOR is not set.
func (v *voice) paint(s style, text string) painted {
	text = v.clean(text)
	if !v.colour {
		return painted(text)
	}
	return painted("\x1b[" + string(s) + "m" + text + "\x1b[0m")
}

// quoted is foreign text in an error, bounded.
func quoted(s string) string {
	return strconv.Quote(cut(s, 81))
}

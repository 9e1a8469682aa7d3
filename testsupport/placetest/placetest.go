// Package placetest is the contract of a place where a document is read and written (commands.Place), as a test that any
// place must pass: a file, the fake of a test, the description of an issue.
//
// Its one invariant: what it asks for holds for every place, so a place that fails it would lose somebody's words. It knows
// no type of the product, because the product's own tests import it.
package placetest

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Place is a place under test.
type Place struct {
	Read    func(ctx context.Context) (string, error)
	Replace func(ctx context.Context, was, now string) error
	Behind  func(body string) // somebody else writes
	Moved   error             // what Replace says when something else stands there
}

// bodies are documents as people have them.
var bodies = map[string]string{
	"a line":                   "a\n",
	"no line break at the end": "a\n\nb",
	"CRLF":                     "a\r\n\r\nb\r\n",
	"CRLF and no end":          "a\r\nb",
	"both line ends":           "a\r\nb\nc\r\n",
	"white space around":       "\n  a  \n\n\n",
	"empty":                    "",
	"not ASCII":                "é 漢字 👩‍💻 \u202e\u200b\n",
	"HTML and marks":           "<!-- a -->\n\n> b\n\n```\n\\\"c\\\"\n```\n&amp; <x>\n",
	"long":                     strings.Repeat("é\n", 30_000),
}

// Check opens a place for each case, with a document that holds body.
func Check(t *testing.T, open func(t *testing.T, body string) Place) {
	for name, body := range bodies {
		t.Run("reads "+name, func(t *testing.T) { open(t, body).stands(t, body) })
		t.Run("writes "+name, func(t *testing.T) {
			p := open(t, "before\n")
			p.replaces(t, "before\n", body)
			p.stands(t, body)
		})
		t.Run("replaces "+name, func(t *testing.T) {
			p := open(t, body)
			p.replaces(t, body, "after\r\n")
			p.stands(t, "after\r\n")
			p.replaces(t, "after\r\n", body)
			p.stands(t, body)
		})
	}
	for name, was := range map[string]string{"another text": "b\n", "another end": "a", "other line ends": "a\r\n", "more of it": "a\nb\n", "nothing": ""} {
		t.Run("keeps what is not what it was: "+name, func(t *testing.T) {
			p := open(t, "a\n")
			p.moved(t, was, "mine\n")
			p.stands(t, "a\n")
		})
	}
	t.Run("keeps what somebody else wrote meanwhile", func(t *testing.T) {
		p := open(t, "a\n")
		p.stands(t, "a\n")
		p.Behind("theirs\n")
		p.moved(t, "a\n", "mine\n")
		p.stands(t, "theirs\n")
		p.replaces(t, "theirs\n", "both\n")
		p.stands(t, "both\n")
	})
	t.Run("the same write again changes nothing", func(t *testing.T) {
		p := open(t, "a\n")
		p.replaces(t, "a\n", "b\n")
		if err := p.Replace(t.Context(), "a\n", "b\n"); err != nil && !errors.Is(err, p.Moved) {
			t.Errorf("writing again: %v", err)
		}
		p.stands(t, "b\n")
	})
	t.Run("a write that is cancelled is whole or not at all", func(t *testing.T) {
		p := open(t, "a\n")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		want := "b\n"
		if err := p.Replace(ended, "a\n", "b\n"); err != nil {
			want = "a\n"
		}
		p.stands(t, want)
	})
}

func (p Place) stands(t *testing.T, want string) {
	t.Helper()
	if got, err := p.Read(t.Context()); err != nil || got != want {
		t.Fatalf("there stands %.200q (%v), want %.200q", got, err, want)
	}
}

func (p Place) replaces(t *testing.T, was, now string) {
	t.Helper()
	if err := p.Replace(t.Context(), was, now); err != nil {
		t.Fatalf("replacing %.200q by %.200q: %v", was, now, err)
	}
}

func (p Place) moved(t *testing.T, was, now string) {
	t.Helper()
	if err := p.Replace(t.Context(), was, now); !errors.Is(err, p.Moved) {
		t.Errorf("replacing %.200q: %v, want %v", was, err, p.Moved)
	}
}

// Package demo is the built-in agent: deterministic, without a language model, and real. It exists so that the whole way
// from a comment to its result can be tried on any checkout, with no account and no bill, and so that the tests have an
// honest agent to drive.
//
// It is a program of its own on the other end of a pipe, like any other agent: it speaks ACP, asks before it runs a
// command or changes a file when its mode says so, meets the real locked doors of the user it runs as, and obeys the
// contract of its prompt. What it does is look things up, match words, and follow a handful of plain instructions
// (replace, append, delete, add FILE saying TEXT). It says in each answer that it is no more than that.
//
// Its one invariant: it claims nothing that it did not do. What it says about a repository was counted, read or run just
// now; what it could not do is said, and declared when the prompt asks for that.
//
// What it refuses to do: to guess, to print what lies behind a door that was meant to be locked, to write outside of the
// session's directory and of the document that it was given, and to run anything that takes longer than half a minute.
package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

// The modes of the agent, the first one current in a new session.
const (
	modeAsk        = "ask"
	modeFullAccess = "full-access"
)

// disclosure stands in each answer.
const disclosure = "_From the built-in demo agent, which has no language model: it looks things up and matches words._"

// Serve runs the agent until in ends. Commands that it runs see environ and nothing else.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string, environ []string) error {
	if environ == nil {
		environ = []string{} // package process takes nil for a mistake
	}
	return agentside.Serve(ctx, in, out, agentside.Agent{
		Name: "ai-flow demo", Version: version, Modes: []string{modeAsk, modeFullAccess},
		Prompt: func(ctx context.Context, t *agentside.Turn) (string, error) {
			w := &worker{turn: t, environ: environ, met: map[string]string{}}
			if err := w.work(ctx, readTask(t.Text)); err != nil {
				return "", err
			}
			if ctx.Err() != nil {
				return "cancelled", nil
			}
			return "end_turn", nil
		},
	})
}

// worker answers one prompt.
type worker struct {
	turn    *agentside.Turn
	environ []string
	calls   int
	met     map[string]string // locked doors: subject -> why it was tried
	order   []string          // of their subjects
}

// work answers each segment under its delimiter, then declares what was wanted and not got.
func (w *worker) work(ctx context.Context, t task) error {
	tree, err := w.survey(ctx)
	if err != nil {
		return err
	}
	defer tree.root.Close()
	for i, s := range t.segments {
		text, err := w.segment(ctx, s, tree)
		if err != nil {
			return err
		}
		if i == 0 {
			text = disclosure + "\n\n" + text
		}
		if s.delimiter != "" {
			text = s.delimiter + "\n" + text
		}
		if err := w.turn.Say(text + "\n\n"); err != nil {
			return err
		}
	}
	if err := w.doors(ctx, tree); err != nil {
		return err
	}
	return w.declare(t)
}

func (w *worker) segment(ctx context.Context, s segment, tree *tree) (string, error) {
	switch s.command {
	case edit:
		return w.edit(ctx, s)
	case build:
		return w.build(ctx, s)
	}
	return w.answer(ctx, s, tree)
}

// wanted notes a locked door; the first reason given for it stays.
func (w *worker) wanted(subject, why string) {
	if _, known := w.met[subject]; !known {
		w.met[subject] = why
		w.order = append(w.order, subject)
	}
}

// declare ends the turn by the contract, when the prompt has one.
func (w *worker) declare(t task) error {
	if !t.contract || len(w.order) == 0 {
		return nil
	}
	var b strings.Builder
	for _, subject := range w.order {
		fmt.Fprintf(&b, "WANTED: %s — %s\n", subject, w.met[subject])
	}
	return w.turn.Say(b.String())
}

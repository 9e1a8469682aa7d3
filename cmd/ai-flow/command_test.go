package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

// TestExitStatuses runs the program as a value, without a process. One at a time: the library's own help flag is a variable
// of its package, which each run writes.
func TestExitStatuses(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	tests := []struct {
		name    string
		ctx     context.Context
		environ []string
		args    []string
		want    int
	}{
		{"help", t.Context(), nil, []string{"--help"}, ExitDone},
		{"version", t.Context(), nil, []string{"--version"}, ExitDone},
		{"no such command", t.Context(), nil, []string{"x"}, ExitUsage},
		{"no such flag", t.Context(), nil, []string{"--x"}, ExitUsage},
		{"no such flag of a command", t.Context(), nil, []string{"agents", "list", "--x"}, ExitUsage},
		{"an argument too many", t.Context(), nil, []string{"agents", "list", "x"}, ExitUsage},
		{"wrong configuration", t.Context(), []string{"AI_FLOW_ISOLATION=x"}, []string{"agents"}, ExitUsage},
		{"too few arguments", t.Context(), nil, []string{"preview"}, ExitUsage},
		{"interrupted", ended, nil, []string{"preview", "missing"}, ExitCancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			c := Command{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Environ: tt.environ, Args: tt.args, Dir: t.TempDir()}
			if got := c.Main(tt.ctx); got != tt.want {
				t.Errorf("Main(%q) = %d, want %d\n%s%s", tt.args, got, tt.want, &out, &errs)
			}
			if tt.want != ExitDone && (out.Len() > 0 || !strings.HasPrefix(errs.String(), "ai-flow: ")) {
				t.Errorf("a failure must speak on standard error alone, as one line; stdout %q, stderr %q", &out, &errs)
			}
		})
	}
}

// TestStdoutFailure keeps a full disk or a closed pipe from looking like success.
func TestStdoutFailure(t *testing.T) {
	var errs bytes.Buffer
	c := Command{Stdout: brokenWriter{}, Stderr: &errs, Args: []string{"agents", "--json"}}
	if got := c.Main(t.Context()); got != ExitFailed {
		t.Errorf("Main = %d with a broken standard output, want %d", got, ExitFailed)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

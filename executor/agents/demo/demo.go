// Package demo is the built-in agent: deterministic, without a model.
package demo

import (
	"context"
	"io"
)

// Serve runs the agent on stdio until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string, environ []string) error {
	panic("unbuilt")
}

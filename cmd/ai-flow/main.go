// Command ai-flow lets a coding agent answer, edit and build what a slash command asks for, as another user of the
// operating system, and shows each door that it found locked.
//
// This package is the edge of the program: it turns arguments, environment and standard streams into values, wires the
// packages together and returns an exit status. The program is the value Command, so that tests run it whole. Only here is
// the environment read (once, into a struct), are standard output and standard error written, and is exit called.
//
// It refuses to decide anything: what a comment means, what an agent may do and how a result reads are other packages'
// affairs. It has no exported names beside Command and its exit statuses.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() { os.Exit(run(os.Stdout, os.Stderr)) }

// run is the whole program but its exit, with the streams to print to.
func run(stdout, stderr io.Writer) int {
	if len(os.Args) > 1 && os.Args[1] == insideCommand {
		runtime.LockOSThread() // on the first thread, which alone knows what signal comes when the parent ends
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// Somebody who no longer reads (| head) must not end us before we have ended the agent: with this a write fails instead.
	// Ignoring the signal was rejected: the agent and all that it starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // deleted under us; commands that need it say so
	}
	c := Command{Stdin: os.Stdin, Stdout: stdout, Stderr: stderr, Environ: os.Environ(), Args: os.Args[1:], Dir: dir}
	return c.Main(ctx)
}

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// Run runs a command to its end. A non-zero exit status is not an error; not starting, overflowing and being cancelled
// are, and so is a Stdout that cannot be written. The Result is valid beside an error, as far as it goes.
func Run(ctx context.Context, c Command) (Result, error) {
	ch, err := Start(ctx, c)
	if err != nil {
		return Result{Code: -1}, err
	}
	fed := make(chan error, 1)
	go func() { fed <- feed(ch, c.Stdin) }()
	go func() {
		<-ch.exited
		ch.end()
	}()
	var captured bytes.Buffer
	sink := c.Stdout
	if sink == nil {
		sink = &captured
		c.MaxOutput = max(c.MaxOutput, 0)
		if c.MaxOutput == 0 {
			c.MaxOutput = defaultOutput
		}
	}
	err = pour(sink, ch.Stdout, c.MaxOutput)
	if err != nil {
		ch.rush()
		ch.end()
	}
	select {
	case <-ch.exited: // its output may end long before itself
	case <-ch.stopped:
	}
	r := ch.end()
	r.Stdout = captured.Bytes()
	return r, ch.verdict(ctx, err, fed)
}

func (ch *Child) verdict(ctx context.Context, err error, fed <-chan error) error {
	name := filepath.Base(ch.command.Argv[0])
	if ch.cancelled.Load() {
		return fmt.Errorf("running %s: %w", name, context.Cause(ctx))
	}
	if err == nil {
		t := time.NewTimer(ch.command.grace())
		defer t.Stop()
		select {
		case err = <-fed:
		case <-t.C:
			err = errors.New("its input did not come to an end")
		}
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", name, err)
	}
	return nil
}

// feed gives the child its input. A child that does not want all of it is no error (EPIPE); an input that cannot be read is.
func feed(ch *Child, from io.Reader) error {
	defer ch.Stdin.Close()
	if from == nil {
		return nil
	}
	src := &input{r: from}
	_, _ = io.Copy(ch.Stdin, src)
	if src.err != nil {
		return fmt.Errorf("reading its input: %w", src.err)
	}
	return nil
}

// input remembers the error of its reader, to tell it from the writer's.
type input struct {
	r   io.Reader
	err error
}

func (s *input) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// pour copies at most limit bytes (0: all) and says when there were more.
func pour(to io.Writer, from io.Reader, limit int64) error {
	if limit == 0 {
		_, err := io.Copy(to, from)
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, limit))
	if err != nil || n < limit {
		return err
	}
	if extra, _ := from.Read(make([]byte, 1)); extra > 0 {
		return fmt.Errorf("%w (%d bytes)", ErrTooMuchOutput, limit)
	}
	return nil
}

// Runner runs short commands for those that may not start processes themselves; the zero value is ready.
type Runner struct {
	MaxOutput int64 // bytes of standard output; 0 means 64 MiB
}

// Run runs argv with exactly env to its end, or until ctx ends. See the function Run for what is an error.
func (r Runner) Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error) {
	if r.MaxOutput == 0 {
		r.MaxOutput = 64 << 20
	}
	res, err := Run(ctx, Command{Argv: argv, Env: env, Dir: "/", Stdin: stdin, MaxOutput: r.MaxOutput})
	return res.Stdout, res.Stderr, res.Code, err
}

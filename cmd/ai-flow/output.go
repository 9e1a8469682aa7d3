package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/d3mlabs/ai-flow/render"
)

// output is where a run leaves its result and its log. It is opened before anything is started, so that a place which
// cannot be written is found out while nothing has been done.
type output struct {
	dir  string // "" when there is no place: neither --out nor a directory of our own
	file *os.File
	log  *render.Log
}

// The name of the log, and the pattern of its name while the run goes on: two runs may have the same directory.
const (
	runLog      = "run.log"
	growingLog  = "run.*.log"
	noPlaceHint = "name another one: --out DIR"
)

// openOutput makes the directory and the run's log in it, which nobody else may read, and which goes to standard error too
// if asked for. The caller closes it.
func (p *program) openOutput(o tryOptions) (*output, error) {
	out := &output{dir: p.outDir(o)}
	var w io.Writer = io.Discard
	if out.dir != "" {
		if err := os.MkdirAll(out.dir, 0o755); err != nil {
			return nil, &usageError{fmt.Sprintf("making the output directory: %v", err), noPlaceHint}
		}
		f, err := os.CreateTemp(out.dir, growingLog) // mode 0600
		if err != nil {
			return nil, &usageError{fmt.Sprintf("writing to the output directory: %v", err), noPlaceHint}
		}
		out.file, w = f, f
	}
	if o.verbose {
		w = io.MultiWriter(w, p.say)
	}
	out.log = render.NewLog(w, false)
	for _, v := range p.secrets {
		out.log.Mask(v)
	}
	return out, nil
}

// outDir is where the result's files go: what the caller named, else a directory of our own that the next run overwrites.
func (p *program) outDir(o tryOptions) string {
	if o.out != "" {
		return p.path(o.out)
	}
	if p.env.state == "" {
		return ""
	}
	return filepath.Join(p.env.state, "last")
}

func (out *output) path(name string) string { return filepath.Join(out.dir, name) }

// logPath is where the log is once it is closed.
func (out *output) logPath() string { return filepath.Join(out.dir, runLog) }

// write puts a file in its place as a whole. What stands there by that name is replaced and not opened: the directory may lie
// in a checkout, where a name can be a link to anywhere, or a pipe that nobody reads.
func (out *output) write(name, data string) error {
	draft := filepath.Join(out.dir, fmt.Sprintf(".%s.%d", name, os.Getpid()))
	if err := ignoreMissing(os.Remove(draft)); err != nil { // of a killed run with our number
		return err
	}
	f, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(draft, filepath.Join(out.dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// close gives the log its name.
func (out *output) close() error {
	if out.file == nil {
		return nil
	}
	name := out.file.Name()
	err := errors.Join(out.log.Err(), out.file.Close())
	out.file = nil
	return errors.Join(err, os.Rename(name, out.logPath()))
}

// discard takes the log away: nothing was started, and the last run's stays. After close it does nothing.
func (out *output) discard() error {
	if out.file == nil {
		return nil
	}
	name := out.file.Name()
	err := out.file.Close()
	out.file = nil
	return errors.Join(err, os.Remove(name))
}

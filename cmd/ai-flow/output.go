package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

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
		if err := refuseForeign(out.dir); o.out != "" && err != nil {
			return nil, err
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

// resultFiles are the files of every run but its log. The report is written first: a later run knows the directory by it.
var resultFiles = []string{"report.json", "comment.md", "summary.md", "preview.html"}

// patchName is how package commands names patches.
var patchName = regexp.MustCompile(`^(workflows|rescued)(-[0-9]+)?\.patch$`)

// refuseForeign keeps what a person has by the names of our files: only in a directory that holds a report of ours are they
// ours to replace. A directory by such a name cannot be replaced anyway.
func refuseForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &usageError{fmt.Sprintf("looking into the output directory: %v", err), noPlaceHint}
	}
	if holdsReport(filepath.Join(dir, resultFiles[0])) {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && (name == runLog || slices.Contains(resultFiles, name) || patchName.MatchString(name)) {
			return &usageError{fmt.Sprintf("%s is not of a run of ai-flow, which would overwrite it", quoted(filepath.Join(dir, name))), "name an empty directory: --out DIR"}
		}
	}
	return nil
}

// holdsReport reports whether a file is a report of ours, of any version: what others call report.json has not all of these
// keys.
func holdsReport(path string) bool {
	const most = 16 << 20
	data, err := readBounded(path, most)
	if err != nil {
		return false
	}
	var report struct {
		Version          int
		Outcome, Surface *string
		WantCount        *int    `json:"want_count"`
		TokenScope       *string `json:"token_scope"`
	}
	err = json.Unmarshal(data, &report)
	return err == nil && report.Version >= 1 && report.Outcome != nil && report.Surface != nil && report.WantCount != nil && report.TokenScope != nil
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

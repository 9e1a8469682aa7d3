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
	dir  string      // "" when there is no place: neither --out nor a directory of our own
	mode os.FileMode // of its files
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
	foreign := refuseForeign
	if o.out == "" { // of our own
		foreign = nil
	}
	out, w, err := openOutputDir(p.outDir(o), 0o755, foreign)
	if err != nil {
		return nil, err
	}
	if o.verbose {
		w = io.MultiWriter(w, p.say)
	}
	out.log = p.maskedLog(w)
	return out, nil
}

// openOutputDir makes a directory with its log, for the mode of new directories; foreign may refuse one that is there, and
// may be nil.
func openOutputDir(dir string, mode os.FileMode, foreign func(dir string) error) (*output, io.Writer, error) {
	if dir == "" {
		return &output{}, io.Discard, nil
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return nil, nil, &usageError{fmt.Sprintf("making the output directory: %v", err), noPlaceHint}
	}
	if foreign != nil {
		if err := foreign(dir); err != nil {
			return nil, nil, err
		}
	}
	f, err := os.CreateTemp(dir, growingLog) // mode 0600
	if err != nil {
		return nil, nil, &usageError{fmt.Sprintf("writing to the output directory: %v", err), noPlaceHint}
	}
	return &output{dir: dir, file: f, mode: mode &^ 0o111}, f, nil
}

// maskedLog is a log in which none of our secrets is readable.
func (p *program) maskedLog(w io.Writer) *render.Log {
	log := render.NewLog(w, false)
	for _, v := range p.secrets {
		log.Mask(v)
	}
	return log
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
	f, err := os.OpenFile(draft, os.O_CREATE|os.O_EXCL|os.O_WRONLY, out.mode)
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

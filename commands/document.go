package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/render"
)

// The bounds of a document. GitHub takes 65,536 characters.
const (
	maxDocument      = 256 << 10 // bytes that are read
	maxDocumentRunes = 65_536    // characters that may be written, unless it was longer before
)

// Document is the text that a comment is about: an issue's body, a pull request's description, a file.
type Document struct {
	Name   string // what it is, in our words: "the description of the issue"
	Body   string // foreign
	None   bool   // there is none: `try` without --body
	Remedy string // what a person can do when there is none
}

// Place is where a document is read and written, and what was said about it. The result of a run is returned as a value.
type Place interface {
	// Document reads the document as it is now.
	Document(ctx context.Context) (Document, error)
	// Discussion is what was said about the document, oldest first, without the command, which holds the quote itself, and
	// without our own words. It is asked for at most once in a run, and only when a quote does not stand in the document.
	Discussion(ctx context.Context) ([]Said, error)
	// Announce is told before Replace what will be told once it has succeeded: whoever comes after a crash between the two can
	// then tell whether it has. An error means that Replace must not be called.
	Announce(ctx context.Context, result render.Result, was, now string) error
	// Replace writes now where was stood; ErrMoved, and nothing written, when something else stands there by then. Any other
	// error leaves open whether it was written: the document is read again to find out.
	Replace(ctx context.Context, was, now string) error
}

// Said is a comment. Its words reach the agent only if its author may write, which Counts finds out; nil: they may. It is
// asked only of a comment in which a quote stands, since asking is a call, and strangers decide how many comments there are.
type Said struct {
	Author, Text, URL string
	Counts            func(ctx context.Context) bool
}

// ErrMoved says that a document is no longer what it was when it was read.
var ErrMoved = errors.New("the document has changed meanwhile")

// File is a document in a file of our own user's: the place of `ai-flow try --body FILE`. Without a path there is none.
type File struct{ Path string }

// Document reads the file, at most 256 KiB of it.
func (f File) Document(context.Context) (Document, error) {
	if f.Path == "" {
		return Document{None: true, Remedy: "Name its file: --body FILE."}, nil
	}
	body, err := f.read()
	return Document{Name: "the document", Body: body}, err
}

func (f File) read() (string, error) {
	info, err := os.Stat(f.Path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "read", Path: f.Path, Err: errors.New("not a regular file")}
	case info.Size() > maxDocument:
		err = &fs.PathError{Op: "read", Path: f.Path, Err: fmt.Errorf("%d bytes, more than %d", info.Size(), maxDocument)}
	}
	if err != nil {
		return "", fmt.Errorf("reading the document: %w", err)
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return "", fmt.Errorf("reading the document: %w", err)
	}
	if !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return "", fmt.Errorf("reading the document: %q is not text in UTF-8", f.Path)
	}
	return string(data), nil
}

// Discussion is empty: nobody talks about a file.
func (f File) Discussion(context.Context) ([]Said, error) { return nil, nil }

// Announce does nothing: whoever reads the file sees what it holds.
func (f File) Announce(context.Context, render.Result, string, string) error { return nil }

// Replace writes beside the file and renames, so that a crash leaves the one or the other. A link is written through: it
// is our own user's.
func (f File) Replace(_ context.Context, was, now string) error {
	is, err := f.read()
	if err != nil {
		return err
	}
	if is != was {
		return ErrMoved
	}
	if err := f.write(now); err != nil {
		return fmt.Errorf("writing the document: %w", err)
	}
	return nil
}

func (f File) write(now string) error {
	path, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".ai-flow-*")
	if err != nil {
		return err
	}
	_, err = beside.WriteString(now)
	err = errors.Join(err, beside.Chmod(info.Mode().Perm()), beside.Sync(), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(beside.Name()))
	}
	return nil
}

// normalise makes texts comparable: \n line ends, one of them at the end.
func normalise(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.TrimRightFunc(text, unicode.IsSpace) + "\n"
}

// likeBefore gives an edited text the line ends and the last line break that the document had: GitHub keeps CRLF in what
// people typed into a form, and a diff of every line would hide the change that was made.
func likeBefore(before, edited string) string {
	if !strings.HasSuffix(before, "\n") {
		edited = strings.TrimSuffix(edited, "\n")
	}
	if crlf := strings.Count(before, "\r\n"); crlf > 0 && crlf == strings.Count(before, "\n") {
		edited = strings.ReplaceAll(edited, "\n", "\r\n")
	}
	return edited
}

// readable judges what an agent left in the place of the document; "" when it may be written.
func readable(before string, data []byte) string {
	text := string(data)
	switch {
	case !utf8.Valid(data) || strings.ContainsRune(text, 0):
		return "it is not text in UTF-8"
	case strings.TrimFunc(text, isBlank) == "":
		return "it is empty"
	case utf8.RuneCountInString(text) > max(maxDocumentRunes, utf8.RuneCountInString(before)):
		return fmt.Sprintf("it is longer than the %d characters that a description may have", maxDocumentRunes)
	}
	return ""
}

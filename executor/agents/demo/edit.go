package demo

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// edit changes the document that the prompt names, in place.
func (w *worker) edit(ctx context.Context, s segment) (string, error) {
	if s.document == "" {
		return "The prompt names no document, so nothing was changed.", nil
	}
	name := w.absolute(s.document)
	before, err := os.ReadFile(name)
	if err != nil {
		w.wanted(s.document, "it is the document to change, and could not be read")
		return fmt.Sprintf("The document could not be read (%s), so nothing was changed.", code(err.Error())), nil
	}
	after, did := s.rewritten(string(before))
	if after == string(before) {
		return did, nil
	}
	written, err := w.change(ctx, s.document, func() error { return os.WriteFile(name, []byte(after), 0o644) })
	switch {
	case err != nil:
		return "", err
	case !written:
		return "The change was not made: writing the document was refused.", nil
	}
	return did, nil
}

// rewritten applies the instruction to the quoted paragraph alone, where there is one and it is found word by word.
func (s segment) rewritten(text string) (after, did string) {
	if s.anchor == "" || strings.Count(text, s.anchor) != 1 {
		return rewrite(text, s.instruction)
	}
	at := strings.Index(text, s.anchor)
	part, did := rewrite(s.anchor, s.instruction)
	return text[:at] + strings.TrimRight(part, "\n") + text[at+len(s.anchor):], did
}

package demo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// The instructions for a tree: a file to make, or a rewrite of one.
var (
	addForm    = regexp.MustCompile(`(?is)^(?:please\s+)?(?:add|create|write)\s+(?:a\s+)?(?:file\s+)?` + fileName + `\s+(?:saying|with|containing)[:\s]\s*(.+)$`)
	inFileForm = regexp.MustCompile(`(?is)^(.+?)\s+(?:in|from|to)\s+` + fileName + `[.!]?\s*$`)
	deleteForm = regexp.MustCompile(`(?is)^(?:please\s+)?(?:remove|delete)\s+(?:the\s+)?(?:file\s+)?` + fileName + `[.!]?\s*$`)
)

const fileName = "[`\"']?([A-Za-z0-9_./-]*[A-Za-z0-9_-])[`\"']?"

// fallback is the file that an instruction nobody understood goes to.
const fallback = "docs/ai-flow-demo.md"

// plan is a change of one file: its new content, or its removal.
type plan struct {
	file, content, did string
	remove             bool
}

// build makes one small change in the tree and looks at it with git. All paths go through os.Root, so that a link in a
// stranger's tree does not lead the change out of it.
func (w *worker) build(ctx context.Context, s segment) (string, error) {
	root, err := os.OpenRoot(w.turn.Cwd)
	if err != nil {
		return "", fmt.Errorf("opening the tree: %w", err)
	}
	defer root.Close()
	p := planFor(root, s.instruction)
	if p.file == "" {
		return p.did, nil
	}
	written, err := w.change(ctx, p.file, func() error { return p.apply(root) })
	switch {
	case err != nil:
		return "", err
	case !written:
		return fmt.Sprintf("The change to %s was not made: it was refused.", code(p.file)), nil
	}
	status, err := w.shell(ctx, "git status --short -- "+p.file, "to see what changed")
	if err != nil {
		return "", err
	}
	if status.allowed && status.exit == 0 && strings.TrimSpace(status.output) != "" {
		p.did += " git says: " + code(status.output) + "."
	}
	return p.did + " No tests were run by me.", nil
}

func planFor(root *os.Root, instruction string) plan {
	instruction = strings.TrimSpace(instruction)
	if m := addForm.FindStringSubmatch(instruction); m != nil && inside(m[1]) {
		return fileWith(root, m[1], bare(m[2])+"\n")
	}
	if m := deleteForm.FindStringSubmatch(instruction); m != nil && inside(m[1]) {
		if _, err := root.Lstat(m[1]); err == nil {
			return plan{file: m[1], remove: true, did: "Removed " + code(m[1]) + "."}
		}
	}
	if m := inFileForm.FindStringSubmatch(instruction); m != nil && inside(m[2]) {
		if before, err := root.ReadFile(m[2]); err == nil {
			after, did := rewrite(string(before), m[1])
			if after == string(before) {
				return plan{did: did}
			}
			return plan{file: m[2], content: after, did: "In " + code(m[2]) + ": " + did}
		}
	}
	note := "# Demo\n\nThe built-in demo agent of ai-flow was asked:\n\n> " + strings.ReplaceAll(instruction, "\n", "\n> ") + "\n"
	p := fileWith(root, fallback, note)
	if p.file != "" {
		p.did = "I understand only plain instructions (add FILE saying TEXT, replace X with Y in FILE, append TEXT to FILE, delete FILE), so I wrote this one down in " + code(fallback) + "."
	}
	return p
}

func fileWith(root *os.Root, name, content string) plan {
	before, err := root.ReadFile(name)
	switch {
	case err == nil && string(before) == content:
		return plan{did: code(name) + " says that already, so nothing was changed."}
	case err == nil:
		return plan{file: name, content: content, did: "Rewrote " + code(name) + "."}
	}
	return plan{file: name, content: content, did: "Added " + code(name) + "."}
}

// inside reports whether a path stays in the tree and out of git's own files.
func inside(name string) bool {
	return fs.ValidPath(path.Clean(name)) && name != "." && !strings.HasPrefix(path.Clean(name)+"/", ".git/")
}

func (p plan) apply(root *os.Root) error {
	if p.remove {
		return root.Remove(p.file)
	}
	if dir := path.Dir(p.file); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return root.WriteFile(p.file, []byte(p.content), 0o644)
}

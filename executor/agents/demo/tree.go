package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

const (
	maxFiles = 20_000    // files listed; a larger repository is described by the first ones
	maxText  = 512 << 10 // bytes of a file that is read
	maxTotal = 64 << 20  // bytes read in one search
)

// tree is the checkout as it was listed.
type tree struct {
	root  *os.Root
	files []string // relative paths, sorted
	more  bool     // there are more than maxFiles
}

// survey lists the checkout, as a tool call of the kind search. Links are listed, never followed: os.Root refuses one
// that leads outside.
func (w *worker) survey(ctx context.Context) (*tree, error) {
	root, err := os.OpenRoot(w.turn.Cwd)
	if err != nil {
		return nil, fmt.Errorf("opening the checkout: %w", err)
	}
	t := &tree{root: root}
	err = w.call(agentside.Call{Title: "List the checkout", Kind: "search", Paths: []string{w.turn.Cwd}}, func() (string, error) {
		walk := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return fs.SkipDir // unreadable: a locked door of the tree's own, not worth the run
			case d.IsDir():
				return skipped(p, d.Name())
			case len(t.files) == maxFiles:
				t.more = true
				return fs.SkipAll
			}
			t.files = append(t.files, p)
			return nil
		})
		sort.Strings(t.files)
		return fmt.Sprintf("%d files", len(t.files)), walk
	})
	if err != nil {
		root.Close()
		return nil, err
	}
	return t, nil
}

func skipped(p, name string) error {
	switch name {
	case ".git", "node_modules", "vendor", ".venv", "target", "dist":
		if p != "." {
			return fs.SkipDir
		}
	}
	return nil
}

// read returns a text file of the checkout, or "" when it cannot be read or is no text.
func (t *tree) read(name string) string {
	f, err := t.root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return ""
	}
	data, err := fs.ReadFile(t.root.FS(), name)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	return string(data)
}

// has reports whether a file of that base name lies at the top of the checkout, and returns its name as written.
func (t *tree) has(base string) (string, bool) {
	for _, f := range t.files {
		if strings.EqualFold(f, base) {
			return f, true
		}
	}
	return "", false
}

// count counts the files for which the function holds.
func (t *tree) count(holds func(name string) bool) (n int) {
	for _, f := range t.files {
		if holds(f) {
			n++
		}
	}
	return n
}

// languages by extension, for the count that opens an answer.
func languageOf(name string) string {
	switch path.Ext(name) {
	case ".go":
		return "Go"
	case ".rb":
		return "Ruby"
	case ".py":
		return "Python"
	case ".js", ".mjs", ".cjs", ".jsx":
		return "JavaScript"
	case ".ts", ".tsx":
		return "TypeScript"
	case ".rs":
		return "Rust"
	case ".java":
		return "Java"
	case ".kt", ".kts":
		return "Kotlin"
	case ".swift":
		return "Swift"
	case ".c", ".h":
		return "C"
	case ".cc", ".cpp", ".cxx", ".hpp":
		return "C++"
	case ".cs":
		return "C#"
	case ".php":
		return "PHP"
	case ".sh", ".bash":
		return "Shell"
	case ".md":
		return "Markdown"
	case ".yml", ".yaml":
		return "YAML"
	}
	return ""
}

// call runs one of the agent's own tools and reports it. A failure of the tool is a failed call, and is returned.
func (w *worker) call(c agentside.Call, do func() (string, error)) error {
	c.ID, c.Status = w.nextID(), "in_progress"
	if err := w.turn.Start(c); err != nil {
		return err
	}
	text, err := do()
	end := agentside.Call{ID: c.ID, Status: "completed", Text: text}
	if err != nil {
		end.Status, end.Text = "failed", err.Error()
	}
	return errors.Join(err, w.turn.Update(end))
}

func (w *worker) nextID() string {
	w.calls++
	return fmt.Sprintf("demo-%d", w.calls)
}

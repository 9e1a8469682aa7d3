package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/urfave/cli/v2"
)

// maxPreview is the longest Markdown file that is shown: the limit of a step summary, the longer of what GitHub takes.
const maxPreview = 1 << 20

func (p *program) previewCommand() *cli.Command {
	return &cli.Command{
		Name:      "preview",
		Usage:     "show a comment or step summary as a page, as a reader of GitHub would see it",
		ArgsUsage: "FILE",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "out", Usage: "write the page to `FILE` instead of standard output"}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return &usageError{"preview takes one Markdown file", "ai-flow preview comment.md > comment.html"}
			}
			return p.preview(c.Args().First(), c.String("out"))
		},
	}
}

func (p *program) preview(name, out string) error {
	markdown, err := readBounded(p.path(name), maxPreview)
	if err != nil {
		return &usageError{fmt.Sprintf("reading %s: %v", quoted(name), err), ""}
	}
	page, err := render.Page(filepath.Base(name), string(markdown))
	if err != nil {
		return fmt.Errorf("rendering %s: %w", quoted(name), err)
	}
	if out != "" {
		return os.WriteFile(p.path(out), page, 0o644)
	}
	_, err = io.WriteString(p.out, muteHTML(string(page)))
	return err
}

// path resolves a path of the caller's against the working directory.
func (p *program) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

// readBounded reads a regular file of at most max bytes.
func readBounded(name string, max int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO that nobody writes to would be waited for
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("larger than %d bytes", max)
	}
	return data, err
}

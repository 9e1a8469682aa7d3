package render

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// edit replaces src[start:end].
type edit struct {
	start, end int
	text       string
}

// area is a stretch of the source that the text scanner treats in a way of its own.
type area struct {
	start, end int
	kind       areaKind
}

type areaKind uint8

const (
	opaque areaKind = iota // code, a link's destination: nothing in it acts
	markup                 // an HTML block: back-ticks in it are not yet code
	spare                  // a <br> in a table cell: kept
)

// pass looks at the text once. It parses to learn what is code and where the constructs are, and edits the source in place,
// so that whatever needs nothing stays as the agent wrote it. (Writing the whole document anew from the parse tree was
// rejected: it changes ordinary answers, and a second parse of it need not agree with the first.)
func (h hosts) pass(source string) (string, bool) {
	p := pass{hosts: h, src: []byte(source)}
	p.walk(parse(p.src))
	slices.SortFunc(p.areas, func(a, b area) int { return a.start - b.start })
	s := scanner{pass: &p}
	s.run()
	return p.apply()
}

type pass struct {
	hosts hosts
	src   []byte
	areas []area
	edits []edit
}

func (p *pass) edit(start, end int, text string) { p.edits = append(p.edits, edit{start, end, text}) }

func (p *pass) mark(start, end int, kind areaKind) {
	p.areas = append(p.areas, area{start, end, kind})
}

// apply makes the edits; of two that overlap the first wins, and the next round sees to the other.
func (p *pass) apply() (string, bool) {
	if len(p.edits) == 0 {
		return string(p.src), false
	}
	slices.SortStableFunc(p.edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for _, e := range p.edits {
		if e.start < done {
			continue
		}
		b.Write(p.src[done:e.start])
		b.WriteString(e.text)
		done = e.end
	}
	b.Write(p.src[done:])
	return b.String(), true
}

// linkParser is goldmark's, and notes where in the source a link's label and the link itself end.
type linkParser struct{ parser.InlineParser }

const (
	closeAttr = "ai-flow-close"
	endAttr   = "ai-flow-end"
)

// Parse implements parser.InlineParser.
func (l linkParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, before := block.Position()
	n := l.InlineParser.Parse(parent, block, pc)
	if n != nil && (n.Kind() == ast.KindLink || n.Kind() == ast.KindImage) {
		_, after := block.Position()
		end := after.Start
		if after.Start < before.Start { // the reader is past the last line of the block
			end = before.Stop
		}
		n.SetAttributeString(closeAttr, before.Start)
		n.SetAttributeString(endAttr, end)
	}
	return n
}

// CloseBlock implements parser.CloseBlocker.
func (l linkParser) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if c, ok := l.InlineParser.(parser.CloseBlocker); ok {
		c.CloseBlock(parent, block, pc)
	}
}

func parse(src []byte) ast.Node {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(linkParser{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	return p.Parse(text.NewReader(src))
}

// walk collects areas and makes the edits that need to know the construct.
func (p *pass) walk(root ast.Node) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.heading(n)
		case *ast.ThematicBreak:
			p.edit(n.Pos(), p.lineEnd(n.Pos()), "")
		case *ast.FencedCodeBlock:
			p.fenced(n)
		case *ast.CodeBlock:
			p.markLines(n, opaque)
		case *ast.HTMLBlock:
			p.markLines(n, markup)
		case *ast.CodeSpan:
			p.codeSpan(n)
		case *ast.RawHTML:
			p.rawHTML(n)
		case *east.TableRow:
			p.surplus(n)
		case *ast.Link:
			return p.link(n, n.Title, n.Reference != nil), nil
		case *ast.Image:
			return p.image(n), nil
		}
		return ast.WalkContinue, nil
	})
}

func (p *pass) lineStart(i int) int { return bytes.LastIndexByte(p.src[:i], '\n') + 1 }

func (p *pass) lineEnd(i int) int {
	if n := bytes.IndexByte(p.src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.src)
}

func (p *pass) markLines(n ast.Node, kind areaKind) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		p.mark(line.Start, line.Stop, kind)
	}
}

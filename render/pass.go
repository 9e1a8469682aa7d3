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

// heading moves the agent's headings below ours (the fourth level on), and takes the heading off text that passes for our
// section of wants. An underlined heading becomes one with marks, or a paragraph when it has several lines.
func (p *pass) heading(n *ast.Heading) {
	start, lines := n.Pos(), n.Lines()
	forged := isOurHeading(lines.Value(p.src))
	underlined := lines.Len() > 0 && lines.At(0).Start == start
	switch {
	case underlined:
		p.dropUnderline(lines.At(lines.Len() - 1).Stop)
		if lines.Len() == 1 && !forged {
			p.edit(start, start, "#### ")
		}
	case forged:
		p.edit(start, lines.At(0).Start, "")
	case n.Level < 4:
		p.edit(start, start, strings.Repeat("#", 4-n.Level))
	}
}

func isOurHeading(text []byte) bool {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(string(text)))
	return strings.Contains(letters, "boundarywants")
}

func (p *pass) dropUnderline(textEnd int) {
	start := textEnd
	if start > 0 && p.src[start-1] != '\n' {
		start = p.lineEnd(textEnd) + 1
	}
	if start >= len(p.src) {
		return
	}
	end := p.lineEnd(start)
	line := strings.TrimRight(string(p.src[start:end]), " \t")
	p.edit(start+len(strings.TrimRight(line, "=-")), end, "")
}

// fenced marks the block, cleans its info string and closes it if it is open.
func (p *pass) fenced(n *ast.FencedCodeBlock) {
	open := n.Pos()
	mark := p.src[open]
	length := span(string(p.src[open:p.lineEnd(open)]), mark, mark)
	if info, clean := string(p.src[open+length:p.lineEnd(open)]), ""; strings.TrimSpace(info) != "" {
		if clean = cleanInfo(info); clean != info {
			p.edit(open+length, p.lineEnd(open), clean)
		}
	}
	end := min(p.lineEnd(open)+1, len(p.src))
	if l := n.Lines(); l.Len() > 0 {
		end = l.At(l.Len() - 1).Stop
	}
	lineEnd := p.lineEnd(end)
	last := strings.Trim(string(p.src[end:lineEnd]), " \t>")
	if len(last) >= length && strings.Trim(last, string(mark)) == "" && end > open+length {
		p.mark(open, lineEnd, opaque)
		return
	}
	p.mark(open, end, opaque)
	closing := p.containerPrefix(open) + strings.Repeat(string(mark), length)
	if end > 0 && p.src[end-1] != '\n' {
		closing = "\n" + closing
	}
	p.edit(end, end, closing+"\n")
}

// containerPrefix is what a further line inside the containers of the line with position i starts with.
func (p *pass) containerPrefix(i int) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, string(p.src[p.lineStart(i):i]))
}

// cleanInfo keeps a plain language word. The languages that GitHub runs or draws (diagrams hold links, a suggestion has a
// button) become plain text.
func cleanInfo(info string) string {
	word := strings.TrimSpace(info)
	n := 0
	for n < len(word) && (isAlnum(word[n]) || strings.IndexByte("+#._-:/", word[n]) >= 0) {
		n++
	}
	word = word[:n]
	lang, _, _ := strings.Cut(strings.Map(func(r rune) rune {
		if r < 0x80 && !isAlnum(byte(r)) {
			return ' '
		}
		return r
	}, strings.ToLower(word)), " ")
	switch lang {
	case "mermaid", "geojson", "topojson", "stl", "math", "suggestion":
		return "text"
	}
	return word
}

// codeSpan marks the span from its first back-tick to its last.
func (p *pass) codeSpan(n *ast.CodeSpan) {
	start := n.Pos()
	ticks := span(string(p.src[start:p.lineEnd(start)]), '`', '`')
	end := start + ticks
	if last, ok := n.LastChild().(*ast.Text); ok {
		end = last.Segment.Stop
	}
	for end < len(p.src) && p.src[end] != '`' {
		end++
	}
	p.mark(start, min(end+ticks, len(p.src)), opaque)
}

func (p *pass) rawHTML(n *ast.RawHTML) {
	if n.Segments.Len() != 1 || n.Parent().Kind() != east.KindTableCell {
		return
	}
	seg := n.Segments.At(0)
	switch strings.ToLower(string(seg.Value(p.src))) {
	case "<br>", "<br/>", "<br />":
		p.mark(seg.Start, seg.Stop, spare)
	}
}

// link keeps a plain link that may be clicked; any other shows its text and, as code, where it would have led.
func (p *pass) link(n ast.Node, title []byte, reference bool) ast.WalkStatus {
	l := n.(*ast.Link)
	start, end, shut := n.Pos(), attr(n, endAttr), attr(n, closeAttr)
	dest, label := string(l.Destination), string(p.src[start+1:shut])
	if !reference && len(title) == 0 && string(p.src[shut:end]) == "]("+dest+")" && p.hosts.allow(dest) && plainLabel(label, dest) {
		p.mark(shut, end, opaque)
		p.mark(start, start+1, opaque)
		return ast.WalkContinue
	}
	if bare := strings.Trim(label, "`"); bare == "" || strings.HasPrefix(dest, bare) {
		p.edit(start, end, codeLink(dest))
		p.mark(start, end, opaque)
		return ast.WalkSkipChildren
	}
	p.edit(start, start+1, "")
	p.edit(shut, end, " ("+codeLink(dest)+")")
	p.mark(shut, end, opaque)
	return ast.WalkContinue
}

// plainLabel is false of a label that looks like another address than the one it leads to.
func plainLabel(label, dest string) bool {
	label = strings.Trim(label, "` ")
	return label == dest || !strings.Contains(label, "://") && !strings.Contains(strings.ToLower(label), "www.")
}

func (p *pass) image(n *ast.Image) ast.WalkStatus {
	start, end, shut := n.Pos(), attr(n, endAttr), attr(n, closeAttr)
	p.edit(start, start+2, "")
	p.edit(shut, end, " (image "+codeLink(string(n.Destination))+")")
	p.mark(shut, end, opaque)
	p.mark(start, start+2, opaque)
	return ast.WalkContinue
}

// codeLink shows an address as code, on one line and bounded.
func codeLink(dest string) string {
	dest = strings.NewReplacer("`", "%60", "|", "%7C", "\\", "%5C").Replace(oneLine(dest, 400))
	if dest == "" {
		return "no address"
	}
	return "`" + dest + "`"
}

func attr(n ast.Node, name string) int {
	v, _ := n.AttributeString(name)
	i, _ := v.(int)
	return i
}

package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

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
	end = min(end+ticks, len(p.src))
	p.mark(start, end, opaque)
	p.margins(start, end)
}

// margins makes spaces of the tabs that begin the further lines of a code span: one that keeps a line from being a heading
// is two columns short of it when the text stands in a quote.
func (p *pass) margins(start, end int) {
	for i := p.lineEnd(start) + 1; i < end; i = p.lineEnd(i) + 1 {
		for at := i; at < end && strings.IndexByte(" >\t", p.src[at]) >= 0; at++ {
			if p.src[at] == '\t' {
				p.edit(at, at+1, tabStop(at-i))
			}
		}
	}
}

// tabStop is what a tab at a column, counted from 0, shows as.
func tabStop(column int) string { return strings.Repeat(" ", 4-column%4) }

// surplus shows the cells that a row has beyond the table's columns: GitHub would leave them out of the page.
func (p *pass) surplus(row *east.TableRow) {
	last := row.LastChild()
	if last == nil || last.Lines().Len() == 0 {
		return
	}
	stop := last.Lines().At(0).Stop
	rest := strings.TrimRight(string(p.src[stop:p.lineEnd(stop)]), " \t")
	rest = strings.TrimSuffix(rest, "|")
	if strings.Trim(rest, " \t|") == "" {
		return
	}
	for i := range len(rest) {
		if rest[i] == '|' && p.src[stop+i-1] != '\\' {
			p.edit(stop+i, stop+i+1, "\\|")
		}
	}
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

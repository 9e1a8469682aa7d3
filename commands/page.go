package commands

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// place is where a command line stands on the page.
type place uint8

const (
	elsewhere place = iota // code, HTML, hidden, or the bot's own
	inText                 // the author's plain text
	inQuote                // drawn into a quote, list or table although it starts at the first column
)

// page is what the syntax tree says about a comment.
type page struct {
	places map[int]place // by the offset of a candidate line
	quotes []quote       // at the top level, in order
	// open is where what is not ended by the end of the body begins, at the start of a line: an element, and a fence or a
	// comment. What is written behind it belongs to it.
	open []int
}

// quote is a block quote at the top level. Its end is known only as far as its text reaches; lines behind it that begin with
// the mark of a quote are of it, too.
type quote struct {
	start, end int
	ours       bool // holds our marker: a result that an earlier run put there
}

// marker begins every hidden comment that the bot writes.
const marker = "<!-- ai-flow:"

// markerEnd ends text of the bot's that stands outside a quote.
const markerEnd = "<!-- ai-flow:end -->"

// readPage parses a comment as GitHub does. goldmark knows neither a lone CR nor a byte order mark, so it is given a copy
// of the same length in which they are a line break and spaces: offsets stay those of the body.
func readPage(body string, heads []line) page {
	source := []byte(strings.ReplaceAll(body, "\r\n", " \n"))
	for i, c := range source {
		if c == '\r' {
			source[i] = '\n'
		}
	}
	if strings.HasPrefix(body, "\ufeff") {
		// Not spaces: three of them would be indentation, and an empty line changes nothing.
		copy(source, "\n\n\n")
	}
	flatten(source)
	// A quote of nothing at the end shows whether one would be drawn there as a quote.
	source = append(source, "\n\n>"...)
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote))
	root := md.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext()))
	r := pageReader{source: source, page: page{places: map[int]place{}}}
	for _, h := range heads {
		r.pending = append(r.pending, h.start)
	}
	// The tree's own order is the order of the text but for footnotes, which are dead anyway.
	_ = ast.Walk(root, r.visit) // visit returns no error
	if r.open > 0 {
		r.page.open = append(r.page.open, lineStart(source, r.opened))
	}
	if last := lastBlock(root); last < len(body) {
		r.page.open = append(r.page.open, lineStart(source, last))
	}
	return r.page
}

// lastBlock is where the last block begins that stands where it was written; footnotes are moved to the end.
func lastBlock(root ast.Node) int {
	last := root.LastChild()
	for last != nil && last.Kind() == east.KindFootnoteList {
		last = last.PreviousSibling()
	}
	if last == nil {
		return 0
	}
	return last.Pos()
}

// pageReader walks the tree in the order of the text.
type pageReader struct {
	source  []byte
	page    page
	pending []int // offsets of candidate lines, ascending
	elements
	outer []elements // as they were before each quote, list and footnote that we are in: what they hold ends with them
	ours  bool       // inside text of the bot's that stands at the top level
	quote *quote
}

// elements are those of HTML that hide or set apart what they hold.
type elements struct {
	open   int // begun and not ended
	opened int // where the outermost of them was
}

func (r *pageReader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch n.Kind() {
	case ast.KindBlockquote, ast.KindList, east.KindFootnote:
		if entering {
			r.outer = append(r.outer, r.elements)
		} else {
			r.elements, r.outer = r.outer[len(r.outer)-1], r.outer[:len(r.outer)-1]
		}
	}
	if q, ok := n.(*ast.Blockquote); ok && n.Parent().Kind() == ast.KindDocument {
		if entering {
			r.page.quotes = append(r.page.quotes, quote{start: lineStart(r.source, q.Pos())})
			r.quote = &r.page.quotes[len(r.page.quotes)-1]
		} else {
			r.quote = nil
		}
	}
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Text:
		r.text(n)
	case *ast.HTMLBlock:
		raw := string(n.Lines().Value(r.source))
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(r.source))
		}
		r.html(raw, n.Pos())
	case *ast.RawHTML:
		r.html(string(n.Segments.Value(r.source)), n.Segments.At(0).Start)
	}
	if r.quote != nil && n.Type() == ast.TypeBlock && n.Lines() != nil {
		if lines := n.Lines(); lines.Len() > 0 {
			r.quote.end = max(r.quote.end, lines.At(lines.Len()-1).Stop)
		}
	}
	return ast.WalkContinue, nil
}

// text places the candidate line that begins in a run of plain text. Each is looked at once: candidates ascend, and so
// does the text.
func (r *pageReader) text(n *ast.Text) {
	for len(r.pending) > 0 && r.pending[0] < n.Segment.Start {
		r.pending = r.pending[1:]
	}
	for len(r.pending) > 0 && r.pending[0] < n.Segment.Stop {
		r.page.places[r.pending[0]] = r.place(n)
		r.pending = r.pending[1:]
	}
}

func (r *pageReader) place(n ast.Node) place {
	if r.open > 0 || r.ours {
		return elsewhere
	}
	switch n.Parent().Kind() {
	case ast.KindParagraph, ast.KindHeading, ast.KindTextBlock, east.KindTableCell:
	default:
		return elsewhere // a link, an image, code, struck or stressed text
	}
	for p := n.Parent().Parent(); p != nil; p = p.Parent() {
		if p.Kind() == east.KindFootnote {
			return elsewhere
		}
	}
	if n.Parent().Parent().Kind() == ast.KindDocument {
		return inText
	}
	return inQuote
}

// opaque are the elements that hide or set apart what stands between their tags even where Markdown goes on inside them.
// Only one that is surely ended counts as ended, so doubt makes prose.
var opaque = regexp.MustCompile(`(?i)<(/?)(?:details|summary|blockquote|pre|code|kbd|samp|tt|template|table|ul|ol|dl|del|strike|s|` +
	`script|style|svg|math|select|textarea|title|xmp|iframe|noembed|noframes|noscript|plaintext|object|dialog)(\s*>|[\s/>]|$)`)

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// html follows elements and markers through a piece of HTML that begins at an offset.
func (r *pageReader) html(raw string, at int) {
	for _, c := range htmlComment.FindAllString(raw, -1) {
		switch {
		case r.quote != nil && strings.HasPrefix(c, marker):
			r.quote.ours = true
		case c == markerEnd:
			r.ours = false
		case strings.HasPrefix(c, marker):
			r.ours = true
		}
	}
	for _, tag := range opaque.FindAllStringSubmatch(htmlComment.ReplaceAllString(raw, ""), -1) {
		switch {
		case tag[1] == "":
			if r.open++; r.open == 1 {
				r.opened = at
			}
		case strings.HasSuffix(tag[2], ">") && r.open > 0:
			r.open--
		}
	}
}

// flatten takes the marks beyond the 32nd from quotes in quotes: the parser's time grows with the square of the depth, and
// nothing that deep is a command.
func flatten(source []byte) {
	depth, leading := 0, true
	for i, c := range source {
		switch {
		case c == '\n':
			depth, leading = 0, true
		case leading && c == '>':
			if depth++; depth > 32 {
				source[i] = 'x'
			}
		case c != ' ' && c != '\t':
			leading = false
		}
	}
}

func lineStart(source []byte, at int) int {
	for at > 0 && source[at-1] != '\n' {
		at--
	}
	return at
}

package commands

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// unseenKind is a kind of text that stands in a document and not on its page.
type unseenKind uint8

const (
	unseenComment unseenKind = iota
	unseenAttribute
	unseenDefinition
	unseenFootnote
	unseenLink
	unseenInfo
)

// unseenWords name the kinds, one and several.
var unseenWords = [...][2]string{
	unseenComment:    {"HTML comment", "HTML comments"},
	unseenAttribute:  {"HTML element with attributes that do not show", "HTML elements with attributes that do not show"},
	unseenDefinition: {"link definition that nothing uses", "link definitions that nothing uses"},
	unseenFootnote:   {"footnote that nothing refers to", "footnotes that nothing refers to"},
	unseenLink:       {"link without a text", "links without a text"},
	unseenInfo:       {"code block with words behind its language", "code blocks with words behind their language"},
}

// unseen is a piece of a document that its page does not show.
type unseen struct {
	kind unseenKind
	text string
}

// maxSearched bounds a document that is searched for what its page does not show, in bytes: a hostile one costs the square
// of its length.
const maxSearched = 128 << 10

// hiddenBy says what an edit added that a reader of the page would not see; "" for nothing. It is no reason to refuse: honest
// templates are full of comments. But whoever reads only the page should know where to look.
func hiddenBy(before, after string) string {
	if len(before) > maxSearched || len(after) > maxSearched {
		return "The document is too long to be searched for text that its page does not show: see the source diff."
	}
	was := counted(unseenOf(before))
	var added [len(unseenWords)]int
	for piece, n := range counted(unseenOf(after)) {
		added[piece.kind] += max(0, n-was[piece])
	}
	var words []string
	for kind, n := range added {
		switch {
		case n == 1:
			words = append(words, "1 "+unseenWords[kind][0])
		case n > 1:
			words = append(words, fmt.Sprintf("%d %s", n, unseenWords[kind][1]))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "The edit adds " + enumerated(words) + ", which the page does not show: see the source diff."
}

func enumerated(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// unseenOf lists what the page of a document does not show, as far as GitHub's Markdown says so. Texts that show only when
// a pointer rests on them (titles, descriptions of images, where links lead) are not in it.
func unseenOf(document string) []unseen {
	source := []byte(document)
	flatten(source)
	f := &unseenFinder{source: source, used: map[string]bool{}}
	// Without tables, whose text is found all the same: goldmark makes every cell of every row that a heading promises.
	md := goldmark.New(goldmark.WithExtensions(extension.Footnote),
		// Before the footnotes' own transformer, which takes those away that nothing refers to.
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(f, 1))))
	md.Parser().Parse(text.NewReader(source))
	for _, d := range f.defined {
		key := util.ToLinkReference(d.Label)
		if !f.used[key] {
			f.add(unseenDefinition, string(d.Label)+" "+string(d.Destination)+" "+string(d.Title))
		}
		f.used[key] = false // of several for one label the first counts
	}
	return f.found
}

// unseenFinder walks the tree of a document.
type unseenFinder struct {
	source  []byte
	found   []unseen
	defined []*ast.LinkReferenceDefinition
	used    map[string]bool // labels of links and images
}

func (f *unseenFinder) add(kind unseenKind, text string) {
	f.found = append(f.found, unseen{kind, text})
}

// Transform changes nothing; it looks.
func (f *unseenFinder) Transform(root *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(root, f.visit) // visit returns no error
}

func (f *unseenFinder) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.LinkReferenceDefinition:
		f.defined = append(f.defined, n)
	case *ast.Link:
		f.uses(n.Reference)
		if !n.HasChildren() {
			f.add(unseenLink, string(n.Destination)+" "+string(n.Title))
		}
	case *ast.Image:
		f.uses(n.Reference)
	case *east.Footnote:
		if n.Index < 0 {
			f.add(unseenFootnote, string(n.Ref)+" "+f.linesOf(n))
		}
	case *ast.FencedCodeBlock:
		if n.Info != nil && len(strings.Fields(string(n.Info.Value(f.source)))) > 1 {
			f.add(unseenInfo, string(n.Info.Value(f.source)))
		}
	case *ast.HTMLBlock:
		raw := string(n.Lines().Value(f.source))
		if n.HasClosure() {
			raw += string(n.ClosureLine.Value(f.source))
		}
		f.html(raw)
	case *ast.RawHTML:
		f.html(string(n.Segments.Value(f.source)))
	}
	return ast.WalkContinue, nil
}

func (f *unseenFinder) uses(r *ast.ReferenceLink) {
	if r != nil {
		f.used[util.ToLinkReference(r.Value)] = true
	}
}

// linesOf is the source of all that stands in a block.
func (f *unseenFinder) linesOf(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock && n.Lines() != nil {
			b.Write(n.Lines().Value(f.source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var (
	// unseenMarkup are comments, and what else of HTML is no element.
	unseenMarkup = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|<![A-Za-z\[].*?(?:>|$)`)
	element      = regexp.MustCompile(`(?s)<[A-Za-z][A-Za-z0-9-]*([\s/](?:[^>"']|"[^"]*"|'[^']*')*)`)
	attribute    = regexp.MustCompile(`(?s)([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?`)
)

func (f *unseenFinder) html(raw string) {
	for _, c := range unseenMarkup.FindAllString(raw, -1) {
		f.add(unseenComment, c)
	}
	for _, tag := range element.FindAllStringSubmatch(unseenMarkup.ReplaceAllString(raw, ""), -1) {
		for _, a := range attribute.FindAllStringSubmatch(tag[1], -1) {
			if !shows(strings.ToLower(a[1])) {
				f.add(unseenAttribute, tag[0])
				break
			}
		}
	}
}

// shows reports whether an attribute has to do with what a reader sees or can reach. Whoever is missing here is named to
// the reader once too often, which is the better mistake.
func shows(attribute string) bool {
	switch attribute {
	case "href", "src", "srcset", "media", "alt", "title", "align", "valign", "width", "height", "open", "id", "name", "dir", "lang",
		"start", "type", "value", "reversed", "colspan", "rowspan", "scope", "border", "rel", "target", "checked", "disabled", "controls":
		return true
	}
	return false
}

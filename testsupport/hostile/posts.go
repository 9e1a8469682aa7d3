package hostile

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// posts reads what people read as GitHub shows it (S7), and looks for what pretends to be ours (S6). It shares no code with
// what wrote it but the parser.
func (j *judge) posts() {
	for _, p := range j.Posts {
		if p.Limit > 0 && len(p.Text) > p.Limit {
			j.fault("S7", "%s has %d bytes, more than %d", p.Where, len(p.Text), p.Limit)
		}
		if h := hidden(p.Text); h != "" {
			j.fault("S7", "%s hides %s", p.Where, h)
		}
		switch p.Kind {
		case Ours, Shared, Page:
			(&page{judge: j, post: p, src: []byte(p.Text)}).read()
		case Title:
			j.words(p, p.Text)
		case Document: // the author of the command may write what the agent wrote for them, mentions too
		}
	}
}

// words is what GitHub looks for in words.
func (j *judge) words(p Post, run string) {
	run = ourWords.ReplaceAllString(run, "")
	for name, rule := range map[string]*regexp.Regexp{"mentions": mention, "closes": closing, "refers by": reference, "links by": address} {
		if hit := rule.FindString(run); hit != "" {
			j.fault("S7", "%s %s %q in %.200q", p.Where, name, hit, run)
		}
	}
}

var (
	mention   = regexp.MustCompile(`(^|[^A-Za-z0-9_/])@[A-Za-z0-9]`)
	closing   = regexp.MustCompile(`(?i)\b(close[sd]?|fix(e[sd])?|resolve[sd]?):?\s+([\w.-]+/[\w.-]+)?(#|gh-)[0-9]`)
	reference = regexp.MustCompile(`(^|[^\w&])#[0-9]+($|[^A-Za-z0-9_])`)
	address   = regexp.MustCompile(`(?i)(^|[^a-z0-9])(www\.[a-z0-9]|mailto:[a-z0-9]|ftp://)`)
	// ourWords are lines that we write ourselves: who asked for a pull request, and which issue it closes.
	ourWords = regexp.MustCompile(`(?m)^(Closes|Part of) acme/app#1$|^Requested by @(ann|ida)\b`)
	ourTags  = regexp.MustCompile(`</?(details|summary|pre|del|ins|br|sub|code)>|<br ?/>|<!-- (pull of ai-flow ([0-9]+|end)|ai-flow:[a-z]+[a-zA-Z0-9 =./#_-]*) -->`)
	footer   = regexp.MustCompile(`(?m)^[> ]*⚙️ `)
	paste    = regexp.MustCompile(`(?i)<summary>[^<]*patch`)
	wants    = regexp.MustCompile(`(?mi)^[> ]*\*\*[0-9]+ boundary wants?\.\*\*`)
)

// page is one text as a page.
type page struct {
	*judge
	post  Post
	src   []byte
	folds int
	ends  int // of pieces of ours, seen by the parser
}

func (p *page) read() {
	root := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(p.src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker below has no error
		if entering {
			return p.visit(n), nil
		}
		return ast.WalkContinue, nil
	})
	if p.folds != 0 {
		p.fault("S7", "%s has %+d folds without an end", p.post.Where, p.folds)
	}
	text := string(p.src)
	if marks := strings.Count(text, "<!-- ai-flow:end -->"); p.post.Kind != Page && marks != p.ends { // the page has none of ours, and may show one
		p.fault("S7", "of %d pieces in %s %d do not end where they should: something is not closed", marks, p.post.Where, marks-p.ends)
	}
	for name, rule := range map[string]*regexp.Regexp{"footers": footer, "lists of wants": wants, "patches to paste": paste} {
		if n := len(rule.FindAllString(text, -1)); n > 1 {
			p.fault("S6", "%s has %d %s", p.post.Where, n, name)
		}
	}
}

func (p *page) visit(n ast.Node) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Image:
		p.fault("S7", "%s loads the image %q", p.post.Where, n.Destination)
	case *ast.HTMLBlock:
		p.html(string(n.Lines().Value(p.src)))
		if n.HasClosure() && !strings.Contains(string(n.Lines().Value(p.src)), string(n.ClosureLine.Value(p.src))) {
			p.html(string(n.ClosureLine.Value(p.src)))
		}
	case *ast.RawHTML:
		p.html(string(n.Segments.Value(p.src)))
	case *ast.Link:
		p.link(string(n.Destination))
		if len(n.Title) > 0 {
			p.fault("S7", "%s hides the title %q behind a link", p.post.Where, n.Title)
		}
		return ast.WalkSkipChildren
	case *ast.AutoLink:
		p.link(string(n.URL(p.src)))
		return ast.WalkSkipChildren
	case *east.FootnoteLink, *east.Footnote:
		p.fault("S7", "%s has a footnote", p.post.Where)
	case *ast.FencedCodeBlock:
		switch lang := strings.ToLower(string(n.Language(p.src))); lang {
		case "mermaid", "geojson", "topojson", "stl", "math", "suggestion":
			p.fault("S7", "%s has an active fence, %s", p.post.Where, lang)
		}
	case *ast.CodeSpan:
		return ast.WalkSkipChildren
	case *ast.Text:
		p.words(p.post, p.run(n))
	}
	return ast.WalkContinue
}

// run is the text from n on, when n begins it, up to the next element, with backslashes gone.
func (p *page) run(n *ast.Text) string {
	if _, goesOn := n.PreviousSibling().(*ast.Text); goesOn {
		return ""
	}
	var b strings.Builder
	for next := ast.Node(n); next != nil; next = next.NextSibling() {
		t, ok := next.(*ast.Text)
		if !ok {
			break
		}
		b.Write(t.Segment.Value(p.src))
		if t.SoftLineBreak() || t.HardLineBreak() {
			b.WriteByte('\n')
		}
	}
	return escape.ReplaceAllString(b.String(), "$1")
}

var escape = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func (p *page) html(raw string) {
	p.folds += strings.Count(raw, "<details") - strings.Count(raw, "</details")
	p.ends += strings.Count(raw, "<!-- ai-flow:end -->")
	if rest := ourTags.ReplaceAllString(raw, ""); strings.Contains(rest, "<") {
		p.fault("S7", "%s has HTML that is not ours: %.200q", p.post.Where, rest)
	}
}

// link allows GitHub's pages and those of the server that the tests are on.
func (p *page) link(dest string) {
	u, err := url.Parse(dest)
	if err != nil || u.User != nil || u.Host != "github.com" && u.Hostname() != "127.0.0.1" {
		p.fault("S7", "%s links to %q", p.post.Where, dest)
	}
}

// hidden names the first sign that no reader sees, but for those that make a picture of two.
func hidden(s string) string {
	if !utf8.ValidString(s) {
		return "bytes that are no text"
	}
	prev := rune(0)
	for _, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r':
		case (r == 0xFE0F || r == 0x200D) && prev > 0x7F && !unicode.IsSpace(prev):
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control):
			return fmt.Sprintf("%U", r)
		}
		prev = r
	}
	return ""
}

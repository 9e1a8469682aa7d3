package render

import (
	"bytes"
	_ "embed" // the style sheet
	"fmt"
	"html"
	"html/template"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

//go:embed page.css
var pageStyle string

// maxPage bounds the Markdown of a page, in bytes: a whole step summary.
const maxPage = 1 << 20

// pageTemplate has a policy that lets nothing run and nothing load: the page shows what a reader of GitHub would see, and
// a picture or a script in it would be a fault of ours.
var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<header><span>Preview</span>{{.Title}}</header>
<main class="markdown">
{{.Body}}
</main>
</body>
</html>
`))

// Page is a self-contained HTML page that shows Markdown as a reader of GitHub would see it: no script, no request, light
// and dark, from 320 pixels on. Markdown over 1 MiB is an error. Of the HTML in the Markdown only the few elements that our
// own comments use are let through, without attributes; the rest shows as text, where GitHub would drop it silently.
func Page(title, markdown string) ([]byte, error) {
	if len(markdown) > maxPage {
		return nil, fmt.Errorf("previewing %s of Markdown: the limit is %s", bytesOf(len(markdown)), bytesOf(maxPage))
	}
	if TooDear(markdown) {
		markdown = asCode(markdown)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(htmlRenderer{}, 100))))
	var body bytes.Buffer
	if err := md.Convert([]byte(markdown), &body); err != nil {
		return nil, fmt.Errorf("previewing Markdown: %w", err)
	}
	var page bytes.Buffer
	err := pageTemplate.Execute(&page, struct {
		Title string
		Style template.CSS
		Body  template.HTML
	}{oneLine(title, maxTitle), template.CSS(pageStyle), template.HTML(body.String())})
	if err != nil {
		return nil, fmt.Errorf("previewing Markdown: %w", err)
	}
	return page.Bytes(), nil
}

// ownElements are the elements that comments of ours hold.
var ownElements = regexp.MustCompile(`(?i)^</?(details|summary|pre|del|ins|br|sub|sup|kbd) ?/?>`)

// htmlRenderer writes raw HTML as GitHub's sanitiser would leave it, or as text.
type htmlRenderer struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (htmlRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindFencedCodeBlock, renderFence)
}

// renderFence writes a code block; the lines of a diff in their colours, as GitHub shows them.
func renderFence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	diff := string(n.(*ast.FencedCodeBlock).Language(source)) == "diff"
	var b bytes.Buffer
	b.WriteString("<pre><code>")
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := string(seg.Value(source))
		switch text := html.EscapeString(line); {
		case diff && line[0] == '+':
			b.WriteString("<ins>" + text + "</ins>")
		case diff && line[0] == '-':
			b.WriteString("<del>" + text + "</del>")
		default:
			b.WriteString(text)
		}
	}
	b.WriteString("</code></pre>\n")
	_, err := w.Write(b.Bytes())
	return ast.WalkSkipChildren, err
}

func renderHTMLBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.HTMLBlock)
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		if err := writeOwn(w, line.Value(source)); err != nil {
			return ast.WalkStop, err
		}
	}
	if block.HasClosure() {
		return ast.WalkContinue, writeOwn(w, block.ClosureLine.Value(source))
	}
	return ast.WalkContinue, nil
}

func renderRawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	segments := n.(*ast.RawHTML).Segments
	for i := range segments.Len() {
		segment := segments.At(i)
		if err := writeOwn(w, segment.Value(source)); err != nil {
			return ast.WalkStop, err
		}
	}
	return ast.WalkSkipChildren, nil
}

// renderImage names the picture: the page loads nothing.
func renderImage(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := fmt.Fprintf(w, "<code>[image %s]</code> ", html.EscapeString(oneLine(string(n.(*ast.Image).Destination), maxSubject)))
	return ast.WalkContinue, err
}

var comments = regexp.MustCompile(`(?s)<!--.*?-->`)

// writeOwn writes HTML with comments left out, our own elements kept, and everything else as text. Character references
// stay as they are.
func writeOwn(w util.BufWriter, raw []byte) error {
	raw = comments.ReplaceAll(raw, nil)
	for len(raw) > 0 {
		if tag := ownElements.Find(raw); tag != nil {
			if _, err := w.Write(bytes.ToLower(tag)); err != nil {
				return err
			}
			raw = raw[len(tag):]
			continue
		}
		next := max(1, bytes.IndexByte(raw[1:], '<')+1)
		if bytes.IndexByte(raw[1:], '<') < 0 {
			next = len(raw)
		}
		text := bytes.ReplaceAll(bytes.ReplaceAll(raw[:next], []byte("<"), []byte("&lt;")), []byte(">"), []byte("&gt;"))
		if _, err := w.Write(text); err != nil {
			return err
		}
		raw = raw[next:]
	}
	return nil
}

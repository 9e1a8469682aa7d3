package render

import (
	"bytes"
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

// A second reading of what the package wrote, as GitHub would: GFM with autolinks and footnotes, then what GitHub does to
// the words that are neither code nor link. It shares no code with the sanitiser but the Markdown parser.

// faults lists what agent prose must not do on GitHub (S7).
func faults(md string) []string {
	m := model{src: []byte(md), prose: true}
	m.read()
	m.bytes(md)
	m.fences(md)
	return m.found
}

// ourFaults is for whole documents of ours, which may hold our own headings, rules, folds and links.
func ourFaults(md string) []string {
	m := model{src: []byte(md)}
	m.read()
	m.bytes(md)
	m.folds(md)
	return m.found
}

type model struct {
	src     []byte
	prose   bool // the agent's alone, else a document of ours
	footers int
	found   []string
}

func (m *model) fault(format string, args ...any) {
	m.found = append(m.found, fmt.Sprintf(format, args...))
}

func (m *model) read() {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote))
	root := md.Parser().Parse(text.NewReader(m.src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			m.fault("image of %q", n.Destination)
		case *ast.HTMLBlock:
			var all []byte
			for i := range n.Lines().Len() {
				seg := n.Lines().At(i)
				all = append(all, seg.Value(m.src)...)
			}
			m.html(string(all))
		case *ast.RawHTML:
			var all []byte
			for i := range n.Segments.Len() {
				seg := n.Segments.At(i)
				all = append(all, seg.Value(m.src)...)
			}
			if regexp.MustCompile(`(?i)^<br ?/?>$`).Match(all) && n.Parent().Kind() == east.KindTableCell {
				break
			}
			m.html(string(all))
		case *ast.Link:
			m.link(string(n.Destination))
			if len(n.Title) > 0 {
				m.fault("link title %q", n.Title)
			}
			return ast.WalkSkipChildren, nil
		case *ast.AutoLink:
			m.link(string(n.URL(m.src)))
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			if m.prose && n.Level < 4 {
				m.fault("heading of level %d", n.Level)
			}
		case *ast.ThematicBreak:
			if m.prose {
				m.fault("rule")
			}
		case *ast.LinkReferenceDefinition:
			m.fault("link definition")
		case *east.FootnoteLink, *east.Footnote:
			m.fault("footnote")
		case *ast.FencedCodeBlock:
			switch lang := strings.ToLower(string(n.Language(m.src))); lang {
			case "mermaid", "geojson", "topojson", "stl", "math", "suggestion":
				m.fault("active fence %q", lang)
			}
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		}
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeInline {
			for _, run := range m.runs(n) {
				m.words(run)
			}
		}
		return ast.WalkContinue, nil
	})
}

// runs are the words of a block outside code and links, as the text nodes of the page: elements part them, backslashes and
// character references are gone.
func (m *model) runs(block ast.Node) []string {
	var runs []string
	var b strings.Builder
	part := func() {
		if b.Len() > 0 {
			runs = append(runs, b.String())
		}
		b.Reset()
	}
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				b.WriteString(decode(string(c.Segment.Value(m.src))))
				m.command(c.Segment.Start)
				if c.SoftLineBreak() || c.HardLineBreak() {
					b.WriteByte('\n')
				}
			case *ast.String:
				b.Write(c.Value)
			case *ast.CodeSpan, *ast.Link, *ast.AutoLink, *ast.Image, *ast.RawHTML:
				part()
			default:
				part()
				visit(c)
				part()
			}
		}
	}
	visit(block)
	part()
	return runs
}

// command looks for a bot's command where text begins a line of the source.
func (m *model) command(start int) {
	margin := m.src[bytes.LastIndexByte(m.src[:start], '\n')+1 : start]
	if hit := commandRule.Find(m.src[start:]); hit != nil && strings.Trim(string(margin), " >") == "" {
		m.fault("command %q", hit)
	}
}

var backslash = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func decode(s string) string { return backslash.ReplaceAllString(s, "$1") }

var (
	mentionRule = regexp.MustCompile(`(^|[^A-Za-z0-9])@[A-Za-z0-9]`)
	issueRule   = regexp.MustCompile(`#[0-9]+($|[^A-Za-z0-9_])`)
	ghRule      = regexp.MustCompile(`(?i)(^|[^a-z0-9])gh-[0-9]+($|[^A-Za-z0-9])`)
	addressRule = regexp.MustCompile(`(?i)(^|[^a-z0-9])(www\.[a-z0-9]|mailto:[a-z0-9]|ftp://)`)
	mathRule    = regexp.MustCompile(`\$\$|(^|[\s(])\$[^\s$][^$\n]*[^\s$\\]\$($|[\s.,;:)])`)
	footRule    = regexp.MustCompile(`⚙|⏳|:gear:`)
	alertRule   = regexp.MustCompile(`^\s*\[![A-Za-z]+\]`)
	commandRule = regexp.MustCompile(`^/[A-Za-z]+(\s|$)`)
)

// words is what GitHub and bots look for in words.
func (m *model) words(run string) {
	if !m.prose && strings.HasPrefix(run, "⚙️ ") { // ours, and only one
		if m.footers++; m.footers == 1 {
			run = strings.TrimPrefix(run, "⚙️ ")
		}
	}
	if !m.prose {
		run = m.missedLinks(run)
	}
	for name, rule := range map[string]*regexp.Regexp{"mention": mentionRule, "reference": issueRule, "GH reference": ghRule,
		"address": addressRule, "mathematics": mathRule, "footer sign": footRule, "alert": alertRule} {
		if hit := rule.FindString(run); hit != "" {
			m.fault("%s %q in %q", name, hit, run)
		}
	}
}

// missedLinks takes out links of ours that this parser reads as text because a bracket is open a thousand bytes before
// them. GitHub's parser knows no such limit. A link that the sanitiser broke has a backslash in the source.
func (m *model) missedLinks(run string) string {
	return inlineLink.ReplaceAllStringFunc(run, func(link string) string {
		if !bytes.Contains(m.src, []byte(link)) {
			return link
		}
		m.link(inlineLink.FindStringSubmatch(link)[1])
		return ""
	})
}

var inlineLink = regexp.MustCompile(`\[[^\[\]]*\]\((https://[^()\s]*)\)`)

func (m *model) link(dest string) {
	u, err := url.Parse(dest)
	if err != nil || u.Scheme != "https" || u.Host != "github.com" || u.User != nil {
		m.fault("link to %q", dest)
		return
	}
	if m.prose && regexp.MustCompile(`(?i)^/[^/]+/[^/]+/(issues|pulls?|discussions)(/|$)`).MatchString(u.Path) {
		m.fault("cross reference %q", dest)
	}
}

func (m *model) html(raw string) {
	if m.prose {
		m.fault("HTML %q", raw)
		return
	}
	rest := regexp.MustCompile(`</?(details|summary|pre|del|ins)>|^<!-- pull of ai-flow ([0-9]+|end) -->$`).ReplaceAllString(raw, "")
	if strings.ContainsAny(rest, "<") {
		m.fault("HTML %q", raw)
	}
}

// bytes looks at the text itself.
func (m *model) bytes(md string) {
	if i := strings.Index(strings.ToLower(md), "<!-- ai-flow"); i >= 0 && m.prose {
		m.fault("a mark of ours at %d", i)
	}
	if !utf8.ValidString(md) {
		m.fault("invalid UTF-8")
	}
	prev := rune(0)
	for _, r := range md {
		switch {
		case r == '\n', r == '\t':
		case r == 0xFE0F || r == 0x200D:
			if prev < 0x23 || unicode.IsLetter(prev) && prev != 'ℹ' || unicode.IsSpace(prev) {
				m.fault("%U after %q", r, prev)
			}
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Bidi_Control):
			m.fault("hidden %U", r)
		}
		prev = r
	}
}

// fences counts them line by line, as simple readers do.
func (m *model) fences(md string) {
	open := ""
	for line := range strings.Lines(md) {
		line = strings.TrimLeft(strings.TrimRight(line, "\n"), " >-*+0123456789.)\t")
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case open == "" && len(mark) >= 3 && !strings.Contains(line[len(mark):], "`"):
			open = mark
		case open != "" && len(mark) >= len(open) && strings.TrimSpace(line[len(mark):]) == "":
			open = ""
		}
	}
	if open != "" && strings.Count(md, "~~~") == 0 && !indentedFence(md) {
		m.fault("open fence %q", open)
	}
}

// indentedFence excuses texts in which the simple reader is wrong: marks in indented code or after container marks.
func indentedFence(md string) bool {
	for line := range strings.Lines(md) {
		if i := strings.Index(line, "```"); i > 0 {
			return true
		}
	}
	return false
}

// folds checks that ours balance.
func (m *model) folds(md string) {
	md = stripCode(md)
	if a, b := strings.Count(md, "<details>"), strings.Count(md, "</details>"); a != b {
		m.fault("%d folds opened, %d closed", a, b)
	}
	if a, b := strings.Count(md, "<pre>"), strings.Count(md, "</pre>"); a != b {
		m.fault("%d pre opened, %d closed", a, b)
	}
}

func stripCode(md string) string {
	var b strings.Builder
	src := []byte(md)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := n.(*ast.HTMLBlock); ok && entering {
			for i := range block.Lines().Len() {
				seg := block.Lines().At(i)
				b.Write(seg.Value(src))
			}
			if block.HasClosure() {
				b.Write(block.ClosureLine.Value(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

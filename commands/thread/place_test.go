package thread

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/tools/txtar"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

var write = flag.Bool("write", false, "write the golden bodies anew; read them before they are committed")

// TestPlace: a comment as it was given (asked), as it stands when it is written (now), and what it then says. The words of a
// result are package render's; here they are RESULT and BOTTOM.
func TestPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/place/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = strings.TrimSuffix(string(f.Data), "\n")
	}
	head, _, _ := strings.Cut(string(archive.Comment), "\n")
	ends := func(s string) string { return s }
	if head == "crlf" {
		ends = crlf
	}
	asked, now := ends(files["asked"]), ends(files["now"])
	if now == "" {
		now = asked
	}
	_, th := newThread(t, github.OnIssue, asked)
	said := sayIt(th, now, head)
	if again := sayIt(th, said, head); again != said {
		t.Errorf("said again it is another:\n%s", again)
	}
	if back := Strip(said, th.Event.Comment.ID); back != Strip(now, th.Event.Comment.ID) {
		t.Errorf("a person's text came back as\n%q, not\n%q", back, now)
	}
	if got, want := anchors(Strip(said, th.Event.Comment.ID)), anchors(Strip(now, th.Event.Comment.ID)); len(got) != len(want) {
		t.Errorf("%d commands are left of %d", len(got), len(want))
	}
	seen(t, oneLineEnd(said), th.Event.Comment.ID)
	got := strings.ReplaceAll(said, "\r", "␍") + "\n"
	if *write {
		for i := range archive.Files {
			if archive.Files[i].Name == "want" {
				archive.Files[i].Data = []byte(got)
			}
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := files["want"] + "\n"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// FuzzSeen: whatever a person's comment holds, and leaves open, a reader sees each piece of ours as a quote of its own, and
// the person's text comes back.
func FuzzSeen(f *testing.F) {
	for _, body := range []string{"/ask a\n\n> q\n\n/edit b", "/ask a\n```\nb", "/ask a\n\n<!-- b\n\nc", "/ask a\n\n- b\n\n  ~~~\n  c", "/ask a\n\n<details>\n\nb",
		"/ask a\n\n1. b\n\n       c", "/ask a\n\n<pre>\nb\n\nc", "/ask a\n\n[b]:\n", "/ask a\n\n| b |\n|---|\n| c", "/ask a <b\n/ask c", "/ask `a\n\n    b\n", "/ask a\n===",
		"/ask a\r\n\r\n```\r\nb", "/ask a\r\r~~~\rb", "/ask a\n\n<![CDATA[\n", "/ask a\n\n> b\nc\n```"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		asked := anchors(body)
		if len(asked) == 0 || len(body) > 2000 || strings.Contains(body, "ai-flow:") {
			return
		}
		th := &Thread{Event: github.Event{Comment: github.Comment{ID: 102}}, Read: read, Asked: asked}
		for _, head := range []string{"", "status"} {
			said := sayIt(th, body, head)
			if back := Strip(said, 102); back != body {
				t.Errorf("%q came back as %q", body, back)
			}
			seen(t, oneLineEnd(said), 102)
		}
	})
}

// sayIt puts a result of fixed words into a body, in the way that its archive says.
func sayIt(th *Thread, body, head string) string {
	clean := Strip(body, th.Event.Comment.ID)
	s := saying{id: th.Event.Comment.ID, stage: acted}
	spots := th.spots(clean)
	p := render.Parts{Bottom: "BOTTOM"}
	for _, a := range th.Asked {
		first, _, _ := strings.Cut(oneLineEnd(a.Text), "\n")
		p.Segments = append(p.Segments, "RESULT of "+first[1:]+"\n\n| table |\n|---|\n| that ends here |")
	}
	switch head {
	case "status":
		s.status = "⏳ running"
		return lay(clean, s.statusBlock(spots.last))
	case "ahead":
		s.status, s.before, s.after = "⏳ writing", Digest("a"), Digest("b")
	}
	return lay(clean, append(th.results(p, spots, s), s.statusBlock(spots.last)...))
}

// seen checks, as a reader of GitHub would, that each piece of ours is drawn as a quote at the top level: in no code, list,
// fold or hidden comment of a person's, and none of a person's lines in it.
func seen(t *testing.T, body string, id int64) {
	t.Helper()
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	source := []byte(body)
	root := md.Parser().Parse(text.NewReader(source))
	_, blocks := lift(body, id)
	drawn, open := 0, 0
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		raw := rawHTML(n, source)
		if n.Kind() != ast.KindBlockquote {
			open += strings.Count(raw, "<details") - strings.Count(raw, "</details")
			continue
		}
		m, ours := readMark(strings.TrimSpace(strings.SplitN(raw, "\n", 2)[0]))
		if !ours || m.id != id || open > 0 {
			continue
		}
		if strings.HasSuffix(strings.TrimSpace(raw), endMark) && strings.Count(raw, prefix) == 2 {
			drawn++
		}
	}
	if drawn != len(blocks) {
		t.Errorf("of %d pieces a reader sees %d:\n%s", len(blocks), drawn, body)
	}
}

// rawHTML is the HTML of a node and of what is in it.
func rawHTML(n ast.Node, source []byte) string {
	var b bytes.Buffer
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.HTMLBlock); ok && entering {
			b.Write(h.Lines().Value(source))
			if h.HasClosure() {
				b.Write(h.ClosureLine.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

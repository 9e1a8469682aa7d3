package commands

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wrappings set a text apart, each in a way that a reader sees; whatever stands inside is no command.
var wrappings = []struct {
	name string
	wrap func(string) string
}{
	{"quote", func(s string) string { return "> " + strings.Join(allLines(s), "\n> ") }},
	{"fence", func(s string) string {
		fence := strings.Repeat("`", len(s)+3) // longer than any run inside
		return fence + "\n" + strings.Join(allLines(s), "\n") + "\n" + fence
	}},
	{"open fence", func(s string) string {
		return strings.Repeat("~", len(s)+3) + "\n" + strings.Join(allLines(s), "\n")
	}},
	{"indented", func(s string) string { return "x\n\n    " + strings.Join(allLines(s), "\n    ") }},
	{"comment", func(s string) string { return "<!--\n" + strings.ReplaceAll(s, ">", "") + "\n-->" }},
	{"details", func(s string) string { return "<details>\n\n" + strings.ReplaceAll(s, "<", "") + "\n\n</details>" }},
	{"list", func(s string) string { return "- " + strings.Join(allLines(s), "\n  ") }},
	{"HTML", func(s string) string {
		lines := slices.DeleteFunc(allLines(s), func(l string) bool { return strings.Trim(l, " \t") == "" }) // which would end it
		return "<div>\n" + strings.Join(lines, "\n") + "\n</div>"
	}},
	{"pre", func(s string) string { return "<pre>\n" + strings.ReplaceAll(s, "<", "") + "\n</pre>" }},
	{"processing instruction", func(s string) string { return "<?x\n" + strings.ReplaceAll(s, ">", "") + "\n?>" }},
	{"footnote", func(s string) string { return "x[^1]\n\n[^1]: y\n    " + strings.Join(allLines(s), "\n    ") }},
	{"result", func(s string) string { return said("result 1", s) }},
	{"result without its end", func(s string) string { return "> <!-- ai-flow:result 1 -->\n> " + strings.Join(allLines(s), "\n> ") }},
	{"our own page", func(s string) string {
		return "<!-- ai-flow:panel 1 -->\n\n" + strings.ReplaceAll(s, "<", "") + "\n\n<!-- ai-flow:end -->\n\nthe end"
	}},
	{"ours", func(s string) string {
		return "<!-- ai-flow:panel 1 -->\n\n" + strings.ReplaceAll(s, "<", "")
	}},
}

func allLines(s string) []string {
	var texts []string
	for _, l := range splitLines(s) {
		texts = append(texts, l.text)
	}
	return texts
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"/ask a\n\n> q\n\n/edit b", "/build", "```\n/build\n```\n/ask x", "> q\n/edit x", "<details>\n\n/build",
		"\ufeff/ask a\r\n/edit b\r", "- x\n\n      /ask y\n/ask z", "[x]:\n/ask\n'", "| a |\n|---|\n/ask b", "/ask `\n/edit b\n`",
		"<a href='\n/ask x'>", "/ask x\n===\n/edit y", "~~~\n~~~~\n/ask", "x[^1]\n\n[^1]: y\n/ask b", "<!-- ai-flow:end -->\n/ask b",
		"/ask \u00a0\u200b\n\n\n", "/ask\n\tcode\n\n\tmore", "* * *\n/ask a\n***", "/ask a\\\n/ask b",
	} {
		f.Add(seed)
	}
	f.Fuzz(checkParse)
}

// checkParse holds that a refusal is the only error, that positions fit, and that nothing fires where a reader sees that it
// is set apart.
func checkParse(t *testing.T, body string) {
	c, err := Parse(body, "")
	var r *Refusal
	if err != nil && !errors.As(err, &r) {
		t.Fatalf("an error of another type: %v", err)
	}
	checkPositions(t, body, c)
	for _, s := range c.Segments {
		if strings.ContainsAny(s.Instruction+s.Quote, "\r\u200b\u202e") {
			t.Errorf("%+v holds what should be cleaned away", s)
		}
	}
	if len(body) > 4096 {
		return
	}
	for _, w := range wrappings {
		if c, _ := Parse(w.wrap(body), ""); len(c.Segments) > 0 {
			t.Errorf("in a %s, %q fires: %+v", w.name, w.wrap(body), c.Segments)
		}
	}
}

// hostileUnits make, repeated, the comments that parsers are slow on.
var hostileUnits = []string{">", "> ", "- ", "[", "![", "`", "``a", "*a_", "<", "<details>\n\n", "<!--", "/ask a\n", "> q\n\n/ask a\n\n",
	"[a]: b\n", "|a", "~~a", "[^1]", "\n", "\r", "\t", "1. ", "&a;", "<a b='"}

// Whatever is repeated, a comment of the largest size that GitHub takes comes to an end (see BenchmarkParseHostile for
// when), and a quote in a quote in a quote is read only so deep, which is where time would grow with the square.
func TestParseEnds(t *testing.T) {
	for _, unit := range hostileUnits {
		body := strings.Repeat(unit, 16_000/len(unit)) + "\n\n/ask why"
		c, err := Parse(body, "")
		var r *Refusal
		if err != nil && !errors.As(err, &r) {
			t.Errorf("%q repeated: %v", unit, err)
		}
		checkPositions(t, body, c)
	}
	deep := []byte(strings.Repeat(">", 1000) + " x\n> " + strings.Repeat(" >", 40) + "\na > b")
	flatten(deep)
	if n := strings.Count(string(deep), ">"); n != 32+32+1 {
		t.Errorf("%d marks are left of %q", n, deep)
	}
}

func BenchmarkParseHostile(b *testing.B) {
	for _, unit := range hostileUnits {
		body := strings.Repeat(unit, 65_000/len(unit)) + "\n\n/ask why"
		b.Run(fmt.Sprintf("%q", unit), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, _ = Parse(body, "") // most are refused, which is as good an end
			}
		})
	}
}

func BenchmarkParseWithoutCommand(b *testing.B) {
	body := strings.Repeat("Some prose about a/b, with *stress* and `code`.\n\n", 1000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if c, err := Parse(body, ""); err != nil || len(c.Segments) > 0 {
			b.Fatal(c, err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	body := strings.Repeat("Some prose about a/b, with *stress* and `code`.\n\n", 1000) + "> q\n\n/ask why"
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if c, err := Parse(body, ""); err != nil || len(c.Segments) != 1 {
			b.Fatal(c, err)
		}
	}
}

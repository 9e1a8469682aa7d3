package commands

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// F-17, F-68: which lines are one, and what they may name.
func TestParseTargets(t *testing.T) {
	many := make([]string, 9)
	for i := range many {
		many[i] = fmt.Sprintf("r%d", i)
	}
	tests := []struct {
		name, document string
		want           string // names with a space between; "!…" is what the refusal holds; "" for none
	}{
		{"one", "Target repo: acme/app", "acme/app"},
		{"several", "# Plan\n\nTarget repos: acme/app, acme/web,acme/.github\n\nDo it.", "acme/app acme/web acme/.github"},
		{"a name alone", "Target repos: web, my_repo.js", "acme/web acme/my_repo.js"},
		{"each once, and the owner as we spell it", "Target repos: ACME/App, app, acme/APP, web", "acme/App acme/web"},
		{"code", "Target repos: `acme/app`, `web`", "acme/app acme/web"},
		{"links to themselves", "Target repos: [acme/app](https://github.com/acme/app), [web](https://github.com/Acme/Web/), [`x`](https://github.com/acme/x)", "acme/app acme/web acme/x"},
		{"CRLF", "a\r\n\r\nTarget repos: acme/app, web\r\n\r\nb", "acme/app acme/web"},
		{"a lone CR", "a\r\rTarget repos: app\rb", "acme/app"},
		{"behind a byte order mark", "\ufeffTarget repos: app", "acme/app"},
		{"white space of other sorts", "Target repos:\u00a0\tapp\u00a0,\u2003web\u200b", "acme/app acme/web"},
		{"in the middle of a paragraph", "We need\nTarget repos: app\nof course", "acme/app"},
		{"empty items", "Target repos: , app,, web,", "acme/app acme/web"},
		{"a template's empty line before it", "Target repos:\n\nTarget repos: app", "acme/app"},
		{"the first counts", "Target repos: app\n\nTarget repos: https://evil.example", "acme/app"},
		{"eight", "Target repos: " + strings.Join(many[:8], ","), "acme/" + strings.Join(many[:8], " acme/")},

		{"none", "Nothing of the sort.", ""},
		{"an empty line", "Target repos: \u200b\n- app", ""},
		{"another case", "target repos: app", ""},
		{"not at the first column", " Target repos: app", ""},
		{"within a line", "The Target repos: app", ""},
		{"a list item", "- Target repos: app", ""},
		{"stressed", "**Target repos: app**", ""},

		{"F-68 in a fence", "```\nTarget repos: app\n```", ""},
		{"F-68 in a fence that stays open", "~~~\nTarget repos: app", ""},
		{"F-68 in code of two lines", "`x\nTarget repos: app`", ""},
		{"F-68 in a quote", "> Target repos: app", ""},
		{"F-68 in a comment", "<!--\n\nTarget repos: app\n\n-->", ""},
		{"F-68 in HTML", "<div>\nTarget repos: app\n</div>", ""},
		{"F-68 folded", "<details><summary>s</summary>\n\nTarget repos: app\n\n</details>", ""},
		{"F-68 in preformatted text", "<pre>\n\nTarget repos: app\n", ""},
		{"F-68 struck out", "~~x\nTarget repos: app~~", ""},
		{"F-68 in the text of a link", "[x\nTarget repos: app](u)", ""},
		{"F-68 in the title of a link", "[x](u \"\nTarget repos: app\n\")", ""},
		{"F-68 in an attribute", "a <b title=\"\nTarget repos: app\n\">x</b>", ""},
		{"F-68 in a definition", "[x]: u \"\nTarget repos: app\n\"", ""},
		{"F-68 in a footnote", "x[^1]\n\n[^1]: y\n\n    z\nTarget repos: app", ""},
		{"F-68 text of ours", "<!-- ai-flow:result -->\n\nTarget repos: app\n\n<!-- ai-flow:end -->", ""},
		{"behind what is not seen", "```\nTarget repos: evil/x\n```\n\nTarget repos: app", "acme/app"},
		{"drawn into a quote", "> x\nTarget repos: app", "!line 2 of the document"},
		{"drawn into a list", "- x\nTarget repos: app", "!Put an empty line above it"},
		{"a cell of a table", "|a|\n|-|\nTarget repos: app", "!table above it"},

		{"F-17 of somebody else", "Target repos: app, evil/app", "!`\"evil/app\"`, which is not a repository of `acme`"},
		{"F-17 a URL", "Target repos: https://github.com/acme/app", "!`\"https://github.com/acme/app\"`, which is no owner/name"},
		{"F-17 a URL of another kind", "Target repos: git@github.com:acme/app.git", "!no owner/name"},
		{"F-17 an option", "Target repos: --upload-pack=x", "!`\"--upload-pack=x\"`"},
		{"F-17 an option as a name", "Target repos: acme/-x", "!no owner/name"},
		{"F-17 a path", "Target repos: acme/../evil", "!no owner/name"},
		{"F-17 dots", "Target repos: acme/..", "!no owner/name"},
		{"F-17 a dot", "Target repos: .", "!no owner/name"},
		{"F-17 deeper", "Target repos: acme/app/tree", "!no owner/name"},
		{"F-17 the end of a URL", "Target repos: acme/app.Git", "!no owner/name"},
		{"F-17 no owner", "Target repos: /app", "!no owner/name"},
		{"F-17 no name", "Target repos: acme/", "!no owner/name"},
		{"F-17 a sentence", "Target repos: acme/app and acme/web", "!`\"acme/app and acme/web\"`"},
		{"F-17 something hidden", "Target repos: acme/app <!-- , evil/x -->", "!no owner/name"},
		{"F-17 something invisible", "Target repos: acme/a\u200bpp", `!a\u200bpp`},
		{"F-17 letters that look alike", "Target repos: \u0430cme/app", "!no owner/name"},
		{"F-17 the Kelvin sign", "Target repos: \u212aa/app", "!no owner/name"},
		{"F-17 references", "Target repos: acme/a&#112;p", "!no owner/name"},
		{"F-17 a link that leads elsewhere", "Target repos: [acme/app](https://github.com/acme/web)", "!leads elsewhere"},
		{"F-17 a link to another server", "Target repos: [acme/app](https://github.com.evil.example/acme/app)", "!no owner/name"},
		{"F-17 a link with a title", "Target repos: [acme/app](https://github.com/acme/app \"x\")", "!no owner/name"},
		{"F-17 an image", "Target repos: ![acme/app](https://github.com/acme/app)", "!no owner/name"},
		{"F-17 a mention", "Target repos: @acme/team", "!`\"@acme/team\"`"},
		{"F-17 back-ticks and more", "Target repos: `a`\u2028`<b>`", `!"'a'\u2028'b'"`},
		{"F-17 much", "Target repos: " + strings.Repeat("é/", 30_000), "!no owner/name"},
		{"nine", "Target repos: " + strings.Join(many, ","), "!more than 8"},
		{"too much to read", "Target repos: app\n\n" + strings.Repeat(">", 1000) + " x", "!cost too much"},
		{"too long", "Target repos: app\n\n" + strings.Repeat("x", maxComment), "!too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names, refusal := ParseTargets(tt.document, "acme")
			got := strings.Join(names, " ")
			if refusal != nil {
				checkRefusal(t, refusal)
				got = "!" + refusal.Message + " " + refusal.Next
			}
			part, refused := strings.CutPrefix(tt.want, "!")
			if refused != strings.HasPrefix(got, "!") || refused && !strings.Contains(got, part) || !refused && got != tt.want {
				t.Errorf("%.300q, want %q", got, tt.want)
			}
		})
	}
}

// checkRefusal: what is foreign is bounded, shows, and stands in code; there is a next step.
func checkRefusal(t *testing.T, r *Refusal) {
	t.Helper()
	text := r.Message + r.Next
	outside := regexp.MustCompile("`[^`]*`").ReplaceAllString(text, "")
	if len(text) > 700 || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) || strings.ContainsAny(outside, "<>`@\"\\") || r.Next == "" || r.Reason != 0 {
		t.Errorf("refused with %q", text)
	}
}

var targetShape = regexp.MustCompile(`^acme/[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}$`)

// F-17: whatever a stranger writes, what comes out are a few repositories of the owner, or a refusal that is safe to show;
// and what is code comes to nothing (F-68).
func FuzzParseTargets(f *testing.F) {
	for _, s := range []string{"Target repos: app, acme/b", "Target repos: --x", "> a\nTarget repos: `x`", "Target repo: [a](https://github.com/acme/a)",
		"\ufeffTarget repos: a\r\n", "Target repos: ..,.git,a/b/c", "<!-- ai-flow:x -->\nTarget repos: a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, document string) {
		names, refusal := ParseTargets(document, "acme")
		if refusal != nil {
			checkRefusal(t, refusal)
		}
		if len(names) > maxTargets || refusal != nil && names != nil {
			t.Errorf("%q with %+v", names, refusal)
		}
		for i, name := range names {
			same := func(other string) bool { return strings.EqualFold(name, other) }
			if !targetShape.MatchString(name) || strings.Trim(name[len("acme/"):], ".") == "" || slices.ContainsFunc(names[:i], same) || !strings.Contains(document, "Target repo") {
				t.Errorf("%q of %q", names, document)
			}
		}
		fence := strings.Repeat("~", longest(document, '~')+3)
		if names, refusal := ParseTargets("x\n\n"+fence+"\n"+document+"\n"+fence+"\n", "acme"); names != nil || refusal != nil && !strings.Contains(refusal.Message, "cannot tell whether") {
			t.Errorf("in a fence: %q, %+v", names, refusal)
		}
	})
}

func longest(text string, of byte) (most int) {
	for i, run := 0, 0; i < len(text); i++ {
		if run++; text[i] != of {
			run = 0
		}
		most = max(most, run)
	}
	return most
}

// The line is looked for in every build of an issue: it costs nothing where it is not, and little where it is.
func BenchmarkParseTargets(b *testing.B) {
	prose := strings.Repeat("Some prose about a/b, with *stress* and `code`.\n\n", 1000)
	for name, document := range map[string]string{"without": prose, "with": prose + "Target repos: app"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(document)))
			for b.Loop() {
				if _, refusal := ParseTargets(document, "acme"); refusal != nil {
					b.Fatal(refusal)
				}
			}
		})
	}
}

package denials

import (
	"strings"
	"testing"
)

type said struct{ subject, why string }

// F-75, A3-2, A3-3, agents.md point 25.
func TestStrip(t *testing.T) {
	for _, c := range []struct {
		name, in, clean string
		wants           []said
	}{
		{"plain", "Done.\n\nWANTED: /etc/shadow — to read users\n", "Done.", []said{{"/etc/shadow", "to read users"}}},
		{"only", "WANTED: x — y", "", []said{{"x", "y"}}},
		{"middle", "a\nWANTED: x — y\nb\n", "a\nb\n", []said{{"x", "y"}}},
		{"between blanks", "a\n\nWANTED: x — y\n\nb\n", "a\n\nb\n", []said{{"x", "y"}}},
		{"crlf", "a\r\nWANTED: x — y\r\nb\r\n", "a\r\nb\r\n", []said{{"x", "y"}}},
		{"cr", "a\rWANTED: x — y\rb", "a\rb", []said{{"x", "y"}}},
		{"bullet", "- WANTED: x — y\n* WANTED: z — w\n+ wanted: q — r", "", []said{{"x", "y"}, {"z", "w"}, {"q", "r"}}},
		{"numbers", "1. WANTED: x — y\n2) WANTED: z — w\na) WANTED: q — r\niv. WANTED: s — t", "", []said{{"x", "y"}, {"z", "w"}, {"q", "r"}, {"s", "t"}}},
		{"task", "- [ ] WANTED: x — y\n- [x] WANTED: z — w", "", []said{{"x", "y"}, {"z", "w"}}},
		{"bold", "**WANTED:** /x — y", "", []said{{"/x", "y"}}},
		{"bold word", "**WANTED**: `/x` — y", "", []said{{"/x", "y"}}},
		{"bold line", "**WANTED: /x — y**", "", []said{{"/x", "y"}}},
		{"underscores", "__WANTED:__ _/x_ — y", "", []said{{"/x", "y"}}},
		{"code line", "`WANTED: /x — y`", "", []said{{"/x", "y"}}},
		{"a flag", "WANTED: git log -1 --format=%s — y\nWANTED: npm i --global x -- z\nWANTED: npm i --global x", "",
			[]said{{"git log -1 --format=%s", "y"}, {"npm i --global x", "z"}, {"npm i --global x", ""}}},
		{"code in the middle", "WANTED: run `go test ./...` — y", "", []said{{"run go test ./...", "y"}}},
		{"code subject with dash", "WANTED: `git push - force` — y", "", []said{{"git push - force", "y"}}},
		{"quote", "> WANTED: /x — y\n>> **WANTED:** z - w", "", []said{{"/x", "y"}, {"z", "w"}}},
		{"heading", "### WANTED: /x — y", "", []said{{"/x", "y"}}},
		{"fence", "Done.\n\n```\nWANTED: /x — y\nWANTED: z – w\n```\n", "Done.", []said{{"/x", "y"}, {"z", "w"}}},
		{"fence with info", "Done.\n```text\n\nWANTED: /x — y\n\n```\nMore.", "Done.\nMore.", []said{{"/x", "y"}}},
		{"fence with more", "```\nls\nWANTED: /x — y\n```\n", "```\nls\n```\n", []said{{"/x", "y"}}},
		{"fence by its info", "a\n```WANTED: /x — y\n```\nb", "a\nb", []said{{"/x", "y"}}},
		{"fence never closed", "a\n```\nWANTED: /x — y\n", "a", []said{{"/x", "y"}}},
		{"tildes", "~~~\nWANTED: /x — y\n~~~\nb", "b", []said{{"/x", "y"}}},
		{"fence in quote", "> ```\n> WANTED: /x — y\n> ```\nb", "b", []said{{"/x", "y"}}},
		{"inline fence", "```WANTED: /x — y```\nb", "b", []said{{"/x", "y"}}},
		{"dashes", "WANTED: a – b\nWANTED: c - d\nWANTED: e -- f\nWANTED: g—h\nWANTED: i --- j\nWANTED: k", "",
			[]said{{"a", "b"}, {"c", "d"}, {"e", "f"}, {"g", "h"}, {"i", "j"}, {"k", ""}}},
		{"hyphens inside", "WANTED: /opt/a-b-c - d", "", []said{{"/opt/a-b-c", "d"}}},
		{"glued", "Started it.WANTED: x — y", "Started it.", []said{{"x", "y"}}},
		{"glued to a word", "FinishedWANTED: x — y\nmore", "Finished\nmore", []said{{"x", "y"}}},
		{"glued with bold", "Started it.**WANTED:** x — y", "Started it.", []said{{"x", "y"}}},
		{"after a sentence", "All done! WANTED: x — y", "All done!", []said{{"x", "y"}}},
		{"twice on a line", "WANTED: a — b. WANTED: c — d", "", []said{{"a", "b."}, {"c", "d"}}},
		{"prose", "the most WANTED: list", "the most WANTED: list", nil},
		{"prose unwanted", "UNWANTED: x, MOST-WANTED: y", "UNWANTED: x, MOST-WANTED: y", nil},
		{"prose without colon", "WANTED posters\nI wanted: nothing", "WANTED posters\nI wanted: nothing", nil},
		{"zero width", "W\u200bAN\u2060TED\ufeff: \u200e/x — y", "", []said{{"/x", "y"}}},
		{"bidi", "\u202eWANTED: /x — y\u202c", "", []said{{"/x", "y"}}},
		{"nbsp", "\u00a0WANTED\u00a0:\u00a0/x\u00a0—\u00a0y", "", []said{{"/x", "y"}}},
		{"full width", "ＷＡＮＴＥＤ：/x — y", "", []said{{"/x", "y"}}},
		{"entity", "&gt; WANTED&#58; /x — y", "", []said{{"/x", "y"}}},
		{"tags", "<li><b>WANTED:</b> <code>/x</code> — y</li>", "", []said{{"/x", "y"}}},
		{"escape", "\x1b[1mWANTED:\x1b[0m /x — y", "", []said{{"/x", "y"}}},
		{"separators", "a\u2028WANTED: x — y\u2029b", "a\u2028b", []said{{"x", "y"}}},
		{"placeholder", "WANTED: <path or capability> — <why>\n", "", nil},
		{"placeholder in code", "`WANTED: <path or capability> — <why>`", "", nil},
		{"none", "Done.\nWANTED: none", "Done.", nil},
		{"empty", "Done.\nWANTED:\n", "Done.", nil},
		{"untouched", "a\n\n\n\nb  \n", "a\n\n\n\nb  \n", nil},
		{"table", "| WANTED: x — y |", "", []said{{"x", "y"}}},
	} {
		clean, wants := Strip(c.in)
		if clean != c.clean {
			t.Errorf("%s: clean %q, want %q", c.name, clean, c.clean)
		}
		var got []said
		for _, w := range wants {
			got = append(got, said{w.Subject, w.Why})
		}
		if len(got) != len(c.wants) {
			t.Errorf("%s: wants %q, want %q", c.name, got, c.wants)
			continue
		}
		for i := range got {
			if got[i] != c.wants[i] {
				t.Errorf("%s: want %q, want %q", c.name, got[i], c.wants[i])
			}
		}
	}
}

// naive is how somebody else would look for lines that survived.
func naive(text string) string {
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimLeft(line, " \t\u00a0>-*+#_`~.)([]|0123456789")
		if len(line) >= 7 && strings.EqualFold(line[:7], "WANTED:") {
			return line
		}
	}
	return ""
}

func FuzzStrip(f *testing.F) {
	for _, s := range []string{
		"Done.\n```\nWANTED: /x — y\n```\n", "Started it.WANTED: x — y", "> - **WANTED:** `x` – y\r\n\r\nb", "~~~\nWANTED: a\n~~~", "W\u200bANTED\u200b: x\u2028WANTED: y",
		"```WANTED: x\n```\n", "aWANTED: b WANTED: c", "- [x] wanted : y", "<b>WANTED</b>&colon; <path or capability> — <why>", "WANTED: `a - b` — c\x1b[0m", "```\n```\nWANTED: q\n```",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		clean, wants := Strip(s)
		if line := naive(clean); line != "" {
			t.Errorf("%q left %q in %q", s, line, clean)
		}
		again, more := Strip(clean)
		if again != clean || len(more) > 0 {
			t.Errorf("not idempotent: %q -> %q -> %q %v", s, clean, again, more)
		}
		for _, w := range wants {
			checkBounds(t, w)
		}
	})
}

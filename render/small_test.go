package render

import (
	"strings"
	"testing"
	"time"
)

// TestTerminal: H2-08, H2-09 and what a terminal would obey.
func TestTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[1;31mFAIL\x1b[0m \x1b]8;;https://x.example\x07docs\x1b]8;;\x07\r": "FAIL docs",
		"10%\r20%\r\n30%":              "10%\n20%\n30%",
		"a\u2028b\u0085c\vd\fe\u2029":  "a\nb\nc\nd\ne\n",
		"\x1b]0;title":                 "0;title", // unterminated: nothing is swallowed
		"\x1bPq#0\x1b\\x":              "x",
		"\u009b31mred\u009d0;t\u009cx": "redx",
		"\x1b\x1b[31m[32m":             "[32m",
		"\x1b(B\x1b=x":                 "x",
		"a\bb\x7f\x00c\x9b":            "abc\ufffd",
		"ok \u202egpj.exe\u202c":       "ok gpj.exe",
		"leak\U000e006c\U000e0065":     "leak",
		"a\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u3164\u115fb": "ab",
		"👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 👍🏽":                                     "👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 👍🏽",
		"x\u200dy z\ufe0f 1\ufe0f":                                 "xy z 1",
		"e" + strings.Repeat("\u0301", 50):                         "e" + strings.Repeat("\u0301", maxMarks),
		"tab\tstays\n":                                             "tab\tstays\n",
	} {
		if got := Terminal(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzTerminal(f *testing.F) {
	f.Add("\x1b]8;;x\x07a\r\u200d❤️")
	f.Fuzz(func(t *testing.T, in string) {
		out := Terminal(in)
		if Terminal(out) != out || len(out) > 3*len(in) {
			t.Fatalf("%q: %q: %q", in, out, Terminal(out))
		}
		m := model{}
		m.bytes(out)
		if m.found != nil {
			t.Fatalf("%q: %q", in, m.found)
		}
	})
}

// TestInline: foreign text inside our sentences is text and nothing else (A3-13).
func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		"to warm the cache":               "to warm the cache",
		"*a* _b_ my_var [x](y) <b> `c` |": "\\*a\\* \\_b\\_ my_var \\[x\\](y) \\<b\\> \\`c\\` \\|",
		"@user fixes #12":                 "`@user` fixes `#12`",
		"a\nb\r\n  c":                     "a b c",
		"# head":                          "# head",
		"":                                "",
	} {
		got := inline(in, maxWhy)
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		if found := faults("x " + got); found != nil {
			t.Errorf("%q: %q", in, found)
		}
	}
	for in, want := range map[string]string{"a`b``c": "`a'b''c`", " \n": "`?`", "a|b": "`a|b`", strings.Repeat("é", 150): "`" + strings.Repeat("é", 98) + "…`"} {
		if got := code(in, maxSubject); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"`a|b`": "`a\\|b`", "`a\\|b`": "`a\\¦b`", "a\nb": "a b"} {
		if got := cell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestOurs: sentences of ours keep their links to our server; foreign text that got into one does nothing.
func TestOurs(t *testing.T) {
	h := hostsFor("http://127.0.0.1:8080/acme/app/actions/runs/1")
	for in, want := range map[string]string{
		"opened [#57 Retry](https://github.com/acme/app/pull/57) · `x`":              "opened [#57 Retry](https://github.com/acme/app/pull/57) · `x`",
		"see [#1](http://127.0.0.1:8080/acme/app/pull/1), [b](https://evil.example)": "see [#1](http://127.0.0.1:8080/acme/app/pull/1), b (`https://evil.example`)",
		"[x [y](https://github.com/a/b/pull/1) @user":                                "[x [y](https://github.com/a/b/pull/1) `@user`",
		"![i](https://github.com/a/b/c.png)":                                         "i (image `https://github.com/a/b/c.png`)",
		"[a<img>](https://github.com/a/b/pull/1)":                                    "a\\<img> (`https://github.com/a/b/pull/1`)",
	} {
		if got := h.ours(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestAdvice: narrow, by verdict, and never a way to open the boundary (A3-12, H: never a widening).
func TestAdvice(t *testing.T) {
	places := results()["build"].Places
	for _, c := range []struct {
		triage Triage
		says   string
	}{
		{Triage{Verdict: Install}, "This project: `dependencies.rb` · organisation: `Brewfile` in `acme/homebrew-tap`."},
		{Triage{Verdict: ByDesign, Glob: "/opt/shared/**"}, "Covered by design (`/opt/shared/**`): do nothing."},
		{Triage{Verdict: Closed, Why: "it holds keys"}, "Stays closed: it holds keys."},
		{Triage{Verdict: Bring}, "The door stays closed: commit what is needed"},
		{Triage{Verdict: ByHand}, "Run it yourself, or ask for it with `/edit` or `/build`."},
		{Triage{}, "A person decides"},
	} {
		got := places.advice(c.triage)
		if !strings.Contains(got, c.says) {
			t.Errorf("%+v: %q, want %q", c.triage, got, c.says)
		}
		for _, widening := range []string{"chmod", "chown", "setfacl", "usermod", "allow rule", "allow_all", "sudoers", "disable"} {
			if strings.Contains(got, widening) {
				t.Errorf("%+v: %q suggests %s", c.triage, got, widening)
			}
		}
	}
	if got := (Places{}).advice(Triage{Verdict: Install}); got != "It can be added to the project’s or the organisation’s file of tools." {
		t.Errorf("%q", got)
	}
	for v := Decide; v <= ByHand+1; v++ {
		if known := v <= ByHand; known == (v.String() == "unknown") {
			t.Errorf("%d is %q", v, v)
		}
	}
}

// Beyond what the executor lists, calls are a number that is said.
func TestMoreSteps(t *testing.T) {
	r := results()["build"]
	r.Run.MoreSteps = 1200
	if got := Summary(r); !strings.Contains(got, "And 1200 further updates of calls not listed.") {
		t.Errorf("not said: %s", got)
	}
}

// What an agent runs unasked runs as the user that it is.
func TestAmbient(t *testing.T) {
	for isolated, as := range map[bool]string{true: "as the agent user", false: "as the same user as ai-flow"} {
		r := Result{Outcome: Done, Run: Run{Agent: "x", Isolated: isolated}, Ambient: []string{".github/hooks"}}
		want := "This tree holds `.github/hooks`, which the agent may run without asking; it runs " + as + "."
		for name, got := range map[string]string{"comment": Comment(r), "summary": Summary(r), "text": strings.Join(strings.Fields(Text(r, 80, false)), " ")} {
			if name == "text" {
				want = strings.ReplaceAll(want, "`", "")
			}
			if !strings.Contains(strings.ReplaceAll(got, "`", ""), strings.ReplaceAll(want, "`", "")) {
				t.Errorf("%s: no %q in %s", name, want, got)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[int64]string{0: "0", 999: "999", 1000: "1 k", 3010: "3 k", 3_450: "3.5 k", 41_200: "41 k", 1_250_000: "1.2 M"} {
		if got := tokens(in); got != want {
			t.Errorf("tokens(%d) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[time.Duration]string{0: "0 ms", 900 * time.Millisecond: "900 ms", 1500 * time.Millisecond: "1.5 s", 41 * time.Second: "41 s",
		4*time.Minute + 12*time.Second: "4 min 12 s", 90 * time.Minute: "1 h 30 min"} {
		if got := took(in); got != want {
			t.Errorf("took(%v) = %q, want %q", in, got, want)
		}
	}
	for o := Outcome(0); o < 8; o++ {
		if known := o >= Done && o <= Cancelled; known == (o.String() == "unknown") {
			t.Errorf("%d is %q", o, o)
		}
	}
}

// TestText: the terminal result is as wide as asked, and colours are its only control sequences.
func TestText(t *testing.T) {
	for name, r := range results() {
		for _, width := range []int{0, 40, 80, 200} {
			text := Text(r, width, false)
			fenced := false
			for line := range strings.Lines(text) {
				fenced = fenced != strings.HasPrefix(line, "```")
				if n := columns(strings.TrimSuffix(line, "\n")); n > max(width, 40) && !fenced && strings.Count(strings.TrimSpace(line), " ") > 6 {
					t.Errorf("%s at %d: %d columns: %q", name, width, n, line)
				}
			}
			if colored := Text(r, width, true); Terminal(colored) != text {
				t.Errorf("%s: colours change the text", name)
			}
		}
	}
}

// TestWordDiff: content that looks like marks of a diff or like HTML is only content (F-28).
func TestWordDiff(t *testing.T) {
	c := newWriter(Result{Diffs: &Diffs{Before: "a {+x+} <b> [-y-]\nsame\nlast", After: "a {+z+} <b> [-y-]\nsame\nlast\nnew </pre> @you"}})
	got := c.diffs().wordDiff(10_000)
	for _, want := range []string{"a {+<del>x</del><ins>z</ins>+} &lt;b&gt; [-y-]", "<ins>¶</ins>\n<ins>new &lt;/pre&gt; @you</ins>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if (newWriter(Result{Diffs: &Diffs{"same", "same"}})).diffs().wordDiff(1000) != "" {
		t.Error("a diff of nothing")
	}
}

// TestJoinWithin: the least important goes first, and it is said.
func TestJoinWithin(t *testing.T) {
	for limit, want := range map[int]string{100: "head\n\n\nlong text\n\n\nmore text\n\n\n", 25: "head\n\n\nlong text\n\n\n-\n\n\n", 19: "head\n\n\n-\n\n\n-\n\n\n"} {
		want = strings.ReplaceAll(want, "\n\n\n", "\n\n")
		if got := joinWithin(limit, []string{"head", "", "long text", "more text\n"}, []int{3, 2}, "-"); got != want {
			t.Errorf("%d: %q, want %q", limit, got, want)
		}
	}
}

func BenchmarkProse(b *testing.B) {
	in := strings.Repeat(inputs(b, "prose")["testdata/prose/keep-answer"], 40)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		Prose(in)
	}
}

// BenchmarkProseWorst is the ratio to BenchmarkProse of the shapes that cost a parser most.
func BenchmarkProseWorst(b *testing.B) {
	for _, unit := range []string{"[", "![", "*a_ ", "`` ` ", "<!--", "<a ", "> ", "- ", "\t", "[a](", "&amp;", "@a ", "x\n=\n", "\x1b]"} {
		b.Run(strings.TrimSpace(strings.Trim(unit, "\x1b\n")), func(b *testing.B) {
			in := strings.Repeat(unit, 60_000/len(unit))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				Prose(in)
			}
		})
	}
}

func BenchmarkRedact(b *testing.B) {
	var s Secrets
	for range 5 {
		s.Add(canary + strings.Repeat("x", 8))
	}
	in := strings.Repeat("ordinary output of a build, line after line, with numbers 123456789\n", 10_000)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		s.Redact(in)
	}
}

func BenchmarkSummary(b *testing.B) {
	r := results()["build"]
	r.Run.Steps = repeat(Step{Phase: "turn", Tool: "execute", Title: strings.Repeat("x", 600)}, 3000)
	for b.Loop() {
		Summary(r)
	}
}

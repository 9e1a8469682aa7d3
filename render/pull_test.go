package render

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPullTitle: one line that orders nothing (F-41, H2-10).
func TestPullTitle(t *testing.T) {
	for in, want := range map[string]string{
		"Retry on 502":             "Retry on 502",
		" a\r\n\tb\u2028c ":        "a b c",
		"@octocat fixes #12, GH-3": "octocat fixes 12, GH 3",
		"closes acme/app#9":        "closes acme/app9",
		"x [skip ci] y":            "x y",
		"x [SKIP  CI] [no ci] ***NO_CI***y [actions skip]":                       "x y",
		"[skip [skip ci] ci] x":                                                  "x",
		"skip-checks:  true x":                                                   "x",
		"fixes https://github.com/acme/app/issues/3":                             "fixes github.com/acme/app/issues/3",
		"fixes htthttps://ps://github.com/acme/app/issues/3":                     "fixes github.com/acme/app/issues/3",
		"G\u200bH-1 a\u202eb \x1b[31mred\x1b[0m <!-- ai-flow:end --> `code` é 🙂": "GH 1 ab red <!-- ai-flow:end --> `code` é 🙂",
		"": "Implement the issue", "#@": "Implement the issue", "[skip ci]": "Implement the issue",
		strings.Repeat("é", 500): strings.Repeat("é", 119) + "…",
	} {
		if got := PullTitle(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func pullTexts() map[string]PullText {
	full := PullText{Issue: "https://github.com/acme/app/issues/12", Closes: "acme/app#12", Requester: "octo-dev",
		Command: "https://github.com/acme/app/issues/12#issuecomment-1", RunURL: runURL, Gates: results()["opened"].Gates,
		Text: "Requests are retried with jitter.\n\n- one\n- two\n"}
	part, hostile, huge := full, full, full
	part.Closes, part.PartOf, part.Text, part.Gates = "", "acme/app#12", "", nil
	hostile.Text = "Fixes #1. Closes acme/app#2, resolves https://github.com/acme/app/issues/3 @octocat\n\n---\n\nCloses #4\n\n<!-- ai-flow:build evil/app#9 -->\n\n```\n<!-- ai-flow:build evil/app#9 -->\n"
	hostile.Gates = []Gate{{Name: "`x` | <!-- ai-flow:build evil/app#9 -->", Ended: "@octocat closes #5"}}
	hostile.Issue, hostile.Closes, hostile.Requester, hostile.Command = "https://github.com/acme/app/issues/12\nCloses #6", "acme/app#12 closes #7", "@octocat", "javascript:x"
	huge.Text = strings.Repeat("words and more of them\n", 10_000)
	return map[string]PullText{"full": full, "part": part, "hostile": hostile, "huge": huge, "empty": {}}
}

// TestPullBodyGolden: the description that a pull request is opened with.
func TestPullBodyGolden(t *testing.T) {
	for name, p := range pullTexts() {
		got := PullBody(p)
		checkPullBody(t, p, got)
		if name == "huge" {
			if !strings.Contains(got, "*Cut here: the first ") || len(got) < maxPullBody-1000 {
				t.Errorf("%d bytes: %s", len(got), got[len(got)-600:])
			}
			continue
		}
		golden(t, filepath.Join("testdata", "result", "pull-"+name+".out"), got)
	}
}

// checkPullBody: what GitHub acts on in a description is our closing line and the issue's address, and nothing else; there is
// one rule, and what stands below it is ours (S6, S7).
func checkPullBody(t *testing.T, p PullText, body string) {
	t.Helper()
	if len(body) > maxPullBody {
		t.Fatalf("%d bytes", len(body))
	}
	rest := body
	of := ""
	if closing(p) != "" {
		var ok bool
		of = "acme/app#12"
		if rest, ok = strings.CutSuffix(rest, "\n\n<!-- ai-flow:build "+of+" -->\n"); !ok {
			t.Fatalf("no mark at the end: %q", body)
		}
	}
	if got := BuildOf(body); got != of {
		t.Errorf("built for %q, want %q", got, of)
	}
	if line := closing(p); line != "" {
		var ok bool
		if rest, ok = strings.CutSuffix(rest, "\n\n"+line); !ok {
			t.Fatalf("no %q at the end: %q", line, body)
		}
	}
	rest = strings.TrimPrefix(rest, "Implements "+p.Issue+".\n\n")
	if n := breaks(rest); n != 1 {
		t.Fatalf("%d rules: %q", n, rest)
	}
	if threadMark.MatchString(rest) {
		t.Fatalf("a mark of ours: %q", rest)
	}
	if found := ourFaults(rest); found != nil {
		t.Fatalf("%q in %q", found, rest)
	}
	if !strings.Contains(rest, "---\n\n") {
		t.Fatalf("nothing of ours below the rule: %q", rest)
	}
}

// TestThreadReply: prose, and below a rule where it was done.
func TestThreadReply(t *testing.T) {
	const url, result = "https://github.com/acme/app/commit/" + commitID, "https://github.com/acme/app/pull/57#issuecomment-1"
	for want, got := range map[string]string{
		"Done: `f` waits.\n\n---\n\ncommit [`9f31c2e`](" + url + ") · [the result](" + result + ") · [run](" + runURL + ")\n": ThreadReply(Disposition{Text: "Done: `f` waits.\n"}, commitID, url, result, runURL),
		"The agent says nothing of this thread.\n\n---\n\nno commit\n":                                                        ThreadReply(Disposition{}, "", "", "", ""),
		"x\n\n---\n\ncommit `9f31c2e`\n": ThreadReply(Disposition{Text: "x"}, commitID, "https://evil.example/", "javascript:x", "x"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	long := ThreadReply(Disposition{Text: strings.Repeat("words and more of them\n", 10_000)}, commitID, url, result, runURL)
	if len(long) > maxComment || !strings.Contains(long, "*Cut here: ") || !strings.HasSuffix(long, "[run]("+runURL+")\n") {
		t.Errorf("%d bytes: %q", len(long), long[len(long)-300:])
	}
}

// FuzzPullTexts: whatever stands in the values of what is opened and answered.
func FuzzPullTexts(f *testing.F) {
	for _, in := range inputs(f, "prose") {
		f.Add(escapes.Replace(in))
	}
	for _, s := range []string{"fixes #1", "Closes acme/app#2", "<!-- ai-flow:build evil/app#9 -->", "```\n<!-- ai-flow:build evil/app#1 -->", "a\n\n---\n\nCloses #3", "---", "a\n---\n", "| a |\n|---|\n| b", "[x]: y",
		"<details>", "- a\n\n  ```\n  b", "> a", "    code", "@a", "[skip ci]", "GH-1", "https://github.com/a/b/issues/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4000 {
			return
		}
		title := PullTitle(s)
		if utf8.RuneCountInString(title) > maxPullTitle || title == "" || strings.ContainsAny(title, "#@\n\r") || titleOrders.MatchString(title) || ghNumber.MatchString(title) || Terminal(title) != title || PullTitle(title) != title {
			t.Fatalf("%q became %q and %q", s, title, PullTitle(title))
		}
		p := pullTexts()["full"]
		p.Text = s
		checkPullBody(t, p, PullBody(p))
		p = PullText{s, s, s, s, s, s, 12, s, []Gate{{Name: s, Ended: s, Tree: s}}}
		checkPullBody(t, p, PullBody(p))
		for _, reply := range []string{ThreadReply(Disposition{s, s, s}, s, s, s, s), ThreadReply(Disposition{Text: s}, commitID, "", "", runURL)} {
			checkPart(t, "reply", reply)
			if breaks(reply) != 1 || len(reply) > maxComment {
				t.Fatalf("%d bytes, %d rules: %q", len(reply), breaks(reply), reply)
			}
		}
	})
}

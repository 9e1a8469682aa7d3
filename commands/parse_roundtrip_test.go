package commands

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// said is a result of ours as it stands in a comment.
func said(mark, text string) string {
	return fmt.Sprintf("\n\n> <!-- ai-flow:%s -->\n> %s\n> <!-- ai-flow:end -->\n", mark, strings.Join(allLines(text), "\n> "))
}

// withResults puts a result below each command, the last one first so that the places before it stay.
func withResults(body string, c Comment, text string) string {
	for _, s := range slices.Backward(c.Segments) {
		body = body[:s.End] + said("result 7", text) + body[s.End:]
	}
	return body
}

// meaning is what is asked of a segment whatever stands around it.
func meaning(c Comment) (all []Segment) {
	for _, s := range c.Segments {
		s.Line, s.Start, s.End = 0, 0, 0
		all = append(all, s)
	}
	return all
}

// Whatever render may put into a result, the commands around it stay what they were: a re-run reads the same, and nothing
// of ours is a command, or an anchor of one.
func TestResultsChangeNoCommand(t *testing.T) {
	bodies := []string{
		"/ask a", "/ask a\n", "/ask a\r\n", "/ask a\r", "/ask a  \n\n\n", "/ask a\u00a0\u200b \n\u200b\n",
		"/ask a\n/edit b\n", "/ask a\r\n/edit b\r\n", "/ask a\r/edit b\r", "/ask a\r\n/edit b\n\r/ask c\r\r\n/ask d",
		"> q\n\n/edit a\n\n> r\n\n/ask b\n\n> left alone\n\nremark", "/ask a\n> q\n\n/edit c", "/ask a\n\n> q\n\nremark\n", "\ufeff/ask a\n/ask b",
		"/edit use\n```go\n/ask x\n> y\n```\nthere\n\n/ask b", "/edit\n\n    code\n\n/ask b", "/ask why?\n---\n/ask b", "/ask a\n\n| a |\n|---|\n| b |\n\n/ask c",
		"/ask a\n<div>\n> q\n\n/edit c", "/ask a\n\n<details>\n\nx\n\n</details>\n\n/ask b", "/ask a\n- x\n  - y\n\n/ask b", "/ask a `b\n\n/ask c` d",
		"/ask a\n\n- ```\n  x\n\n/ask b", "/ask a\n\n[^1]: y\n\n/ask b", "/ask a\n\n[^1]: <details> y\n\n> q\n\n/edit b[^1]", "/ask a\\\n/ask b", "x\n\n* * *\n/ask a\n***\n/ask b",
	}
	results := []string{"x", "", "Reply with\n\n/ask x\n/edit y\n/build", "```\n/ask x", "<details><summary>d</summary>\n\n/ask x\n\n```diff\n-a\n```\n\n</details>",
		"- a\n  - b", "> /ask x", "| a |\n|---|\n| /ask |", "    code", "a\n===\n\n---", "<!-- open", "<pre>", "`", "⏳ working\\"}
	for _, body := range bodies {
		before, err := Parse(body, "")
		if err != nil || len(before.Segments) == 0 {
			t.Fatalf("%q: %+v, %v", body, before, err)
		}
		checkPositions(t, body, before)
		if before.Foot != len(body) {
			t.Errorf("%q: foot %d, want the end at %d", body, before.Foot, len(body))
		}
		for _, result := range results {
			after := withResults(body, before, result)
			c, err := Parse(after, "")
			if err != nil || !slices.Equal(meaning(c), meaning(before)) {
				t.Errorf("%q becomes %q: %v\n%+v, want\n%+v", body, after, err, meaning(c), meaning(before))
			}
			checkPositions(t, after, c)
			foot := after + "\n\n---" + said("result 7 bottom", result)
			if c, err = Parse(foot, ""); err != nil || !slices.Equal(meaning(c), meaning(before)) {
				t.Errorf("%q becomes %q: %v\n%+v, want\n%+v", body, foot, err, meaning(c), meaning(before))
			}
		}
	}
}

// The rule above a bottom block stands behind an empty line, so it makes no heading of a command; alone it ends up in the
// instruction, which is why our text is taken out (thread.Strip) before a comment is read again.
func TestBottomMakesNoHeading(t *testing.T) {
	for _, body := range []string{"/ask a", "/ask a\n", "x\n\n/build\n", "/build", "/ask a\n- x", "/ask a\r\n"} {
		before, err := Parse(body, "")
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(body+"\n\n---"+said("result 7 bottom", "2 wants"), "")
		if err != nil || len(c.Segments) != 1 || c.Segments[0].Start != before.Segments[0].Start || c.Segments[0].Command != before.Segments[0].Command {
			t.Errorf("%q with a bottom: %+v, %v", body, c, err)
			continue
		}
		if got := strings.TrimSpace(strings.TrimSuffix(c.Segments[0].Instruction, "---")); got != before.Segments[0].Instruction {
			t.Errorf("%q with a bottom says %q", body, c.Segments[0].Instruction)
		}
	}
}

// What a comment leaves open to its end would draw a result into it: a fence shows it as code, a comment hides it. So the
// result, and the foot, stand above what is open, and the instruction keeps all of it.
func TestResultsStandAboveWhatIsLeftOpen(t *testing.T) {
	tests := []struct{ name, body, above string }{
		{"a fence", "/edit use\n```go\nx", "/edit use"},
		{"a fence, CRLF", "/edit use\r\n\r\n```go\r\nx\r\n", "/edit use"},
		{"a fence of tildes, CR", "/edit use\r~~~\rx", "/edit use"},
		{"a shorter end", "/edit use\n````\nx\n```\n", "/edit use"},
		{"a comment", "/edit use\n\n<!-- x\n\ny", "/edit use"},
		{"details", "/edit use\n\n<details>\n\nlog", "/edit use"},
		{"details in details", "/edit use\n\n<details>\n\n<details>\n\nlog\n\n</details>", "/edit use"},
		{"details and a fence", "/edit use\n\n<details>\n\n```\nlog", "/edit use"},
		{"a script", "/edit use\n<script>\n\nlog", "/edit use"},
		{"inline details on a line of its own", "/edit use\nthis\nx <details> y", "/edit use\nthis"},
		{"the second of two", "/ask a\n\n/edit use\n```\nx", "/edit use"},
		{"after a remark", "/edit a\n\n> q\n\nremark\n\n```\nx", "remark"},
	}
	for _, tt := range tests {
		c, err := Parse(tt.body, "")
		if err != nil || len(c.Segments) == 0 {
			t.Errorf("%s: %+v, %v", tt.name, c, err)
			continue
		}
		checkPositions(t, tt.body, c)
		last := c.Segments[len(c.Segments)-1]
		if got := tt.body[:c.Foot]; !strings.HasSuffix(got, tt.above) {
			t.Errorf("%s: the foot stands below %q, want %q", tt.name, got, tt.above)
		}
		if last.End > c.Foot || tt.above != "remark" && last.End != c.Foot {
			t.Errorf("%s: the result at %d and the foot at %d", tt.name, last.End, c.Foot)
		}
		if tt.above != "remark" && last.Instruction != clean(tt.body[last.Start+len("/edit"):]) {
			t.Errorf("%s: the instruction is %q", tt.name, last.Instruction)
		}
		after := tt.body[:c.Foot] + "\n\n---" + said("result 7 bottom", "2 wants") + tt.body[c.Foot:]
		for _, s := range slices.Backward(c.Segments) {
			after = after[:s.End] + said("result 7", "done") + after[s.End:]
		}
		if n := len(readPage(after, nil).quotes); n < len(c.Segments)+1 {
			t.Errorf("%s: %d of our quotes are drawn as quotes in %q", tt.name, n, after)
		}
	}
	// Where the line of the command itself opens it there is no place above.
	if c, err := Parse("/edit <details> x", ""); err != nil || c.Segments[0].End != len("/edit <details> x") || c.Foot != c.Segments[0].End {
		t.Errorf("opened by the command's own line: %+v, %v", c, err)
	}
}

// boundaries are the offsets where lines begin and end.
func boundaries(body string) (starts, ends map[int]bool) {
	starts, ends = map[int]bool{}, map[int]bool{}
	for _, l := range splitLines(body) {
		starts[l.start], ends[l.start+len(l.text)] = true, true
	}
	if strings.HasPrefix(body, "\ufeff") {
		starts[len("\ufeff")] = true
	}
	return starts, ends
}

// FuzzRoundTrip holds that a result, put where a segment ends, leaves every command as it is.
func FuzzRoundTrip(f *testing.F) {
	for _, body := range []string{"/ask a\n\n> q\n\n/edit b", "> q\r\n\r\n/ask a\r\n/edit b\r\n", "/ask a\r/ask b\r\r", "/edit use\n```\n/ask x", "/ask <details>\n\n/ask b",
		"\ufeff/ask a\u00a0\n\u200b\n/ask b", "/ask a\n===\n/ask b\n- x", "/ask a\n\n    b\n\t\n/ask c", "[a\n\n/ask b]: c\n/ask d", "- x\n\n/ask a\n\n  y", "/ask *a\n\n/ask b*"} {
		for _, result := range []string{"x", "/ask y\n```", "<details>\n\n> <!-- a", "- a\n\n      b"} {
			f.Add(body, result)
		}
	}
	f.Fuzz(checkRoundTrip)
}

// Markdown has too few accidents in random bytes, so the same is held for random sequences of what matters to it.
func TestParseSoup(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 14))
	soup := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteString(soupUnits[random.IntN(len(soupUnits))])
		}
		return b.String()
	}
	for range 500 {
		body := soup(14)
		checkParse(t, body)
		checkRoundTrip(t, body, soup(10))
		if t.Failed() {
			return
		}
	}
}

var soupUnits = []string{"/ask a", "/edit b\n", "/build", "\n/ask c\n", "\r\n/edit d\r\n", "\n", "\n", "\n\n", "\n\n", "\r", "\r\n", "\r\n\r\n", " ", "  \n", "\t", "    ", "\u00a0", "\u200b",
	"\ufeff", "x", "text", "> ", "> q\n", "> q\n\n", "\n> <!-- ai-flow:result 1 -->\n> r\n> <!-- ai-flow:end -->\n", ">", "- ", "- x\n", "1. ", "  ", "```", "\n```\n", "~~~\n", "`", "``", "<!--", "-->",
	"<!-- ai-flow:status 1 -->", "<!-- ai-flow:end -->", "<details>", "</details>", "<details>\n\n", "\n\n</details>\n\n", "<div>", "</div>\n", "<pre>", "</pre>", "<script>", "<b>", "<a href='", "'>", "<?", "?>",
	"<![CDATA[", "]]>", "[x]: /u\n", "[x]", "[", "](u)", "[^1]", "[^1]: ", "|", "| a |\n|---|\n", "---\n", "===\n", "***", "*", "~~", "\\", "&lt;", "# ", "\x00", "\xff", "\u2028", "\v", "\f"}

func checkRoundTrip(t *testing.T, body, result string) {
	before, err := Parse(body, "")
	if len(body) > 4096 || len(result) > 4096 || len(before.Segments) == 0 {
		return
	}
	checkPositions(t, body, before)
	if before.Foot != len(body) {
		checkAbove(t, body, before)
		return
	}
	// A definition of a link or a footnote counts for the whole page wherever it stands. render writes none (its tests hold
	// that), and whoever reads a comment again takes our text out first.
	result = strings.ReplaceAll(result, "]:", "]")
	after := withResults(body, before, result)
	c, errAfter := Parse(after, "")
	if reason(errAfter) == TooLarge && reason(err) != TooLarge {
		return // longer than a comment may be
	}
	if reason(err) != reason(errAfter) || !slices.Equal(meaning(c), meaning(before)) {
		t.Errorf("%q becomes\n%q: %v and %v\n%+v, want\n%+v", body, after, err, errAfter, meaning(c), meaning(before))
	}
	checkPositions(t, after, c)
}

// checkAbove holds that results are drawn as quotes where a comment leaves something open, unless the line of a command
// itself opens it. What is hidden is drawn, too; TestResultsStandAboveWhatIsLeftOpen has that.
func checkAbove(t *testing.T, body string, c Comment) {
	for _, s := range c.Segments {
		if line, _, _ := strings.Cut(body[s.Start:], "\n"); strings.Contains(line, "<") {
			return
		}
	}
	ours := func(body string) (n int) {
		for _, q := range readPage(body, nil).quotes {
			if q.ours {
				n++
			}
		}
		return n
	}
	after := withResults(body, c, "x")
	if got := ours(after) - ours(body); got != len(c.Segments) {
		t.Errorf("%d of %d results are drawn as quotes in\n%q made of\n%q", got, len(c.Segments), after, body)
	}
}

func reason(err error) Reason {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return 0
}

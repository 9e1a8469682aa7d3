package render

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// TestStatusLine: one line, whatever its values hold.
func TestStatusLine(t *testing.T) {
	for want, s := range map[string]Status{
		"⏳ ai-flow is running `/ask`: [follow the run](" + runURL + ") · model `gpt-5`":                          {Command: "/ask", RunURL: runURL, Model: "gpt-5"},
		"⏳ ai-flow is running `/ask`: [follow the run](" + runURL + ") · the agent’s default model":              {Command: "/ask", RunURL: runURL},
		"⏳ ai-flow is running `/edit`, which is writing the description of the issue at this moment · model `m`": {Command: "/edit", Model: "m", Writing: "the description of the issue"},
		"⏳ ai-flow is running `/ask` · model `a 'b' <! - ai-flow:end -->`":                                       {Command: "/ask", RunURL: "https://github.com/a)](x", Model: "a\n`b` <!-- ai-flow:end -->"},
	} {
		if got := StatusLine(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestReviewIntro: the person is linked, not mentioned.
func TestReviewIntro(t *testing.T) {
	const review = "https://github.com/acme/app/pull/5#pullrequestreview-1"
	for want, in := range map[string][2]string{
		"From [a review](" + review + ") by [octo-dev](https://github.com/octo-dev) (GitHub lets no App edit a review):":                  {"octo-dev", review},
		"From [a review](http://127.0.0.1:80/a/b/pull/5) by [octo-dev](http://127.0.0.1:80/octo-dev) (GitHub lets no App edit a review):": {"octo-dev", "http://127.0.0.1:80/a/b/pull/5"},
		"From a review by `@x](y) <! -ai-flow:end-->` (GitHub lets no App edit a review):":                                                {"@x](y) <!--ai-flow:end-->", "javascript:x"},
	} {
		if got := ReviewIntro(in[0], in[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDenied: one line on the run's page.
func TestDenied(t *testing.T) {
	for want, in := range map[string][3]string{
		"ℹ️ **not authorized**: `/build` by `octo-dev` · the permission to write is missing.\n": {"/build", "octo-dev", "the permission to write is missing"},
		"ℹ️ **not authorized**\n":                               {},
		"ℹ️ **not authorized**: `/a b` by `@x` · `@y` \\<b>.\n": {"/a\nb", "@x", "@y\n<b>."},
	} {
		if got := Denied(in[0], in[1], in[2]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLostGolden: what is said when a run could not say it itself (F-46, F-47, F-56, F-57). A change that landed is never
// reported as failed, and what is not known is not claimed.
func TestLostGolden(t *testing.T) {
	var b strings.Builder
	for l := LostRun; l <= LostEdit; l++ {
		r := LostResult(l, "/edit", runURL)
		check(t, r)
		fmt.Fprintf(&b, "%s\n%s\n%%%%\n", Comment(r), Summary(r))
		if landed := l == LostReport; landed != (r.Outcome == Done) || landed != strings.Contains(Comment(r), "✅") {
			t.Errorf("%d is %v", l, r.Outcome)
		}
		if strings.Contains(Comment(r), "unchanged") {
			t.Errorf("%d claims what nobody knows: %s", l, Comment(r))
		}
	}
	golden(t, filepath.Join("testdata", "result", "lost.out"), b.String())
	if LostResult(0, "/x", "").Headline != LostResult(LostRun, "/x", "").Headline {
		t.Error("an unknown loss is told as none")
	}
}

// TestSummaryOrder: the order of a reader's questions, whatever the outcome.
func TestSummaryOrder(t *testing.T) {
	want := []string{"### Boundary wants", "### What the agent did", "<details><summary>What the agent said to", "### Approved without asking (full access)", "### How it ran"}
	most := 0
	for name, r := range results() {
		for _, o := range []Outcome{Done, Restricted, Refused, Nothing, Failed, Cancelled} {
			r.Outcome = o
			summary := Summary(r)
			first, rest, _ := strings.Cut(summary, "\n")
			if !strings.Contains(first, "**"+outcomeWords(newWriter(r).r.Outcome)+"**") || r.Requester != "" && !strings.Contains(first, "[octo-dev](https://github.com/octo-dev)") {
				t.Errorf("%s: the first line is %q", name, first)
			}
			at, found := -1, 0
			for _, part := range want {
				i := strings.Index(rest, part)
				if i >= 0 && i < at {
					t.Errorf("%s: %q is out of order in\n%s", name, part, summary)
				}
				if i >= 0 {
					at, found = i, found+1
				}
			}
			most = max(most, found)
		}
	}
	if most != len(want) {
		t.Errorf("no case has all parts")
	}
}

// TestFailedTextStaysOffTheThread: what an agent said before it failed is on the run's page (examples.md, A failure).
func TestFailedTextStaysOffTheThread(t *testing.T) {
	for _, o := range []Outcome{Failed, Cancelled, Refused} {
		r := results()["failed"]
		r.Outcome = o
		if got := Comment(r); strings.Contains(got, "I was about to") || !strings.Contains(got, "is on the [run page]("+runURL+")") {
			t.Errorf("%v: %s", o, got)
		}
		if !strings.Contains(Summary(r), "I was about to") {
			t.Errorf("%v: the summary has not what the agent said", o)
		}
		r.RunURL = ""
		if got := Comment(r); !strings.Contains(got, "<details><summary>What the agent said before it ended</summary>\n>\n> I was about to") {
			t.Errorf("%v: without a run page: %s", o, got)
		}
	}
}

// TestInPlaceOwner: the headline stands under the command that acted.
func TestInPlaceOwner(t *testing.T) {
	r := Result{Outcome: Done, Headline: "changed the description.", Segments: []Segment{{Command: "/ask", OK: true, Text: "a"},
		{Command: "/edit", Note: "was left out.", Remark: "The agent says so."}, {Command: "/edit", OK: true, Text: "b"}}}
	got := InPlace(r, maxComment).Segments
	for i, want := range []string{"✅ **/ask**\n\na", "⚠️ **/edit** was left out. The agent says so.", "✅ **/edit** changed the description.\n\nb"} {
		if got[i] != want {
			t.Errorf("%d: %q, want %q", i, got[i], want)
		}
	}
}

// TestInPlaceBudget: at each size outcome and footer stand, and what is left out goes in the order of importance (F-27, S7).
func TestInPlaceBudget(t *testing.T) {
	r := results()["wants"]
	r.Notes = repeat("A note that says something about the run.", 8)
	r.Segments = []Segment{r.Segments[0], {Command: "/ask", Instruction: "x", OK: true, Text: strings.Repeat("An answer of some length.\n", 400)}}
	r.Diffs = &Diffs{strings.Repeat("a b c\n", 300), strings.Repeat("a x c\n", 300)}
	order := []string{"Source diff</summary>", "Word diff</summary>", "changed files</summary>", "A note that", "An answer of some length.\nAn", "- `protoc`", "**104 boundary wants.**"}
	gone := 0
	for room := maxComment; room >= 0; room -= max(64, room/16) {
		p := InPlace(r, room)
		all := strings.Join(append(p.Segments, p.Bottom), "\n")
		if size := sizeOf(p); room >= tightRoom && size > room {
			t.Errorf("room %d: %d bytes", room, size)
		}
		if len(p.Segments) != 2 || !strings.HasPrefix(p.Segments[0], "✅ **/build**") || !strings.HasPrefix(p.Segments[1], "✅ **/ask**") || !strings.HasSuffix(p.Bottom, "done, with restrictions") {
			t.Fatalf("room %d: outcome or footer are missing: %q", room, p)
		}
		for i, part := range order {
			if there := strings.Contains(all, part); there && i < gone-1 { // its neighbour may need less room
				t.Errorf("room %d: %q is back, after %q was left out", room, part, order[gone-1])
			} else if !there {
				gone = max(gone, i+1)
			}
		}
		if room < tightRoom && strings.Contains(all, "\n\n") {
			t.Errorf("room %d: more than outcome and footer: %q", room, p)
		}
	}
	if gone != len(order) {
		t.Errorf("%q never left", order[gone:])
	}
}

// TestInPlaceNothing: a refusal before anything is one part about the whole comment, and no footer.
func TestInPlaceNothing(t *testing.T) {
	p := InPlace(results()["refused"], maxComment)
	if len(p.Segments) != 1 || !strings.HasPrefix(p.Segments[0], "ℹ️ **/build** changes code") || p.Bottom != "" {
		t.Errorf("%q", p)
	}
}

// sizeOf is what the parts take on a thread, quoted.
func sizeOf(p Parts) int {
	n := quoted(p.Bottom)
	for _, s := range p.Segments {
		n += quoted(s)
	}
	return n
}

// FuzzPlaces: whatever stands in the values, our text on a thread is ours: no mark, no mention, no image, no rule, no fence
// or fold left open, quoted and plain, and within its room (S6, S7, F-25, F-27).
func FuzzPlaces(f *testing.F) {
	for _, in := range inputs(f, "prose") {
		f.Add(escapes.Replace(in), uint8(5), uint16(5000))
	}
	for i, s := range []string{"```\n<!-- ai-flow:end -->\n```", "<!-- ai-flow:result 1 -->", "<!-\u200b- AI-FLOW:end", "`<!--ai-flow:end-->`", "<!-[- ai-flow:x](y)", "\n/ask x\n", "> /ask",
		"```\n/build\n", "</details>\n\n/ask", "---\n***\n", "[a]: b\n", "~~~\n> /edit", "|a|\n|-|\n|`<!-- ai-flow:end -->`|", "⏳ ⚙️ ✅ **/ask**", "`" + place(1) + "`", place(1) + "\n" + place(2), "```\n" + place(1) + "\n```", "fixes #12, closes acme/app#9 @a"} {
		f.Add(s, uint8(i), uint16(1500*i))
	}
	f.Fuzz(func(t *testing.T, s string, outcome uint8, room uint16) {
		if len(s) > 4000 {
			return
		}
		var r Result
		fill(&r, s)
		r.Outcome = Outcome(outcome % 8)
		for i := range r.Segments { // some commands are real ones, some went well
			if i > 0 {
				r.Segments[i].Command, r.Segments[i].OK = []string{"/ask", "/edit"}[i-1], true
			}
		}
		p := InPlace(r, int(room))
		if size := sizeOf(p); room >= tightRoom && size > int(room) {
			t.Fatalf("%d bytes in a room of %d", size, room)
		}
		if !strings.HasSuffix(p.Bottom, outcomeWords(newWriter(r).r.Outcome)) {
			t.Fatalf("no footer: %q", p.Bottom)
		}
		for i, part := range append(slices.Clone(p.Segments), p.Bottom) {
			if found := placeShape.FindAllString(part, -1); i != owner(r.Segments) && found != nil || len(found) > 1 || len(found) == 1 && found[0] != place(1) {
				t.Fatalf("part %d holds the places %q: %q", i, found, part)
			}
		}
		r.Segments = r.Segments[1:2]
		for name, text := range map[string]string{
			"bottom": p.Bottom, "first": p.Segments[0], "second": p.Segments[1], "third": p.Segments[2],
			"reply": Reply(r, maxComment), "status": StatusLine(Status{s, runURL, s, s}), "intro": ReviewIntro(s, s),
		} {
			checkPart(t, name, text)
		}
		if reply := Reply(r, int(room)); room >= tightRoom && len(reply) > int(room) {
			t.Fatalf("the reply has %d bytes in a room of %d", len(reply), room)
		}
	})
}

// checkPart looks at one text of ours, as it stands alone, in a quote, and between the lines of others.
func checkPart(t *testing.T, name, part string) {
	t.Helper()
	part = strings.Replace(part, place(1), opening, 1) // where there is one it is ours: FuzzPlaces counts them
	if strings.Contains(strings.ToLower(part), "<!-- ai-flow") || threadMark.MatchString(part) {
		t.Fatalf("%s holds a mark: %q", name, part)
	}
	if strings.HasPrefix(part, "⏳ ") {
		if strings.Contains(part, "\n") {
			t.Fatalf("the status has several lines: %q", part)
		}
		part = strings.TrimPrefix(part, "⏳ ") // which is ours
	}
	for how, text := range map[string]string{"plain": part, "quoted": quote(part), "amid": "Some *text*.\n\n" + quote(part) + "\nand **more**.\n"} {
		if found := ourFaults(text); found != nil {
			t.Fatalf("%s, %s: %q in %q", name, how, found, text)
		}
	}
	if n := breaks(part); n > 1 || n == 1 && name != "reply" {
		t.Fatalf("%s holds %d rules: %q", name, n, part)
	}
}

// breaks counts the rules of a text, and the headings that pass for ours.
func breaks(md string) int {
	n := 0
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(md)))
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		h, heading := node.(*ast.Heading)
		if entering && (node.Kind() == ast.KindThematicBreak || heading && h.Level < 4) {
			n++
		}
		return ast.WalkContinue, nil
	})
	return n
}

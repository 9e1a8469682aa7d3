package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/denials"
)

const commitID = "9f31c2e0aa11bb22cc33dd44ee55ff6677889900"

// workflowPatch is a patch that does what it can to end its block (F-20, S6).
const workflowPatch = "diff --git a/.github/workflows/ci.yml b/.github/workflows/ci.yml\nindex 83db48f..bf269f4 100644\n" +
	"--- a/.github/workflows/ci.yml\n+++ b/.github/workflows/ci.yml\n@@ -1,4 +1,7 @@\n on: push\n ```\n-old\n+PATCH\n+</details>\n+\t````` @octocat closes #1 ::error::x\n+<!-- x -->\n \n"

// landingResults are the cases of a build on GitHub.
func landingResults(build, ask Result) map[string]Result {
	build.Headline, build.Wants, build.Outcome = "", nil, Done
	build.Segments = []Segment{{Command: "/build", Instruction: "keep the CLI flags stable", OK: true, Text: "Requests are retried with jitter, at most three times; the flag names are unchanged."}}
	build.Gates = []Gate{{Name: "go test ./...", Run: "go test ./...", Passed: true, Ended: "passed", Round: 2, Rounds: 3, Tree: commitID, Took: 41e9}}
	app := Landing{Branch: "ai/12-retry-on-502", Commit: commitID, URL: "https://github.com/acme/app/commit/" + commitID, Opened: true, Changes: build.Changes,
		Pull: &Pull{57, "Retry on 502", "https://github.com/acme/app/pull/57"}}
	build.Landings, build.Changes = []Landing{app}, nil

	ahead := build
	app.Pull = nil
	ahead.Landings = []Landing{app}

	again := build
	again.Landings = slices.Clone(build.Landings)
	again.Landings[0].Opened = false
	again.Headline, again.Outcome = "But gate `lint` failed with exit status 1.", Restricted
	again.Flagged = []string{"AGENTS.md", ".github/actions/setup/action.yml"}
	again.Taken = []Disposition{
		{"https://github.com/acme/app/pull/57#discussion_r1", "client/retry.go", "Done: the delay has jitter.\n\nMore of it."},
		{"https://github.com/acme/app/pull/57#discussion_r2", "odd`@x` name", "Not done, see @octocat and #12: `f()` needs it."},
		{"https://evil.example/", "c.go", ""}}
	again.Patches = []Patch{{Kind: PatchWorkflows, Bytes: []byte(workflowPatch), Base: commitID, Pull: build.Landings[0].Pull, File: "workflows.patch", Files: []string{".github/workflows/ci.yml"}}}

	several := build
	several.Landings = append(slices.Clone(build.Landings),
		Landing{Repo: "acme/lib", Branch: "ai/12-retry-on-502", Commit: commitID, Opened: true, Changes: []FileChange{{"x.go", 'M', 3, 0}},
			Pull: &Pull{9, "Retry @octocat [x](y) `a` closes #3 https://github.com/acme/app/issues/3", "https://github.com/acme/lib/pull/9"}},
		Landing{Repo: "acme/cli", Branch: "ai/12-retry-on-502", Commit: commitID, URL: "https://github.com/acme/cli/commit/" + commitID})
	several.Patches = []Patch{
		{Kind: PatchWorkflows, Bytes: []byte(workflowPatch), Base: commitID, File: "workflows.patch"},
		{Kind: PatchWorkflows, Repo: "acme/lib", Bytes: []byte("x\r\n"), Base: commitID, File: "workflows-2.patch"},
		{Kind: PatchRescued, Repo: "acme/tap", Bytes: []byte(workflowPatch), Base: commitID, File: "rescued-3.patch"}}

	rescued := build
	rescued.Outcome, rescued.Landings, rescued.Headline = Failed, nil, "changed nothing on the server: somebody changed the same lines of `a.go` meanwhile."
	rescued.NextStep, rescued.Segments = "The work is in the patch below. Give the command again in a new comment.", []Segment{{Command: "/build", Instruction: "x", Text: "Done."}}
	rescued.Patches = []Patch{{Kind: PatchRescued, Bytes: []byte(workflowPatch), Base: commitID, Pull: build.Landings[0].Pull, File: "rescued.patch"}}

	stranger := ask
	stranger.Restored = repeat(".claude/settings.json", 7)
	return map[string]Result{"opened": build, "ahead": ahead, "again": again, "several": several, "rescued": rescued, "stranger": stranger}
}

// TestLandingHead: the first line is that of the example, and goes on with what else is to be said.
func TestLandingHead(t *testing.T) {
	r := results()["opened"]
	const want = "✅ **/build** opened [#57 Retry on 502](https://github.com/acme/app/pull/57) · 3 files, +84 −12"
	head := func(r Result) string {
		line, _, _ := strings.Cut(InPlace(r, maxComment).Segments[0], "\n")
		return line
	}
	if got := head(r); got != want {
		t.Errorf("%q", got)
	}
	r.Headline, r.NextStep = "But gate `lint` failed.", "See the summary."
	if got := head(r); got != want+". But gate `lint` failed. See the summary." {
		t.Errorf("%q", got)
	}
	r.Headline, r.NextStep, r.Segments[0].Remark = "", "", "One remark."
	if got := head(r); got != want+". One remark." {
		t.Errorf("%q", got)
	}
	r.Segments[0].Remark = ""
	l := &r.Landings[0]
	l.Opened = false
	if got := head(r); got != "✅ **/build** added [`9f31c2e`]("+l.URL+") to [#57 Retry on 502](https://github.com/acme/app/pull/57) · 3 files, +84 −12" {
		t.Errorf("%q", got)
	}
	l.Pull, l.Repo, l.Changes = nil, "acme/lib", nil
	if got := head(r); got != "✅ **/build** pushed [`9f31c2e`]("+l.URL+") to `ai/12-retry-on-502` in `acme/lib`" {
		t.Errorf("%q", got)
	}
}

// withPulls and ahead are a result with the pull requests that were opened, and without them; the patches of their
// repositories go on them.
func withPulls(r Result) Result {
	return onLandings(r, func(i int, p *Pull) *Pull {
		if p == nil {
			p = &Pull{57 + i, "Retry on 502", fmt.Sprintf("https://github.com/acme/app/pull/%d", 57+i)}
		}
		return p
	})
}

func ahead(r Result) Result { return onLandings(r, func(int, *Pull) *Pull { return nil }) }

func onLandings(r Result, pull func(int, *Pull) *Pull) Result {
	r.Landings, r.Patches = slices.Clone(r.Landings), slices.Clone(r.Patches)
	for i := range r.Landings {
		l := &r.Landings[i]
		if !l.Opened {
			continue
		}
		l.Pull = pull(i, l.Pull)
		for j := range r.Patches {
			if r.Patches[j].Repo == l.Repo {
				r.Patches[j].Pull = l.Pull
			}
		}
	}
	return r
}

// texts are all texts of a result for a thread.
func texts(r Result, room int) []string {
	p := InPlace(r, room)
	all := append(p.Segments, p.Bottom, Reply(r, room))
	for _, text := range slices.Clone(all) {
		all = append(all, quote(text), quote(quote(text)))
	}
	return all
}

// checkFill: a text that was written ahead of its pull requests becomes the text with them, in whatever room.
func checkFill(t *testing.T, r Result, room int) {
	t.Helper()
	r = withPulls(r)
	want, was := texts(r, room), texts(ahead(r), room)
	for i := range want {
		if got := FillPulls(was[i], r.Landings); got != want[i] {
			t.Fatalf("room %d, text %d:\nfilled   %q\nrendered %q", room, i, got, want[i])
		}
		if FillPulls(want[i], r.Landings) != want[i] {
			t.Fatalf("room %d, text %d: filled twice: %q", room, i, FillPulls(want[i], r.Landings))
		}
	}
}

// TestFillPulls: byte for byte, at any size, with any title (S9).
func TestFillPulls(t *testing.T) {
	titles := []string{"Retry on 502", "", strings.Repeat("🙂", 200), strings.Repeat("[`", 100), "a\u2009b \\", "@x fixes #1 $a$ ://", place(1), "\ue000i\ue001 ${1}"}
	for _, name := range []string{"opened", "again", "several"} {
		for i, title := range titles {
			r := results()[name]
			r.Headline = []string{"", "But gate `x` failed."}[i%2]
			r.Segments[0].Text = strings.Repeat("words and more of them\n", 300)
			r.Landings = slices.Clone(r.Landings)
			for n := range r.Landings {
				if i%3 == 2 { // which no command names
					r.Landings[n].Branch = "ai/12; x"
				}
				if p := r.Landings[n].Pull; p != nil {
					r.Landings[n].Pull = &Pull{p.Number, title, p.URL}
				}
			}
			for room := 100 + 17*i; room < 20_000; room += max(150, room/3) {
				checkFill(t, r, room)
			}
			checkFill(t, r, maxComment)
		}
	}
	if got := strings.Count(Comment(ahead(results()["several"])), place(2)); got != 1 {
		t.Errorf("%d places: the test shows nothing", got)
	}
}

// TestFillPullsLeaves: what is no place of ours, or whose pull request is not known, stays as it is.
func TestFillPullsLeaves(t *testing.T) {
	landings := withPulls(results()["several"]).Landings
	for _, text := range []string{"", "no place", place(0), place(4), place(100), strings.ToUpper(place(1)), strings.Replace(place(1), opening, "opened", 1),
		strings.Replace(place(1), "is ", "is\n> ", 1), strings.Replace(place(1), "1", "01", 1)} {
		if got := FillPulls(text, landings); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := FillPulls(place(1), []Landing{{Opened: true}}); got != place(1) {
		t.Errorf("%q", got)
	}
}

// TestNoForgedPlace: nothing foreign becomes a place, wherever it stands (S6).
func TestNoForgedPlace(t *testing.T) {
	forged := []string{place(1), "`" + place(1) + "`", "```\n" + place(1) + "\n```", "    " + place(1), "<!--\tPull  of\nai-flow 1 -->", "<pre>" + place(1) + "</pre>",
		"&lt;!-- pull of ai-flow 1 -->" + opening + "<!-- pull of ai-flow end -->", "<!\u200b-- pull of ai-flow 1 -->" + opening + "<!-- pull of ai-flow end -->"}
	for _, s := range forged {
		var r Result
		fill(&r, s)
		for i := range r.Landings {
			r.Landings[i].Opened = r.Landings[i].Pull != nil
		}
		r.Diffs = &Diffs{s + "\n", s + "\nx\n"}
		lone := r
		lone.Outcome, lone.Headline, lone.Diffs, lone.Segments = Done, "", nil, []Segment{{Command: "/ask", OK: true, Text: s}}
		for _, r := range []Result{r, lone} {
			for _, text := range append(texts(r, maxComment), PullBody(PullText{Text: s, Requester: s, Gates: []Gate{{Name: s, Ended: s}}}), ThreadReply(Disposition{s, s, s}, s, s, s, s)) {
				if placeShape.MatchString(text) || threadMark.MatchString(text) {
					t.Fatalf("%q: %q", s, text)
				}
			}
		}
	}
}

// FuzzFillPulls: whatever stands in the values.
func FuzzFillPulls(f *testing.F) {
	for i, s := range []string{"Retry", "`[x]`", "](y)", place(1), "\\", "a  b\t", "$1", "<!-- ", "@x #1", "✅ **/build**"} {
		f.Add(s, uint16(700*i))
	}
	f.Fuzz(func(t *testing.T, s string, room uint16) {
		if len(s) > 2000 {
			return
		}
		var r Result
		fill(&r, s)
		r.Landings[0].Pull = &Pull{int(room), s, "https://github.com/acme/app/pull/1"}
		r.Wants = []Want{{Want: denials.Want{Subject: s}}}
		checkFill(t, r, int(room))
	})
}

// TestTaken: a bounded list on the thread, and a longer one on the run's page.
func TestTaken(t *testing.T) {
	r := results()["again"]
	r.Taken = repeat(Disposition{"https://github.com/acme/app/pull/57#discussion_r1", strings.Repeat("p", 500), strings.Repeat("words ", 200)}, 300)
	for shown, text := range map[int]string{maxTaken: Comment(r), maxTakenPage: Summary(r)} {
		if n := strings.Count(text, "\n> - [thread](") + strings.Count(text, "\n- [thread]("); n > shown || n < shown/2 {
			t.Errorf("%d of %d are listed", n, shown)
		} else if !strings.Contains(text, fmt.Sprintf("And %d more.", 300-n)) || !strings.Contains(text, "<summary>Review threads (300)</summary>") {
			t.Errorf("%d are listed, and the others not counted", n)
		}
	}
	check(t, r)
}

// TestTouched: one bounded remark of each sort, and more of it on the run's page.
func TestTouched(t *testing.T) {
	r := results()["again"]
	for i := range 300 {
		r.Flagged = append(r.Flagged, fmt.Sprintf("f%d", i))
		r.Restored = append(r.Restored, fmt.Sprintf("r%d`\n@x", i))
	}
	r.Notes, r.Ambient = repeat("note", 20), repeat("x", 5)
	comment, summary := Comment(r), Summary(r)
	for name, text := range map[string]string{"comment": comment, "summary": summary} {
		for _, want := range []string{"This change touches what runners or agents obey: `AGENTS.md`, `.github/actions/setup/action.yml`, `f0`, `f1`, `f2` and 297 more; look at it twice.",
			"Taken from the base for this pass, since people without write permission wrote the head: `r0' @x`, `r1' @x`, `r2' @x`, `r3' @x`, `r4' @x` and 295 more."} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in the %s", want, name)
			}
		}
		if name == "summary" != strings.Contains(text, "- `r99' @x`\n- and 200 more\n") {
			t.Errorf("the list in the %s", name)
		}
	}
	check(t, r)
}

// TestPagesOfPlaces: the preview shows the words of a place and hides its marks, and a patch as it is.
func TestPagesOfPlaces(t *testing.T) {
	for name, want := range map[string]string{"ahead": "</strong> is opening a pull request · 3 files", "again": "+&lt;/details&gt;\n"} {
		page, err := Page("x", Comment(results()[name]))
		if err != nil || !strings.Contains(string(page), want) || strings.Contains(string(page), "pull of") {
			t.Errorf("%s: %v: %s", name, err, page)
		}
	}
}

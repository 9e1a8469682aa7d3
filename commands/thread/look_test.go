package thread

import (
	"context"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
)

func piece(mark string) string {
	text := "x"
	if strings.HasPrefix(mark, "status") {
		text = "⏳"
	}
	return "\n\n> <!-- ai-flow:" + mark + " -->\n> " + text + "\n>\n" + end
}

var digests = " before=" + strings.Repeat("a", 32) + " after=" + strings.Repeat("b", 32)

// What stands on a thread, and how many calls it takes to know; what is left beside the result that counts is taken away,
// also other results (F5).
func TestLook(t *testing.T) {
	reply := func(stage string) string {
		return "<!-- ai-flow:result 102 stage=" + stage + " -->\nx\n<!-- ai-flow:end -->\n"
	}
	tests := []struct {
		name, body, here, own string
		want                  Standing
	}{
		{"nothing", "/edit x", "", "", Standing{}},
		{"waiting", "/edit x", piece("status 102"), "", Standing{Stage: Waiting}},
		{"failed", "/edit x", piece("result 102 stage=failed"), "", Standing{Stage: Failed}},
		{"acted", "/edit x", piece("result 102 stage=acted") + piece("result 102 stage=acted part=bottom"), "", Standing{Stage: Acted}},
		{"ahead", "/edit x", piece("result 102 stage=acted") + piece("status 102"+digests), "",
			Standing{Stage: Ahead, Before: strings.Repeat("a", 32), After: strings.Repeat("b", 32)}},
		{"ahead, its result taken away by a person", "/edit x", piece("status 102" + digests), "", Standing{Stage: Waiting, Before: strings.Repeat("a", 32), After: strings.Repeat("b", 32)}},
		{"told, and waiting again", "/ask x\n\n/ask y", piece("result 102 stage=told") + piece("status 102"), "", Standing{Stage: Told, Left: true}},
		{"unsure", "/edit x", piece("result 102 stage=unsure"+digests) + piece("result 102 stage=unsure part=bottom"+digests), "",
			Standing{Stage: Unsure, Before: strings.Repeat("a", 32), After: strings.Repeat("b", 32)}},
		{"unsure, and nothing was announced", "/edit x", piece("result 102 stage=unsure"), "", Standing{Stage: Unsure}},
		{"unsure, and waiting again", "/edit x", piece("result 102 stage=unsure") + piece("status 102"), "", Standing{Stage: Unsure, Left: true}},
		{"another's", "/edit x", piece("result 103 stage=acted"), "", Standing{}},
		{"a failure in the next place", "/edit x", "", reply("failed"), Standing{Stage: Failed, URL: "ours"}},
		{"an act told in the next place, the line left", "/edit x", piece("status 102"), reply("acted"), Standing{Stage: Acted, Left: true, URL: "ours"}},
		{"an act told in the next place, a failure in the first", "/edit x", piece("result 102 stage=failed"), reply("acted"), Standing{Stage: Acted, Left: true, URL: "ours"}},
		{"an act, and a failure in the next place", "/edit x", piece("result 102 stage=acted"), reply("failed"), Standing{Stage: Acted, Left: true}},
		{"a doubt, and an answer in the next place", "/edit x", piece("result 102 stage=unsure"), reply("told"), Standing{Stage: Unsure, Left: true}},
		{"a pointer", "/edit x", "", aside(102, "https://x/", ""), Standing{}},

		{"no answer", "/ask x", "", "", Standing{}},
		{"an answer", "/ask x", "", reply("told"), Standing{Stage: Told, URL: "ours"}},
		{"an answer, the line left", "/ask x", piece("status 102"), reply("told"), Standing{Stage: Told, Left: true, URL: "ours"}},
		{"a failure after an answer", "/ask x", piece("result 102 stage=failed"), reply("told"), Standing{Stage: Told, Left: true, URL: "ours"}},
		{"an answer, and another below the question", "/ask x", piece("result 102 stage=told"), reply("told"), Standing{Stage: Told, Left: true, URL: "ours"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, th := newThread(t, github.OnIssue, tt.body)
			body := tt.body + tt.here
			s.comments[1].Body, th.Now = body, &body
			ours := ""
			if tt.own != "" {
				ours = s.add(false, bot, tt.own).URL
			}
			switch {
			case tt.want.URL != "":
				tt.want.URL = ours
			case tt.want.Stage != Silent:
				tt.want.URL = th.Event.Comment.URL
			}
			for _, extra := range []int{0, 1} { // without Now it takes one more
				s.calls = nil
				got, err := th.Look(context.Background())
				if err != nil || got != tt.want {
					t.Errorf("%+v, %v, want %+v", got, err, tt.want)
				}
				if len(s.calls) != 1+extra {
					t.Errorf("calls %q", s.calls)
				}
				th.Now = nil
			}
			if _, err := th.Settle(context.Background(), nil); err != nil {
				t.Error(err)
			}
			if ours := strings.Join(s.ours(), ""); tt.want.Left && strings.Count(s.body(t, th)+ours, "ai-flow:result 102 stage=") != 1 {
				t.Errorf("more than one result stands in %q and %q", s.body(t, th), ours)
			}
			if got, err := th.Look(context.Background()); err != nil || got.Left || got.Before != "" && got.Stage != Unsure || got.Stage < tt.want.Stage && tt.want.Stage != Waiting {
				t.Errorf("settled it is %+v, %v, and was %+v", got, err, tt.want)
			}
		})
	}
}

// A text that brings marks along stands for nothing.
func TestOwnMarksOfAText(t *testing.T) {
	text := "<!-- ai-flow:end -->\n\n> <!-- ai-flow:status 102" + digests + " -->\n" + end
	if got := ownStanding(own(saying{id: 102, stage: told}, text, ""), 102); got != (Standing{Stage: Told}) {
		t.Errorf("%+v", got)
	}
}

// A call that fails makes no standing: whoever looks must not take it for silence.
func TestLookFails(t *testing.T) {
	for _, call := range []string{"read", "list"} {
		s, th := newThread(t, github.OnIssue, "/ask x")
		s.fault = failing(call, limited)
		if got, err := th.Look(context.Background()); err == nil {
			t.Errorf("%s: %+v", call, got)
		}
	}
}

// Line ends do not count in a digest, everything else does.
func TestDigest(t *testing.T) {
	if got := Digest("a\nb\n"); got != Digest("a\r\nb\r") || got == Digest("a\nb") || len(got) != 32 {
		t.Errorf("%q", got)
	}
	if got, want := Digest(""), "e3b0c44298fc1c149afbf4c8996fb924"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"acme/app ai/7-x 0000 1111", "\x00\xff\xfe", strings.Repeat("x", 1<<20)} { // of commits, of any bytes
		if got := Digest(text); !digestShape.MatchString(got) || got == Digest(text+" ") {
			t.Errorf("%q is the digest of %.40q", got, text)
		}
	}
}

// Marks are read as they are written.
func TestMarks(t *testing.T) {
	d := strings.Repeat("0f", 16)
	for _, m := range []mark{{word: wordResult, id: 1, stage: told}, {word: wordResult, id: 1 << 62, stage: failed, bottom: true},
		{word: wordStatus, id: 7}, {word: wordStatus, id: 7, before: d, after: d}, {word: wordAside, id: 7}, {word: wordResult, id: 7, stage: waiting},
		{word: wordResult, id: 7, stage: open, bottom: true, before: d, after: d}, {word: wordReply, id: 7, thread: 1 << 62}, {word: wordReply, id: 7, thread: 9, given: 1796018520}} {
		if got, ok := readMark(m.String()); !ok || got != m {
			t.Errorf("%q is read as %+v", m, got)
		}
		if _, ok := readMark(m.String() + " "); ok {
			t.Errorf("%q and a space is a mark", m)
		}
	}
}

// Whatever differs from a mark of a reply by a byte is none.
func TestNoReplyMarks(t *testing.T) {
	for _, line := range []string{"<!-- ai-flow:reply 7 -->", "<!-- ai-flow:reply 0 thread=9 -->", "<!-- ai-flow:reply 7 thread=0 -->",
		"<!-- ai-flow:reply 7 thread=9 stage=told -->", "<!-- ai-flow:reply 7 thread=9 given=0 -->", "<!-- ai-flow:reply 7 thread=9 given=-1 -->", "<!-- ai-flow:reply 7 thread=9 given=9999999999999 -->", "<!-- ai-flow:reply 7 thread=9223372036854775808 -->", "<!-- ai-flow:reply 9223372036854775808 thread=9 -->",
		"<!-- ai-flow:result 7 thread=9 -->", "<!-- ai-flow:pull 7 thread=9 -->"} {
		if m, ok := readMark(line); ok {
			t.Errorf("%q is read as %+v", line, m)
		}
	}
}

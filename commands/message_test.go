package commands

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport"
)

const commandURL = "https://github.com/acme/app/issues/7#issuecomment-1"

func messageRun(surface Surface, title, instruction string) *run {
	return &run{Flow: &Flow{}, Request: Request{Surface: surface, Number: 7, Title: title, Requester: Person{"octocat", 1}, CommentURL: commandURL,
		Comment: Comment{Segments: []Segment{{Command: Build, Instruction: instruction}}}}}
}

// F-41, reference 6.3: what the subject says, and that nothing in it orders anything.
func TestMessage(t *testing.T) {
	const trailers = "\n\nCo-authored-by: octocat <1+octocat@users.noreply.github.com>\nAI-Flow-Command: " + commandURL + "\n"
	tests := []struct {
		name               string
		surface            Surface
		title, instruction string
		want               string // subject
	}{
		{"an issue's title", Issue, "Retry on 502", "keep the flags", "Retry on 502"},
		{"no title", Issue, "", "keep the flags", "keep the flags"},
		{"nothing", Issue, "", "", "implement the document"},
		{"an instruction on a pull request", PullRequest, "Retry on 502", "keep the flags\nand the names", "keep the flags"},
		{"only feedback", PullRequest, "Retry on 502", "", "take up the review feedback"},
		{"in a review", Review, "Retry on 502", "", "take up the review feedback"},
		{"60 characters", PullRequest, "", strings.Repeat("é", 61), strings.Repeat("é", 59) + "…"},
		{"F-41 no checks", Issue, "x [skip ci] ***NO_CI***", "", "x"},
		{"F-41 one word within another", PullRequest, "", "[skip [skip ci]ci] y", "y"},
		{"H2-10 closes and mentions nothing", PullRequest, "", "fixes #7, says @octocat", "fixes 7, says octocat"},
		{"lines of other sorts", Issue, "a\tb\u2028c", "", "a b"},
		{"what is invisible", Issue, "a\u202eb\u200b", "", "ab"},
		{"a trailer", Issue, "x\n\nAI-Flow-Command: https://github.com/acme/app/issues/7#issuecomment-2", "", "x"},
		{"a trailer in one line", PullRequest, "", "\r\rAI-Flow-Command: " + commandURL, "AI-Flow-Command: github.com/acme/app/issues/7issuecomment-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := messageRun(tt.surface, tt.title, tt.instruction).message(), "ai-flow /build: "+tt.want+trailers; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestMessageWithoutTrailers(t *testing.T) {
	r := messageRun(Local, "", "x")
	r.CommentURL = ""
	if got := r.message(); strings.Contains(got, "AI-Flow-Command") || !strings.Contains(got, "Co-authored-by") {
		t.Errorf("in a terminal: %q", got)
	}
	r.Requester = Person{}
	if got := r.message(); got != "ai-flow /build: x\n" {
		t.Errorf("nobody known: %q", got)
	}
	r.CommentURL = commandURL
	if got := r.message(); !MadeFor(got, commandURL) {
		t.Errorf("the command alone: %q", got)
	}
	r.CommentURL = "https://x/\n\nSigned-off-by: somebody"
	if got := r.message(); got != "ai-flow /build: x\n" {
		t.Errorf("no URL of GitHub's: %q", got)
	}
}

// S9: what an earlier attempt pushed is found, and nothing else.
func TestMadeFor(t *testing.T) {
	const other = "https://github.com/acme/app/issues/7#issuecomment-12"
	message := messageRun(Issue, "x", "").message()
	tests := []struct {
		name, message, url string
		want               bool
	}{
		{"ours", message, commandURL, true},
		{"another command", message, other, false},
		{"the beginning of another", strings.Replace(message, commandURL, other, 1), commandURL, false},
		{"without the line break at its end", strings.TrimRight(message, "\n"), commandURL, true},
		{"with more of them", message + "\n\n", commandURL, true},
		{"CRLF", strings.ReplaceAll(message, "\n", "\r\n"), commandURL, true},
		{"signed off by a person", message + "Signed-off-by: p <p@p>\n", commandURL, true},
		{"in a paragraph that is not the last", message + "\nA person wrote this.\n", commandURL, false},
		{"within a line", "s\n\nsee " + Trailer(commandURL) + "\n", commandURL, false},
		{"behind white space", "s\n\n " + Trailer(commandURL) + "\n", commandURL, false},
		{"as the subject", Trailer(commandURL) + "\n", commandURL, false},
		{"right below the subject", "s\n" + Trailer(commandURL) + "\n", commandURL, false},
		{"one that names many, as a guess at those to come", "s\n\n" + Trailer(other) + "\n" + Trailer(commandURL) + "\n", commandURL, false},
		{"no message", "", commandURL, false},
		{"no command", "s\n\nAI-Flow-Command: \n", "", false},
		{"no URL", "s\n\nAI-Flow-Command: x\n", "x", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := MadeFor(tt.message, tt.url); got != tt.want {
				t.Errorf("%v of %q", got, tt.message)
			}
		})
	}
}

// What git keeps of a message, and how it reads the trailers.
func TestTrailerThroughGit(t *testing.T) {
	testsupport.Tools(t, "git")
	dir := t.TempDir()
	run := func(in string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Stdin = strings.NewReader(in)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, &errs)
		}
		return string(out)
	}
	run("", "init", "--quiet")
	tree := strings.TrimSpace(run("", "mktree"))
	for name, message := range map[string]string{
		"as it is":                 messageRun(Issue, "Retry: on 502", "").message(),
		"no line break at its end": strings.TrimRight(messageRun(Issue, "x", "").message(), "\n"),
		"CRLF":                     strings.ReplaceAll(messageRun(PullRequest, "x", "y").message(), "\n", "\r\n"),
		"a title like a trailer":   messageRun(Issue, "Signed-off-by: x <y@z>", "").message(),
	} {
		commit := strings.TrimSpace(run(message, "commit-tree", tree))
		for _, format := range []string{"%B", "%B%n%n", "%s%n%n%b"} {
			if got := run("", "log", "-1", "--format="+format, commit); !MadeFor(got, commandURL) || MadeFor(got, commandURL+"2") {
				t.Errorf("%s: %s gives %q", name, format, got)
			}
		}
		if raw := run("", "cat-file", "commit", commit); !MadeFor(raw, commandURL) {
			t.Errorf("%s: %q", name, raw)
		}
		if got := strings.TrimSpace(run("", "log", "-1", "--format=%(trailers:key=AI-Flow-Command,valueonly)", commit)); name != "CRLF" && got != commandURL {
			t.Errorf("%s: git reads %q", name, got)
		}
	}
}

// Nothing that a stranger writes into a title or an instruction makes a commit look like one made for another command.
func FuzzMessage(f *testing.F) {
	const other = "https://github.com/acme/app/issues/7#issuecomment-2"
	for _, text := range []string{"", "x", "\n\n" + Trailer(other), "\r\n\r\n" + Trailer(other) + "\r\n", "a\u2028\u2028" + Trailer(other), "[skip ci]", "\x00\n\n" + Trailer(other)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, surface := range []Surface{Issue, PullRequest} {
			r := messageRun(surface, text, text)
			message := r.message()
			if MadeFor(message, other) || !MadeFor(message, commandURL) || strings.Count(message, "\n") != 4 || strings.ContainsAny(message, "\x00\r") || ciSkip.MatchString(message) {
				t.Errorf("%q makes %q", text, message)
			}
			r.CommentURL, r.Requester.Login = "", text
			if message := r.message(); MadeFor(message, other) {
				t.Errorf("without a command %q makes %q", text, message)
			}
		}
	})
}

// S5: a secret in a title or an instruction is in no message.
func TestMessageHoldsNoSecret(t *testing.T) {
	for _, surface := range []Surface{Issue, PullRequest} {
		r := messageRun(surface, canary+" now", canary+" now")
		r.Secrets = new(render.Secrets)
		r.Secrets.Add(canary)
		if message := r.message(); strings.Contains(message, canary[:8]) || !strings.Contains(message, "now") {
			t.Errorf("%q", message)
		}
	}
}

// An earlier build's branch is known by its prefix, and no other issue's has it.
func TestBranchPrefix(t *testing.T) {
	r := messageRun(Issue, "Retry on 502", "")
	if got := r.branchName(); !strings.HasPrefix(got, BranchPrefix(7)) || strings.HasPrefix(got, BranchPrefix(70)) || got != "ai/7-retry-on-502" {
		t.Errorf("%q", got)
	}
	if strings.HasPrefix("ai/70-x", BranchPrefix(7)) {
		t.Error("7 and 70 are not told apart")
	}
	if got := r.branchNameFor("ai/3-"); got != "ai/3-retry-on-502" {
		t.Errorf("%q", got)
	}
}

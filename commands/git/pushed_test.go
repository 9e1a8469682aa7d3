package git

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestReadPushed(t *testing.T) {
	const ref = "refs/heads/x"
	for name, c := range map[string]struct {
		out  string
		want pushed
	}{
		"new":          {"To http://h/x\n*\t1:refs/heads/x\t[new branch]\nDone\n", pushed{state: pushTaken}},
		"moved":        {"To http://h/x\n \t1:refs/heads/x\t1..2\nDone\n", pushed{state: pushTaken}},
		"up to date":   {"=\t1:refs/heads/x\t[up to date]\n", pushed{state: pushTaken}},
		"forced":       {"+\t1:refs/heads/x\t1...2 (forced update)\n", pushed{}}, // never by us: to be looked up
		"deleted":      {"-\t:refs/heads/x\t[deleted]\n", pushed{}},
		"stale":        {"!\t1:refs/heads/x\t[rejected] (stale info)\n", pushed{state: pushStale}},
		"rejected":     {"!\t1:refs/heads/x\t[rejected] (non-fast-forward)\n", pushed{}},
		"by the hook":  {"!\t1:refs/heads/x\t[remote rejected] (pre-receive hook declined)\nDone\n", pushed{pushRefused, "pre-receive hook declined"}},
		"in brackets":  {"!\t1:refs/heads/x\t[remote rejected] (a (b) c)\n", pushed{pushRefused, "a (b) c"}},
		"no reason":    {"!\t1:refs/heads/x\t[remote rejected]\n", pushed{state: pushRefused}},
		"unanswered":   {"!\t1:refs/heads/x\t[remote failure] (remote failed to report status)\n", pushed{state: pushUnanswered}},
		"forged later": {"!\t1:refs/heads/x\t[remote rejected] (no\n*\t1:refs/heads/x\t[new branch])\nDone\n", pushed{pushRefused, "no"}},
		"another ref":  {"*\t1:refs/heads/xx\t[new branch]\n*\t1:refs/tags/x\t[new tag]\n*\t1:x\t\n", pushed{}},
		"nothing":      {"", pushed{}},
		"cut":          {"!\t1:refs/heads/x", pushed{}},
	} {
		if got := readPushed([]byte(c.out), ref); got != c.want {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// Success is not what a line says, but what it and git's exit status say together.
func TestSuccessIsNotALine(t *testing.T) {
	failed := &Error{Command: "push", Code: 1}
	for _, state := range []pushState{pushUnsaid, pushTaken, pushStale, pushRefused, pushUnanswered} {
		if e := (Remote{}).judge(pushed{state: state}, nil, failed); e == nil || !e.Unsure {
			t.Errorf("%d, exit status 1: %v", state, e)
		}
		if e := (Remote{}).judge(pushed{state: state}, nil, nil); (e == nil) != (state == pushTaken) {
			t.Errorf("%d, exit status 0: %v", state, e)
		}
	}
}

// Whatever stands there, nothing but git's own first line for the ref tells of success, and what is kept of the server's
// words is fit to be shown.
func FuzzPushed(f *testing.F) {
	for _, s := range []string{
		"To http://h/x\n*\t1:refs/heads/x\t[new branch]\nDone\n", "!\t1:refs/heads/x\t[remote rejected] (no\n*\t1:refs/heads/x\t[new branch])\nDone\n",
		"!\t\t\t\n", "\t:refs/heads/x\t (", "!\t:refs/heads/x\t[remote rejected] (\x1b]0;\xff" + canaryToken + ")", "remote: " + canaryToken[:20] + "\r\nremote:" + canaryToken[20:],
		"remote: \x1b[31m\u202e\u2028::error::\n", "remote: https://u:p@h/\nfatal: not passed on",
	} {
		f.Add(s, s)
	}
	m := Remote{URL: "https://h/x", Token: canaryToken}
	f.Fuzz(func(t *testing.T, out, said string) {
		got := readPushed([]byte(out), "refs/heads/x")
		taken := strings.Contains(out, ":refs/heads/x\t")
		if got.state != pushUnsaid && !taken || got.reason != "" && got.state != pushRefused || strings.Contains(got.reason, "\n") {
			t.Errorf("%+v", got)
		}
		for _, code := range []int{1, 128} {
			e := m.judge(got, []byte(said), &Error{Command: "push", Code: code, Stderr: "x"})
			if e == nil || !errors.Is(e, e.Err) {
				t.Fatalf("%v", e)
			}
			if len(e.Reason) > mostWords || !utf8.ValidString(e.Reason) || strings.Contains(strings.ReplaceAll(e.Reason, " ", ""), canaryToken) ||
				strings.ContainsFunc(e.Reason, func(c rune) bool { return !unicode.IsPrint(c) }) {
				t.Errorf("%q", e.Reason)
			}
			if text := e.Error(); strings.ContainsAny(text, "\n\r\x1b") {
				t.Errorf("%q", text)
			}
		}
	})
}

// GitHub's own words, as it says them.
func TestWords(t *testing.T) {
	m := Remote{Token: canaryToken}
	for _, c := range []struct{ reason, said, want string }{
		{"protected branch hook declined", "remote: error: GH006: Protected branch update failed for refs/heads/main.        \nremote: error: Changes must be made through a pull request.        \nTo https://github.com/o/r.git\n",
			"protected branch hook declined: error: GH006: Protected branch update failed for refs/heads/main. error: Changes must be made through a pull request."},
		{"push declined due to repository rule violations", "remote: error: GH013: Repository rule violations found for refs/heads/ai/1.        \nremote: \nremote: - Commits must have verified signatures.        \nremote: \n",
			"push declined due to repository rule violations: error: GH013: Repository rule violations found for refs/heads/ai/1. - Commits must have verified signatures."},
		{"refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission", "error: failed to push some refs to 'https://github.com/o/r.git'",
			"refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission"},
		{"", "remote: Permission to o/r.git denied to github-actions[bot].\nfatal: unable to access 'https://github.com/o/r.git/': The requested URL returned error: 403", "Permission to o/r.git denied to github-actions[bot]."},
		{"", "te: half a line of the tail\nremote: whole", "whole"},
		{"", strings.Repeat("remote: ü\n", 1000), strings.TrimSpace(strings.Repeat("ü ", 199)) + "…"},
		{"\x1b[1;31mred\x1b[0m", "", "red"}, {"\x1b]8;;http://evil\x1b\\link\x1b]8;;\x07", "", "link"}, {"a\x9bb\u00a0c\u3000d", "", "a?b c d"}, {"tag\U000e0041", "", "tag"}, {"\x1b", "", ""},
		{"x" + m.basic() + "y", "", "x[redacted]y"},
	} {
		if got := m.words(c.reason, []byte(c.said)); got != c.want {
			t.Errorf("%q, %.100q: got %q, not %q", c.reason, c.said, got, c.want)
		}
	}
}

func TestPushErrorSays(t *testing.T) {
	why := errors.New("why")
	for want, e := range map[string]*PushError{
		"the push failed: why":                                    {Err: why},
		"the branch is gone: why":                                 {Kind: PushMoved, Err: why},
		`the branch is at "111111111111" by now: why`:             {Kind: PushMoved, Tip: OID(strings.Repeat("1", 40)), Err: why},
		`the server does not take it: "a rule": why`:              {Kind: PushRejected, Reason: "a rule", Err: why},
		"the server could not be reached, or broke off":           {Kind: PushLost},
		"the push failed; it may have happened all the same: why": {Unsure: true, Err: why},
	} {
		if e != nil && e.Error() != want {
			t.Errorf("got %q, not %q", e.Error(), want)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/d3mlabs/ai-flow/render"
)

// runnerCommand finds what the runner would take for a command in what was printed, by the runner's own way: each line, trimmed
// of all white space, and the older form anywhere. It is written apart from guard's own patterns, on purpose.
func runnerCommand(printed string) string {
	lines := strings.FieldsFunc(printed, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) })
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimFunc(line, unicode.IsSpace), "::") {
			return line
		}
	}
	return regexp.MustCompile(`(?i)##\[|##vso\[`).FindString(printed)
}

var hostile = []string{"::error::x", "a\n ::set-output name=x::y", "\r::x::", "\u0085\u00a0::x::", "\u2028::x::", ":::x", "##[error]", "###[x]", "####[x]##[y]",
	"##vso[task]", "##VsO[task]", "::\n::\n::", "x::y", "# #[", "", "\n\n", "\v::a::", "é##[x]"}

// TestGuard breaks both forms of runner commands (S6) and takes secrets out (S5), however the text is cut into writes.
func TestGuard(t *testing.T) {
	const secret = "canary-4f1d9a7e5b"
	secrets := newSecrets([]string{secret})
	for _, text := range append(hostile, "a "+secret+" b", secret+"\n::x::"+secret) {
		for _, step := range []int{1, 3, 1 << 20} {
			var out bytes.Buffer
			g := newGuard(&out, secrets)
			for rest := text; rest != ""; {
				n := min(step, len(rest))
				if _, err := io.WriteString(g, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := g.flush(); err != nil {
				t.Fatal(err)
			}
			if c := runnerCommand(out.String()); c != "" {
				t.Errorf("%q in steps of %d printed the command %q", text, step, c)
			}
			if strings.Contains(out.String(), secret) {
				t.Errorf("%q in steps of %d printed the secret: %q", text, step, &out)
			}
		}
	}
	var out bytes.Buffer
	g := newGuard(&out, secrets)
	io.WriteString(g, "plain text, a::b, # [x]\nand more")
	g.flush()
	if got := out.String(); got != "plain text, a::b, # [x]\nand more" {
		t.Errorf("harmless text was changed: %q", got)
	}
}

// TestGuardError gives the writer's error to whoever writes and to whoever flushes.
func TestGuardError(t *testing.T) {
	g := newGuard(brokenWriter{}, &render.Secrets{})
	if _, err := io.WriteString(g, "a line\n"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v", err)
	}
	g = newGuard(brokenWriter{}, &render.Secrets{})
	if _, err := io.WriteString(g, "no line"); err != nil {
		t.Errorf("Write of a part: %v", err)
	}
	if err := g.flush(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("flush: %v", err)
	}
}

// FuzzMute holds that no form of a command is left, and that JSON and HTML still say the same.
func FuzzMute(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if c := runnerCommand(muteRunner(s)); c != "" {
			t.Errorf("text %q keeps %q", s, c)
		}
		if c := runnerCommand(muteHTML(s)); c != "" {
			t.Errorf("HTML %q keeps %q", s, c)
		}
		if got, want := html.UnescapeString(muteHTML(html.EscapeString(s))), html.UnescapeString(html.EscapeString(s)); got != want {
			t.Errorf("the page says %q, want %q", got, want)
		}
		data, err := json.MarshalIndent(map[string]string{"text": s}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var want, got map[string]string
		if err := errors.Join(json.Unmarshal(data, &want), json.Unmarshal([]byte(muteJSON(string(data))), &got)); err != nil {
			t.Fatal(err)
		}
		if got["text"] != want["text"] {
			t.Errorf("the JSON says %q, want %q", got, want)
		}
		if c := runnerCommand(muteJSON(string(data))); c != "" {
			t.Errorf("JSON of %q keeps %q", s, c)
		}
	})
}

// TestSecretValues takes what the operator hands to the agent for a secret, whatever its name is, and what profiles know.
func TestSecretValues(t *testing.T) {
	env, err := parseEnvironment([]string{"AI_FLOW_AGENT_ENV=LUCKY_WORD,OTHER", "LUCKY_WORD=a", "OTHER=b", "MY_TOKEN=c", "GEMINI_API_KEY=d", "PATH=/bin", "EMPTY_TOKEN="})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(env.secretValues(), ""); got != "abcd" {
		t.Errorf("secretValues = %q, want abcd", got)
	}
	// A setting that the agent is given, such as a mode or an address, may be in the arguments of any process: no door is open by that.
	if got := strings.Join(env.closedValues(), ""); got != "cd" {
		t.Errorf("closedValues = %q, want cd", got)
	}
	options, err := (&program{env: env, secrets: env.secretValues()}).doctorOptions("/temp")
	if err != nil || strings.Join(options.Secrets, "") != "cd" {
		t.Errorf("the doctor looks for %q, %v", options.Secrets, err)
	}
}

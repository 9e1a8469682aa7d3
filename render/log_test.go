package render

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/runnerlog"
)

// runner reads a log as the runner does, and once more as the most suspicious reader of it would (see package runnerlog). It
// returns what was obeyed, but the stops of commands, and says when one of those came to nothing.
func runner(log string) (obeyed []string) {
	for _, cautious := range []bool{false, true} {
		r := runnerlog.New(runnerlog.Options{Cautious: cautious})
		r.Read([]byte(log))
		var got []string
		token := ""
		for _, c := range r.Obeyed {
			switch {
			case c.Is("stop-commands"):
				token = c.Data
			case c.Name != token:
				got = append(got, c.String())
			}
		}
		for _, c := range r.Deaf {
			got = append(got, "while stopped: "+c.Line) // held by the token alone
		}
		if _, stopped := r.Stopped(); stopped {
			got = append(got, "left deaf")
		}
		if got = append(got, r.Faults...); len(got) > 0 {
			obeyed = got
		}
	}
	return obeyed
}

// TestRunner: the runner is asked in earnest.
func TestRunner(t *testing.T) {
	for in, want := range map[string]string{
		"::error file=a.go::x": "error file=a.go::x", "\u00a0 ::error::x": "error::x", "a ##[error]x": "error::x", "a\u2028::group::x": "group::x",
		"::stop-commands::t\n::error::x\n::t::\n::notice::y": "notice::y while stopped: ::error::x", "a ::error::x": "", "::stop-commands::t": "left deaf",
		"::stop-commands::": "stop-commands: \"\" is no token",
	} {
		got := strings.Join(runner(in), " ")
		for _, double := range []string{" while stopped: ::error::x", " error::x"} { // the cautious reader finds it twice over
			got = strings.Replace(got, double+double, double, 1)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// orders are the ways to command the runner (H3-01, F-23, S6).
var orders = []string{
	"::set-output name=x::y", "::add-mask::e", "::stop-commands::token", " ::error file=a.go::pwned", "a\r::error::x", "CI says ##[error]boom",
	"##[group]x", "##vso[task.setvariable variable=x]y", "a\u2028::error::x", "a\u2029::error::x", "a\u0085::error::x", "a\v::error::x", "a\f::error::x",
	"%0A::error::x", "\u00a0::error::x", "\u200b::error::x", "\ufeff::error::x", "\x1b[0m::error::x", "#\x1b[0m#[error]x", "#\u200b#[error]x", "##\u200b[error]x",
	"###[error]x", "##[##[error]x", "::\u200b:error::x", ":\u200b:error::x", "::endgroup::", "\x00::error::x", "\u3000::error::x", "## [error]x", "::ERROR::x", "##[ERROR]x",
	"##VSO[x]y", "::e\n::rr", "\n\n::error::x\n", "::error::" + strings.Repeat("x", 20_000),
}

// TestLogIsDeaf: nothing foreign is ever a command, wherever it comes in.
func TestLogIsDeaf(t *testing.T) {
	for _, actions := range []bool{true, false} {
		for _, order := range orders {
			var b bytes.Buffer
			l := NewLog(&b, actions)
			l.Foreign("agent │", order)
			l.Foreign(order, order)
			l.Foreign("", order)
			l.Say("%s", order)
			l.Say("%v said %q", fmt.Errorf("%s", order), order)
			l.Say("%s", []string{order})
			end := l.Group(order)
			end()
			end()
			if err := l.End(); err != nil {
				t.Error(err)
			}
			got := runner(b.String())
			if actions && len(got) == 2 && strings.HasPrefix(got[0], "group::") && got[1] == "endgroup::" && !strings.Contains(got[0], "\n") {
				got = nil
			}
			if got != nil {
				t.Errorf("actions %v, %q: obeyed %q in\n%q", actions, order, got, b.String())
			}
			if hit := strings.IndexFunc(b.String(), func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }); hit >= 0 {
				t.Errorf("%q: hidden character in %q", order, b.String())
			}
		}
	}
}

// FuzzLog puts hostile text into every place that a log has, mixed, with a secret in the midst (S5, S6): the runner obeys what
// is ours alone, and is told each word that makes it deaf once before and once after.
func FuzzLog(f *testing.F) {
	f.Add(canary, true, byte(0))
	for _, order := range orders {
		f.Add(order, true, byte(3))
		f.Add(canary[:9]+order+canary[9:], true, byte(200))
	}
	f.Fuzz(func(t *testing.T, text string, actions bool, way byte) {
		var b bytes.Buffer
		l := NewLog(&b, actions)
		l.Mask(canary)
		for i := range 8 { // each place, in an order of its own
			switch (int(way) + i*int(way|1)) % 8 {
			case 0:
				l.Foreign("agent │", text)
			case 1:
				l.Foreign(text, canary+text)
			case 2:
				l.Say("%s and %q and %v and %x", text, text, []string{text}, 7)
			case 3:
				l.Output("[gate "+text+"]", "\x1b[31m"+text+"\x1b[0m"+text)
			case 4:
				l.Group(text)()
			case 5:
				l.Foreign("", text+"\n"+text)
			case 6:
				defer l.Group(text + " " + canary)() // still open when all is said
			case 7:
				l.Say("%s", errors.New(text))
			}
		}
		if err := l.End(); err != nil {
			t.Error(err)
		}
		for _, got := range runner(b.String()) {
			if !actions || !strings.HasPrefix(got, "add-mask::"+canary) && !strings.HasPrefix(got, "group::") && got != "endgroup::" || strings.Contains(got, "\n") {
				t.Fatalf("obeyed %q in %q", got, b.String())
			}
		}
		if said := strings.Replace(b.String(), "::add-mask::"+canary+"\n", "", 1); strings.Contains(said, canary) {
			t.Fatalf("the secret passed: %q", said)
		}
		for line := range strings.Lines(b.String()) {
			if word, stops := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "::stop-commands::"); stops && strings.Count(b.String(), word) != 2 {
				t.Fatalf("the word %q stands %d times in %q", word, strings.Count(b.String(), word), b.String())
			}
		}
	})
}

// TestLogTokens: the runner is deaf from the first foreign line until a command of ours, each time by a new word; what
// several goroutines write is never between a word and its end.
func TestLogTokens(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(&b, true)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				l.Foreign("x", "one\ntwo ::error::x")
				if i%10 == 0 {
					l.Group("ours")()
				}
			}
		})
	}
	wg.Wait()
	if err := l.End(); err != nil {
		t.Error(err)
	}
	seen, token := map[string]bool{}, ""
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		word, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stops && (token != "" || len(word) < 20 || seen[word]):
			t.Fatalf("%q while deaf by %q, or seen before", line, token)
		case stops:
			token, seen[word] = word, true
		case token != "" && line == "::"+token+"::":
			token = ""
		case strings.HasPrefix(line, "x ") != (token != ""):
			t.Fatalf("%q while the runner is deaf by %q", line, token)
		}
	}
	if token != "" || len(seen) < 2 || len(seen) > 400 {
		t.Errorf("%d words, deaf by %q at the end", len(seen), token)
	}
}

// TestLogBounds: a line and the whole log have a cap, and the cut is said.
func TestLogBounds(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(&b, false)
	l.Foreign("x", strings.Repeat("a", 3*maxLogLine))
	if n := b.Len(); n > maxLogLine+16 || !strings.HasSuffix(b.String(), "…\n") {
		t.Errorf("a line of %d bytes", n)
	}
	b.Reset()
	block := strings.Repeat("word\n", 200_000)
	for range 40 {
		l.Foreign("x", block)
	}
	if n := b.Len(); n > 2*maxLog || strings.Count(b.String(), "is full") != 1 {
		t.Errorf("a log of %d bytes", n)
	}
}

const canary = "ghs_CANARYcanary0123456789zyxwvu"

// ways are the forms in which a secret may leave (S5).
func ways(secret string) map[string]string {
	raw := []byte(secret)
	reversed := slices.Clone(raw)
	slices.Reverse(reversed)
	out := map[string]string{"raw": secret, "hex": hex.EncodeToString(raw), "HEX": strings.ToUpper(hex.EncodeToString(raw)), "reversed": string(reversed),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "cut 7": secret[7:], "cut end": secret[:len(secret)-7], "middle": secret[4 : len(secret)-4]}
	for i, prefix := range []string{"", "a", "ab", "abcd"} {
		text := []byte(prefix + secret + "tail")
		out[fmt.Sprint("base64 ", i)] = base64.StdEncoding.EncodeToString(text)
		out[fmt.Sprint("base64 url ", i)] = base64.URLEncoding.EncodeToString(text)
		out[fmt.Sprint("base64 raw ", i)] = base64.RawURLEncoding.EncodeToString([]byte(prefix + secret))
	}
	return out
}

// TestMask: no form of a secret passes, and ordinary text does.
func TestMask(t *testing.T) {
	for _, secret := range []string{canary, "p4ss/w0rd+x?=&%1é", "sk-ant-" + strings.Repeat("Zx9", 30)} {
		for way, text := range ways(secret) {
			var b bytes.Buffer
			l := NewLog(&b, false)
			l.Mask(secret)
			l.Foreign("agent", "before "+text+" after")
			l.Say("said %s and %v", text, []byte("x"))
			l.Group(text)()
			for _, got := range []string{b.String(), l.Redact("before " + text + " after")} {
				for i := range len(text) - 12 {
					if strings.Contains(got, text[i:i+12]) {
						t.Errorf("%s of %q: %q passed in %q", way, secret, text[i:i+12], got)
						break
					}
				}
				if !strings.Contains(got, "before ") || !strings.Contains(got, " after") {
					t.Errorf("%s: too much went: %q", way, got)
				}
			}
		}
	}
}

// TestMaskWrapped: of a secret in lines too short to be known one by one nothing passes.
func TestMaskWrapped(t *testing.T) {
	for _, width := range []int{4, 7, 11, 19} {
		var b bytes.Buffer
		l := NewLog(&b, false)
		l.Mask(canary)
		text := base64.StdEncoding.EncodeToString([]byte(canary))
		var wrapped strings.Builder
		for part := range slices.Chunk([]byte(text), width) {
			wrapped.WriteString(string(part) + "\n")
		}
		l.Foreign("x", wrapped.String())
		l.Output("x", wrapped.String())
		for line := range strings.Lines(wrapped.String()) { // a call for each
			l.Foreign("y", line)
			l.Foreign("z", "something else")
		}
		short := 0
		for line := range strings.Lines(b.String()) {
			if rest := strings.TrimSuffix(strings.ReplaceAll(line[2:], masked, ""), "\n"); len(rest) > 3 && line[0] != 'z' {
				if short += len(rest); line[0] == 'x' || short >= 12 {
					t.Errorf("in lines of %d: %q passed", width, rest)
				}
			}
		}
	}
}

// TestMaskHiddenInside: a secret that is whole only once the invisible is gone does not pass either.
func TestMaskHiddenInside(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(&b, false)
	l.Mask(canary)
	l.Foreign("x", canary[:9]+"\u200b"+canary[9:14]+"\x1b[0m"+canary[14:])
	if strings.Contains(b.String(), canary[8:20]) {
		t.Errorf("%q", b.String())
	}
}

// TestMaskLines: a secret of several lines is masked line by line, the runner is told first, a brace is not masked (H3-03).
func TestMaskLines(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(&b, true)
	l.Mask("-----BEGIN K-----\nAAAA1111\n}\n-----END K-----\n100%\r\n")
	if want := "::add-mask::-----BEGIN K-----\n::add-mask::AAAA1111\n::add-mask::-----END K-----\n"; b.String() != want {
		t.Errorf("masks %q, want %q", b.String(), want)
	}
	if got := l.Redact("x AAAA1111 } -----END K----- BEGIN"); got != "x ‹masked› } ‹masked› BEGIN" {
		t.Errorf("%q", got)
	}
}

// TestMaskData: the runner reads the value as it is.
func TestMaskData(t *testing.T) {
	var b bytes.Buffer
	NewLog(&b, true).Mask("50%25 off%0A!")
	if got := runner(b.String()); len(got) != 1 || got[0] != "add-mask::50%25 off%0A!" {
		t.Errorf("%q", got)
	}
}

// TestRedactLeaves: short values would take half the log, and other text is untouched.
func TestRedactLeaves(t *testing.T) {
	var s Secrets
	for _, short := range []string{"", "a", "12345", " \n ", "}\n{\n"} {
		s.Add(short)
	}
	s.Add(canary)
	const text = "a 12345 } { ordinary text of a run, with ghs_ and CANARY and 0123456 in it\n"
	if got := s.Redact(text); got != text {
		t.Errorf("%q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("disk full") }

// TestLogErr: a log that cannot be written is known.
func TestLogErr(t *testing.T) {
	l := NewLog(broken{}, false)
	l.Say("x")
	l.Say("y")
	if l.Err() == nil || l.Err().Error() != "disk full" {
		t.Errorf("%v", l.Err())
	}
}

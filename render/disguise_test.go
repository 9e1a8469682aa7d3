package render

import (
	"fmt"
	"html"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"
)

// disguises are ways of writing a character of a secret so that a reader of the rendered text sees it as it is, or finds it
// with a look at the source.
func disguises() map[string]func(c byte) string {
	return map[string]func(c byte) string{
		"decimal":             func(c byte) string { return fmt.Sprintf("&#%d;", c) },
		"hexadecimal":         func(c byte) string { return fmt.Sprintf("&#X%x;", c) },
		"zeros":               func(c byte) string { return fmt.Sprintf("&#x%030x;", c) },
		"no semicolon":        func(c byte) string { return fmt.Sprintf("&#%d<b></b>", c) },
		"escaped twice":       func(c byte) string { return fmt.Sprintf("&amp;#%d;", c) },
		"escaped four times":  func(c byte) string { return fmt.Sprintf("&#38;&#x26;amp;AMP;#%d;", c)[5:] },
		"the name in parts":   func(c byte) string { return fmt.Sprintf("&a&#109;p;#%d;", c) },
		"soft hyphen":         func(c byte) string { return string(c) + "&shy;" },
		"soft hyphen, short":  func(c byte) string { return string(c) + "&shy" },
		"zero width":          func(c byte) string { return string(c) + "&#8203;" },
		"zero width, itself":  func(c byte) string { return string(c) + "\u200b\u2060" },
		"joiner":              func(c byte) string { return "&zwnj;" + string(c) },
		"backslash":           func(c byte) string { return strings.Repeat(`\`, btoi(isPunct(c))) + string(c) },
		"percent":             func(c byte) string { return fmt.Sprintf("%%%02x", c) },
		"percent in percent":  func(c byte) string { return fmt.Sprintf("%%25%02X", c) },
		"emphasis":            func(c byte) string { return "**" + string(c) + "**" },
		"code":                func(c byte) string { return "`" + string(c) + "`" },
		"struck":              func(c byte) string { return "~~" + string(c) + "~~" },
		"tag":                 func(c byte) string { return "<b>" + string(c) + "</b>" },
		"tag with a sign":     func(c byte) string { return `<b title="> x">` + string(c) + "</b>" },
		"comment":             func(c byte) string { return string(c) + "<!-- > x -->" },
		"link":                func(c byte) string { return "[" + string(c) + "](https://github.com/acme/app)" },
		"reference":           func(c byte) string { return "[" + string(c) + "][x y]" },
		"reference, in a tag": func(c byte) string { return fmt.Sprintf("<i>&#%d;</i>", c) },
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func disguise(secret string, as func(c byte) string) string {
	var b strings.Builder
	for i := range len(secret) {
		b.WriteString(as(secret[i]))
	}
	return b.String()
}

var keys = []string{canary, "p4ss/w0rd+x?=&%1", "a%41&amp;b_c_d**e=fG", "sk-ant-" + strings.Repeat("Zx9_", 12)} // a backslash in one would end the link around it

// read is what a person sees or easily finds: letters and digits of the rendered text.
func read(text string) string {
	for range 6 {
		text = visible(html.UnescapeString(text))
	}
	return letters(text)
}

var noLetter = regexp.MustCompile(`[^A-Za-z0-9]+`)

func letters(text string) string { return noLetter.ReplaceAllString(text, "") }

// S5: in whichever way a secret is written, nothing of ours shows it to a reader, wherever it stands; and an edit or a file
// that would show it is known.
func TestRedactsDisguises(t *testing.T) {
	for _, secret := range keys {
		var s Secrets
		s.Add(secret)
		for way, as := range disguises() {
			text := disguise(secret, as)
			checkMasked(t, &s, secret, way, "before "+text+" after")
			for _, in := range []string{text, "before " + text + " after", "| a |\n|---|\n| " + text + " |", "```\n" + text + "\n```", "> " + strings.Repeat("x ", 2000) + text} {
				if !s.Shows(in) {
					t.Errorf("%s of %q is not seen in %.80q", way, secret, in)
				}
				for place, out := range map[string]string{"prose": Prose(s.Redact(in)), "redacted prose": s.Redact(Prose(in))} {
					if strings.Contains(read(out), letters(secret)) {
						t.Errorf("%s of %q: the %s shows it: %.200q", way, secret, place, out)
					}
				}
			}
		}
	}
}

// checkMasked redacts a text in all places of a result before rendering, as package commands does, and what was rendered, as
// package thread does, and reads it all.
func checkMasked(t *testing.T, s *Secrets, secret, way, text string) {
	t.Helper()
	safe := s.Redact(Terminal(text))
	r := results()["build"]
	Fill(&r, safe)
	p := InPlace(r, 60_000)
	for place, out := range map[string]string{"redacted": safe, "comment": Comment(r), "reply": Reply(r, 20_000), "segment": p.Segments[0],
		"bottom": p.Bottom, "summary": Summary(r), "terminal": Text(r, 80, false), "redacted prose": s.Redact(Prose(text))} {
		seen, whole := read(out), letters(secret)
		if strings.Contains(seen, whole) {
			at := strings.Index(seen, whole)
			t.Errorf("%s of %q: the %s shows it: …%.200q", way, secret, place, seen[max(0, at-20):])
		}
	}
}

// What looks a little like a disguise is left alone, and of the text around one no sign goes, so that folds and fences stay whole.
func TestRedactLeavesSigns(t *testing.T) {
	var s Secrets
	s.Add(canary)
	for _, text := range []string{"", "&", "&#", "&#x;", "&;", "&amp;amp", "100%", "%zz", `\`, "<", "<!--", "](", "][", "a <b c=\"", "x & y < z > [w](v)", "&#0;&#99999999999;&shy;", "ghs&shy;_C"} {
		if got := s.Redact(text); got != text || s.Shows(text) {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := s.Redact("x &shy;" + disguise(canary, disguises()["soft hyphen"]) + "<b>&shy;y</b>"); got != "x &shy;"+masked+"<b>&shy;y</b>" {
		t.Errorf("%q", got)
	}
	in := "<details><summary>" + canary[:16] + "</summary>\n\n**" + canary[16:] + "**\n</details> &amp; _rest_"
	want := "<details><summary>" + masked + "</summary>\n\n**" + masked + "**\n</details> &amp; _rest_"
	if got := s.Redact(in); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzDisguise(f *testing.F) {
	for seed := range int64(8) {
		f.Add(seed, "x")
	}
	f.Fuzz(func(t *testing.T, seed int64, around string) {
		if len(around) > 2000 {
			return
		}
		r := rand.New(rand.NewSource(seed))
		const signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
		secret := "k"
		for range 19 + r.Intn(30) {
			secret += string(signs[r.Intn(len(signs))])
		}
		ways := disguises()
		names := []string{"decimal", "hexadecimal", "zeros", "escaped twice", "the name in parts", "soft hyphen", "zero width", "zero width, itself", "joiner",
			"backslash", "percent", "emphasis", "code", "struck", "comment", "link"}
		text := disguise(secret, func(c byte) string { return ways[names[r.Intn(len(names))]](c) })
		var s Secrets
		s.Add(secret)
		if !s.Shows(text) {
			t.Fatalf("%q is not seen in %q", secret, text)
		}
		checkMasked(t, &s, secret, "a mix", around+" "+text+" "+around)
	})
}

// The worst texts cost a reader of ours no more than twice as much as their length says: no rule looks back.
func TestDisguiseIsLinear(t *testing.T) {
	var s Secrets
	s.Add(canary)
	for _, unit := range []string{"&", "&a", "&amp;", "&#1", "%25", `\`, "<a", "<a'", "<a'\"", "<!--", "<!--<b>", "](", "][", "<a b='", "\u200b", "_", "&am&#112;;", "ghs_", canary + "_"} {
		took := func(n int) time.Duration {
			text, best := strings.Repeat(unit, n/len(unit)), time.Hour
			for range 3 {
				began := time.Now()
				s.Redact(text)
				best = min(best, time.Since(began))
			}
			return best
		}
		if small, large := took(32<<10), took(256<<10); large > 32*small+100*time.Millisecond {
			t.Errorf("%q: 32 KiB take %v, 256 KiB %v", unit, small, large)
		}
	}
}

func BenchmarkRedactWorst(b *testing.B) {
	var s Secrets
	s.Add(canary)
	for _, unit := range []string{"word ", "&am&#112;;", "%2525", "<b>a</b>", "&a", "é"} {
		b.Run(unit, func(b *testing.B) {
			in := strings.Repeat(unit, 65_536/len(unit))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s.Redact(in)
			}
		})
	}
}

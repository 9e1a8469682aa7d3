package hostile

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// forms are the ways in which a value could stand somewhere, by what they are called.
func forms(value string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, part := range lines(value) {
			for name, form := range encoded(part) {
				if len(form) >= 12 && !yield(name, form) {
					return
				}
			}
		}
	}
}

// lines are the parts of a value that tell by themselves: of a key of many lines each is one.
func lines(value string) (parts []string) {
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= 12 && !strings.HasPrefix(line, "-----") {
			parts = append(parts, line)
		}
	}
	if len(parts) > 4 {
		parts = []string{parts[1], parts[len(parts)/2]} // a key: two of its lines say enough, and are quicker looked for
	}
	return parts
}

func encoded(v string) map[string]string {
	back := []byte(v)
	slices.Reverse(back)
	all := map[string]string{
		"plain": v, "reversed": string(back), "cut by seven": v[min(7, len(v)-1):], "without its end": v[:len(v)-min(7, len(v)-1)],
		"hex": hex.EncodeToString([]byte(v)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(v))),
		"base32": strings.TrimRight(base32.StdEncoding.EncodeToString([]byte(v)), "="), "percent": percent(v), "URL": url.QueryEscape(v),
	}
	for shift := range 3 { // at each place of a longer encoded text
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + v))
		inner := whole[(shift*8+5)/6 : len(whole)-4]
		all["base64 at "+string(rune('0'+shift))] = inner
		all["URL base64 at "+string(rune('0'+shift))] = strings.NewReplacer("+", "-", "/", "_").Replace(inner)
	}
	return all
}

func percent(v string) string {
	var b strings.Builder
	for _, c := range []byte(v) {
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}

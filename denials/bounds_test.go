package denials

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkBounds holds for every want, whatever was put in (F-77).
func checkBounds(t *testing.T, w Want) {
	t.Helper()
	if w.Subject == "" || len(w.Subject) > maxSubject || len(w.Why) > maxWhy || len(w.Source) > maxSource || w.Count < 1 || w.Channel == 0 || w.Kind == 0 {
		t.Errorf("out of bounds: %+v", w)
	}
	for _, s := range []string{w.Subject, w.Why, w.Source} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || invisible(r) }) || s != strings.TrimSpace(s) {
			t.Errorf("not printable: %q", s)
		}
	}
}

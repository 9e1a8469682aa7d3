package denials

import "strings"

// dashes part a subject from its why; the first one in the line does.
var dashes = []string{" — ", "—", " – ", "– ", " –", " --- ", " -- ", " - ", " ― ", " − ", " ‒ ", " ⸺ ", "-- ", " -> ", " → ", " => "}

// parseWant reads what stands behind the colon of a WANTED line.
func parseWant(s string) (Want, bool) {
	s = strings.TrimPrefix(strings.TrimLeft(s, "*_"), "~~") // what closes emphasis right behind the colon
	s = stripTags(printable(s, maxSubject+maxWhy))
	subject, why := splitWant(s)
	subject, why = unwrapText(subject), unwrapText(strings.TrimLeft(why, "—–-―−‒ "))
	subject = strings.ReplaceAll(subject, "`", "") // code marks in the middle: run `go test`
	if nothing(subject) {
		return Want{}, false
	}
	if strings.EqualFold(why, "why") {
		why = ""
	}
	w := Want{Subject: printable(subject, maxSubject), Why: printable(why, maxWhy), Channel: Declared, Count: 1}
	_, _, w.Kind = frame{}.spoken(w.Subject)
	return w, true
}

// splitWant parts subject and why. A subject in code marks may hold a dash.
func splitWant(s string) (subject, why string) {
	if rest, ok := strings.CutPrefix(s, "`"); ok {
		if code, rest, ok := strings.Cut(rest, "`"); ok && (rest == "" || strings.ContainsAny(rest[:1], " —–*:(")) {
			more, why := splitWant(rest)
			return strings.TrimSpace(code + " " + strings.Trim(more, "* ")), why
		}
	}
	at, width := len(s), 0
	for _, d := range dashes {
		if i := strings.Index(s, d); i >= 0 && i < at {
			at, width = i, len(d)
		}
	}
	if width == 0 {
		if i := strings.Index(s, ": "); i > 0 {
			return s[:i], s[i+2:]
		}
	}
	return s[:at], s[at+width:]
}

// unwrapText takes emphasis, code marks and quotes off both ends.
func unwrapText(s string) string {
	s = strings.Trim(s, " ")
	for len(s) > 1 && s[0] == s[len(s)-1] && strings.IndexByte("*`\"'_~", s[0]) >= 0 {
		s = strings.Trim(s[1:len(s)-1], " ")
	}
	s = strings.TrimRight(strings.TrimLeft(s, "*`“‘"), "*`”’| ")
	for _, pair := range []string{"<>", "()", "[]"} {
		if len(s) > 1 && s[0] == pair[0] && s[len(s)-1] == pair[1] {
			s = strings.Trim(s[1:len(s)-1], " ")
		}
	}
	return strings.Trim(s, " ")
}

// nothing reports whether subject says that nothing was wanted, or is the contract's placeholder.
func nothing(subject string) bool {
	switch strings.Trim(strings.ToLower(subject), ".!") {
	case "", "none", "nothing", "n/a", "na", "nil", "-", "—", "no", "path or capability", "path or capability>", "path", "capability", "none needed", "nothing else", "…":
		return true
	}
	return false
}

// stripTags takes simple HTML tags away.
func stripTags(s string) string {
	if !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '<' {
			if n := tagLen(s[i:]); n > 0 && n <= 12 {
				i += n
				continue
			}
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

package denials

import (
	"strings"
)

// A line is one line of output that holds a trigger, made ready for the shapes.
type line struct {
	text   string          // cleaned, without time stamps, tags and the like in front
	indent bool            // there was white space in front: weak
	source bool            // there was "file:12: " in front: weak
	cont   bool            // the line's real start was too far away to be kept
	before func() []string // some lines before it, the nearest first, as printed
	ours   func(path string) bool
}

// A finding is what one shape says about one line.
type finding struct {
	kind    Kind
	subject string // as printed; "" when the text names none
	why     string
	tool    string // the first word of the message, when a tool names itself there
	weak    bool   // counts only when the call failed
}

// newLine prepares raw for the shapes. It returns false for lines that repeat other people's words: diffs, comments, search
// hits, quotations, listings with numbers, names of tests.
func newLine(raw string) (*line, bool) {
	l := &line{text: strings.TrimRight(clean(raw), " ")}
	if trimmed := strings.TrimLeft(l.text, " "); len(trimmed) != len(l.text) {
		l.text, l.indent = trimmed, true
	}
	if tapped, ok := numbered(l.text, raw); ok || tapped {
		return l, false
	}
	l.stripPrefixes()
	if quoted(l.text) || testName(l.text) {
		return l, false
	}
	if end, _ := position(l.text); end > 0 && end < len(raw) && (raw[end] == '\t' || strings.HasPrefix(l.text[end:], "  ")) {
		return l, false // a search hit in indented text
	}
	return l, l.stripPosition()
}

// stripPrefixes takes away what loggers, package managers and agents put in front of a message, a few times over.
func (l *line) stripPrefixes() {
	for range 6 {
		rest, ok := stripPrefix(l.text)
		if !ok {
			return
		}
		if trimmed := strings.TrimLeft(rest, " "); trimmed != "" {
			rest = trimmed
		}
		l.text = rest
		l.indent = false
	}
}

func stripPrefix(s string) (string, bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	switch {
	case s == "":
		return s, false
	case s[0] == '>':
		// gradle: "> java.io.FileNotFoundException: …", "> Could not …"; else a quotation
		for _, p := range gradleStarts {
			if strings.HasPrefix(s[1:], p) {
				return s[2:], true
			}
		}
	case s[0] == '[':
		// "[12:00:01]", "[ERROR]", "[stderr]"; not "[Errno 13]", which a shape reads.
		if end := strings.IndexByte(s, ']'); end > 0 && end <= 40 && !strings.HasPrefix(s, "[Err") && !strings.Contains(s[:end], ": ") &&
			strings.HasPrefix(s[end+1:], " ") {
			return s[end+1:], true
		}
	case s[0] == '<':
		// "<tool_use_error>", "<stderr>"
		if end := strings.IndexByte(s, '>'); end > 1 && end <= 40 && isWord(strings.Trim(s[1:end], "/")) {
			return s[end+1:], true
		}
	case s[0] == '#':
		// docker build: "#8 0.312 "
		if f := strings.SplitN(s, " ", 3); len(f) == 3 && isNumber(f[0][1:]) && isNumber(f[1]) {
			return f[2], true
		}
	case s[0] >= '0' && s[0] <= '9':
		if meter, rest, ok := strings.Cut(s, "Warning: "); ok && strings.Trim(meter, "0123456789 .:-kMG%") == "" {
			return "Warning: " + rest, true // curl's progress meter stands on the same line
		}
		return stripStamp(s)
	}
	// docker compose: "web-1  | "
	if at := strings.Index(s, " | "); at > 0 && at <= 40 && isWord(strings.TrimRight(s[:at], " ")) {
		return s[at+3:], true
	}
	return s, false
}

// stripStamp takes a date and time away: digits and "-/:.,TZ+" with at least one of ":" or "/" or "-" inside, twice at most.
func stripStamp(s string) (string, bool) {
	end := strings.IndexByte(s, ' ')
	if end < 5 {
		return s, false
	}
	stamp := s[:end]
	if strings.Trim(stamp, "0123456789-/:.,TZ+") != "" || strings.HasSuffix(stamp, ":") || !strings.ContainsAny(stamp, ":/-") {
		return s, false
	}
	return s[end:], true
}

// numbered recognises listings with line numbers (cat -n, grep -n, a reader's "12→text") and lines of TAP.
func numbered(s, raw string) (bool, bool) {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits == len(s) {
		return false, false
	}
	rest := s[digits:]
	if rest[0] == ':' || rest[0] == '-' {
		// A number and then text at once is grep -n; a clock goes on with two digits.
		return false, len(rest) > 1 && (rest[1] < '0' || rest[1] > '9') && digits < 7
	}
	for _, mark := range []string{"|", " | ", "→", "│", " │", ": "} {
		if strings.HasPrefix(rest, mark) {
			return false, true
		}
	}
	tabbed := strings.TrimLeft(raw, " ")
	return false, len(tabbed) > digits && tabbed[digits] == '\t'
}

// quoted reports whether the line starts like a diff, a comment, a quotation or a piece of source text.
func quoted(s string) bool {
	if s == "" {
		return true
	}
	if s[0] == '-' {
		// A login shell calls itself "-bash"; ruby's and perl's one-liners call their source "-e".
		for _, p := range []string{"-bash: ", "-sh: ", "-zsh: ", "-dash: ", "-ash: ", "-ksh: ", "-e:"} {
			if strings.HasPrefix(s, p) {
				return false
			}
		}
		return !strings.HasPrefix(s, "---> ") // dotnet's inner exceptions
	}
	if strings.IndexByte("+#*>|`\"@%;<", s[0]) >= 0 {
		return true
	}
	for _, p := range foreignStarts {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// testName reports whether the line is a test runner naming a test, which may be named after the error it provokes.
func testName(s string) bool {
	for _, p := range testMarks {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	if strings.HasPrefix(s, "test ") && (strings.HasSuffix(s, "ok") || strings.HasSuffix(s, "FAILED") || strings.HasSuffix(s, "ignored")) {
		return true
	}
	for _, end := range []string{" PASSED", " FAILED", " PASS", " FAIL", " ok", " (OK)"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return strings.HasSuffix(s, " ms)") || strings.HasSuffix(s, "%]")
}

// stripPosition deals with "file:12: message" and "file:12:5: message". It returns false for a search hit, which has its text
// right behind the colon.
func (l *line) stripPosition() bool {
	end, hit := position(l.text)
	if hit {
		return false
	}
	if end > 0 {
		for _, p := range liveAfterPosition {
			if strings.HasPrefix(l.text[end:], p) {
				l.text = strings.TrimPrefix(l.text[end:], " ")
				if frame, rest, ok := strings.Cut(l.text, "': "); ok && strings.HasPrefix(p, "in ") && !strings.Contains(frame, ": ") {
					l.text = rest // ruby names the method: in `read':
				}
				return true
			}
		}
		l.text, l.source = strings.TrimLeft(l.text[end:], " "), true
	}
	return true
}

// position finds "name:12:" or "name:12:5:" at the start of s: the offset behind it, or that text follows at once.
func position(s string) (end int, hit bool) {
	colon := strings.IndexByte(s, ':')
	if colon <= 0 || colon+2 >= len(s) || strings.IndexByte(s[:colon], ' ') >= 0 || strings.Trim(s[:colon], "0123456789.") == "" || shells[s[:colon]] {
		return 0, false
	}
	i := colon + 1
	for range 2 {
		digits := i
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
			digits++
		}
		if digits == i || digits >= len(s) || s[digits] != ':' {
			break
		}
		i = digits + 1
	}
	switch {
	case i == colon+1, i >= len(s):
		return 0, false
	case strings.HasPrefix(s[i:], "in "): // ruby: -e:1:in `read': …
		return i, false
	case s[i] == ' ':
		return i, false
	}
	// "host:80:" is an address, and a name without a dot or slash is hardly a file.
	return 0, strings.ContainsAny(s[:colon], "./")
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789.") == ""
}

// isWord reports whether s is one word of letters, digits and the signs common in names.
func isWord(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		b := s[i]
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_.+-@", b) >= 0) {
			return false
		}
	}
	return s[0] != '-'
}

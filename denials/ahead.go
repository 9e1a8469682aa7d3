package denials

import "strings"

// reasonFollows reports whether head ends in a way after which a reason is given, and returns it without that ending.
func reasonFollows(head string) (string, bool) {
	h := strings.TrimRight(head, " ")
	if h == "" {
		return "", true
	}
	if number := strings.TrimRight(strings.TrimSuffix(h, ":"), "0123456789"); strings.HasSuffix(number, "(") {
		return strings.TrimRight(number[:len(number)-1], " "), true // "(13: Permission denied)", "(Permission denied)"
	}
	for _, end := range []string{":", "：", ",", " -", " because", "]", "error:", ": '"} {
		if rest, ok := strings.CutSuffix(h, end); ok {
			return rest, true
		}
	}
	if rest, ok := strings.CutSuffix(h, "="); ok { // error=Permission denied
		return rest[:strings.LastIndexByte(rest, ' ')+1], true
	}
	return "", h == "(13)" || h == "(1)"
}

// ahead reads what stands before the reason: parts with a colon behind each. The path is looked for from the right; the
// leftmost part is the tool's own name.
func (l *line) ahead(head string, eperm bool) finding {
	parts := parts(head)
	for len(parts) > 1 && strings.EqualFold(parts[len(parts)-1], "permission denied") {
		parts = parts[:len(parts)-1]
	}
	f := l.finding("", "")
	if len(parts) == 0 {
		f.weak = true // the reason alone
		f.subject = l.fromLinesBefore()
		f.kind = kindOf(f.subject)
		return f
	}
	if tool := parts[0]; !strings.Contains(tool, " ") {
		f.tool = toolName(tool)
	}
	for i := len(parts) - 1; i >= 0 && f.subject == ""; i-- {
		if i == 0 && len(parts) > 1 && f.tool != "" {
			break
		}
		f.subject = l.pathIn(parts[i], eperm, i == len(parts)-1)
	}
	if f.subject == "" {
		f.subject = bareName(f.tool, parts)
	}
	if _, lead := afterLead(parts[len(parts)-1]); lead && f.subject == "" && len(parts) > 2 { // tar: x: Cannot open
		f.subject = bareName(f.tool, parts[:len(parts)-1])
	}
	if f.subject == "" && (len(parts) == 1 || strings.HasPrefix(l.text, "Caused by")) {
		f.subject = l.fromLinesBefore()
	}
	f.kind = kindOf(f.subject)
	typed := strings.Contains(l.text, "Exception: ") || strings.Contains(l.text, "Error: [Errno ") || strings.HasPrefix(l.text, "{")
	generic := len(parts) == 1 && f.subject == "" && (calls[strings.ToLower(parts[0])] || strings.Count(parts[0], " ") > 3) && !eperm
	f.weak = !typed && (l.indent || l.source || generic || l.cont)
	return f
}

func kindOf(subject string) Kind {
	if subject == "" {
		return Capability
	}
	return Access
}

// bareName takes "cat: secret: Permission denied" for a relative path: only of tools that are known to speak so, or when it
// looks like a file's name.
func bareName(tool string, parts []string) string {
	last := parts[len(parts)-1]
	if last == "" || len(last) > 255 || calls[strings.ToLower(strings.TrimSuffix(last, "()"))] || strings.IndexByte("([{<-*", last[0]) >= 0 {
		return ""
	}
	if _, lead := afterLead(last); lead || strings.HasPrefix(last, "line ") || isNumber(last) {
		return ""
	}
	dot := strings.LastIndexByte(last, '.')
	file := isWord(last) && dot >= 0 && dot < len(last)-1 && len(last)-dot <= 8 && !strings.Contains(last, "..")
	if len(parts) == 1 {
		if file && strings.Count(last, ".") == 1 {
			return last
		}
		return ""
	}
	if file || fileTools[tool] && (isWord(last) || len(parts) == 2 && !strings.Contains(last, "failed")) {
		return last
	}
	return ""
}

// fromLinesBefore finds the path for a reason that stands alone on its line: rust programs, fish and unzip say on an earlier
// line what could not be done to which path.
func (l *line) fromLinesBefore() string {
	for _, line := range l.linesBefore() {
		text := strings.TrimSpace(clean(line))
		if !complains(strings.ToLower(text)) {
			continue
		}
		parts := parts(text)
		for j := len(parts) - 1; j >= 0; j-- {
			if p := l.pathIn(parts[j], true, false); p != "" {
				return p
			}
		}
	}
	return ""
}

// complains reports whether a line, in lower case, says that something could not be done.
func complains(low string) bool {
	for _, word := range []string{"cannot", "could not", "fail", "unable", "an error occurred", "can't"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}

func (l *line) linesBefore() []string {
	if l.before == nil {
		return nil
	}
	return l.before()
}

func (l *line) finding(subject, tool string) finding {
	return finding{kind: kindOf(subject), subject: subject, why: l.text, tool: tool}
}

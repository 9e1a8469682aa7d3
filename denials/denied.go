package denials

import "strings"

// denied reads a line whose reason is EACCES or, when eperm, EPERM, in words or by name. The path stands behind the reason
// (python, zsh, node, ruby) or before it (nearly everything else).
func denied(l *line, head, tail string, eperm bool) (finding, bool) {
	tail = cutAny(tail, " (os error 13)", " (os error 1)", " (13)", " (1)", " (EACCES)", " (EPERM)")
	if tail != "" && isNameByte(tail[0]) || isRemote(tail) || strings.HasSuffix(head, "desc = ") {
		return finding{}, false
	}
	head, ok := l.outsideLiteral(head)
	if !ok {
		return finding{}, false
	}
	if f, ok := l.behind(head, tail, eperm); ok {
		return f, true
	}
	if !ends(tail) {
		return finding{}, false
	}
	rest, ok := reasonFollows(head)
	if !ok {
		return finding{}, false
	}
	f := l.ahead(rest, eperm)
	return f, f.subject != "" || !strings.HasSuffix(head, "'")
}

func isNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '/' || b == '_'
}

func isRemote(tail string) bool {
	t := strings.ToLower(strings.TrimLeft(tail, " :"))
	for _, r := range remoteTails {
		if strings.HasPrefix(t, r) {
			return true
		}
	}
	return false
}

// outsideLiteral looks whether the reason stands inside a string of source text, which nobody printed as an error. Strings
// of JSON logs and of key="value" logs are no source text: there the message begins behind the quote.
func (l *line) outsideLiteral(head string) (string, bool) {
	if strings.Contains(head, " = '") || strings.Contains(head, " = \"") || strings.Contains(head, "('") && !strings.Contains(head, "')") && !strings.Contains(head, "', ") {
		return "", false
	}
	json := strings.HasPrefix(l.text, "{") || strings.Contains(head, "=> {")
	open := strings.LastIndexByte(head, '"')
	if strings.Count(head, `"`)%2 == 1 && !strings.HasPrefix(l.text, "shutil.Error") {
		switch before := strings.TrimRight(head[:open], " "); {
		case strings.HasSuffix(head, `: "`) && !json, // perl's autodie is the exception, with '
			strings.HasSuffix(head, `"`) && !strings.HasSuffix(before, ":"):
			return "", false
		case json && strings.HasSuffix(before, ":"), strings.HasPrefix(l.text, "["):
			return head[open+1:], true
		case strings.HasSuffix(head[:open], "=") && open > 1 && head[open-2] != ' ':
			return head[open+1:], true
		default:
			return "", false
		}
	}
	return head, !oddBackticks(head)
}

// oddBackticks reports an unclosed code span; `x' is a closed quotation of old GNU programs.
func oddBackticks(s string) bool {
	for {
		open := strings.IndexByte(s, '`')
		if open < 0 {
			return false
		}
		s = s[open+1:]
		end := strings.IndexAny(s, "`'")
		if end < 0 {
			return true
		}
		s = s[end+1:]
	}
}

// behind reads a path that follows the reason.
func (l *line) behind(head, tail string, eperm bool) (finding, bool) {
	typed := strings.HasSuffix(head, "EACCES: ") || strings.HasSuffix(head, "EPERM: ") || strings.HasSuffix(head, "EACCES, ") ||
		strings.HasSuffix(head, "EPERM, ") || strings.HasSuffix(head, "[Errno 13] ") || strings.HasSuffix(head, "[Errno 1] ")
	var path string
	switch {
	case strings.HasPrefix(tail, ", "): // node: ", open '/x'"; also deno
		op, rest, _ := strings.Cut(tail[2:], " ")
		if !isWord(op) || rest == "" {
			break
		}
		path, typed = l.firstQuoted(rest, op, eperm), true
	case strings.HasPrefix(tail, " @ "), strings.HasPrefix(tail, " - "), strings.HasPrefix(tail, " -- "): // ruby
		path, typed = l.rubyPath(tail, eperm), true
	case strings.HasPrefix(tail, ": "):
		path = l.afterColon(head, tail[2:], eperm)
	case typed && strings.HasPrefix(tail, " "): // node: "listen EACCES: permission denied 127.0.0.1:80"
		if word := strings.TrimSpace(tail); !strings.Contains(word, " ") && (isAddress(word) || isPathStart(word)) {
			path = word
		} else {
			path = l.firstQuoted(word, "", eperm)
		}
	case strings.HasPrefix(tail, " on key "): // sysctl
		return l.finding("", "sysctl"), true
	default:
		path = l.afterPreposition(tail)
	}
	if path == "" {
		return finding{}, false
	}
	f := l.finding(directoryOfTemporary("", path), "")
	if tool, _, ok := strings.Cut(head, ":"); ok && isWord(tool) {
		f.tool = tool
	}
	f.weak = l.source || l.indent && !typed
	return f, true
}

// firstQuoted returns the first quoted text at the start of s, or the second of a pair.
func (l *line) firstQuoted(s, op string, eperm bool) string {
	q := quotations(s)
	if len(q) == 0 || q[0].start > 1 {
		return ""
	}
	if len(q) > 1 && strings.TrimSpace(s[q[0].end:q[1].start]) == "->" {
		return l.ofPair(q[0].text, q[1].text, op, eperm)
	}
	return q[0].text
}

// ofPair chooses the one of two paths that was denied. The one that is made is meant by link calls. Else a missing right
// on a directory (EACCES) is not met in our own tree, so a path of ours points at the other; all else names the first.
func (l *line) ofPair(first, second, op string, eperm bool) string {
	switch {
	case op == "symlink" || op == "link":
		return second
	case !eperm && l.ours(first) && !l.ours(second):
		return second
	}
	return first
}

func (l *line) rubyPath(tail string, eperm bool) string {
	at := strings.Index(tail, " - ")
	if at < 0 {
		at = strings.Index(tail, " -- ")
	}
	if at < 0 {
		return ""
	}
	path := strings.TrimLeft(tail[at:], " -")
	if end := strings.LastIndex(path, " ("); end > 0 && (strings.Contains(path[end:], "Error") || strings.Contains(path[end:], "Errno")) {
		path = path[:end]
	}
	if at := strings.Index(path, " for "); at > 0 && strings.Contains(path[:at], "(2)") {
		path = path[at+len(" for "):]
		if host, port, ok := strings.Cut(path, " port "); ok {
			return strings.Trim(host, `"`) + ":" + port
		}
	}
	if strings.HasPrefix(path, "(") {
		if a, b, ok := strings.Cut(strings.Trim(path, "()"), ", "); ok {
			return l.ofPair(a, b, "", eperm)
		}
	}
	return strings.Trim(path, `"`)
}

func (l *line) afterColon(head, rest string, eperm bool) string {
	if p := l.firstQuoted(strings.TrimPrefix(rest, "b"), "", eperm); p != "" {
		return p
	}
	if isPathStart(rest) {
		return trimPath(rest)
	}
	shell, _, _ := strings.Cut(head, ":")
	if shells[toolName(shell)] && isWord(rest) {
		return rest
	}
	if at := strings.LastIndex(rest, " to address "); at >= 0 && isAddress(rest[at+len(" to address "):]) {
		return rest[at+len(" to address "):] // apache
	}
	return ""
}

// afterPreposition reads "Permission denied while setting flags on /x", "… for '/x'", "… trying to connect … at unix:///x: …".
func (l *line) afterPreposition(tail string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(tail, " "), " ")
	switch word {
	case "while", "on", "for", "to", "when", "trying", "accessing", "opening", "reading", "writing", "creating", "at", "in":
	default:
		return ""
	}
	for i := 1; i < len(tail); i++ {
		if strings.IndexByte(" '\"`(=", tail[i-1]) < 0 || !isPathStart(tail[i:]) {
			continue
		}
		rest := tail[i:]
		switch tail[i-1] {
		case '\'', '"', '`':
			if end := strings.IndexByte(rest, tail[i-1]); end > 0 {
				return rest[:end]
			}
		}
		if word == "at" || word == "in" {
			return "" // perl and php name their own source there
		}
		if end := strings.Index(rest, ": "); end > 0 {
			rest = rest[:end]
		}
		return trimPath(rest)
	}
	return ""
}

// ends reports whether nothing but punctuation and remarks on the place follows the reason.
func ends(tail string) bool {
	t := strings.TrimLeft(tail, " .,;:!?)]}'\"’”»")
	if t == "" {
		return true
	}
	for _, p := range []string{"</", "Stop.", "[", "(you must be root", "(are you root", "(permission denied", "(operation not permitted", "\\n", "<",
		"unknown", "(os error", "(errno", "(missing permissions", "(core dumped)"} {
		if len(t) >= len(p) && equalFold(t[:len(p)], strings.ToLower(p)) {
			return !strings.HasPrefix(t, "[") || strings.HasSuffix(t, "]")
		}
	}
	t = strings.TrimLeft(tail, "'’\").")
	return strings.HasPrefix(t, " at ") && strings.Contains(t, " line ") || // perl
		strings.HasPrefix(t, " in ") && strings.Contains(t, " on line ") || // php
		strings.HasPrefix(t, " - Local (") || strings.HasPrefix(t, " {")
}

// toolName returns the name that a program gives itself, without directory, version and make's level.
func toolName(s string) string {
	s = s[strings.LastIndexByte(s, '/')+1:]
	if i := strings.IndexByte(s, '['); i > 0 {
		s = s[:i]
	}
	if t := strings.TrimRight(s, "0123456789."); t != "" && t != s && s != "b2sum" {
		if t == "python" || t == "lua" || t == "ruby" || t == "php" || t == "perl" || t == "gcc-" || t == "clang-" {
			return strings.TrimSuffix(t, "-")
		}
	}
	return s
}

func cutAny(s string, prefixes ...string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest
		}
	}
	return s
}

package denials

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// parts splits what a tool said at its colons: a colon with white space or the end behind it, or a full-width one.
func parts(s string) []string {
	var out []string
	add := func(p string) {
		if p = strings.Trim(p, " \u00a0"); p != "" {
			out = append(out, p)
		}
	}
	start, quoted := 0, quotations(s)
	for i := 0; i < len(s) && len(out) < 16; i++ {
		if len(quoted) > 0 && i == quoted[0].start {
			i, quoted = quoted[0].end-1, quoted[1:]
			continue
		}
		switch {
		case s[i] == ':' && (i+1 == len(s) || s[i+1] == ' '):
			add(s[start:i])
			start = i + 1
		case strings.HasPrefix(s[i:], "："):
			add(s[start:i])
			start = i + len("：")
		}
	}
	add(s[start:])
	return out
}

// pathIn finds the path or address in one part of a message; "" when it names none. A relative name without any mark of a
// path is believed only in the last part, behind a verb that takes a file.
func (l *line) pathIn(part string, eperm, last bool) string {
	if a := address(part); a != "" {
		return a
	}
	if p := l.quotedIn(part, eperm); p != "" {
		return p
	}
	for i := 0; i < len(part); i++ {
		if (i == 0 || strings.IndexByte(" (=\"'`", part[i-1]) >= 0) && isPathStart(part[i:]) {
			return directoryOfTemporary(part, l.unquotedPath(part[:i], part[i:], eperm))
		}
	}
	name, ok := afterLead(part)
	if !ok || name == "" || strings.Contains(name, " ") || calls[strings.ToLower(name)] {
		return ""
	}
	if strings.ContainsAny(name, "/.") || last && !eperm {
		return directoryOfTemporary(part, trimPath(name))
	}
	return ""
}

func (l *line) quotedIn(part string, eperm bool) string {
	q := quotations(part)
	for i, t := range q {
		if t.text == "/" || strings.HasSuffix(part[:t.start], "thread ") || strings.Count(t.text, " ") > 2 && !strings.Contains(t.text, "/") {
			continue
		}
		if i+1 < len(q) {
			switch strings.TrimSpace(part[t.end:q[i+1].start]) {
			case "to", "->", "nach", "vers", "a", "in", "を", "到":
				return l.ofPair(t.text, q[i+1].text, "", eperm)
			case "=>":
				return t.text
			}
		}
		return directoryOfTemporary(part, t.text)
	}
	return ""
}

// unquotedPath takes a path that runs to the end of the part, without the words that tools put behind it.
func (l *line) unquotedPath(before, rest string, eperm bool) string {
	op, _, _ := strings.Cut(strings.TrimLeft(before, " ("), " ")
	op = strings.TrimSuffix(op, "(")
	for _, sep := range []string{" -> ", " => ", ",/", " to /"} {
		if a, b, ok := strings.Cut(rest, sep); ok {
			if strings.HasSuffix(sep, "/") {
				b = "/" + b
			}
			return l.ofPair(trimPath(a), trimPath(b), op, eperm)
		}
	}
	switch op {
	case "rename", "link", "symlink", "renameat", "linkat":
		if a, b, ok := strings.Cut(rest, " /"); ok {
			return l.ofPair(a, trimPath("/"+b), op, eperm)
		}
	}
	return trimPath(rest)
}

// isPathStart reports whether s begins like a path that cannot be a word.
func isPathStart(s string) bool {
	for _, p := range []string{"./", "../", "~/", "$HOME/", "unix:/", "file:///"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return len(s) > 1 && s[0] == '/' && s[1] != '/' && strings.IndexByte(" *'\"`)", s[1]) < 0
}

// trimPath cuts the words and signs behind a path that ran to the end of a part.
func trimPath(p string) string {
	p = strings.TrimRight(p, " ")
	for _, words := range []string{" does not exist", " could not be", " cannot be", " is not ", " exists but", " failed: "} {
		if i := strings.Index(p, words); i > 0 {
			p = p[:i]
		}
	}
	if i := strings.Index(p, "</"); i > 0 {
		p = p[:i]
	}
	for changed := true; changed; {
		changed = false
		for _, end := range []string{" for reading", " for writing", " for output", " for input", " for append", " failed", " because", " -", " - open",
			" - unlink", " - opendir", " - mkdir", " - rename", " - stat", ")", "]", "\"", "'", "`", ",", ";"} {
			if rest, ok := strings.CutSuffix(p, end); ok && rest != "" && !(end == ")" && strings.Contains(rest, "(")) {
				p, changed = strings.TrimRight(rest, " "), true
			}
		}
	}
	return p
}

// address finds "listen tcp :80", "dial unix /x", "bind() to 0.0.0.0:80", "connect EACCES /x" and python's ('0.0.0.0', 80).
func address(part string) string {
	f := strings.Fields(part)
	if len(f) < 2 {
		return ""
	}
	if (f[0] == "dial" || f[0] == "listen") && len(f) >= 3 {
		if f[1] == "unix" {
			return f[2]
		}
		return f[len(f)-1]
	}
	if _, rest, ok := strings.Cut(part, "address ('"); ok {
		host, port, ok := strings.Cut(rest, "', ")
		if end := strings.IndexAny(port, "),"); ok && end > 0 && isNumber(port[:end]) {
			return host + ":" + port[:end]
		}
	}
	low := strings.ToLower(part)
	if strings.Contains(low, "bind") || strings.Contains(low, "listen") || strings.Contains(low, "connect") {
		for _, w := range f {
			if isAddress(w) {
				return w
			}
		}
	}
	return ""
}

// isAddress reports whether s is host:port.
func isAddress(s string) bool {
	colon := strings.LastIndexByte(s, ':')
	if colon < 0 || !isNumber(s[colon+1:]) || strings.Contains(s[colon+1:], ".") || len(s) > 80 {
		return false
	}
	return strings.Trim(s[:colon], "0123456789abcdefABCDEF.:[]*") == "" || isWord(s[:colon]) && strings.Contains(s[:colon], ".") || s[:colon] == "localhost"
}

// afterLead takes "cannot create directory x" apart: "x", and whether it begins with a lead or a verb at all.
func afterLead(part string) (string, bool) {
	low, found := strings.ToLower(part), false
	for _, lead := range leads {
		if rest, ok := strings.CutPrefix(low, lead+" "); ok {
			part, found = part[len(part)-len(rest):], true
			break
		}
		if low == lead {
			return "", true
		}
	}
	verb, rest, _ := strings.Cut(part, " ")
	if v := strings.ToLower(verb); !verbs[v] && !calls[v] {
		return "", found
	}
	for {
		word, after, more := strings.Cut(rest, " ")
		if !nouns[strings.ToLower(word)] {
			break
		}
		rest = after
		if !more {
			rest = ""
			break
		}
	}
	return rest, true
}

// directoryOfTemporary replaces a name that was made up for one moment by its directory: the name alone would make every
// run meet a new want.
func directoryOfTemporary(part, path string) string {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 {
		return path
	}
	name := path[slash+1:]
	made := strings.HasPrefix(name, "sed") && len(name) == 9 || strings.HasPrefix(name, ".#lk") || strings.HasPrefix(name, "tmp_obj_") ||
		strings.HasSuffix(name, "XXXXXX") || strings.HasPrefix(name, "tmp") && len(name) == 11 && !strings.Contains(name, ".")
	low := strings.ToLower(part)
	for _, t := range temporaries {
		made = made || strings.Contains(low, t)
	}
	switch {
	case !made:
		return path
	case slash == 0:
		return "/"
	}
	return path[:slash]
}

// A quotation is a quoted text: without its quotes, and where it stood with them.
type quotation struct {
	text       string
	start, end int
}

var closers = map[rune]string{'\'': "'", '"': `"`, '`': "`'", '‘': "’", '“': "”", '„': "“”\"", '‚': "‘’", '«': "»", '「': "」", '『': "』", '‹': "›"}

// quotations finds the quoted texts of s, at most four, in all the marks that tools use, and in the shell's own quoting
// ('a'$'\n”b'), which coreutils uses for odd names.
func quotations(s string) []quotation {
	var out []quotation
	var unclosed [11]rune // marks known to have no closing one any more: looking again and again would be quadratic
	for i := 0; i < len(s) && len(out) < 4; {
		r, n := utf8.DecodeRuneInString(s[i:])
		ends, ok := closers[r]
		if !ok || !opens(s, i) || slices.Contains(unclosed[:], r) {
			i += n
			continue
		}
		text, end := closeQuote(s, i+n, ends)
		if end < 0 {
			copy(unclosed[1:], unclosed[:])
			unclosed[0] = r
			i += n
			continue
		}
		for r == '\'' && (strings.HasPrefix(s[end:], `$'`) || strings.HasPrefix(s[end:], "'")) {
			from := end + 1
			if s[end] == '$' {
				from++
			}
			more, next := closeQuote(s, from, "'")
			if next < 0 {
				break
			}
			text, end = text+more, next
		}
		if text = strings.Trim(text, " \u00a0"); text != "" {
			out = append(out, quotation{text, i, end})
		}
		i = end
	}
	return out
}

// opens reports whether a quote at i can open: an apostrophe inside a word cannot.
func opens(s string, i int) bool {
	if i == 0 || strings.IndexByte(" (=[,{<:", s[i-1]) >= 0 {
		return true
	}
	return s[i-1] == 'b' && (i == 1 || s[i-2] == ' ') || s[i-1] >= 0x80 && s[i] >= 0x80 // python's b''; scripts without spaces
}

// closeQuote finds the end of a quotation: a closing mark that no letter or digit follows.
func closeQuote(s string, from int, ends string) (string, int) {
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if strings.ContainsRune(ends, r) && (i+n == len(s) || !isNameByte(s[i+n])) {
			return s[from:i], i + n
		}
		i += n
	}
	return "", -1
}

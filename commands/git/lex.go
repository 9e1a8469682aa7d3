package git

import (
	"regexp"
	"strconv"
	"strings"
)

// token is a word of a program or configuration, and the key that it stands below.
type token struct {
	text, key string
	isKey     bool // what stands before a colon itself
	part      bool // of something in quotes
}

// listed reports whether directories and globs count here.
func (t token) listed() bool {
	return t.text != t.key && !t.part && lists.MatchString(t.key) && (!t.isKey || strings.HasSuffix(strings.ToLower(t.key), "locations"))
}

// lex takes a text apart, without knowing its language: what is in quotes as a whole, and that and all else as words. A key
// is a word before a colon or an equals sign, unless it is a path itself.
func lex(says string) []token { return lexBy(says, quoted) }

// lexBy looks by quoted for the end of what is in quotes. A quote without one on its line is a sign like others, and so are
// then all further ones of its kind on the line: to look from each of them takes minutes for one long line.
func lexBy(says string, quoted func(string) (int, bool)) (tokens []token) {
	key := ""
	put := func(word, after string, part bool) {
		after = strings.TrimLeft(after, " \t")
		isKey := strings.HasPrefix(after, ":") || strings.HasPrefix(after, "=")
		if isKey && !strings.ContainsAny(word, "/* ") {
			key = word
		}
		tokens = append(tokens, token{word, key, isKey, part})
	}
	barren := map[byte]int{} // by kind, how much is left of the text behind the line on which none of it has an end
	for says != "" {
		if last, is := barren[says[0]]; strings.IndexByte(quotes, says[0]) >= 0 && (!is || len(says) <= last) {
			n, closed := quoted(says)
			if closed {
				m := says[:n]
				says = says[n:]
				inner := unquote(m)
				put(inner, says, false)
				if strings.ContainsAny(inner, wordBreaks) {
					for _, word := range strings.FieldsFunc(inner, breaks) {
						put(word, "", true)
					}
				}
				continue
			}
			barren[says[0]] = len(says) - n
		}
		end := strings.IndexAny(says, wordBreaks)
		if end < 0 {
			end = len(says)
		}
		if end > 0 {
			put(says[:end], says[end:], false)
		}
		says = says[min(end+max(1-end, 0), len(says)):]
	}
	return tokens
}

const quotes = "\"'`"

// quoted is how long what is in quotes at the beginning of a text is. What is not closed goes to the end of its line.
func quoted(says string) (n int, closed bool) {
	for n = 1; n < len(says); n++ {
		switch c := says[n]; {
		case c == '\n':
			return n, false
		case c == says[0]:
			return n + 1, true
		case c == '\\' && says[0] == '"' && n+1 < len(says) && says[n+1] != '\n':
			n++
		}
	}
	return len(says), false
}

const wordBreaks = " \t\r\n\"'`(){}[]<>,;|&=:"

func breaks(r rune) bool { return strings.ContainsRune(wordBreaks, r) }

func unquote(m string) string {
	if s, err := strconv.Unquote(strings.ReplaceAll(m, `\/`, "/")); err == nil && m[0] == '"' {
		return s
	}
	return strings.ReplaceAll(m[1:len(m)-1], `\"`, `"`)
}

// ways are the paths that a word may mean.
func ways(word string) (all []string) {
	word = strings.TrimRight(word, ".,!?")
	if variable.MatchString(word) {
		_, word, _ = strings.Cut(word, "/")
	}
	word = strings.TrimLeft(word, "@/!")
	all = append(all, word)
	if strings.ContainsRune(word, '\\') {
		all = append(all, strings.TrimLeft(strings.ReplaceAll(word, `\`, "/"), "/"))
	}
	return all
}

var variable = regexp.MustCompile(`^(\$\w+|%\w+%|\$\{[^}]*\}|\$\([^)]*\)|\{[^}/]*\})/`)

// glob makes an expression of a glob for folded paths, nil if it has none. Go's expressions take no longer than they should,
// whatever path a stranger makes.
func glob(pattern string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("^")
	for rest := foldPath(pattern); rest != ""; {
		c := rest[0]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			rest = rest[2:]
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			rest = rest[1:]
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			b.WriteString("(?:")
		case c == '}':
			b.WriteString(")")
		case c == ',' && strings.Contains(b.String(), "(?:") && strings.Contains(rest, "}"):
			b.WriteString("|")
		case c == '[' || c == ']':
			b.WriteByte(c)
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
		rest = rest[1:]
	}
	g, err := regexp.Compile(b.String() + "(?:/.*)?$")
	if err != nil {
		return nil
	}
	return g
}

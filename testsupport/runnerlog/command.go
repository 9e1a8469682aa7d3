package runnerlog

import (
	"regexp"
	"strings"
	"unicode"
)

// The marks of the two syntaxes (ActionCommand.Prefix, ActionCommand._commandKey).
const (
	markV1 = "##["
	markV2 = "::"
)

// parseV2 reads "::name k=v,k2=v2::data" behind white space (ActionCommand.TryParseV2).
func parseV2(line string, registered func(string) bool) (Command, bool) {
	text := []rune(strings.TrimLeftFunc(line, unicode.IsSpace)) // Char.IsWhiteSpace is the same set
	if at := indexCulture(text, markV2, 0); at < 0 || len(solid(text[:at])) > 0 {
		return Command{}, false
	}
	end := indexCulture(text, markV2, len(markV2))
	if end < 0 {
		return Command{}, false
	}
	return command(line, string(text[len(markV2):end]), string(text[min(end+len(markV2), len(text)):]), syntaxV2, registered)
}

// parseV1 reads "##[name k=v;k2=v2]data" where the first "##[" of the line is (ActionCommand.TryParse).
func parseV1(line string, registered func(string) bool) (Command, bool) {
	text := []rune(line)
	at := indexCulture(text, markV1, 0)
	if at < 0 {
		return Command{}, false
	}
	rest := string(text[min(at+len(markV1), len(text)):])
	info, data, found := strings.Cut(rest, "]")
	if !found {
		return Command{}, false
	}
	return command(line, info, data, syntaxV1, registered)
}

// syntax is what differs between the two.
type syntax struct {
	separator      string
	trim           bool
	property, data []string // escapes, in the order in which they are undone
}

var (
	syntaxV1 = syntax{";", false, []string{"%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%25", "%"}, []string{"%3B", ";", "%0D", "\r", "%0A", "\n", "%5D", "]", "%25", "%"}}
	syntaxV2 = syntax{",", true, []string{"%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%"}, []string{"%0D", "\r", "%0A", "\n", "%25", "%"}}
)

func command(line, info, data string, s syntax, registered func(string) bool) (Command, bool) {
	name, properties, spaced := strings.Cut(info, " ")
	if name == "" || !registered(name) {
		return Command{}, false
	}
	c := Command{Name: name, Properties: map[string]string{}, Data: unescape(data, s.data), Line: line}
	if !spaced {
		return c, true
	}
	if s.trim {
		properties = strings.TrimFunc(properties, unicode.IsSpace)
	}
	for _, pair := range strings.Split(properties, s.separator) {
		// Split with RemoveEmptyEntries and a count of two: "=a=b" is one piece, and "k=" too.
		key, value, both := strings.Cut(strings.TrimLeft(pair, "="), "=")
		if both && key != "" && value != "" {
			c.Properties[asciiFold(key)] = unescape(value, s.property)
		}
	}
	return c, true
}

// unescape undoes escapes one after the other over the whole text, as the runner does: "%253B" becomes "%3B", and stays.
func unescape(text string, escapes []string) string {
	for i := 0; i < len(escapes); i += 2 {
		text = strings.ReplaceAll(text, escapes[i], escapes[i+1])
	}
	return text
}

// indexCulture is String.IndexOf and StartsWith as they stand there, without a StringComparison: by the rules of a culture, to
// which characters without weight are nothing, also within what is searched, and to which a letter with a mark is another
// letter. It is where mark begins, -1 for nowhere.
func indexCulture(text []rune, mark string, from int) int {
	want := []rune(mark)
	for i := from; i < len(text); i++ {
		n := 0
		j := i
		for ; j < len(text) && n < len(want); j++ {
			if weightless(text[j]) && n > 0 {
				continue
			}
			if text[j] != want[n] {
				break
			}
			n++
		}
		if n == len(want) && (j == len(text) || !unicode.Is(unicode.M, text[j])) {
			return i
		}
	}
	return -1
}

// weightless is true of characters that a comparison by culture ignores: those of format, controls that are no white space,
// selectors of variants.
func weightless(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) || unicode.Is(unicode.Variation_Selector, r) || r == 0x34F
}

func solid(text []rune) (rest []rune) {
	for _, r := range text {
		if !weightless(r) {
			rest = append(rest, r)
		}
	}
	return rest
}

var (
	sequences = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\a\x1b]*(?:\a|\x1b\\\\)?|[@-Z\\\\^_])")
	anyV1     = regexp.MustCompile(`(?i)##(?:\[|vso\[)`)
)

// cautious finds what any reader might take for a command: with sequences of terminals and what is invisible gone, "##[" at
// every place of the line, the form "##vso[" of the runner's elder, names in any case that Unicode knows.
func cautious(line string, registered func(string) bool) (all []Command) {
	bare := string(solid([]rune(sequences.ReplaceAllString(line, ""))))
	folded := func(name string) bool { return registered(name) || registered(strings.ToLower(strings.ToUpper(name))) }
	for _, text := range []string{line, bare} {
		if c, ok := parseV2(text, folded); ok {
			all = append(all, c)
		}
		for _, at := range anyV1.FindAllStringIndex(text, -1) {
			name := folded
			if at[1]-at[0] > len(markV1) {
				name = func(string) bool { return true }
			}
			if c, ok := parseV1(markV1+text[at[1]:], name); ok {
				c.Line = line
				all = append(all, c)
			}
		}
	}
	return all
}

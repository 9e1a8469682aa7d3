package demo

import (
	"fmt"
	"regexp"
	"strings"
)

// The instructions that are understood, in the words of a person. A value stands in quotes of any kind, or runs to the
// end of its line.
var (
	replaceForm = regexp.MustCompile(`(?is)^(?:please\s+)?(?:replace|change)\s+` + value + `\s+(?:with|by|to)\s+` + value + `[.!]?\s*$`)
	removeForm  = regexp.MustCompile(`(?is)^(?:please\s+)?(?:remove|delete)\s+` + value + `[.!]?\s*$`)
	appendForm  = regexp.MustCompile(`(?is)^(?:please\s+)?append[:\s]\s*(.+)$`)
	prependForm = regexp.MustCompile(`(?is)^(?:please\s+)?prepend[:\s]\s*(.+)$`)
	typoForm    = regexp.MustCompile(`(?i)\btypos?\b|\bspelling\b`)
	doubled     = regexp.MustCompile(`(?i)\b(the|a|an|of|to|and|in|is|it|that|for)[ \t]+(the|a|an|of|to|and|in|is|it|that|for)\b`)
)

const value = `("[^"\n]+"|'[^'\n]+'|“[^”\n]+”|` + "`[^`\n]+`" + `|\S+(?: \S+)*?)`

// bare takes the quotes off a value.
func bare(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"`", "`"}} {
		if inner, ok := strings.CutPrefix(s, q[0]); ok && strings.HasSuffix(inner, q[1]) {
			return strings.TrimSuffix(inner, q[1])
		}
	}
	return s
}

// rewrite applies an instruction to a text and says what it did. An instruction that it does not understand is added as a
// note, quoted, so that nothing a person asked for is lost without a trace.
func rewrite(text, instruction string) (changed, did string) {
	instruction = strings.TrimSpace(instruction)
	if m := replaceForm.FindStringSubmatch(instruction); m != nil {
		from, to := bare(m[1]), bare(m[2])
		n := strings.Count(text, from)
		if n == 0 {
			return text, fmt.Sprintf("%s does not occur, so nothing was changed.", code(from))
		}
		return strings.ReplaceAll(text, from, to), fmt.Sprintf("Replaced %s with %s, %s.", code(from), code(to), counted(n, "time"))
	}
	if m := removeForm.FindStringSubmatch(instruction); m != nil {
		what := bare(m[1])
		if n := strings.Count(text, what); n > 0 {
			return strings.ReplaceAll(text, what, ""), fmt.Sprintf("Removed %s, %s.", code(what), counted(n, "time"))
		}
		return text, fmt.Sprintf("%s does not occur, so nothing was changed.", code(what))
	}
	if m := appendForm.FindStringSubmatch(instruction); m != nil {
		return paragraph(text) + bare(m[1]) + "\n", "Appended a paragraph."
	}
	if m := prependForm.FindStringSubmatch(instruction); m != nil {
		return bare(m[1]) + "\n\n" + strings.TrimLeft(text, "\n"), "Put a paragraph in front."
	}
	if typoForm.MatchString(instruction) {
		return fixTypos(text)
	}
	return paragraph(text) + "## Note\n\n> " + strings.ReplaceAll(instruction, "\n", "\n> ") + "\n",
		"I understand only plain instructions (replace X with Y, remove X, append …, prepend …, fix typos), so I added a note that quotes this one."
}

// paragraph is the text, ready for another paragraph.
func paragraph(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return text + "\n\n"
}

// fixTypos mends what needs no judgement: well-known misspellings, and small words written twice.
func fixTypos(text string) (string, string) {
	fixed := text
	n := 0
	for _, t := range [][2]string{{"teh", "the"}, {"recieve", "receive"}, {"seperate", "separate"}, {"occured", "occurred"}, {"definately", "definitely"},
		{"adress", "address"}, {"wich", "which"}, {"untill", "until"}, {"begining", "beginning"}, {"existance", "existence"}, {"lenght", "length"},
		{"enviroment", "environment"}, {"dependancy", "dependency"}, {"accross", "across"}, {"thier", "their"}, {"neccessary", "necessary"}} {
		for _, pair := range [][2]string{t, {strings.ToUpper(t[0][:1]) + t[0][1:], strings.ToUpper(t[1][:1]) + t[1][1:]}} {
			word := regexp.MustCompile(`\b` + pair[0] + `\b`)
			n += len(word.FindAllString(fixed, -1))
			fixed = word.ReplaceAllString(fixed, pair[1])
		}
	}
	fixed = doubled.ReplaceAllStringFunc(fixed, func(s string) string {
		if w := strings.Fields(s); strings.EqualFold(w[0], w[1]) {
			n++
			return w[0]
		}
		return s
	})
	if n == 0 {
		return text, "Found none of the misspellings that I know, so nothing was changed."
	}
	return fixed, "Mended " + counted(n, "misspelling") + "."
}

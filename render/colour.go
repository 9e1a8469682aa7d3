package render

import (
	"regexp"
	"strconv"
	"strings"
)

// A dye is a private-use character that stands for a colour while a line is made safe. Foreign text cannot hold one, because
// dye takes those out first.
const (
	firstDye = 0xE100
	lastDye  = firstDye + 127
)

// undyed is text without dyes.
func undyed(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= firstDye && r <= lastDye {
			return -1
		}
		return r
	}, text)
}

// graphics is the sequence that sets the look of letters.
var graphics = regexp.MustCompile("\x1b\\[[0-9;]{0,16}m")

// dye puts dyes in the place of the sequences that may stay.
func dye(text string) string {
	text = undyed(text)
	return graphics.ReplaceAllStringFunc(text, func(sequence string) string {
		var dyes strings.Builder
		for _, code := range strings.Split(sequence[2:len(sequence)-1], ";") {
			n, err := strconv.Atoi("0" + code)
			if err != nil || !harmless(n) {
				return "" // a part of a longer colour has no meaning of its own
			}
			dyes.WriteRune(rune(firstDye + n))
		}
		return dyes.String()
	})
}

// harmless is true of codes that leave every letter to be seen: no background, no black, no white, nothing concealed.
func harmless(code int) bool {
	switch {
	case code == 0, code == 1, code == 4, code == 22, code == 24, code == 39:
		return true
	}
	return code >= 31 && code <= 36 || code >= 91 && code <= 96
}

// dyed is line for text with dyes. Where the line without them must be changed it is shown without: a colour may
// stand in the middle of a secret.
func (l *Log) dyed(prefix, text string) string {
	plain := undyed(text)
	safe := l.line(prefix, plain)
	if len(plain) == len(text) || safe != prefix+strings.TrimRight(plain, " \t\n")+"\n" || len(text) > maxLogLine {
		return safe
	}
	var b strings.Builder
	b.WriteString(prefix)
	for _, r := range strings.TrimRight(text, " \t\n") {
		if r >= firstDye && r <= lastDye {
			b.WriteString("\x1b[" + strconv.Itoa(int(r-firstDye)) + "m")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String() + "\x1b[0m\n"
}

package render

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Limits on secrets, in bytes. Below minSecret a value is no secret that can be masked: it would take half the log with it.
const (
	minSecret  = 6
	minDerived = 8
	maxGram    = 12
	maxSecret  = 64 << 10
	minPart    = 9 // of the parts that Contains looks for: "https://" is no secret
	maxPart    = 64
	minChance  = 16 // of a value of one sort of characters that is no number and no word
)

// frame begins and ends the frame of a key.
const frame = "-----"

// Masked stands where a secret stood. It is no asterisks, which Markdown would read.
const masked = "‹masked›"

// Secrets knows values that must not leave, takes them out of text, and finds them in what is to be committed. The zero value
// knows none, and so does nil. It may be used from several goroutines.
//
// A value is found as it is, reversed, URL-encoded, in hexadecimal, and in base64 (standard and URL alphabet) at whichever
// place of a longer encoded text it falls; one that no text holds by chance in base32, by ROT13 and with its case changed too; of
// a value of several lines each useful line is a value of its own (H3-03). A
// part is found too, from half a value's length or 12 bytes on, so that cutting off the beginning hides nothing.
type Secrets struct {
	mu      sync.RWMutex
	whole   map[string]bool
	text    index // what Redact takes out
	content index // what Contains finds
}

// Add makes the value of secret unspeakable.
func (s *Secrets) Add(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(secret) > maxSecret {
		secret = secret[:maxSecret]
	}
	for _, value := range values(secret) {
		if s.whole[value] {
			continue
		}
		if s.whole == nil {
			s.whole = map[string]bool{}
		}
		s.whole[value] = true
		for _, form := range append(forms(value), value) {
			if len(form) >= minDerived || form == value {
				s.add(form, telling(value))
			}
		}
		s.addViews(value)
	}
}

// addViews makes findable what the views of a text show of a value and its forms: a secret may itself hold what they decode,
// and most hold signs, which they drop.
func (s *Secrets) addViews(value string) {
	if strings.HasPrefix(value, frame) {
		return
	}
	var all []string
	for v := range views(value) {
		all = append(all, string(v.text))
	}
	for _, form := range append(forms(value), value) {
		v, _ := view{text: []byte(form)}.rewrite(rule{isSign, bare, false})
		all = append(all, string(v.text))
	}
	for _, text := range all {
		if text = strings.TrimSpace(text); len(text) >= minDerived && text != value {
			s.text.add(text, max(minDerived, min(maxGram, len(text)/2)))
			if telling(value) {
				s.content.add(text, part(len(text)))
			}
		}
	}
}

// add makes every part of form of the searched lengths findable. The frame of a key is public: it is taken out of text as a
// whole, and is no reason to refuse a file.
func (s *Secrets) add(form string, telling bool) {
	if strings.HasPrefix(form, frame) {
		s.text.add(form, len(form))
		return
	}
	s.text.add(form, max(minSecret, min(maxGram, len(form)/2)))
	if telling {
		s.content.add(form, part(len(form)))
	}
}

// telling reports whether a value is unlike what a source file holds by chance. Secrets are known by the names of variables,
// so among them are the likes of MAX_TOKENS=128000 and CREDENTIAL_HELPER=osxkeychain; masking those costs little, refusing
// every file that holds one would cost a person's work.
func telling(value string) bool {
	letter := strings.ContainsFunc(value, unicode.IsLetter)
	other := strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(value) >= minChance || len(value) >= minDerived && letter && other
}

// part is the length of the parts of a value that Contains looks for.
func part(length int) int {
	if length <= maxGram {
		return length
	}
	return max(minPart, min(maxPart, length/2))
}

// Empty reports whether no secret is known.
func (s *Secrets) Empty() bool {
	if s == nil {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.whole) == 0
}

// Contains reports whether data holds a known secret. It is meant for what is written and kept, where a false alarm costs a
// person's work: a value of at most 12 bytes counts as a whole only, of a longer one any part of half its length (at least
// 9 bytes, at most 64), and a short number or word not at all. A caller that reads in windows needs an overlap of 63 bytes.
func (s *Secrets) Contains(data []byte) bool {
	if s == nil {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sees(view{text: data})
}

// sees reports whether a view shows enough of a secret. The caller holds the lock.
func (s *Secrets) sees(v view) bool {
	for i := range s.content.candidates(v.text) {
		if n := s.content.match(v.text, i); n > 0 && (n >= v.least || s.content.reach(v.text, i)-i >= v.least) {
			return true
		}
	}
	return false
}

// values are the secret itself and its useful lines.
func values(secret string) []string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(secret, "\r", "\n")) {
		if line = strings.TrimSpace(line); len(line) >= minSecret && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// forms are the ways in which a value may be written.
func forms(value string) []string {
	hexed := hex.EncodeToString([]byte(value))
	reversed := []byte(value)
	slices.Reverse(reversed)
	out := []string{string(reversed), url.QueryEscape(value), url.PathEscape(value), hexed, strings.ToUpper(hexed)}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			out = append(out, embedded(enc, value, offset))
		}
	}
	if telling(value) { // of "postgres" these would take common words
		out = append(out, turned(value, 13, 26), turned(value, 'a'-'A', 0))
		for offset := range 5 {
			out = append(out, embedded32(value, offset))
		}
	}
	return out
}

// turned is a value with its letters moved around the alphabet, or, with no alphabet, changed from small to capital and back.
func turned(value string, by, around rune) string {
	return strings.Map(func(r rune) rune {
		base := r &^ 0x20
		switch {
		case base < 'A' || base > 'Z':
			return r
		case around == 0:
			return r ^ by
		}
		return (base-'A'+by)%around + 'A' + r&0x20
	}, value)
}

// embedded32 is embedded for base32, whose groups have five bytes.
func embedded32(value string, offset int) string {
	text := base32.StdEncoding.EncodeToString(append(make([]byte, offset), value...))
	return text[(offset*8+4)/5 : (offset+len(value))*8/5]
}

// embedded is the part of a base64 text that does not depend on what surrounds value, which stands offset bytes behind a
// group of three.
func embedded(enc *base64.Encoding, value string, offset int) string {
	text := enc.EncodeToString(append(make([]byte, offset), value...))
	first := (offset*8 + 5) / 6
	whole := (offset + len(value)) * 8 / 6
	return text[first:whole]
}

// Shows reports whether a reader of text sees a known secret, be it that the text holds it (see [Secrets.Contains]) or that
// it does once it is rendered: written in character references, escaped, percent-encoded, parted by what is invisible, by
// emphasis or any other signs, by tags of HTML.
func (s *Secrets) Shows(text string) bool {
	if s.Empty() {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for v := range views(text) {
		if s.sees(v) {
			return true
		}
	}
	return false
}

// Redact returns text with every known secret taken out, those too that only a reader of the rendered text would see (see
// [Secrets.Shows]). What parts such a one stays: taking a tag or a fence away would change the text around it.
func (s *Secrets) Redact(text string) string { return s.redactBehind("", text) }

// redactBehind is Redact for a text that stands behind another one, which it leaves out.
func (s *Secrets) redactBehind(before, text string) string {
	if s.Empty() {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	cut := cut{text: before + text}
	for v := range views(cut.text) {
		done := 0
		for i := range s.text.candidates(v.text) {
			if i < done {
				continue
			}
			if end := s.text.reach(v.text, i); end > i && end-i >= v.least && !cut.crosses(v, i, end) {
				cut.mark(v, i, end)
				done = end
			}
		}
	}
	return cut.apply(len(before))
}

package render

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Limits on secrets, in bytes. Below minSecret a value is no secret that can be masked: it would take half the log with it.
const (
	minSecret  = 6
	minDerived = 8
	maxGram    = 12
	maxSecret  = 64 << 10
)

// Masked stands where a secret stood. It is no asterisks, which Markdown would read.
const masked = "‹masked›"

// Secrets knows values that must not leave, and takes them out of text. The zero value knows none. It may be used from
// several goroutines.
//
// A value is found as it is, reversed, URL-encoded, in hexadecimal, and in base64 (standard and URL alphabet) at whichever
// place of a longer encoded text it falls; of a value of several lines each useful line is a value of its own (H3-03). A
// part is found too, from half a value's length or 12 bytes on, so that cutting off the beginning hides nothing.
type Secrets struct {
	mu    sync.RWMutex
	whole map[string]bool
	grams map[int]map[string]bool // by length
	start [1 << 16]bool           // the first two bytes of all that is searched
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
			s.whole, s.grams = map[string]bool{}, map[int]map[string]bool{}
		}
		s.whole[value] = true
		s.index(value)
		for _, form := range forms(value) {
			if len(form) >= minDerived {
				s.index(form)
			}
		}
	}
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
	return out
}

// embedded is the part of a base64 text that does not depend on what surrounds value, which stands offset bytes behind a
// group of three.
func embedded(enc *base64.Encoding, value string, offset int) string {
	text := enc.EncodeToString(append(make([]byte, offset), value...))
	first := (offset*8 + 5) / 6
	whole := (offset + len(value)) * 8 / 6
	return text[first:whole]
}

// index makes every part of form of the searched length findable. The frame of a key is public and only found as a whole.
func (s *Secrets) index(form string) {
	n := max(minSecret, min(maxGram, len(form)/2))
	if strings.HasPrefix(form, "-----") {
		n = len(form)
	}
	if s.grams[n] == nil {
		s.grams[n] = map[string]bool{}
	}
	for i := range len(form) - n + 1 {
		gram := form[i : i+n]
		s.grams[n][gram] = true
		s.start[pair(gram, 0)] = true
	}
}

func pair(text string, i int) int { return int(text[i])<<8 | int(text[i+1]) }

// Redact returns text with every known secret taken out.
func (s *Secrets) Redact(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.whole) == 0 {
		return text
	}
	var b strings.Builder
	done := 0
	for i := 0; i+1 < len(text); i++ {
		if !s.start[pair(text, i)] {
			continue
		}
		if end := s.reach(text, i); end > i {
			b.WriteString(text[done:i] + masked)
			done, i = end, end-1
		}
	}
	b.WriteString(text[done:])
	return b.String()
}

// reach returns the end of the overlapping parts of secrets that begin at i.
func (s *Secrets) reach(text string, i int) int {
	end := i
	for j := i; j <= end && j+1 < len(text); j++ {
		if !s.start[pair(text, j)] {
			continue
		}
		for n, grams := range s.grams {
			if j+n <= len(text) && j+n > end && grams[text[j:j+n]] {
				end = j + n
			}
		}
		if end == i {
			break
		}
	}
	return end
}

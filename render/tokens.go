package render

import (
	"bytes"
	"strings"
)

// back returns where the run of bytes that ends before i and satisfies ok begins, never before what is done.
func (s *scanner) back(i int, ok func(byte) bool) int {
	for low := max(s.done, i-200); i > low && ok(s.src[i-1]); {
		i--
	}
	return i
}

func (s *scanner) forward(i int, ok func(byte) bool) int {
	for i < len(s.src) && ok(s.src[i]) {
		i++
	}
	return i
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '-' || c == '_' || c == '.' }

func isPathByte(c byte) bool { return isNameByte(c) || c == '/' }

func isMailByte(c byte) bool { return isNameByte(c) || c == '+' }

// mention takes @user, @org/team and mail addresses. What stands before decides: after a letter or digit GitHub sees no
// mention, and without a dot in the host no address.
func (s *scanner) mention(i int) int {
	if !isAlnum(s.at(i + 1)) {
		return 0
	}
	end := s.forward(i+1, isNameByte)
	for !isAlnum(s.src[end-1]) {
		end--
	}
	local := s.back(i, isMailByte)
	switch {
	case local < i && bytes.IndexByte(s.src[i:end], '.') > 0:
		return s.code(local, end) - (i - local)
	case isAlnum(s.at(i-1)) && s.done < i:
		return 0
	case s.at(end) == '/' && isAlnum(s.at(end+1)):
		end = s.forward(end+1, func(c byte) bool { return isAlnum(c) || c == '-' })
	}
	return s.code(i, end)
}

// reference takes #12, repo#12 and owner/repo#12. With the reference gone, a closing word before it closes nothing.
func (s *scanner) reference(i int) int {
	end := s.forward(i+1, isDigit)
	if end == i+1 || isAlnum(s.at(end)) || s.at(end) == '_' {
		return 0
	}
	start := s.back(i, isPathByte)
	return s.code(start, end) - (i - start)
}

// ghReference takes GH-12.
func (s *scanner) ghReference(i int) int {
	end := s.forward(i+1, isDigit)
	if end == i+1 || i < s.done+2 || !strings.EqualFold(string(s.src[i-2:i]), "gh") || isAlnum(s.at(end)) {
		return 0
	}
	if i-3 >= s.done && isAlnum(s.at(i-3)) {
		return 0
	}
	return s.code(i-2, end) - 2
}

// colon takes addresses by their scheme, and the short codes that draw the signs of our own lines.
func (s *scanner) colon(i int) int {
	for _, short := range []string{":gear:", ":hourglass:", ":hourglass_flowing_sand:"} {
		if bytes.HasPrefix(s.src[i:], []byte(short)) {
			return s.code(i, i+len(short))
		}
	}
	start := s.back(i, func(c byte) bool { return isAlnum(c) })
	switch scheme := strings.ToLower(string(s.src[start:i])); {
	case strings.HasPrefix(string(s.src[i:min(i+3, len(s.src))]), "://"):
		if !hasAnySuffix(scheme, "http", "https", "ftp") {
			return 0
		}
	case hasAnySuffix(scheme, "mailto", "xmpp") && isAlnum(s.at(i+1)):
	default:
		return 0
	}
	return s.address(start, i)
}

// address makes an address code unless it is one to click. The end is found twice: as far as GitHub would link, to judge,
// and only as far as it is plainly an address, to wrap.
func (s *scanner) address(start, i int) int {
	whole := s.forward(i, func(c byte) bool { return c > ' ' && c != '<' && c != '`' })
	link := strings.TrimRight(string(s.src[start:whole]), "?!.,:*_~'\"")
	for strings.HasSuffix(link, ")") && strings.Count(link, ")") > strings.Count(link, "(") {
		link = strings.TrimRight(link[:len(link)-1], "?!.,:*_~'\"")
	}
	if s.hosts.allow(link) && s.at(whole) != '`' { // GitHub's link would reach into the code that follows
		return start + len(link) - i
	}
	end := s.forward(i, func(c byte) bool { return c > ' ' && !strings.ContainsRune("<>`|[]{}\"\\*", rune(c)) })
	text := string(s.src[start:end])
	for text = strings.TrimRight(text, "?!.,:_~';"); strings.HasSuffix(text, ")") && strings.Count(text, ")") > strings.Count(text, "("); {
		text = strings.TrimRight(text[:len(text)-1], "?!.,:_~';")
	}
	end = max(start+len(text), i+1)
	return s.code(start, end) - (i - start)
}

// word looks at the start of a word: a bare www address, a commit, and the signs of our footer and status line.
func (s *scanner) word(i int, c byte) int {
	if c >= 0x80 {
		for _, glyph := range []string{"⚙", "⏳"} {
			if after, ok := bytes.CutPrefix(s.src[i:], []byte(glyph)); ok {
				n := len(glyph) + len(after) - len(bytes.TrimPrefix(after, []byte("\ufe0f")))
				return s.code(i, i+n)
			}
		}
		return 0
	}
	if !isAlnum(c) || isAlnum(s.at(i-1)) && s.done < i {
		return 0
	}
	if len(s.src)-i > 4 && strings.EqualFold(string(s.src[i:i+4]), "www.") {
		return s.address(i, i)
	}
	end := s.forward(i, func(c byte) bool { return isAlnum(c) || c == '_' })
	if p, n := s.at(i-1), s.at(end); p != '_' && p != '-' && n != '-' && isCommit(s.src[i:end]) {
		return s.code(i, end)
	}
	return s.skipWord(i)
}

// skipWord passes the letters up to the next byte that could start or follow something.
func (s *scanner) skipWord(i int) int {
	return s.forward(i, isAlnum) - i
}

// isCommit is true of hexadecimal words that GitHub would try as a commit. Plain numbers are left alone.
func isCommit(word []byte) bool {
	if len(word) < 7 || len(word) > 40 {
		return false
	}
	digits, letters := 0, 0
	for _, c := range word {
		switch {
		case isDigit(c):
			digits++
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			letters++
		default:
			return false
		}
	}
	return digits > 0 && letters > 0 || len(word) == 40
}

// dollar takes what could be mathematics: "$$", and a "$" that opens with another that closes somewhere after it. The form
// with back-ticks inside is pulled apart.
func (s *scanner) dollar(i int) int {
	next := s.at(i + 1)
	switch {
	case next == '$':
		return s.code(i, s.forward(i, func(c byte) bool { return c == '$' }))
	case next == '`':
		return s.put(i, i+1, "$ ")
	case next <= ' ' || isAlnum(s.at(i-1)) && s.done < i || !s.closes(i+1):
		return 0
	}
	return s.code(i, s.forward(i+1, func(c byte) bool { return isAlnum(c) || c == '_' }))
}

// closes reports a "$" from i on that could end mathematics. The answer is kept, so the whole text is searched once.
func (s *scanner) closes(i int) bool {
	if s.closer >= i || s.closer == len(s.src) {
		return s.closer < len(s.src)
	}
	for s.closer = i; s.closer < len(s.src); s.closer++ {
		if s.src[s.closer] == '$' && s.src[s.closer-1] > ' ' && !isAlnum(s.at(s.closer+1)) {
			return true
		}
	}
	return false
}

func hasAnySuffix(text string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(text, suffix) {
			return true
		}
	}
	return false
}

package thread

import (
	"net/url"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// maxQuoted bounds what a comment of ours quotes of a person's, in bytes; of more only the commands are shown.
const maxQuoted = 20 << 10

// A comment of our own begins with its mark, alone on the first line, and ends with the end mark; a status line stands as a
// block below that.

// own puts a text into a comment of our own. Marks that it brings along are broken, as in quote.
func own(s saying, text string) string {
	text = strings.ReplaceAll(strings.TrimRight(oneLineEnd(s.clean(text)), "\n"), prefix, broken)
	body := s.mark().String() + "\n" + text + "\n" + endMark + "\n"
	return lay(body, s.statusBlock(len(body)))
}

// ownMarks are the marks of a comment of our own, and whether it is one about the command id.
func ownMarks(body string, id int64) ([]mark, bool) {
	line, _, _ := strings.Cut(body, "\n")
	m, ok := readMark(strings.TrimSuffix(line, "\r"))
	if !ok || m.id != id || m.word != wordResult {
		return nil, false
	}
	_, blocks := lift(body, id)
	return append(marks(blocks), m), true
}

func marks(blocks []block) (all []mark) {
	for _, b := range blocks {
		all = append(all, b.mark)
	}
	return all
}

// answer is the reply to a lone question.
func (t *Thread) answer(s saying) string {
	text := own(s, render.Reply(s.result, maxBody-2*frame))
	for tries := 1; len(text) > maxBody && tries < maxTries; tries++ { // Redact made it longer
		text = own(s, render.Reply(s.result, maxBody-2*frame-tries*(maxBody/maxTries)))
	}
	return text
}

// review is our comment that stands for the summary of a review.
func (t *Thread) review(s saying) (string, error) {
	c := t.Event.Comment
	var pieces []string
	done := 0
	for _, a := range t.Asked {
		end := min(max(a.End, done), len(c.Body))
		pieces = append(pieces, render.Prose(c.Body[done:end]))
		done = end
	}
	pieces = append(pieces, render.Prose(c.Body[done:]))
	if size(pieces) > maxQuoted {
		pieces = t.named()
	}
	return t.panel(render.ReviewIntro(c.Author.Login, c.URL), pieces, s)
}

// instead is our comment that stands for a comment that we cannot write in (F-47). It names the commands and links them; of
// a comment that was deleted it repeats nothing.
func (t *Thread) instead(s saying, gone bool) (string, error) {
	if gone {
		return t.panel("", nil, s)
	}
	return t.panel(pointer(t.Event.Comment.URL), t.named(), s)
}

func (t *Thread) named() (names []string) {
	for _, a := range t.Asked {
		names = append(names, naming(a))
	}
	return names
}

func size(texts []string) (n int) {
	for _, text := range texts {
		n += len(quote(text))
	}
	return n
}

// panel is a text of ours that quotes a person's in pieces, and below each says what came of it.
func (t *Thread) panel(intro string, pieces []string, s saying) (string, error) {
	room := maxBody - size(pieces) - len(intro) - len(s.status) - frame*(len(pieces)+3)
	for range maxTries {
		if room < tight {
			return "", errNoRoom
		}
		text := own(s, t.compose(intro, pieces, s, room))
		if len(text) <= maxBody {
			return text, nil
		}
		room -= len(text) - maxBody
	}
	return "", errNoRoom
}

func (t *Thread) compose(intro string, pieces []string, s saying, room int) string {
	var p render.Parts
	if s.stage != waiting {
		p = render.InPlace(s.result, room)
	}
	all := []string{intro}
	below := len(p.Segments) == len(t.Asked) // else what came of it is about the whole
	for i, text := range pieces {
		if strings.TrimSpace(text) != "" {
			all = append(all, quote(text))
		}
		if below && i < len(p.Segments) {
			all = append(all, p.Segments[i])
		}
	}
	if !below || len(pieces) == 0 {
		all = append(all, p.Segments...)
	}
	if p.Bottom != "" {
		all = append(all, "---", p.Bottom)
	}
	var b strings.Builder
	for _, text := range all {
		if text = strings.Trim(text, "\n"); text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	return b.String()
}

// aside is what is left of a comment of ours that another one has replaced.
func aside(id int64, url string) string {
	return mark{word: wordAside, id: id}.String() + "\n" + pointer(url) + "\n" + endMark + "\n"
}

// pointer points to a comment without a word: GitHub shows such an address as the name of the thread. What is no plain
// address is left out.
func pointer(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsAny(address, " \t\r\n<>()[]{}`\"'*~|\\") {
		return "↪️"
	}
	return "↪️ " + address
}

// ownStanding is what a comment of our own stands for.
func ownStanding(body string, id int64) Standing {
	m, _ := ownMarks(body, id)
	return standing(m)
}

package thread

import (
	"net/url"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/render"
)

// maxQuoted bounds what a comment of ours quotes of a person's, in bytes; of more only the commands are shown.
const maxQuoted = 20 << 10

// A comment of our own begins with its mark, alone on the first line, and ends with the end mark; a status line stands as a
// block below that. What follows is a person's: whoever may write in the repository may edit our comments, too.

// own puts a text into a comment of our own, above what a person wrote there. Marks that it brings along are broken, as in
// quote.
func own(s saying, text, tail string) string {
	body := framed(s.mark(), s.clean(text))
	return lay(body+tail, s.statusBlock(len(body)))
}

// framed is a text between its mark and the end mark, as it stands in a comment of our own.
func framed(m mark, text string) string {
	return m.String() + "\n" + breakMarks(strings.TrimRight(oneLineEnd(text), "\n")) + "\n" + endMark + "\n"
}

// tail is what a person wrote below our text in a comment of our own. Without our end mark nobody can tell, and all is ours.
func tail(body string, id int64) string {
	_, below := ends(body)
	return Strip(body[below:], id)
}

// ends is where our text ends in a comment of our own, and where what is below the end mark begins.
func ends(body string) (end, below int) {
	for at := 0; at < len(body); {
		line, _, _ := strings.Cut(body[at:], "\n")
		next := min(at+len(line)+1, len(body))
		if strings.TrimRight(line, " \t\r") == endMark {
			return at, next
		}
		at = next
	}
	return len(body), len(body)
}

// Ours reports whether a comment begins with a mark of ours, as each comment of our own does. Anybody can write such a mark:
// who wrote the comment is to be asked as well.
func Ours(body string) bool {
	_, ok := ownMark(body)
	return ok
}

// Answered is the moment up to which a reply of ours in a review thread has answered it: when its command was given. People
// may have written there while that was carried out. Zero for anything else, and where that is not known.
func Answered(body string) time.Time {
	m, ok := ownMark(body)
	if !ok || m.word != wordReply || m.given == 0 {
		return time.Time{}
	}
	return time.Unix(m.given, 0)
}

func ownMark(body string) (mark, bool) {
	line, _, _ := strings.Cut(body, "\n")
	m, ok := readMark(strings.TrimRight(line, " \t\r"))
	return m, ok && m.word != wordStatus
}

// ownMarks are the marks of a comment of our own, and whether it is one about the command id.
func ownMarks(body string, id int64) ([]mark, bool) {
	m, ok := ownMark(body)
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
func (t *Thread) answer(s saying, tail string) (string, error) {
	all := maxBody - 2*frame - len(tail)
	for try := range maxTries { // Redact may make it longer
		room := all - try*(all/maxTries)
		if room < tight {
			break
		}
		if text := own(s, render.Reply(s.result, room), tail); len(text) <= maxBody {
			return text, nil
		}
	}
	return "", errNoRoom
}

// review is our comment that stands for the summary of a review.
func (t *Thread) review(s saying, tail string) (string, error) {
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
	return t.panel(render.ReviewIntro(c.Author.Login, c.URL), pieces, s, tail)
}

// instead is our comment that stands for a comment that we cannot write in (F-47). It names the commands and links them; of
// a comment that was deleted it repeats nothing.
func (t *Thread) instead(s saying, gone bool, tail string) (string, error) {
	if gone {
		return t.panel("", nil, s, tail)
	}
	return t.panel(pointer(t.Event.Comment.URL), t.named(), s, tail)
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
func (t *Thread) panel(intro string, pieces []string, s saying, tail string) (string, error) {
	room := maxBody - size(pieces) - len(intro) - len(s.status) - len(tail) - 3*frame
	for range maxTries {
		if room < tight {
			return "", errNoRoom
		}
		text := own(s, t.compose(intro, pieces, s, room), tail)
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
func aside(id int64, url, tail string) string {
	return mark{word: wordAside, id: id}.String() + "\n" + pointer(url) + "\n" + endMark + "\n" + tail
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

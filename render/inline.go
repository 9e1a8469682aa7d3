package render

import "strings"

// Limits on short foreign texts, in bytes.
const (
	maxSubject     = 200
	maxWhy         = 300
	maxName        = 120
	maxTitle       = 160
	maxAction      = 700 // what was approved, which comes shortened in the middle
	maxOurs        = 1200
	maxInstruction = 300
	maxCommand     = 40 // slash, prefix and word
)

// inline makes foreign text of one line safe inside a sentence of ours: plain text, never Markdown, at most limit bytes
// before escaping, nothing in it acts. Titles, reasons and names go through it.
func inline(text string, limit int) string {
	text = oneLine(text, limit)
	out := Prose("x " + escapeInline(text)) // the letter keeps the text from being read as the start of a line
	out, ok := strings.CutPrefix(out, "x ")
	if !ok {
		return code(text, limit)
	}
	return strings.TrimSpace(out)
}

// escapeInline puts a backslash before each character that Markdown could take for itself. Underscores inside words are
// safe and stay, so that names remain readable in the source.
func escapeInline(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch c {
		case '\\', '*', '[', ']', '<', '>', '|', '~', '`', '&':
			b.WriteByte('\\')
		case '_':
			if i == 0 || i == len(text)-1 || !isAlnum(text[i-1]) || !isAlnum(text[i+1]) {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// code shows foreign text as a code span: one line, white space collapsed, back-ticks replaced (A3-13), at most limit bytes.
// Text of nothing but white space becomes "?".
func code(text string, limit int) string {
	text = strings.TrimSpace(strings.ReplaceAll(oneLine(text, limit), "`", "'"))
	if text == "" {
		text = "?"
	}
	return "`" + text + "`"
}

// cell makes one line of Markdown safe in a table: a bar would end the cell even inside code.
func cell(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch {
		case text[i] == '\n':
			b.WriteByte(' ')
		case text[i] == '|' && i > 0 && text[i-1] == '\\':
			b.WriteString("¦") // a backslash before "\|" would free the bar again
		case text[i] == '|':
			b.WriteString("\\|")
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// ours tidies sentences that our own code wrote, one line of Markdown. They pass the sanitiser too, with leave to link to
// our server: should foreign text ever get into such a sentence, it still does nothing. What stands on one line is to be given
// at once: a sign that is alone in its sentence finds its pair in the next.
func (h hosts) ours(sentences ...string) string { return h.oursAfter("", sentences...) }

// oursAfter is ours behind a lead that is safe already and stays as it is: one that a place of FillPulls stands in.
func (h hosts) oursAfter(lead string, sentences ...string) string {
	var all []string
	for _, s := range sentences {
		if s = oneLine(s, maxOurs); s != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return lead
	}
	text := strings.Join(all, " ")
	var links []string
	text = h.hideLinks(text, &links)
	if lead != "" {
		text = placeholder(len(links)) + " " + text
		links = append(links, lead+".")
	}
	out, ok := strings.CutPrefix(Prose("x "+text), "x ")
	if !ok {
		return strings.TrimSpace(lead + " " + unmark(code(strings.Join(all, " "), maxOurs)))
	}
	out = strings.TrimSpace(out)
	for i, link := range links {
		out = strings.Replace(out, placeholder(i), link, 1)
	}
	return out
}

// placeholder stands for a link of ours while the sentence around it is sanitised. It is plain letters in private-use
// brackets, which visible leaves alone and foreign text cannot hold, because hideLinks takes them out first.
func placeholder(i int) string { return "\ue000" + strings.Repeat("i", i+1) + "\ue001" }

// hideLinks takes the links to our own server, whatever page they show, out of a sentence of ours.
func (h hosts) hideLinks(text string, links *[]string) string {
	text = strings.NewReplacer("\ue000", "", "\ue001", "").Replace(text)
	var b strings.Builder
	for len(*links) < 8 {
		shut := strings.Index(text, "](")
		end := strings.IndexByte(text[max(shut, 0):], ')') + shut
		if shut < 0 || end < shut {
			break
		}
		open := strings.LastIndexByte(text[:shut], '[')
		if open < 0 || open > 0 && strings.IndexByte("!\\", text[open-1]) >= 0 || !h.ownPage(text[shut+2:end]) ||
			strings.ContainsAny(text[open+1:shut], "]<") {
			b.WriteString(text[:shut+2])
			text = text[shut+2:]
			continue
		}
		b.WriteString(text[:open] + placeholder(len(*links)))
		*links = append(*links, "["+linkLabel(text[open+1:shut])+text[shut:end+1])
		text = text[end+1:]
	}
	b.WriteString(text)
	return b.String()
}

// linkLabel keeps code spans and plain words in the label of a link of ours; references there stay text, which inside a
// link they are.
func linkLabel(label string) string {
	if strings.Count(label, "`")%2 != 0 {
		label = strings.ReplaceAll(label, "`", "'")
	}
	return strings.NewReplacer("@", "@\u2009", "\\", "\\\\").Replace(label)
}

func (h hosts) ownPage(dest string) bool {
	for _, origin := range h {
		if rest, ok := strings.CutPrefix(dest, origin); ok && strings.HasPrefix(rest, "/") && plainPath(rest) {
			return true
		}
	}
	return false
}

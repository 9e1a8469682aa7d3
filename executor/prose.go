package executor

import "strings"

// maxText bounds the answer kept of one launch, in bytes. A comment holds 65,536; the rest only feeds the run page.
const maxText = 4 << 20

// roundCost is what keeping a round costs beside its text, in bytes: rounds of a letter each are not to cost more than text.
const roundCost = 32

// prose joins the chunks of an agent's answer before anything reads them. Agents glue the text of two model rounds
// together ("Started it.After notice."): a round ends where the message id changes or a tool call stood between, and
// rounds are set apart by a blank line, so that a WANTED line at the start of a round is one.
type prose struct {
	rounds    []string
	open      strings.Builder
	messageID string
	size      int
	truncated bool
}

// add takes one chunk.
func (p *prose) add(messageID, text string) {
	if messageID != p.messageID && p.open.Len() > 0 {
		p.breakRound()
	}
	p.messageID = messageID
	if room := max(maxText-p.size, 0); len(text) > room {
		text, p.truncated = strings.ToValidUTF8(text[:room], ""), true
	}
	p.size += len(text)
	p.open.WriteString(text)
}

// breakRound ends the open round. A round that only repeats the one before is dropped: unattended modes of some agents
// send their final text up to six times.
func (p *prose) breakRound() {
	text := strings.TrimSpace(p.open.String())
	p.open.Reset()
	if text == "" || (len(p.rounds) > 0 && p.rounds[len(p.rounds)-1] == text) {
		return
	}
	p.rounds = append(p.rounds, text)
	p.size += roundCost
}

// text is the whole answer so far.
func (p *prose) text() string {
	p.breakRound()
	return strings.Join(p.rounds, "\n\n")
}

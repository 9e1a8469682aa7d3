package commands

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// maxDiscussion bounds how much of what was said is searched, in bytes.
const maxDiscussion = 4 << 20

// findInDiscussion looks for quotes that do not stand in the document in what was said about it: people answer each other
// as often as they quote the description. The earliest comment counts, since later ones may quote it themselves. What
// cannot be found stands for itself, and so does everything when the discussion cannot be read.
func (r *run) findInDiscussion(ctx context.Context) {
	var missing []int
	for i, s := range r.Comment.Segments {
		if s.Quote != "" && len(r.found[i].spans) == 0 {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return
	}
	said, err := r.Place.Discussion(ctx)
	if err != nil {
		r.note("What was said about the document could not be read, so quotes that do not stand in it stand for themselves.")
		r.say("reading the discussion: %v", err)
		return
	}
	left := maxDiscussion
	for _, s := range said {
		if left -= len(s.Text); left < 0 {
			r.say("of the discussion only %d bytes were searched for quotes", maxDiscussion)
			return
		}
		missing = r.foundIn(ctx, s, missing)
	}
}

// foundIn notes the quotes that stand in a comment and returns the others.
func (r *run) foundIn(ctx context.Context, s Said, missing []int) (left []int) {
	s.Text = withoutDetails(s.Text)
	var here, quotedBy []int
	for _, i := range missing {
		if len(locate(normalise(s.Text), r.Comment.Segments[i].Quote).spans) > 0 {
			here = append(here, i)
		} else {
			left = append(left, i)
		}
	}
	if len(here) > 0 && s.Counts != nil && !s.Counts(ctx) {
		return missing
	}
	for _, i := range here {
		r.found[i].said = &s
		quotedBy = append(quotedBy, i+1)
	}
	if len(quotedBy) > 0 {
		r.quoted = append(r.quoted, Foreign{Label: "a comment by " + s.by() + ", quoted by segment " + numbers(quotedBy), Text: s.Text})
	}
	return left
}

func numbers(of []int) string {
	var words []string
	for _, n := range of {
		words = append(words, fmt.Sprint(n))
	}
	return enumerated(words)
}

var plainURL = regexp.MustCompile(`^https?://[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9._/#?=-]{0,300}$`)

// by says who said it and where, in words that cannot be mistaken for anything else.
func (s Said) by() string {
	who := "somebody with write permission"
	if loginShape.MatchString(s.Author) {
		who = fmt.Sprintf("%q, who has write permission", s.Author)
	}
	if plainURL.MatchString(s.URL) {
		who += ", at " + s.URL
	}
	return who
}

var detailsTag = regexp.MustCompile(`(?i)<(/?)details(?:\s[^>]*)?>`)

// withoutDetails replaces folded parts, the outermost as a whole: mostly they hold logs and diffs of ours, and nobody quotes
// what they do not see. One that is never closed reaches to the end.
func withoutDetails(text string) string {
	const omitted = "[a folded part is left out here]"
	var b strings.Builder
	depth, from := 0, 0
	for _, tag := range detailsTag.FindAllStringSubmatchIndex(text, -1) {
		closes := tag[2] != tag[3]
		switch {
		case !closes && depth == 0:
			b.WriteString(text[from:tag[0]] + omitted)
			depth = 1
		case !closes:
			depth++
		case depth > 0:
			depth--
			from = tag[1]
		}
	}
	if depth == 0 {
		b.WriteString(text[from:])
	}
	return b.String()
}

package commands

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/render"
)

// maxTargets is how many repositories one build may change.
const maxTargets = 8

// ParseTargets reads the line "Target repos: owner/name, …" of a document: the repositories that a build may change, in its
// order, each once, at most 8. A name alone is a repository of owner, which is an account of GitHub's. Only a line that a
// reader sees as plain text counts (F-68), the first one that names something. nil when there is none. The Refusal is about a
// line that names something else than repositories of owner (F-17); its message goes on from the name of the command.
//
// The document is a stranger's. So a name is taken apart here, once and strictly, and nothing but letters, digits, hyphens,
// underscores and full stops leaves: no URL, no option, no path.
func ParseTargets(document, owner string) (names []string, refusal *Refusal) {
	lines := targetLines(document)
	if len(lines) == 0 {
		return nil, nil
	}
	if len(document) > maxBytes || utf8.RuneCountInString(document) > maxComment || render.TooDear(document) {
		return nil, &Refusal{Message: "cannot tell whether the `Target repos:` line of the document is one: the document is too long, or has nesting or tables that cost too much to read",
			Next: "Shorten or simplify the document."}
	}
	page := readPage(document, lines)
	for _, l := range lines {
		switch page.places[l.start] {
		case inText:
			return targetsIn(listOf(l.text), owner)
		case inQuote:
			return nil, &Refusal{Message: fmt.Sprintf("cannot tell which repositories are meant: line %d of the document, `Target repos:`, belongs, as Markdown reads it, to the quote, list or table above it", l.number),
				Next: "Put an empty line above it."}
		}
	}
	return nil, nil
}

// targetWord is how the line begins, at its first column, as it always has.
var targetWord = regexp.MustCompile(`^Target repos?:`)

// targetLines are the lines that have the shape and name something: an empty one is what a template left.
func targetLines(document string) (found []line) {
	if !strings.Contains(document, "Target repo") {
		return nil
	}
	for i, l := range splitLines(document) {
		if i == 0 && strings.HasPrefix(l.text, "\ufeff") {
			l.start, l.text = len("\ufeff"), strings.TrimPrefix(l.text, "\ufeff")
		}
		if targetWord.MatchString(l.text) && listOf(l.text) != "" {
			found = append(found, l)
		}
	}
	return found
}

func listOf(text string) string {
	return strings.TrimFunc(text[len(targetWord.FindString(text)):], isBlank)
}

func targetsIn(list, owner string) (names []string, refusal *Refusal) {
	known := map[string]bool{}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		name, why := targetName(item, owner)
		if why != "" {
			return nil, &Refusal{Message: fmt.Sprintf("was given a repository that it cannot take: `Target repos:` names %s, %s", quoted(item), why),
				Next: fmt.Sprintf("Write the line as `Target repos: %s/first, %[1]s/second`, with repositories of the same owner.", owner)}
		}
		if key := strings.ToLower(name); !known[key] {
			known[key] = true
			names = append(names, name)
		}
		if len(names) > maxTargets {
			return nil, &Refusal{Message: fmt.Sprintf("was given too much: `Target repos:` names more than %d repositories", maxTargets),
				Next: "Split the work into several issues."}
		}
	}
	return names, nil
}

// quoted shows something foreign within a sentence: bounded, and so that what does not show is seen.
func quoted(text string) string { return inCode(fmt.Sprintf("%.60q", text)) }

// A repository as people write it: as it is, in code, or as a link to itself on GitHub. What is in a link must be what it
// leads to, so that no reader takes one for the other.
var (
	repoShapes = regexp.MustCompile("^(?:([\\w./-]+)|`([\\w./-]+)`|\\[`?([\\w./-]+)`?\\]\\(https://github\\.com/([\\w.-]+/[\\w.-]+?)/?\\))$")
	repoName   = regexp.MustCompile(`^[\w.][\w.-]{0,99}$`)
)

// targetName is owner/name, with the owner as we spell it, or why what was written is no repository that a build may change.
func targetName(item, owner string) (full, why string) {
	const none = "which is no owner/name of a repository"
	m := repoShapes.FindStringSubmatch(item)
	if m == nil {
		return "", none
	}
	text, link := either(m[1], either(m[2], m[3])), m[4]
	of, name, whole := strings.Cut(text, "/")
	if !whole {
		of, name = owner, text
	}
	switch {
	case !loginShape.MatchString(of) || !repoName.MatchString(name) || strings.Trim(name, ".") == "" || strings.HasSuffix(strings.ToLower(name), ".git"):
		return "", none
	case !strings.EqualFold(of, owner):
		return "", "which is not a repository of " + inCode(owner)
	case link != "" && !strings.EqualFold(link, of+"/"+name):
		return "", "a link that leads elsewhere"
	}
	return owner + "/" + name, ""
}

package fakegithub

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Posted is a comment as the fake keeps it.
type Posted struct {
	ID        int64
	Kind      string // "issue", "line", "review"
	Author    string // "" for a deleted account
	Body      string
	ReplyTo   int64
	Reactions []string // "login:eyes"
	Edits     int
}

// Thread lists all comments of a number in the order in which they were written. A review without words, which GitHub makes
// for each comment on a line, is left out.
func (r *Repo) Thread(number int) []Posted {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.posted(r.must(number))
}

func (r *Repo) posted(t *thread) (all []Posted) {
	for _, x := range r.s.texts {
		if x.on == t && !x.deleted && x.kind >= comment && (x.kind != ofReview || x.body != "") {
			all = append(all, x.posted())
		}
	}
	return all
}

func (x *text) posted() Posted {
	p := Posted{ID: x.id, Kind: [...]string{comment: "issue", onLine: "line", ofReview: "review"}[x.kind], Body: x.body, Edits: x.edits}
	if a := x.author(); a != nil {
		p.Author = a.login
	}
	if x.replyTo != nil {
		p.ReplyTo = x.replyTo.id
	}
	p.Reactions = x.reacted()
	return p
}

func (x *text) reacted() (all []string) {
	for _, r := range x.reactions {
		all = append(all, r.by.login+":"+r.content)
	}
	slices.Sort(all)
	return all
}

// Snapshot is everything that people see of a repository (bodies, comments, reactions, branches), as text that two runs can
// be compared by. Ids that the server gave are replaced by their order, times and the number of edits are left out.
func (r *Repo) Snapshot() string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var b strings.Builder
	for _, t := range r.threads {
		fmt.Fprintf(&b, "== #%d %q %s%s%s%s\n%s\n", t.number, t.title, t.openness(), mark(t.locked, " locked"),
			mark(t.pull != nil && t.pull.merged, " merged"), mark(len(t.body.reactions) > 0, " "+strings.Join(t.body.reacted(), " ")), t.body.body)
		for _, p := range r.posted(t) {
			fmt.Fprintf(&b, "-- %d %s by %q to %d %v\n%s\n", p.ID, p.Kind, p.Author, p.ReplyTo, p.Reactions, p.Body)
		}
	}
	return r.numbered(b.String()) + r.branches()
}

func mark(is bool, word string) string {
	if is {
		return word
	}
	return ""
}

var numbers = regexp.MustCompile(`\b[0-9]{4,}\b`)

// numbered replaces the ids of texts by their order among those that are there. In bodies too: marks and links hold them.
func (r *Repo) numbered(s string) string {
	order := map[string]string{}
	for _, x := range r.s.texts {
		if x.repo == r && !x.deleted && (x.kind != ofReview || x.body != "") {
			order[fmt.Sprint(x.id)] = fmt.Sprintf("(%d)", len(order)+1)
		}
	}
	return numbers.ReplaceAllStringFunc(s, func(id string) string {
		if n, known := order[id]; known {
			return n
		}
		return id
	})
}

// branches lists each branch with the trees and messages of its commits, whose ids would tell the time.
func (r *Repo) branches() string {
	names, err := r.git("", "for-each-ref", "--format=%(refname)", "refs/heads")
	r.s.must(err)
	var b strings.Builder
	for _, name := range strings.Fields(string(names)) {
		log, err := r.git("", "log", "--format=%T %s", name)
		r.s.must(err)
		fmt.Fprintf(&b, "== %s\n%s", name, log)
	}
	return b.String()
}

package fakegithub

import "slices"

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

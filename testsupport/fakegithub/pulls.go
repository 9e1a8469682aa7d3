package fakegithub

import (
	"fmt"
	"strings"
)

// PullSummary is what people see of a pull request at once.
type PullSummary struct {
	Number      int
	Title, Body string
	Head        string // branch, "owner/name:branch" of a fork
	HeadOID     string
	Base        string // branch
	State       string // "open", "closed", "merged"
	Author      string // "" for a deleted account
	Assignees   []string
}

// Pulls lists the pull requests in the order in which they were opened.
func (r *Repo) Pulls() (all []PullSummary) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, t := range r.threads {
		if t.pull != nil {
			r.refresh(t)
			all = append(all, t.summary())
		}
	}
	return all
}

func (t *thread) summary() PullSummary {
	p := t.pull
	s := PullSummary{Number: t.number, Title: t.title, Body: t.body.body, Head: p.headName(t.body.repo), HeadOID: p.headOID,
		Base: p.baseBranch, State: strings.ToLower(t.enumState()), Assignees: t.assigned()}
	if a := t.body.author(); a != nil {
		s.Author = a.login
	}
	return s
}

// headName is the head's branch, with its repository in front when that is not the pull request's own.
func (p *pull) headName(own *Repo) string {
	switch p.head {
	case own:
		return p.headBranch
	case nil:
		return p.headOwner + "/?:" + p.headBranch
	}
	return p.head.fullName() + ":" + p.headBranch
}

// assigned are the logins of the assignees.
func (t *thread) assigned() (logins []string) {
	for _, a := range t.assignees {
		if present(a) != nil {
			logins = append(logins, a.login)
		}
	}
	return logins
}

// ClosePull closes an issue or pull request as a person, without a word. State opens it again.
func (r *Repo) ClosePull(number int) { r.State(number, true, false, false) }

// Retitle gives an issue or pull request another title.
func (r *Repo) Retitle(number int, title string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	t := r.must(number)
	t.title, t.body.updated = title, r.s.tick()
}

// Merge merges a pull request with a merge commit, which it returns. One with conflicts ends the test. Its branch stays.
func (r *Repo) Merge(number int) (oid string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	t := r.must(number)
	r.refresh(t)
	base := "refs/heads/" + t.pull.baseBranch
	now := r.s.tick()
	tree, err := r.git("", "merge-tree", "--write-tree", r.ref(base), t.pull.headOID)
	r.s.must(err)
	out, err := r.git(fmt.Sprintf("Merge pull request #%d from %s", number, t.pull.headBranch),
		"commit-tree", "-p", r.ref(base), "-p", t.pull.headOID, strings.TrimSpace(string(tree)))
	r.s.must(err)
	oid = strings.TrimSpace(string(out))
	r.s.must(r.setRef(base, oid))
	t.closed, t.pull.merged, t.body.updated = true, true, now
	return oid
}

// Outdate makes a review thread, by the comment that began it, one whose line is no more.
func (r *Repo) Outdate(id int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.mustText(onLine, id).outdated = true
	r.s.tick()
}

// lineNow is the line that a comment stands on by now; nil: none any more.
func (x *text) lineNow() any {
	root := x
	if x.replyTo != nil {
		root = x.replyTo
	}
	if root.outdated {
		return nil
	}
	return x.line
}

// NoPullsByActions forbids what comes with StaticToken to open pull requests: the setting that repositories begin with.
func (r *Repo) NoPullsByActions() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.noActions = true
}

// PullsByActions allows it again.
func (r *Repo) PullsByActions() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.noActions = false
}

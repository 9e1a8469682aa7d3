package fakegithub

import (
	"fmt"
	"regexp"
	"strings"
)

// Snapshot is everything that people see of a repository (bodies, comments, reactions, pull requests with their ends and
// assignees, branches and tags with what is in them and who did it), as text that two runs can be compared by. What tells of
// the moment is replaced: ids that the server gave by their order, ids of commits by their trees, the server's address by
// http://github.test. Times and the number of edits are left out.
func (r *Repo) Snapshot() string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var b strings.Builder
	for _, t := range r.threads {
		r.refresh(t)
		fmt.Fprintf(&b, "== #%d %q %s%s%s%s%s\n%s\n", t.number, t.title, t.openness(), mark(t.locked, " locked"),
			mark(t.pull != nil && t.pull.merged, " merged"), mark(len(t.body.reactions) > 0, " "+strings.Join(t.body.reacted(), " ")),
			mark(len(t.assignees) > 0, " assigned to "+strings.Join(t.assigned(), " ")), t.body.body)
		if s := t.ends(); s != "" {
			b.WriteString(s)
		}
		for _, p := range r.posted(t) {
			fmt.Fprintf(&b, "-- %d %s by %q to %d %v\n%s\n", p.ID, p.Kind, p.Author, p.ReplyTo, p.Reactions, p.Body)
		}
	}
	b.WriteString(r.branches())
	return r.timeless(b.String())
}

// ends tells of a pull request what an issue has not.
func (t *thread) ends() string {
	if t.pull == nil {
		return ""
	}
	s := t.summary()
	return fmt.Sprintf("-- by %q from %s at %s into %s\n", s.Author, s.Head, s.HeadOID, s.Base)
}

func mark(is bool, word string) string {
	if is {
		return word
	}
	return ""
}

var (
	numbers = regexp.MustCompile(`\b[0-9]{4,}\b`)
	hashes  = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)
)

// timeless replaces what differs between two runs that end in the same.
func (r *Repo) timeless(s string) string {
	order, trees := r.order(), r.s.trees()
	s = strings.ReplaceAll(s, r.s.URL(), "http://github.test")
	s = numbers.ReplaceAllStringFunc(s, func(id string) string {
		if n, known := order[id]; known {
			return n
		}
		return id
	})
	return hashes.ReplaceAllStringFunc(s, func(short string) string {
		for oid, tree := range trees {
			if strings.HasPrefix(oid, short) {
				return "commit:" + tree[:12]
			}
		}
		return short
	})
}

// order is the place of each text among those of its repository that are there, by its id. Bodies hold ids too, in marks and
// links, also those of other repositories.
func (r *Repo) order() map[string]string {
	places, last := map[string]string{}, map[*Repo]int{}
	for _, x := range r.s.texts {
		if !x.deleted && (x.kind != ofReview || x.body != "") {
			last[x.repo]++
			place := fmt.Sprintf("(%d)", last[x.repo])
			if x.repo != r {
				place = fmt.Sprintf("(%s %d)", x.repo.fullName(), last[x.repo])
			}
			places[fmt.Sprint(x.id)] = place
		}
	}
	return places
}

// trees are those of all commits that the server can tell apart.
func (w *world) trees() map[string]string {
	trees := map[string]string{}
	for _, r := range w.repos {
		out, err := r.git("", "log", "--all", "--format=%H %T")
		r.s.must(err)
		for line := range strings.Lines(string(out)) {
			oid, tree, _ := strings.Cut(strings.TrimSpace(line), " ")
			trees[oid] = tree
		}
	}
	return trees
}

// branches lists each branch and tag with the trees, persons and messages of its commits, whose ids would tell the time.
func (r *Repo) branches() string {
	var b strings.Builder
	for _, name := range append(r.refs("refs/heads"), r.refs("refs/tags")...) {
		log, err := r.git("", "log", "--topo-order", "--format=%T %an <%ae> %cn <%ce>%n%B", name)
		r.s.must(err)
		fmt.Fprintf(&b, "== %s\n%s", name, log)
	}
	return b.String()
}

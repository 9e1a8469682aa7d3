package fakegithub

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// judgePush holds a push to what ai-flow has sworn (S8), and says what GitHub has against it; nil: nothing. It looks at what
// comes in before the repository has it, as GitHub does.
func (s *Server) judgePush(p *pushing) *refusal {
	objects, err := os.MkdirTemp(s.dirs, "quarantine-*")
	s.report(err)
	defer func() { s.report(os.RemoveAll(objects)) }()
	q := &quarantine{p.repo, []string{"GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(p.repo.dir, "objects")}}
	if len(p.pack) > 0 {
		if _, err := p.repo.gitWith(q.env, string(p.pack), "index-pack", "--stdin", "--fix-thin"); err != nil {
			s.t.Errorf("fake GitHub: a push to %s whose pack cannot be read: %v", p.repo.fullName(), err)
			return nil // git says so as well
		}
	}
	if !p.repo.anyPush {
		for _, breach := range q.breaches(p.all) {
			s.t.Errorf("fake GitHub: a push to %s that must never be (S8): %s", p.repo.fullName(), breach)
		}
	}
	for _, u := range p.all {
		if f := q.refuses(u, p.by); f != nil {
			return f
		}
	}
	return p.moved()
}

// moved refuses a push to what is not where the client believes it to be.
func (p *pushing) moved() *refusal {
	for _, u := range p.all {
		now := p.repo.ref(u.ref)
		switch {
		case now == u.old:
		case u.old == "":
			return &refusal{"", "cannot lock ref '" + u.ref + "': reference already exists"}
		default:
			return &refusal{"", fmt.Sprintf("cannot lock ref '%s': is at %s but expected %s", u.ref, now, u.old)}
		}
	}
	return nil
}

// report fails the test when the fake itself is broken, from a goroutine that cannot end it.
func (s *Server) report(err error) {
	if err != nil {
		s.t.Errorf("fake GitHub: %v", err)
	}
}

// quarantine is a repository with the objects of a push that nobody has taken yet.
type quarantine struct {
	repo *Repo
	env  []string
}

// breaches lists what no push of ai-flow may do, although GitHub would take it.
func (q *quarantine) breaches(all []update) (found []string) {
	if len(all) > 1 {
		found = append(found, fmt.Sprintf("%d references at once", len(all)))
	}
	for _, u := range all {
		branch, isBranch := strings.CutPrefix(u.ref, "refs/heads/")
		switch {
		case !isBranch:
			found = append(found, u.ref+" is no branch")
		case branch == q.repo.defaultBranch:
			found = append(found, u.ref+" is the default branch")
		case u.new == "":
			found = append(found, u.ref+" is deleted")
		case u.old != "" && !q.descends(u.new, u.old):
			found = append(found, fmt.Sprintf("%s is forced from %s to %s", u.ref, u.old, u.new))
		}
	}
	return found
}

func (q *quarantine) descends(oid, from string) bool {
	_, err := q.repo.gitWith(q.env, "", "merge-base", "--is-ancestor", from, oid)
	return err == nil
}

// refuses is GitHub's refusal of one update.
func (q *quarantine) refuses(u update, by *token) *refusal {
	branch := strings.TrimPrefix(u.ref, "refs/heads/")
	if q.repo.protected[branch] {
		return &refusal{"error: GH006: Protected branch update failed for " + u.ref + ".\n" +
			"\n- Changes must be made through a pull request.\n", "protected branch hook declined"}
	}
	for _, prefix := range q.repo.restricted {
		if u.old == "" && strings.HasPrefix(branch, prefix) {
			return &refusal{"error: GH013: Repository rule violations found for " + u.ref + ".\n" +
				"\n- Cannot create ref due to creations being restricted.\n\n", "push declined due to repository rule violations"}
		}
	}
	if path := q.workflow(u.new); path != "" && !by.may("workflows", "write") {
		return &refusal{"", "refusing to allow a GitHub App to create or update workflow `" + path + "` without `workflows` permission"}
	}
	return nil
}

// workflow is a workflow that a commit which is new to the repository changes; "": none does. A merge changes what none of
// its parents has.
func (q *quarantine) workflow(tip string) string {
	if tip == "" {
		return ""
	}
	out, err := q.repo.gitWith(q.env, "", "log", "--format=", "--name-only", "--no-renames", "-z", "-c", "--full-history", tip, "--not", "--all", "--", ".github/workflows/")
	q.repo.s.report(err)
	path, _, _ := strings.Cut(strings.TrimLeft(string(out), "\x00\n"), "\x00")
	return path
}

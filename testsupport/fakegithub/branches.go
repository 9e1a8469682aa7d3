package fakegithub

import (
	"fmt"
	"slices"
	"strings"
)

// Branch makes a branch on top of the default branch, with files changed, and returns its tip: a person did. A file whose
// content is Deleted goes away.
func (r *Repo) Branch(name string, files map[string]string) (oid string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.ref("refs/heads/"+name) != "" {
		r.s.t.Fatalf("fake GitHub: %s has a branch %q already", r.fullName(), name)
	}
	return r.commitOn(name, "ann@example.com", "Change "+name, files)
}

// Deleted in the place of a file's content deletes it.
const Deleted = "\x00deleted"

// PushTo puts a commit of a person's on a branch of any kind, and returns it; the branch is made on top of the default branch
// when there is none. It is what a person pushes, whom no protection binds.
func (r *Repo) PushTo(branch, email string, files map[string]string) (oid string) {
	return r.Commit(branch, email, "Change "+branch, files)
}

// Commit is PushTo with a message.
func (r *Repo) Commit(branch, email, message string, files map[string]string) (oid string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.commitOn(branch, email, message, files)
}

func (r *Repo) commitOn(branch, email, message string, files map[string]string) string {
	r.commitAs(email, "refs/heads/"+branch, "refs/heads/"+r.defaultBranch, message, files)
	r.s.refreshAll()
	return r.ref("refs/heads/" + branch)
}

// DeleteBranch deletes a branch. Pull requests from it are closed, as on GitHub.
func (r *Repo) DeleteBranch(name string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	_, err := r.git("", "update-ref", "-d", "refs/heads/"+name)
	r.s.must(err)
	for _, t := range r.s.pullsOf(r, name) {
		if !t.closed {
			t.closed, t.body.updated = true, r.s.tick()
		}
	}
}

// pullsOf are the pull requests whose head is a branch, of all repositories, in the order in which they were opened.
func (w *world) pullsOf(head *Repo, branch string) (found []*thread) {
	for _, r := range w.repos {
		for _, t := range r.threads {
			if t.pull != nil && t.pull.head == head && t.pull.headBranch == branch {
				found = append(found, t)
			}
		}
	}
	return found
}

// Protect makes a branch, also one that is not there yet, one to which no token pushes.
func (r *Repo) Protect(branch string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.protected[branch] = true
}

// Default makes another branch, which has to be there, the default one, as the repository's settings do.
func (r *Repo) Default(branch string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.ref("refs/heads/"+branch) == "" {
		r.s.t.Fatalf("fake GitHub: %s has no branch %q", r.fullName(), branch)
	}
	_, err := r.git("", "symbolic-ref", "HEAD", "refs/heads/"+branch)
	r.s.must(err)
	r.defaultBranch = branch
}

// Restrict is a rule by which no token makes a branch whose name begins with prefix.
func (r *Repo) Restrict(prefix string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.restricted = append(r.restricted, prefix)
}

// AllowAnyPush lets tokens do what ai-flow never does and what else fails the test: rewrite and delete branches, change the
// default branch, push to what is no branch, and to several references at once.
func (r *Repo) AllowAnyPush() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.anyPush = true
}

// Archive makes the repository read-only.
func (r *Repo) Archive() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.archived = true
}

// Refs are the references by their full names, but for those of pull requests, with what they point to.
func (r *Repo) Refs() map[string]string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	all := map[string]string{}
	for _, name := range r.refs("refs") {
		if !strings.HasPrefix(name, "refs/pull/") {
			all[name] = r.ref(name)
		}
	}
	return all
}

// Tip is the commit that a branch is at; "" when there is no such branch.
func (r *Repo) Tip(branch string) (oid string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.ref("refs/heads/" + branch)
}

// refs lists the full names of references below a prefix, in order.
func (r *Repo) refs(below string) []string {
	out, err := r.git("", "for-each-ref", "--format=%(refname)", below)
	r.s.must(err)
	return strings.Fields(string(out))
}

// Tree is what a branch, or a commit, holds: paths with their content; "link to …" stands for a symbolic link, "submodule at …"
// for a submodule.
func (r *Repo) Tree(rev string) map[string]string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	all := map[string]string{}
	for _, e := range r.list("-r", r.mustCommit(rev).oid) {
		_, content := r.object(e.oid)
		switch all[e.path] = string(content); e.kind {
		case "symlink":
			all[e.path] = "link to " + string(content)
		case "submodule":
			all[e.path] = "submodule at " + e.oid
		}
	}
	return all
}

// mustCommit is the commit that a test speaks of, by the name of a branch or its id.
func (r *Repo) mustCommit(rev string) *commit {
	if oid := r.ref("refs/heads/" + rev); oid != "" {
		rev = oid
	}
	c := r.commit(rev)
	if c == nil {
		r.s.t.Fatalf("fake GitHub: %s has no commit %q", r.fullName(), rev)
	}
	return c
}

// Logged is a commit.
type Logged struct {
	OID, Tree         string
	Parents           []string
	Author, Committer string // "Ann <ann@example.com>"
	Message           string // without the line ends at its end
}

// Log lists the commits of a branch, or from a commit on, the newest first.
func (r *Repo) Log(rev string) (all []Logged) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, c := range r.history(r.mustCommit(rev).oid) {
		all = append(all, Logged{c.oid, c.tree, slices.Clone(c.parents), c.author.String(), c.committer.String(), c.message})
	}
	return all
}

func (g signature) String() string { return fmt.Sprintf("%s <%s>", g.name, g.email) }

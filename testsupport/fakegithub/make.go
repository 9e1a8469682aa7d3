package fakegithub

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// User makes a person; role in the repositories is "admin", "maintain", "write", "triage", "read", "none" or
// "custom:<base>:<name>".
func (s *Server) User(login string, role string) (id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addAccount(login, "User", role).id
}

// Role changes what a person is in one repository.
func (r *Repo) Role(login, role string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.roles[r.s.person(login)] = role
}

// Delete deletes a person's account: what they wrote stays, without an author.
func (s *Server) Delete(login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person(login).gone = true
}

// Take gives the login of a person who renamed their account to somebody else, who has another id and role.
func (s *Server) Take(login, newLogin, role string) (id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.person(login).login = newLogin
	return s.addAccount(login, "User", role).id
}

// person finds who a test speaks of, or ends the test.
func (s *Server) person(login string) *account {
	a := s.account(login)
	if a == nil {
		s.t.Fatalf("fake GitHub: there is no account %q", login)
	}
	return a
}

// Repo makes owner/name with files as its first commit on main; nil files: it is empty. The owner is an organisation
// unless User made it before.
func (s *Server) Repo(fullName string, files map[string]string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.addRepo(fullName, nil)
	if files != nil {
		r.commitFiles("refs/heads/main", "", "First commit", files)
	}
	return r
}

// addRepo makes an empty repository, or a fork with all that its parent has.
func (s *Server) addRepo(fullName string, parent *Repo) *Repo {
	testsupport.Tools(s.t, "git")
	owner, name, _ := strings.Cut(fullName, "/")
	a := s.account(owner)
	if a == nil {
		a = s.addAccount(owner, "Organization", "")
	}
	r := &Repo{
		s: s, id: s.id(), owner: a, name: name, defaultBranch: "main", fork: parent,
		roles: map[*account]string{}, checked: map[string]time.Time{}, uninstalled: map[*app]bool{},
		protected: map[string]bool{}, commits: map[string]*commit{},
	}
	r.dir = path.Join(s.dirs, fmt.Sprintf("%d.git", r.id))
	s.must(r.initialise(parent))
	s.repos = append(s.repos, r)
	return r
}

// must ends the test when the fake itself is broken.
func (s *Server) must(err error) {
	if err != nil {
		s.t.Fatalf("fake GitHub: %v", err)
	}
}

// GitDir is the path of its bare repository, which may be changed with git.
func (r *Repo) GitDir() string { return r.dir }

// Private makes the repository one that only its tokens see.
func (r *Repo) Private() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.private = true
}

// Internal makes the repository one that is private but for the people of the enterprise.
func (r *Repo) Internal() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.private, r.internal = true, true
}

// visibility is GitHub's word in REST.
func (r *Repo) visibility() string {
	switch {
	case r.internal:
		return "internal"
	case r.private:
		return "private"
	}
	return "public"
}

// Rename gives the repository another owner/name; calls to the old one are redirected.
func (r *Repo) Rename(fullName string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.was = append(r.was, r.fullName())
	owner, name, _ := strings.Cut(fullName, "/")
	a := r.s.account(owner)
	if a == nil {
		a = r.s.addAccount(owner, "Organization", "")
	}
	r.owner, r.name = a, name
}

// WithoutChecks makes the repository one that has no checks, so that nothing tells when a head was pushed.
func (r *Repo) WithoutChecks() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.noChecks = true
}

// Issue opens an issue and returns its number.
func (r *Repo) Issue(author, title, body string) int {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.open(ofIssue, r.s.person(author), title, body).number
}

// open begins a thread.
func (r *Repo) open(k kind, by *account, title, body string) *thread {
	now := r.s.tick()
	t := &thread{number: len(r.threads) + 1, title: title}
	t.body = &text{id: r.s.id(), kind: k, repo: r, on: t, by: by, body: body, created: now, updated: now}
	r.threads = append(r.threads, t)
	r.s.texts = append(r.s.texts, t.body)
	return t
}

// Pull opens a pull request from a branch with files on top of main ("owner/name:branch" for a fork, which the fake makes
// with its owner) and returns its number.
func (r *Repo) Pull(author, title, body, head string, files map[string]string) int {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	from, branch := r, head
	if name, b, isFork := strings.Cut(head, ":"); isFork {
		if from, _ = r.s.repo(name); from == nil {
			from = r.s.addRepo(name, r)
		}
		branch = b
	}
	p := &pull{head: from, headOwner: from.owner.login, headBranch: branch, baseBranch: r.defaultBranch, baseOID: r.ref("refs/heads/" + r.defaultBranch)}
	from.commitFiles("refs/heads/"+branch, "refs/heads/"+r.defaultBranch, "Change "+branch, files)
	t := r.open(ofPull, r.s.person(author), title, body)
	t.pull = p
	r.refresh(t)
	return t.number
}

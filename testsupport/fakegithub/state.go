package fakegithub

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Everything in this file is guarded by Server.mu: methods that begin with a small letter are called with it held.

// world is what the server knows.
type world struct {
	now      time.Time // of texts, commits and pushes; moves by one second for each change, so that no two are equal
	lastID   int64
	accounts []*account
	apps     []*app
	repos    []*Repo
	tokens   []*token
	texts    []*text // of all repositories and kinds, in the order in which they were written
}

// start is when the world begins. It is fixed so that two runs of a test write the same commits.
func start() time.Time { return time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC) }

// tick moves the clock for one change and tells the time.
func (w *world) tick() time.Time {
	w.now = w.now.Add(time.Second)
	return w.now
}

// id is the next number. All kinds of things share one row, so that a client that mixes up kinds is noticed.
func (w *world) id() int64 {
	w.lastID++
	return w.lastID
}

// account is a person, a bot or an organisation.
type account struct {
	id    int64
	login string
	kind  string // "User", "Bot", "Organization"
	role  string // in every repository that says nothing else; "" is "none"
	gone  bool   // deleted: what it wrote has no author any more
}

// node is the account's global id.
func (a *account) node() string { return nodeID("U", a.id) }

// kind is what a text is.
type kind uint8

const (
	ofIssue  kind = iota + 1 // body of an issue
	ofPull                   // body of a pull request
	comment                  // in a conversation
	onLine                   // on a line of a pull request
	ofReview                 // summary of a review
)

// prefix of global ids, as GitHub's.
func (k kind) prefix() string {
	return [...]string{"", "I", "PR", "IC", "PRRC", "PRR"}[k]
}

// text is something that somebody wrote: the body of an issue or pull request, or a comment of any kind.
type text struct {
	id        int64
	kind      kind
	repo      *Repo
	on        *thread // where it stands
	by        *account
	app       *app // that it was written with; nil: none
	body      string
	created   time.Time
	updated   time.Time
	edited    time.Time // zero: never
	editor    *account  // nil: never edited, or the editor was deleted
	edits     int
	reactions []reaction
	deleted   bool

	// Of a comment on a line.
	path, hunk string
	line       int
	commit     string // the head when it was written; of a review as well
	replyTo    *text  // the comment that began the thread; nil: this one
	review     *text  // that it belongs to
	resolved   bool   // of a comment that began a thread
	outdated   bool   // its line is no more
}

// node is the text's global id.
func (x *text) node() string { return nodeID(x.kind.prefix(), x.id) }

// author is nil when the account was deleted.
func (x *text) author() *account { return present(x.by) }

// lastEditor is nil when it was never edited or the editor's account was deleted.
func (x *text) lastEditor() *account { return present(x.editor) }

func present(a *account) *account {
	if a == nil || a.gone {
		return nil
	}
	return a
}

type reaction struct {
	id      int64
	by      *account
	content string // as in REST: "+1", "eyes", …
	created time.Time
}

// react adds a reaction once, and returns it; fresh is false when it was there.
func (w *world) react(x *text, by *account, content string) (r reaction, fresh bool) {
	for _, r := range x.reactions {
		if r.by == by && r.content == content {
			return r, false
		}
	}
	r = reaction{w.id(), by, content, w.tick()}
	x.reactions = append(x.reactions, r)
	return r, true
}

// edit replaces the body, as editor. Writing what stands there already is an edit for nobody, as on GitHub.
func (w *world) edit(x *text, editor *account, body string) {
	if x.body == body {
		return
	}
	now := w.tick()
	x.body, x.editor, x.edited, x.updated = body, editor, now, now
	x.edits++
	x.on.body.updated = now
}

// thread is an issue or a pull request.
type thread struct {
	number int
	title  string
	body   *text
	closed bool
	locked bool
	pull   *pull // nil: an issue

	assignees []*account
}

// pull is what a pull request has beside an issue.
type pull struct {
	merged     bool
	head       *Repo // nil: deleted
	headOwner  string
	headBranch string
	baseBranch string
	baseOID    string
	headOID    string    // as last seen by refresh
	forced     time.Time // last forced push to the head; zero: none
}

// comments lists the texts of one kind that stand on the thread, oldest first, deleted ones left out.
func (w *world) comments(t *thread, k kind) (found []*text) {
	for _, x := range w.texts {
		if x.on == t && x.kind == k && !x.deleted {
			found = append(found, x)
		}
	}
	return found
}

// write adds a text to a thread.
func (w *world) write(t *thread, k kind, by *account, body string) *text {
	now := w.tick()
	x := &text{id: w.id(), kind: k, repo: t.body.repo, on: t, by: by, body: body, created: now, updated: now}
	t.body.updated = now
	w.texts = append(w.texts, x)
	return x
}

// node finds a text by its global id; nil: there is none, or it was deleted.
func (w *world) node(id string) *text {
	return w.find(func(x *text) bool { return x.node() == id })
}

// text finds a text of a repository by its number in REST.
func (w *world) text(r *Repo, k kind, id int64) *text {
	return w.find(func(x *text) bool { return x.repo == r && x.kind == k && x.id == id })
}

func (w *world) find(is func(*text) bool) *text {
	i := slices.IndexFunc(w.texts, func(x *text) bool { return !x.deleted && is(x) })
	if i < 0 {
		return nil
	}
	return w.texts[i]
}

// account finds an account by its login, whatever its case; nil: there is none (any more).
func (w *world) account(login string) *account {
	for _, a := range w.accounts {
		if !a.gone && strings.EqualFold(a.login, login) {
			return a
		}
	}
	return nil
}

func (w *world) addAccount(login, kind, role string) *account {
	a := &account{id: w.id(), login: login, kind: kind, role: role}
	w.accounts = append(w.accounts, a)
	return a
}

// Repo is a repository of the fake.
type Repo struct {
	s             *Server
	id            int64
	owner         *account
	name          string
	was           []string // names (owner/name) that it had before, which redirect
	dir           string   // the bare repository
	private       bool
	internal      bool // private, but for the people of the enterprise
	defaultBranch string
	roles         map[*account]string // where they differ from the account's own
	threads       []*thread
	checked       map[string]time.Time // commit -> when its first check suite was made, which is when it was pushed
	noChecks      bool
	uninstalled   map[*app]bool
	fork          *Repo // what it is a fork of; nil: none
	archived      bool
	protected     map[string]bool // branches
	restricted    []string        // prefixes of branches that nobody may make
	noActions     bool            // the workflow's own token opens no pull requests
	anyPush       bool            // pushes over HTTP may do what ai-flow never does
	commits       map[string]*commit
}

// fullName is owner/name.
func (r *Repo) fullName() string { return r.owner.login + "/" + r.name }

func (r *Repo) node() string { return nodeID("R", r.id) }

// thread finds an issue or pull request by its number; nil: there is none.
func (r *Repo) thread(number int) *thread {
	if number < 1 || number > len(r.threads) {
		return nil
	}
	return r.threads[number-1]
}

// repo finds a repository by owner/name, whatever the case; moved says that it was asked for by a name it had before.
func (w *world) repo(fullName string) (r *Repo, moved bool) {
	for _, r := range w.repos {
		if strings.EqualFold(r.fullName(), fullName) {
			return r, false
		}
	}
	for _, r := range w.repos {
		for _, was := range r.was {
			if strings.EqualFold(was, fullName) {
				return r, true
			}
		}
	}
	return nil, false
}

// nodeID is a global id: short, opaque enough, and the same in each run.
func nodeID(prefix string, id int64) string { return fmt.Sprintf("%s_kwDO%06d", prefix, id) }

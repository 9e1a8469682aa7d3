package commands

import (
	"context"
	"errors"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// delivery brings what a build changed to branches and pull requests.
type delivery struct {
	*run
	parts []*work // those that changed something
}

// deliver decides the outcome of a build in a workflow. Nothing is pushed before every word of it was judged and the result
// stands on the thread. A branch is created, or moved on from where we know it to be; what cannot be pushed comes back as a
// patch, so that no work is lost (F-34, F-37).
func (r *run) deliver(ctx context.Context) {
	d := &delivery{run: r}
	for _, w := range r.works {
		if len(w.taken.Changes) > 0 {
			d.parts = append(d.parts, w)
		}
	}
	if !d.word() || !d.commitAll(ctx) {
		return
	}
	if err := d.announce(ctx); err != nil {
		for _, w := range d.parts {
			w.err = err
		}
		d.conclude(ctx)
		return
	}
	for _, w := range d.parts {
		d.push(ctx, w)
	}
	for _, w := range d.parts {
		if w.pushed && w.Pull == nil {
			d.open(ctx, w)
		}
	}
	d.conclude(ctx)
}

// word makes names and texts, and looks for secrets in them (S5): the tree was judged while it came back.
func (d *delivery) word() bool {
	for _, w := range d.parts {
		if w.Branch == "" {
			w.Branch = d.freeName(w)
		}
		w.message = d.message()
		w.title, w.body = render.PullTitle(d.Title), d.pullBody(w)
		leak := d.leaked(map[string]string{
			"the name of the branch": w.Branch, "the message of the commit": w.message,
			"the title of the pull request": w.title, "the description of the pull request": w.body,
		})
		if leak != "" {
			d.refuse(&Refusal{Message: "would bring a known secret, or a private key, into " + leak + ", so nothing was pushed",
				Next: d.again(", and say that it is to be left out")})
			return false
		}
	}
	return true
}

// freeName is the first name that no branch has, so that none is ever overwritten.
func (d *delivery) freeName(w *work) string { return freeBranch(d.branchNameFor(w.Prefix), w.Names) }

// FreeBranch is the branch that a build with that title would make where those of the names are taken.
func FreeBranch(prefix, title string, names []string) string {
	return freeBranch(prefix+slugOf(render.Terminal(title)), names)
}

func freeBranch(base string, names []string) string {
	taken := map[string]bool{}
	for _, name := range names {
		name = strings.ToLower(name) // a checkout may land on a file system without case
		taken[name] = true
		for i, c := range name { // git has no branch beside branches below its name
			if c == '/' {
				taken[name[:i]] = true
			}
		}
	}
	for n := 1; ; n++ {
		if name := nth(base, n); !taken[strings.ToLower(name)] {
			return name
		}
	}
}

// pullBody is the description of a pull request that is to be opened; "" for one that is there.
func (d *delivery) pullBody(w *work) string {
	if w.Pull != nil {
		return ""
	}
	texts := make([]string, len(d.segments))
	for i, s := range d.segments {
		texts[i] = s.Text
	}
	text := render.PullText{Issue: PageOf(d.CommentURL), Requester: d.Requester.Login, Command: d.CommentURL, RunURL: d.RunURL,
		Text: strings.TrimSpace(strings.Join(texts, "\n\n"))}
	if w == d.works[0] { // the gates have judged no other
		text.Gates = d.gatesForReaders()
	}
	if text.Closes = w.Closes; w.foreignName(d.run) != "" {
		text.Closes, text.PartOf = "", w.Closes
	}
	return render.PullBody(text)
}

// PageOf is the page that a comment stands on.
func PageOf(commentURL string) string {
	page, _, _ := strings.Cut(commentURL, "#")
	return page
}

func (d *delivery) commitAll(ctx context.Context) bool {
	for _, w := range d.parts {
		if err := d.makeCommit(ctx, w, w.Commit, w.taken.Tree); err != nil {
			d.fail(ctx, failure{class: "git", message: "the change could not be committed, so nothing was pushed", err: err})
			return false
		}
	}
	return true
}

func (d *delivery) makeCommit(ctx context.Context, w *work, parent, tree git.OID) (err error) {
	w.commit, err = w.Repo.Commit(ctx, git.CommitOptions{Parent: parent, Tree: tree, Message: w.message, Author: d.bot(), Committer: d.bot()})
	return err
}

// announce tells the thread what will be told once all is pushed.
func (d *delivery) announce(ctx context.Context) error {
	ahead := d.fork()
	ahead.landed()
	if err := d.Landing.Announce(ctx, ahead.outcome().Result); err != nil {
		return &announceError{err}
	}
	return nil
}

// push brings a commit to its branch. A new branch whose name somebody took meanwhile gets the next name; a branch that
// somebody moved meanwhile gets the change on top, once, when both go together.
func (d *delivery) push(ctx context.Context, w *work) {
	for range maxPushes {
		w.err = d.Landing.Push(ctx, w.Target, w.commit)
		var p *git.PushError
		switch {
		case w.err == nil:
			w.pushed = true
			return
		case !errors.As(w.err, &p) || p.Kind != git.PushMoved || p.Unsure:
			return
		case d.builtOn(ctx, w, p.Tip):
			w.err, w.pushed = nil, true
			return
		case w.Tip == "":
			w.Names = append(w.Names, w.Branch)
			w.Branch = d.freeName(w)
		case w.merged:
			return
		default:
			if err := d.merge(ctx, w); err != nil {
				w.err = err
				return
			}
		}
		d.say("the branch moved meanwhile; trying %s again", w.Branch)
		w.err = nil
		if err := d.announce(ctx); err != nil {
			w.err = err
			return
		}
	}
}

// maxPushes bounds how often one commit is tried to be pushed.
const maxPushes = 5

// builtOn reports whether the commit had landed, by a push whose answer got lost, and somebody has pushed on top of it since.
func (d *delivery) builtOn(ctx context.Context, w *work, tip git.OID) bool {
	if tip == "" {
		return false
	}
	at, err := d.Landing.Renew(ctx, w.Target)
	if err == nil && at != "" {
		var has bool
		if has, err = w.Repo.Reaches(ctx, at, w.commit); has {
			return true
		}
	}
	if err != nil {
		d.say("looking whether %s holds the commit: %v", w.Branch, err)
	}
	return false
}

// merge puts the change on top of where the branch is by now.
func (d *delivery) merge(ctx context.Context, w *work) error {
	tip, err := d.Landing.Renew(ctx, w.Target)
	switch {
	case err != nil:
		return err
	case tip == "":
		return errBranchGone
	}
	tree, conflicts, err := w.Repo.Merge(ctx, w.taken.Base, tip, w.taken.Tree)
	switch {
	case err != nil:
		return err
	case len(conflicts) > 0:
		return &conflictError{conflicts}
	}
	changes, err := w.Repo.Changes(ctx, tip, tree)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return errSameChange
	}
	// What may be changed was decided path by path, when it came back. A merge that follows somebody's rename changes others.
	judged := map[string]bool{}
	for _, c := range w.taken.Changes {
		judged[c.Path] = true
	}
	for _, c := range changes {
		if !judged[c.Path] {
			return &conflictError{[]string{c.Path}}
		}
	}
	if err := d.makeCommit(ctx, w, tip, tree); err != nil {
		return err
	}
	w.Tip, w.merged = tip, true
	for i := range d.patches {
		if p := &d.patches[i]; p.work == w {
			p.stale = w.Repo.Applies(ctx, tree, p.Bytes) != nil
		}
	}
	return nil
}

// open opens the pull request of a branch that was pushed.
func (d *delivery) open(ctx context.Context, w *work) {
	pull, opened, err := d.Landing.Open(ctx, w.Target, w.title, w.body)
	if err != nil {
		w.err = err
		return
	}
	w.Pull, w.opened = &pull, opened
}

// conclude decides the outcome by what landed.
func (d *delivery) conclude(ctx context.Context) {
	whole := true
	longer, cancel := outlasting(ctx, rescueFor)
	defer cancel()
	for _, w := range d.parts {
		whole = whole && w.err == nil
		if !w.pushed && !errors.Is(w.err, ErrTakenBack) {
			w.rescued = d.rescue(longer, w)
		}
	}
	if whole {
		d.landed()
		return
	}
	first := d.parts[0]
	for _, w := range d.parts {
		if w.err != nil && first.err == nil {
			first = w
		}
		if w.err != nil {
			d.say("%s: %v", either(w.Name, "the repository"), w.err)
		}
	}
	f := d.why(first)
	for _, w := range d.parts {
		if w.pushed && w.err == nil {
			d.partly = true
		}
	}
	if d.partly {
		d.landed()
		d.headline = strings.TrimSpace(d.headline + " But " + f.message + ".")
		d.next = f.next
		return
	}
	d.fail(ctx, f)
}

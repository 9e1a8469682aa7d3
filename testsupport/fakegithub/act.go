package fakegithub

import "time"

// Comment adds a comment by a person to a conversation and returns the event: its name and a payload as GitHub would send
// it.
func (r *Repo) Comment(number int, author, body string) Event {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.s.event(r.s.write(r.must(number), comment, r.s.person(author), body))
}

// ReviewComment adds a comment on a line, see Comment; replyTo 0 begins a thread.
func (r *Repo) ReviewComment(number int, author, body, path string, replyTo int64) Event {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	t := r.must(number)
	var to *text
	if replyTo != 0 {
		to = r.mustText(onLine, replyTo)
	}
	return r.s.event(r.s.writeOnLine(t, r.s.person(author), body, path, to))
}

// Review adds the summary of a review, see Comment.
func (r *Repo) Review(number int, author, body string) Event {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.s.event(r.s.writeReview(r.must(number), r.s.person(author), body))
}

// writeReview adds a review that only comments.
func (w *world) writeReview(t *thread, by *account, body string) *text {
	x := w.write(t, ofReview, by, body)
	x.commit = t.pull.headOID
	return x
}

// writeOnLine adds a comment on the first line of path, with the review that GitHub makes for it. A reply joins the thread
// that its parent began, whatever it replies to.
func (w *world) writeOnLine(t *thread, by *account, body, path string, to *text) *text {
	review := w.writeReview(t, by, "")
	x := w.write(t, onLine, by, body)
	x.review, x.commit, x.path, x.line = review, t.pull.headOID, path, 1
	x.hunk = "@@ -0,0 +1 @@\n+" + path
	if to != nil {
		if to.replyTo != nil {
			to = to.replyTo
		}
		x.replyTo, x.path, x.hunk, x.line = to, to.path, to.hunk, to.line
	}
	return x
}

// must finds the thread that a test speaks of, or ends the test.
func (r *Repo) must(number int) *thread {
	t := r.thread(number)
	if t == nil {
		r.s.t.Fatalf("fake GitHub: %s has no number %d", r.fullName(), number)
	}
	return t
}

func (r *Repo) mustText(k kind, id int64) *text {
	x := r.s.find(func(x *text) bool {
		return x.repo == r && x.id == id && (x.kind == k || k == 0 && x.kind >= comment)
	})
	if x == nil {
		r.s.t.Fatalf("fake GitHub: %s has no comment %d", r.fullName(), id)
	}
	return x
}

// Body reads the body of an issue or pull request.
func (r *Repo) Body(number int) string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.must(number).body.body
}

// SetBody edits the body of an issue or pull request as a person.
func (r *Repo) SetBody(number int, editor, body string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.edit(r.must(number).body, r.s.person(editor), body)
}

// CommentBody reads a comment of any kind, or the summary of a review.
func (r *Repo) CommentBody(id int64) string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	return r.mustText(0, id).body
}

// EditComment edits a comment of any kind, or the summary of a review, as a person.
func (r *Repo) EditComment(id int64, editor, body string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.edit(r.mustText(0, id), r.s.person(editor), body)
}

// DeleteComment deletes a comment of any kind.
func (r *Repo) DeleteComment(id int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.mustText(0, id).deleted = true
	r.s.tick()
}

// State sets what an issue or pull request is: merged implies closed, and is for pull requests alone.
func (r *Repo) State(number int, closed, merged, locked bool) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	t := r.must(number)
	r.refresh(t)
	t.closed, t.locked = closed || merged, locked
	if t.pull != nil {
		t.pull.merged = merged
	}
	r.refresh(t) // it may have been opened again
	t.body.updated = r.s.tick()
}

// Push commits files on top of the head of a pull request; ForcePush on top of its base, in place of what was there. Both
// return the new head.
func (r *Repo) Push(number int, files map[string]string) (oid string) {
	return r.push(number, files, false)
}

// ForcePush replaces the commits of a pull request, see Push.
func (r *Repo) ForcePush(number int, files map[string]string) (oid string) {
	return r.push(number, files, true)
}

func (r *Repo) push(number int, files map[string]string, force bool) string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	t := r.must(number)
	p := t.pull
	from := ""
	if force {
		from = p.baseOID
	}
	p.head.commitFiles("refs/heads/"+p.headBranch, from, "Change "+p.headBranch, files)
	r.refresh(t)
	return p.headOID
}

// DeleteHead deletes the repository that a pull request comes from.
func (r *Repo) DeleteHead(number int) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.must(number).pull.head = nil
}

// Advance moves the server's clock, by which texts and commits are dated and tokens grow old.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Skew is how far GitHub's clock, by which it judges JWTs, is ahead of this machine's.
func (s *Server) Skew(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = d
}

// TokenLife is how long access tokens that are made from now on live; an hour until it is called.
func (s *Server) TokenLife(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.life = d
}

// PageSize makes pages no larger than n, whatever is asked for, so that few comments already fill several. 0 is GitHub's
// own 100.
func (s *Server) PageSize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pageSize = n
}

// FailLookup makes the permission API answer status (500, 404, …) for a login; 0 ends that.
func (s *Server) FailLookup(login string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups[login] = status
}

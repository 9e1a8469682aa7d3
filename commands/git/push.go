package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

// PushOptions of Push.
type PushOptions struct {
	Branch string // without refs/heads/
	Old    OID    // what the branch is at; "" means that there is none yet
	New    OID    // the commit that it is to be at; when Old is there, a descendant of it
}

// Push moves one branch on the server from Old to New, and nothing else: the URL, the full name of the ref and the expected
// old value are all explicit (F-34, F-44), nothing is forced, no hook of ours runs. It refuses by itself what is no
// fast-forward. A push whose answer was lost is looked up: it happened when the branch is at New. One that is known not to
// have happened for want of a server is tried again, as by Fetch. All of it ends after 15 minutes; after that, or when ctx has
// ended, a last look takes at most 5 seconds more.
// An error is a *PushError.
func (r *Repo) Push(ctx context.Context, remote Remote, o PushOptions) error {
	return r.push(ctx, remote, o, usual())
}

func (r *Repo) push(ctx context.Context, remote Remote, o PushOptions, p pace) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.push, fmt.Errorf("it took longer than %v", p.push))
	defer cancel()
	if err := remote.check(); err != nil {
		return &PushError{Err: fmt.Errorf("pushing to a server: %w", err)}
	}
	e := r.pushUntil(ctx, remote, o, p)
	if e == nil {
		return nil // not e, which would be an error that is nil
	}
	e.Err = fmt.Errorf("pushing %.12q to the branch %q of %q: %w", o.New, o.Branch, remote.URL, e.Err)
	return e
}

// pushUntil pushes until it is known what came of it, or cannot be.
func (r *Repo) pushUntil(ctx context.Context, remote Remote, o PushOptions, p pace) *PushError {
	if err := r.mayPush(ctx, o); err != nil {
		return &PushError{Err: err}
	}
	for try := 1; ; try++ {
		e := r.pushOnce(ctx, remote, o, p.silence)
		if e == nil {
			return nil
		}
		if errors.Is(e.Err, errMoved) && try == 1 {
			if remote.URL, e.Err = r.newPlace(ctx, remote, p.silence); e.Err != nil {
				return e
			}
			continue
		}
		if e.Unsure {
			e = r.lookUp(ctx, remote, o, p, e)
		}
		if e == nil || try >= tries || !e.passing(o) {
			return e
		}
		if err := p.pause(ctx, try, e.Err); err != nil {
			return &PushError{Err: err}
		}
	}
}

// mayPush refuses without a request what is no name, no commit, or no fast-forward.
func (r *Repo) mayPush(ctx context.Context, o PushOptions) error {
	if !o.New.valid() || o.Old != "" && !o.Old.valid() {
		return fmt.Errorf("%.80q and %.80q are not both object ids", o.Old, o.New)
	}
	if err := r.checkBranchName(ctx, o.Branch); err != nil {
		return err
	}
	if err := r.mustBeCommit(ctx, o.New); err != nil || o.Old == "" {
		return err
	}
	if err := r.mustBeCommit(ctx, o.Old); err != nil {
		return err
	}
	has, err := r.Reaches(ctx, o.New, o.Old)
	if err == nil && !has {
		return fmt.Errorf("it does not have %.12s in its history: that would overwrite commits", o.Old)
	}
	return err
}

// Reaches reports whether a commit is tip or in its history, as far as this repository holds that.
func (r *Repo) Reaches(ctx context.Context, tip, commit OID) (bool, error) {
	_, err := r.ours(ctx, job{}, "merge-base", "--is-ancestor", string(commit), string(tip))
	if failed := (*Error)(nil); errors.As(err, &failed) && failed.Err == nil && failed.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// lookUp asks where the branch is after a push of which that is not known; nil means that it happened.
func (r *Repo) lookUp(ctx context.Context, remote Remote, o PushOptions, p pace, e *PushError) *PushError {
	tip, err := r.tip(ctx, remote, o.Branch, p)
	if err != nil && ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(context.WithoutCancel(ctx), p.look, fmt.Errorf("it took longer than %v", p.look))
		defer cancel()
		tip, err = r.tipOnce(ctx, remote, o.Branch, p.silence)
	}
	switch {
	case err != nil && e.Kind == PushRejected:
		e.Unsure = false // that was an answer
	case err != nil:
		if e.Kind == PushMoved { // nobody knows to where, and perhaps by an earlier try of ours
			e.Kind = PushLost
		}
		e.Err = fmt.Errorf("%w (then, %w)", e.Err, err)
	case tip == o.New:
		return nil
	default:
		e.Unsure = false
		if tip != o.Old {
			e.Kind = PushMoved
		}
		if e.Kind == PushMoved {
			e.Tip = tip
		}
	}
	return e
}

var passingReasons = regexp.MustCompile(`(?i)^(cannot lock ref|failed to (lock|update) ref|internal server error|fatal error in commit_refs)`)

// passing reports whether another try may mend it: the server was not to be reached, or was busy with this branch, or one
// of its machines did not know yet what another one did.
func (e *PushError) passing(o PushOptions) bool {
	switch e.Kind {
	case PushLost:
		return !e.Unsure
	case PushMoved:
		return e.Tip == o.Old
	case PushRejected:
		return passingReasons.MatchString(e.Reason)
	}
	return false
}

package git

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
)

// pushOnce is one try. Unsure says that it is to be looked up.
//
// The lease is what git calls forced: alone it would take what is no fast-forward too. It cannot come to that, since mayPush
// has proven that Old is in New's history and the lease lets nothing but Old stand there, here by what the server lists and
// on the server by the old value that is sent along. A push without a lease was rejected: it would move a branch that a
// person has set back to an older commit.
func (r *Repo) pushOnce(ctx context.Context, remote Remote, o PushOptions, silence time.Duration) *PushError {
	ref := "refs/heads/" + o.Branch
	var more [][2]string
	if o.Old == "" {
		// The server lists its branches, and they may all have moved beyond what is known here; then all of a shallow
		// repository would be sent. So the two talk first about what they have in common.
		more = append(more, [2]string{"push.negotiate", "true"})
	}
	var said []byte
	j := job{env: remote.environment(silence, more...), time: transferTime, secrets: remote.secrets(), stderr: &said}
	out, err := r.ours(ctx, j, "push", "--porcelain", "--no-progress", "--no-verify", "--no-signed", "--no-follow-tags",
		"--recurse-submodules=no", "--force-with-lease="+ref+":"+string(o.Old), "--", remote.URL, string(o.New)+":"+ref)
	return remote.judge(readPushed(out, ref), said, err)
}

// judge makes one of the kinds of what git said about a try. What is not known to be an answer is to be looked up, and so
// is where a branch is that has moved: also a rejection may be for that.
func (m Remote) judge(got pushed, said []byte, err error) *PushError {
	if err == nil && got.state == pushTaken {
		return nil
	}
	e := &PushError{Unsure: true, Reason: m.words(got.reason, said), Err: m.explain(err)}
	switch {
	case got.state == pushStale:
		e.Kind = PushMoved
	case got.state == pushRefused:
		e.Kind = PushRejected
	case errors.Is(e.Err, ErrNoAccess):
		e.Kind, e.Unsure = PushRejected, false
	case errors.Is(e.Err, errMoved):
		e.Unsure = false
	case errors.Is(e.Err, ErrUnreachable):
		e.Kind, e.Unsure = PushLost, !unsent(e.Err)
	case got.state == pushUnanswered:
		e.Kind = PushLost
	case err == nil:
		e.Err = errors.New("git did not say what became of it")
	}
	return e
}

// unsent reports whether the server failed before it was sent anything that changes something: when it was asked for its
// branches. What is in doubt counts as sent.
func unsent(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && !failed.cut && atDiscovery.MatchString(failed.Stderr) && !afterDiscovery.MatchString(failed.Stderr)
}

var (
	atDiscovery    = regexp.MustCompile(`(?m)^fatal: unable to access '`)
	afterDiscovery = regexp.MustCompile(`(?m)^error: RPC failed|^warning: push negotiation failed`)
)

// pushed is what git push --porcelain says about one ref.
type pushed struct {
	state  pushState
	reason string // the server's, when the state is pushRefused
}

type pushState uint8

const (
	pushUnsaid     pushState = iota // there is no line for the ref, or one that is not known
	pushTaken                       // it moved, or was there already
	pushStale                       // the lease does not hold
	pushRefused                     // the server said no
	pushUnanswered                  // the server did not say what it did
)

// readPushed reads lines of "flag TAB from:to TAB summary (reason)". The reason may be the server's, and hold line ends: so
// the first line counts, and one that tells of success is believed only beside git's exit status.
func readPushed(out []byte, ref string) pushed {
	for l := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(l, "\n"), "\t", 3)
		if len(f) != 3 || !strings.HasSuffix(f[1], ":"+ref) {
			continue
		}
		what, reason, _ := strings.Cut(f[2], " (")
		reason = strings.TrimSuffix(reason, ")")
		switch {
		case f[0] == " " || f[0] == "*" || f[0] == "=":
			return pushed{state: pushTaken}
		case f[0] == "!" && what == "[rejected]" && reason == "stale info":
			return pushed{state: pushStale}
		case f[0] == "!" && what == "[remote rejected]":
			return pushed{pushRefused, reason}
		case f[0] == "!" && what == "[remote failure]":
			return pushed{state: pushUnanswered}
		}
		return pushed{}
	}
	return pushed{}
}

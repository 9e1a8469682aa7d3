package git

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Sentinel errors of Fetch. What wraps none of them is a failure that another try would not mend.
var (
	// ErrNoAccess is a server that does not have the repository, or not for this token (401, 403, 404).
	ErrNoAccess = errors.New("the server does not have this repository, or not for this token")
	// ErrCommitGone is a server that does not have the commit, or not any more.
	ErrCommitGone = errors.New("the server does not have this commit; a force push may have removed it")
	// ErrUnreachable is a server that could not be reached, or broke off, each of three times.
	ErrUnreachable = errors.New("the server could not be reached, or broke off")
)

var (
	errMoved      = errors.New("the server says that the repository is elsewhere")
	errTooLarge   = errors.New("the server sends too much")
	errNoCheckout = errors.New("the repository was fetched for this run alone and has no checkout")
)

// reasons are git's words for what went wrong, in the order in which they decide. git says them in English (LC_ALL=C) at
// the end of what it says; lines that it passes on from the server ("remote: …") are left out before.
var reasons = []struct {
	is    error
	words *regexp.Regexp
}{
	{errTooLarge, regexp.MustCompile(`File too large`)},
	{ErrCommitGone, regexp.MustCompile(`not our ref|no such remote ref|unadvertised object`)},
	{ErrNoAccess, regexp.MustCompile(`returned error: (401|403|404|410)\b|HTTP (401|403|404|410)\b|Authentication failed for |could not read (Username|Password) for |repository '[^']*' not found`)},
	{errMoved, regexp.MustCompile(`returned error: 30[1278]\b`)},
	{nil, regexp.MustCompile(`certificate|bad line length|returned error: (400|407|3\d\d)\b`)}, // the same the next time
	{ErrUnreachable, regexp.MustCompile(`unable to access|RPC failed|early EOF|unexpected disconnect|hung up|expected '?(packfile|flush)`)},
}

// explain puts the name of what went wrong in front of what git said about it.
func (m Remote) explain(err error) error {
	var failed *Error
	if !errors.As(err, &failed) || failed.Err != nil {
		return err
	}
	var said strings.Builder
	for l := range strings.Lines(failed.Stderr) {
		if !strings.HasPrefix(l, "remote:") {
			said.WriteString(l)
		}
	}
	for _, reason := range reasons {
		if !reason.words.MatchString(said.String()) {
			continue
		}
		switch reason.is {
		case nil:
			return err
		case errTooLarge:
			return fmt.Errorf("%w, more than %d bytes: %w", errTooLarge, m.maxBytes(), err)
		}
		return fmt.Errorf("%w: %w", reason.is, err)
	}
	return err
}

package github

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Pull is a pull request. Its texts are foreign.
type Pull struct {
	Number  int
	URL     string // plain, or ""
	Title   string
	Body    string // its description, the first 64 KiB
	Base    string // branch
	HeadOID string
	Closed  bool // merged included
	Merged  bool
	Fork    bool
	Ours    bool      // opened by ourselves
	Created time.Time // zero when GitHub did not say
}

// NewPull is a pull request to be opened within the repository.
type NewPull struct{ Title, Body, Head, Base string }

// Protected asks whether a branch is protected. Of one that does not exist, or is called otherwise by now, the *Error is
// Gone. What is no branch's name is an error without a call.
func (c *Client) Protected(ctx context.Context, branch string) (bool, error) {
	const what = "asking whether a branch is protected"
	if !isBranch(branch) {
		return false, noBranch(what, branch)
	}
	var said struct {
		Name      string
		Protected *bool
	}
	err := c.do(ctx, call{what: what}, func(ctx context.Context) error {
		// Its slashes are escaped too: a name is one element of the path.
		err := c.sendJSON(ctx, "GET", "repos/"+c.o.Repo.String()+"/branches/"+url.PathEscape(branch), nil, &said)
		if err == nil && said.Protected == nil {
			err = errors.New("it does not say")
		}
		return err
	})
	switch {
	case err != nil:
		return false, err
	case said.Name != branch: // GitHub redirects from a branch's old name to its new one
		return false, &Error{What: what, Kind: Gone, Err: fmt.Errorf("%.120q is called %.120q by now", branch, said.Name)}
	}
	return *said.Protected, nil
}

// Of the usual share of pull requests as many of the longest descriptions come as do not fit into an answer; the small one fits
// whatever they say.
const usualPulls, smallPulls = 100, 20

// PullsOf lists the pull requests whose head is a branch of this repository, in any state, the newest first, at most 100, or 20
// of very long ones. It takes a further call when the client does not know yet who it acts as.
func (c *Client) PullsOf(ctx context.Context, branch string) ([]Pull, error) {
	if !isBranch(branch) {
		return nil, noBranch(askingPulls, branch)
	}
	viewer, err := c.viewer(ctx)
	if err != nil {
		return nil, err
	}
	pulls, err := c.pullsOf(ctx, branch, viewer, usualPulls)
	if errors.Is(err, errTooLarge) {
		return c.pullsOf(ctx, branch, viewer, smallPulls)
	}
	return pulls, err
}

const askingPulls = "looking for the pull requests of a branch"

func (c *Client) pullsOf(ctx context.Context, branch, viewer string, most int) (pulls []Pull, err error) {
	query := url.Values{
		"head": {c.o.Repo.Owner + ":" + branch}, "state": {"all"}, "sort": {"created"}, "direction": {"desc"}, "per_page": {strconv.Itoa(most)},
	}
	err = c.do(ctx, call{what: askingPulls}, func(ctx context.Context) error {
		var said []*pullAnswer
		if err := c.sendJSON(ctx, "GET", "repos/"+c.o.Repo.String()+"/pulls?"+query.Encode(), nil, &said); err != nil {
			return err
		}
		if said == nil {
			return errors.New("it holds no list") // nothing at all is not read as none
		}
		for _, a := range said {
			// The owner may have forks of the repository too.
			if a == nil || a.Head.Ref != branch || a.fork() {
				continue
			}
			p, err := a.pull(viewer)
			if err != nil {
				return err
			}
			pulls = append(pulls, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return pulls, nil
}

// OpenPull opens a pull request. It is repeated only when it surely did not happen, else its *Error is Unsure, and PullsOf
// tells. That there is one already is Kind Invalid, as is whatever else GitHub does not take.
func (c *Client) OpenPull(ctx context.Context, p NewPull) (Pull, error) {
	const what = "opening a pull request"
	for _, branch := range []string{p.Head, p.Base} {
		if !isBranch(branch) {
			return Pull{}, noBranch(what, branch)
		}
	}
	ask := struct {
		Title               string `json:"title"`
		Body                string `json:"body"`
		Head                string `json:"head"`
		Base                string `json:"base"`
		MaintainerCanModify bool   `json:"maintainer_can_modify"`
		Draft               bool   `json:"draft"`
	}{p.Title, p.Body, p.Head, p.Base, false, false}
	var opened Pull
	err := c.do(ctx, call{what: what, once: true}, func(ctx context.Context) (err error) {
		var said pullAnswer
		if err = c.sendJSON(ctx, "POST", "repos/"+c.o.Repo.String()+"/pulls", ask, &said); err != nil {
			return err
		}
		if said.Head.Ref != p.Head || said.Base.Ref != p.Base {
			return fmt.Errorf("it is one of %.120q onto %.120q", said.Head.Ref, said.Base.Ref)
		}
		opened, err = said.pull("")
		opened.Ours = err == nil
		return err
	})
	if err != nil {
		return Pull{}, err
	}
	return opened, nil
}

// Assign assigns a person to an issue or pull request. Twice is once. GitHub ignores whom it cannot assign, which is an
// error of Kind Invalid here. What cannot be a person's login is one without a call.
func (c *Client) Assign(ctx context.Context, number int, login string) error {
	const what = "assigning a person"
	if !isName(login, "-_") {
		return &Error{What: what, Kind: Invalid, Err: fmt.Errorf("%.60q is no person's login", login)}
	}
	found := false
	err := c.do(ctx, call{what: what}, func(ctx context.Context) error {
		i, _, err := c.gh.Issues.AddAssignees(ctx, c.o.Repo.Owner, c.o.Repo.Name, number, []string{login})
		if err != nil {
			return err
		}
		if i.GetNumber() != number {
			return fmt.Errorf("it is number %d, not %d", i.GetNumber(), number)
		}
		for _, u := range i.Assignees {
			found = found || strings.EqualFold(u.GetLogin(), login)
		}
		return nil
	})
	if err == nil && !found {
		return &Error{What: what, Kind: Invalid, Err: fmt.Errorf("GitHub does not assign %.60q", login)}
	}
	return err
}

func noBranch(what, branch string) *Error {
	return &Error{What: what, Kind: Invalid, Err: fmt.Errorf("%.120q is no branch's name", branch)}
}

package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// explain makes the error of a call that will not be tried again.
func (c *Client) explain(ctx context.Context, cl *call, a *answer, f fate) *Error {
	e := &Error{What: cl.what, Kind: kindOf(a.status), Status: a.status, Message: c.excerpt(a.message())}
	e.Unsure = cl.once && (f == broken || f == garbled)
	if a.err != nil {
		e.Err = c.reason(a.err)
	}
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Err = Cancelled, context.Cause(ctx)
	case f == limited:
		e.Kind = Limited
		e.Next = "Run the job again after " + c.o.Now().Add(limitLasts(a.header, c.o.Now(), 1)).UTC().Format("15:04 MST on 2 January") + "."
	case f == unsent || f == broken:
		e.Kind, e.Next = Unreachable, "See whether GitHub can be reached from the runner and is well, then run the job again."
	case errors.Is(a.err, errElsewhere):
		e.Kind, e.Setup, e.Next = Other, true, "Check the addresses in `GITHUB_API_URL` and `GITHUB_GRAPHQL_URL`."
	case f == garbled || a.err != nil:
		e.Kind = Other
	case e.Kind == Unauthorized:
		e.Setup, e.Next = true, c.unauthorized(cl, a)
	case e.Kind == Forbidden:
		e.Next = c.forbidden(a)
		e.Setup = e.Next != "" // else it is this one thing that GitHub does not want
	}
	return e
}

// reason keeps the deadline's own error, and cuts whatever the network or a proxy said.
func (c *Client) reason(err error) error {
	for _, ours := range []error{errElsewhere, errHops, errNowhere, errTooLarge} {
		if errors.Is(err, ours) {
			return ours
		}
	}
	return errors.New(c.excerpt(err.Error()))
}

// message is what GitHub says about a failure, in one line: its message and the first of its details.
func (a *answer) message() string {
	var said struct {
		Message string
		Errors  json.RawMessage
	}
	if a.ok() || json.Unmarshal(a.body, &said) != nil {
		return ""
	}
	var details []struct{ Message, Field, Code string }
	if json.Unmarshal(said.Errors, &details) != nil || len(details) == 0 {
		return said.Message
	}
	d := details[0]
	return strings.TrimSuffix(said.Message+": "+strings.TrimSpace(d.Field+" "+d.Code+" "+d.Message), ": ")
}

// skewTold is the difference of clocks from which on a refused signature is explained by it. Date has whole seconds, and an
// answer takes its time.
const skewTold = 30 * time.Second

func (c *Client) unauthorized(cl *call, a *answer) string {
	if cl.as != asApp {
		if c.App() {
			return "See whether the App was suspended or uninstalled meanwhile, then run the job again."
		}
		return "`GH_TOKEN` is not good, or not any more: a job's own token ends with the job. Give a valid one."
	}
	now := c.o.Now()
	if skew := now.Sub(clock(a.header, now)).Round(time.Second); skew > skewTold || skew < -skewTold {
		direction := "ahead of"
		if skew < 0 {
			direction, skew = "behind", -skew
		}
		return fmt.Sprintf("The runner's clock is %v %s GitHub's. Set it, then run the job again.", skew, direction)
	}
	if said := strings.ToLower(string(a.body)); strings.Contains(said, "'iat'") || strings.Contains(said, "'exp'") || strings.Contains(said, "expir") {
		return "The runner's clock differs from GitHub's. Set it, then run the job again."
	}
	return fmt.Sprintf("The private key is not one of the App %d's. Check `AI_FLOW_APP_ID` and the key, or make a new key on the App's settings page.", c.o.AppID)
}

// acceptedShape is how GitHub lists the permissions that would have done.
var acceptedShape = regexp.MustCompile(`^[a-z_]+=[a-z]+([,;] ?[a-z_]+=[a-z]+)*$`)

// forbidden names the missing permission when GitHub does.
func (c *Client) forbidden(a *answer) string {
	if needs := a.header.Get("X-Accepted-Github-Permissions"); len(needs) <= maxMessage && acceptedShape.MatchString(needs) {
		return c.allow("the permission " + strings.NewReplacer("=", ": ", ";", " or", ",", " and").Replace(needs))
	}
	said := strings.ToLower(string(a.body))
	if strings.Contains(said, "not permitted to create or approve pull requests") {
		return "Tick “Allow GitHub Actions to create and approve pull requests” in the repository's settings (Actions, General), or set up an App."
	}
	if strings.Contains(said, "not accessible by") {
		return c.allow("write permission for issues and pull requests, and read for contents")
	}
	return ""
}

// allow says where what is missing is given.
func (c *Client) allow(what string) string {
	if c.App() {
		return "Give the App " + what + " on its settings page, and accept it where the App is installed."
	}
	return "Give the token " + what + ": `permissions:` in the workflow."
}

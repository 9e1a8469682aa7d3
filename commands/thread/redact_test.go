package thread

import (
	"context"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// S5: nothing is placed that was not looked at once more, in whichever place; what a person wrote is never touched, and
// what grows in the looking keeps to the room of a comment.
func TestRedact(t *testing.T) {
	const secret, masked = "hunter2", "[masked away!]"
	for name, surface := range map[string]github.Surface{"issue": github.OnIssue, "line": github.OnLine, "review": github.OnReview} {
		for body, outcomes := range map[string][]render.Outcome{
			"/ask about hunter2":                          {render.Done, render.Failed},
			"hunter2\n\n/ask a\n\n/edit b hunter2\n\nend": {render.Done, render.Restricted},
		} {
			for _, outcome := range outcomes {
				s, th := newThread(t, surface, body)
				th.Redact = func(text string) string { return strings.ReplaceAll(text, secret, masked) }
				if err := th.Wait(context.Background(), render.Status{Command: "/ask", Model: secret, RunURL: runURL}); err != nil {
					t.Fatal(err)
				}
				r := result(th, outcome, strings.Repeat(secret+" ", 9000))
				r.Headline, r.Notes, r.Run.Agent = secret, []string{secret}, secret
				if _, err := th.Tell(context.Background(), r, ActNone); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				all := 0
				for _, c := range s.comments {
					all += strings.Count(c.Body, masked)
					written := 0 // by a person
					if c.Author == person {
						written = strings.Count(body, secret)
						if Strip(c.Body, c.ID) != body {
							t.Errorf("%s, %q: a person's comment is another one: %.300q", name, body, c.Body)
						}
					}
					if strings.Count(c.Body, secret) != written || len(c.Body) > maxBody {
						t.Errorf("%s, %q: a comment of %d bytes holds it: %.300q", name, body, len(c.Body), c.Body)
					}
				}
				if all == 0 {
					t.Errorf("%s, %q: nothing was masked", name, body)
				}
			}
		}
	}
}

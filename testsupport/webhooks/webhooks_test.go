package webhooks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

func TestExamplesKeepToTheSchema(t *testing.T) {
	for event, action := range map[string]string{"issue_comment": "created", "pull_request_review": "submitted", "pull_request_review_comment": "created"} {
		for i, payload := range webhooks.Examples(t, event, action) {
			if i > 0 {
				webhooks.Validate(t, event, action, payload)
				continue
			}
			// The oldest of each lacks what was added later, and nothing else is wrong with it.
			for _, line := range strings.Split(webhooks.Check(event, action, payload).Error(), "\n") {
				if strings.Contains(line, "at '") && !strings.HasSuffix(line, "failed") && !strings.Contains(line, "missing propert") {
					t.Errorf("the oldest %s: %s", event, line)
				}
			}
		}
	}
	if n := len(webhooks.Examples(t, "issue_comment", "")); n != 9 {
		t.Errorf("%d examples of issue_comment, want 9", n)
	}
}

// The validator must be able to say no: a check that cannot fail checks nothing.
func TestCheckSaysNo(t *testing.T) {
	good := webhooks.Examples(t, "issue_comment", "created")[1]
	if err := webhooks.Check("issue_comment", "created", good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, from, to string }{
		{"another action", `"action": "created"`, `"action": "edited"`},
		{"an id as text", `"id": 444500041`, `"id": "444500041"`},
		{"a property of ours", `"action": "created"`, `"action": "created", "ours": 1`},
		{"a kind of account that is none", `"type": "User"`, `"type": "Mannequin"`},
		{"an address that is none", `"html_url": "https:`, `"html_url": "%`},
		{"a template with an open brace", `{/gist_id}`, `{/gist_id`},
		{"a template with a second brace", `{/gist_id}`, `{{/gist_id}`},
		{"no JSON", `"action"`, `action`},
	} {
		bad := bytes.ReplaceAll(good, []byte(c.from), []byte(c.to))
		if bytes.Equal(bad, good) {
			t.Fatalf("%s: %q is not in the example", c.name, c.from)
		}
		if webhooks.Check("issue_comment", "created", bad) == nil {
			t.Errorf("%s passes", c.name)
		}
	}
	for _, unknown := range []string{"deleted", ""} {
		if err := webhooks.Check("issue_comment", unknown, good); !errors.Is(err, webhooks.ErrUnknown) {
			t.Errorf("action %q: %v", unknown, err)
		}
	}
}

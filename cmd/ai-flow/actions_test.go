package main

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// TestWrongSetUp: whatever is wrong with what a job is given is usage, and has a hint; an address is shown without its user.
func TestWrongSetUp(t *testing.T) {
	job := []string{"GITHUB_EVENT_NAME=issue_comment", "GITHUB_EVENT_PATH=/e", "GITHUB_REPOSITORY=acme/app"}
	review := []string{"GITHUB_EVENT_NAME=pull_request_review", "GITHUB_EVENT_PATH=/e", "GITHUB_REPOSITORY=acme/app"}
	tests := []struct {
		name     string
		base     []string
		add      string
		says     string
		hintSays string
	}{
		{"no event", nil, "", "there is no event", "ai-flow try"},
		{"repository", job, "GITHUB_REPOSITORY=acme", `"acme"`, theRunnerSets},
		{"attempt", job, "GITHUB_RUN_ATTEMPT=x", `"x"`, theRunnerSets},
		{"server", job, "GITHUB_SERVER_URL=ftp://ghe.example", `"ftp://ghe.example"`, theRunnerSets},
		{"server with a user", job, "GITHUB_SERVER_URL=https://me:hunter2@ghe.example/x", `"https://ghe.example/x"`, theRunnerSets},
		{"server that cannot be read", job, "GITHUB_SERVER_URL=https://me:hunter2%@ghe@ghe.example", `"https://ghe.example"`, theRunnerSets},
		{"server without a scheme", job, "GITHUB_SERVER_URL=me:hunter2@ghe.example", `"ghe.example"`, theRunnerSets},
		{"nobody to act as", job, "", "neither an App nor a token", "GH_TOKEN"},
		{"a review of a fork", review, "", "neither an App nor a token", "forks get no secrets: comment in the conversation"},
		{"a review of a fork, with the App's number", review, "AI_FLOW_APP_ID=7", "no key to it", "forks get no secrets: comment in the conversation"},
		{"an id without a key", job, "AI_FLOW_APP_ID=7", "no key to it", "AI_FLOW_APP_PRIVATE_KEY"},
		{"a key without an id", review, "AI_FLOW_APP_PRIVATE_KEY=k", "no AI_FLOW_APP_ID", "settings page"},
		{"no number", job, "AI_FLOW_APP_ID=x\nAI_FLOW_APP_PRIVATE_KEY=k", `"x"`, "settings page"},
		{"no PEM", job, "AI_FLOW_APP_ID=7\nAI_FLOW_APP_PRIVATE_KEY=k", "no PEM text", "BEGIN line"},
		{"no file", review, "AI_FLOW_APP_ID=7\nAI_FLOW_APP_PRIVATE_KEY_FILE=/nowhere/key.pem", "no such file", ".pem file"},
		{"API", job, "GH_TOKEN=t\nGITHUB_API_URL=ftp://x", "GITHUB_API_URL", "server"},
		{"GraphQL", job, "GH_TOKEN=t\nGITHUB_GRAPHQL_URL=x", "GITHUB_GRAPHQL_URL", "server"},
		{"two servers", job, "GH_TOKEN=t\nGITHUB_API_URL=https://ghe.example/api/v3\nGITHUB_GRAPHQL_URL=https://api.github.com/graphql", "GraphQL on", "GITHUB_GRAPHQL_URL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := parseEnvironment(append(tt.base, strings.Split(tt.add, "\n")...))
			if err != nil {
				t.Fatal(err)
			}
			a, err := e.readActions()
			if err == nil {
				err = e.readApp(&a)
			}
			if err == nil {
				var c *github.Client
				if c, err = a.client(nil); c != nil {
					t.Error("there is a client")
				}
			}
			if !isUsage(err) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(hint(err), tt.hintSays) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v\nhint: %s", err, hint(err))
			}
		})
	}
}

package github

import (
	"encoding/json"
	"testing"

	gogithub "github.com/google/go-github/v66/github"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// What ReadEvent takes of a start, and what the client library's types would (its ParseWebHook is this Unmarshal).
func BenchmarkReadEvent(b *testing.B) {
	payload := webhooks.Examples(b, "pull_request_review_comment", "created")[2]
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(payload)))
		for b.Loop() {
			if _, err := ReadEvent("pull_request_review_comment", payload); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("go-github", func(b *testing.B) {
		b.SetBytes(int64(len(payload)))
		for b.Loop() {
			var e gogithub.PullRequestReviewCommentEvent
			if err := json.Unmarshal(payload, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

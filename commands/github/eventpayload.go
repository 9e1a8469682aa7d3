package github

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// payload is what is read of the three events. These are types of our own and not go-github's: those lack the App that a
// comment was written through, and a process, which reads one payload, spends 1.0 ms to build their decoder and run it where
// these take 0.2 (BenchmarkReadEvent has the steady state). That is little of a start's 30 ms of CPU; what counts more is
// that one page says which words of strangers come in.
//
// null leaves a value as it is, which is zero; a pointer stands where null and {} differ.
type payload struct {
	Action      string     `json:"action"`
	Comment     remark     `json:"comment"`
	Review      remark     `json:"review"`
	Issue       subject    `json:"issue"`
	PullRequest subject    `json:"pull_request"`
	Repository  repository `json:"repository"`
	Sender      user       `json:"sender"`
}

// remark is a comment or a review.
type remark struct {
	ID          int64  `json:"id"`
	NodeID      string `json:"node_id"`
	Body        string `json:"body"`
	User        user   `json:"user"`
	Association string `json:"author_association"`
	CreatedAt   string `json:"created_at"`
	SubmittedAt string `json:"submitted_at"`
	HTMLURL     string `json:"html_url"`
	Via         *app   `json:"performed_via_github_app"`
	Path        string `json:"path"`
	DiffHunk    string `json:"diff_hunk"`
	InReplyTo   int64  `json:"in_reply_to_id"`
}

type user struct {
	Login string `json:"login"`
	ID    int64  `json:"id"`
	Type  string `json:"type"`
}

type app struct {
	Slug string `json:"slug"`
}

// subject is an issue or a pull request.
type subject struct {
	Number      int64     `json:"number"`
	Title       string    `json:"title"`
	PullRequest *struct{} `json:"pull_request"`
	Head        struct {
		SHA string `json:"sha"`
	} `json:"head"`
}

type repository struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Owner struct {
		Login string `json:"login"`
	} `json:"owner"`
}

// decode fills what it can even when it fails, so that an action that is not for us is known all the same.
func decode(data []byte) (p payload, err error) {
	err = json.Unmarshal(data, &p)
	// encoding/json quotes the number or the text it could not take in full, and that may be megabytes.
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return p, fmt.Errorf("%s may not be a %.60s", cmp.Or(wrong.Field, "it"), wrong.Value)
	case err != nil:
		return p, fmt.Errorf("it is no JSON: %.120s", err.Error())
	}
	return p, nil
}

// event turns a payload of the event called name into what it means.
func (p *payload) event(name string) (e Event, err error) {
	r, s := p.Comment, p.PullRequest
	switch name {
	case "issue_comment":
		e.Surface, s = OnIssue, p.Issue
		if s.PullRequest != nil {
			e.Surface = OnPull
		}
	case "pull_request_review_comment":
		e.Surface = OnLine
	case "pull_request_review":
		e.Surface, r = OnReview, p.Review
		r.CreatedAt = r.SubmittedAt
	}
	if e.Repo, err = p.Repository.repo(); err != nil {
		return Event{}, err
	}
	e.RepoID = p.Repository.ID
	if s.Number < 1 || s.Number > math.MaxInt32 {
		return Event{}, fmt.Errorf("the number %d is no issue's or pull request's", s.Number)
	}
	e.Number, e.Title = int(s.Number), s.Title
	if e.Surface == OnLine || e.Surface == OnReview {
		if e.HeadOID = s.Head.SHA; e.HeadOID != "" && !isOID(e.HeadOID) {
			return Event{}, fmt.Errorf("the head %.60q is no commit", e.HeadOID)
		}
	}
	if e.Sender, err = p.Sender.account(); err != nil {
		return Event{}, err
	}
	e.Comment, err = r.comment(e.Surface)
	return e, err
}

package fakegithub

import (
	"net/http"
	"testing"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v66/github"
)

// The libraries that the product uses take the fake for a GitHub Enterprise Server: tokens, typed answers, pages, and the
// error of a limit.
func TestLibraries(t *testing.T) {
	d := newDesk(t)
	d.PageSize(2)
	for range 4 {
		d.repo.Comment(d.issue, "ann", "more")
	}
	apps, err := ghinstallation.NewAppsTransport(http.DefaultTransport, d.app, d.key)
	if err != nil {
		t.Fatal(err)
	}
	apps.BaseURL = d.API()
	asApp, err := github.NewClient(&http.Client{Transport: apps}).WithEnterpriseURLs(d.URL(), d.URL())
	if err != nil {
		t.Fatal(err)
	}
	at, _, err := asApp.Apps.FindRepositoryInstallation(t.Context(), "acme", "rocket")
	if err != nil || at.GetAccount().GetLogin() != "acme" {
		t.Fatalf("%v %v", at, err)
	}
	transport := ghinstallation.NewFromAppsTransport(apps, at.GetID())
	client, err := github.NewClient(&http.Client{Transport: transport}).WithEnterpriseURLs(d.URL(), d.URL())
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for o := (github.IssueListCommentsOptions{}); ; {
		page, res, err := client.Issues.ListComments(t.Context(), "acme", "rocket", d.issue, &o)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			bodies = append(bodies, c.GetBody())
		}
		if o.Page = res.NextPage; o.Page == 0 {
			break
		}
	}
	if len(bodies) != 5 {
		t.Errorf("%q", bodies)
	}
	level, _, err := client.Repositories.GetPermissionLevel(t.Context(), "acme", "rocket", "ann")
	if err != nil || level.GetPermission() != "write" || level.GetRoleName() != "write" {
		t.Errorf("%v %v", level, err)
	}
	file, _, _, err := client.Repositories.GetContents(t.Context(), "acme", "rocket", ".github/ai-flow.yml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := file.GetContent(); err != nil || text != "agent: demo\n" {
		t.Errorf("%q %v", text, err)
	}
	pull, _, err := client.PullRequests.Get(t.Context(), "acme", "rocket", d.pull)
	if err != nil || pull.GetHead().GetRepo().GetFullName() != "bob/rocket" || pull.GetHead().GetRef() != "fix/it" {
		t.Errorf("%v %v", pull, err)
	}
}

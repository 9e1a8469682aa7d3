package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestWorkflowStories plays the jobs of a workflow against the fake GitHub over HTTP, by the real program and, where a story
// says agentuser, with the agent as another user.
func TestWorkflowStories(t *testing.T) { newStage(t).play(t, "testdata/workflow") }

// hub is the GitHub of one story.
type hub struct {
	server *fakegithub.Server
	repo   *fakegithub.Repo
	others map[string]*fakegithub.Repo
	issue  int
}

func theHub(ts *testscript.TestScript) *hub {
	h, ok := ts.Value(hubKey{}).(*hub)
	if !ok {
		ts.Fatalf("no GitHub in this story: github app|token")
	}
	return h
}

type hubKey struct{}

// startHub starts a GitHub with the repository acme/app, made of the folder repo, and gives the program the environment of a
// job: github app|token. app acts as an App, token has the workflow's own token. ann writes, ida administers, rob reads, eve is nobody.
func startHub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: github app|token")
	}
	h := ts.Value(hubKey{}).(*hub)
	h.server = fakegithub.New(tb(ts))
	for login, role := range map[string]string{"ann": "write", "ida": "admin", "rob": "read", "eve": "none"} {
		h.server.User(login, role)
	}
	h.repo = h.server.Repo("acme/app", folder(ts, "repo"))
	ts.Setenv("HUB", h.repo.GitDir())
	work := ts.MkAbs("job")
	ts.Check(os.MkdirAll(work, 0o755))
	ts.Check(os.MkdirAll(work+"/temp", 0o700)) // of a runner whose home is its own
	for name, value := range map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": h.server.URL(), "GITHUB_API_URL": h.server.API(), "GITHUB_GRAPHQL_URL": h.server.GraphQL(),
		"GITHUB_REPOSITORY": "acme/app", "GITHUB_REPOSITORY_OWNER": "acme", "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_TRIGGERING_ACTOR": "ann",
		"GITHUB_EVENT_PATH": work + "/event.json", "GITHUB_STEP_SUMMARY": work + "/summary.md", "GITHUB_OUTPUT": work + "/output",
		"GITHUB_ENV": work + "/env", "GITHUB_PATH": work + "/path", "GITHUB_STATE": work + "/state",
		"RUNNER_TEMP": work + "/temp", "GITHUB_WORKSPACE": work,
	} {
		ts.Setenv(name, value)
	}
	switch args[0] {
	case "app":
		id, key, _ := h.server.App("ai-flow")
		ts.Setenv("AI_FLOW_APP_ID", strconv.FormatInt(id, 10))
		ts.Setenv("AI_FLOW_APP_PRIVATE_KEY", string(key))
	case "token":
		ts.Setenv("GH_TOKEN", h.server.StaticToken())
	default:
		ts.Fatalf("github %s: app or token", args[0])
	}
}

// folder is a folder of the story as the files of a repository.
func folder(ts *testscript.TestScript, name string) map[string]string {
	files, root := map[string]string{}, ts.MkAbs(name)
	ts.Check(filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, relErr := filepath.Rel(root, p)
		if err != nil || relErr != nil {
			return fmt.Errorf("%v, %v", err, relErr)
		}
		files[rel] = string(data)
		return nil
	}))
	return files
}

// issue opens an issue by ann: issue TITLE FILE. pull opens a pull request by ann or from a fork: pull TITLE FILE HEAD FOLDER.
func issue(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: issue TITLE FILE")
	}
	h := theHub(ts)
	h.issue = h.repo.Issue("ann", args[0], ts.ReadFile(args[1]))
}

func pull(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: pull TITLE FILE HEAD FOLDER")
	}
	h := theHub(ts)
	h.issue = h.repo.Pull("ann", args[0], ts.ReadFile(args[1]), args[2], folder(ts, args[3]))
}

// comment writes a comment and gives its event to the program: comment AUTHOR FILE. line does it on a line: line AUTHOR PATH FILE.
func comment(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: comment AUTHOR FILE")
	}
	h := theHub(ts)
	give(ts, h.repo.Comment(h.issue, args[0], ts.ReadFile(args[1])))
}

func line(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: line AUTHOR PATH FILE")
	}
	h := theHub(ts)
	give(ts, h.repo.ReviewComment(h.issue, args[0], ts.ReadFile(args[2]), args[1], 0))
}

func give(ts *testscript.TestScript, e fakegithub.Event) {
	ts.Setenv("GITHUB_EVENT_NAME", e.Name)
	ts.Check(os.WriteFile(ts.Getenv("GITHUB_EVENT_PATH"), e.Payload, 0o644))
	for _, name := range []string{"GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE"} { // the runner makes them anew for each step
		ts.Check(os.WriteFile(ts.Getenv(name), nil, 0o600))
	}
}

// rename gives the repository another name: rename OWNER/NAME. What a job is told stays the old one.
func rename(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: rename OWNER/NAME")
	}
	theHub(ts).repo.Rename(args[0])
}

// uninstall takes the App away from the repository.
func uninstall(ts *testscript.TestScript, neg bool, args []string) {
	id, err := strconv.ParseInt(ts.Getenv("AI_FLOW_APP_ID"), 10, 64)
	ts.Check(err)
	theHub(ts).repo.Uninstall(id)
}

// thread prints what people see of the thread, body its description, requests what was asked of the API.
func thread(ts *testscript.TestScript, neg bool, args []string) {
	h := theHub(ts)
	for _, c := range h.repo.Thread(h.issue) {
		fmt.Fprintf(ts.Stdout(), "== %s by %s [%s]\n%s\n", c.Kind, c.Author, strings.Join(c.Reactions, " "), c.Body)
	}
}

func body(ts *testscript.TestScript, neg bool, args []string) {
	h := theHub(ts)
	fmt.Fprint(ts.Stdout(), h.repo.Body(h.issue))
}

func requests(ts *testscript.TestScript, neg bool, args []string) {
	for i, r := range theHub(ts).server.Requests() {
		fmt.Fprintf(ts.Stdout(), "%d. %s %d (%s)\n", i+1, r.Operation, r.Status, r.Token)
	}
}

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// actions is what the runner of a workflow, and who configured it, tell a job.
type actions struct {
	eventName, eventPath string
	repoID               int64 // as the event has it
	repo                 github.Repo
	server, api, graphql string
	runID, actor, temp   string
	attempt              int
	summary, output      string // files that the runner reads; "" when it has none
	appID                int64
	key                  []byte // PEM; nil without an App
	token, bot, workdir  string
}

// publicServer is where a repository is when nobody says otherwise.
const publicServer = "https://github.com"

// maxKeyFile bounds AI_FLOW_APP_PRIVATE_KEY_FILE, in bytes. A key of 16,384 bits has 13 kB.
const maxKeyFile = 64 << 10

// readActions understands the environment of a workflow job. Everything wrong with it is a usageError: a person has to mend
// the workflow, and nothing was started.
func (e environment) readActions() (actions, error) {
	a := actions{
		eventName: e.get("GITHUB_EVENT_NAME"), eventPath: e.get("GITHUB_EVENT_PATH"),
		server: firstOf(strings.TrimRight(e.get("GITHUB_SERVER_URL"), "/"), publicServer),
		api:    e.get("GITHUB_API_URL"), graphql: e.get("GITHUB_GRAPHQL_URL"),
		runID: e.get("GITHUB_RUN_ID"), actor: e.get("GITHUB_TRIGGERING_ACTOR"), temp: e.get("RUNNER_TEMP"),
		summary: e.get("GITHUB_STEP_SUMMARY"), output: e.get("GITHUB_OUTPUT"),
		token: e.get("GH_TOKEN"), bot: e.get("AI_FLOW_BOT_LOGIN"), workdir: e.get("AI_FLOW_WORKDIR"),
	}
	if a.eventName == "" || a.eventPath == "" {
		return a, &usageError{"there is no event: GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set",
			"run this in a workflow job; on your own machine: ai-flow try"}
	}
	owner, name, ok := strings.Cut(e.get("GITHUB_REPOSITORY"), "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return a, &usageError{"GITHUB_REPOSITORY is " + quoted(e.get("GITHUB_REPOSITORY")) + "; it should be owner/name", theRunnerSets}
	}
	a.repo = github.Repo{Owner: owner, Name: name}
	if attempt := e.get("GITHUB_RUN_ATTEMPT"); attempt != "" {
		n, err := strconv.Atoi(attempt)
		if err != nil || n < 1 {
			return a, &usageError{"GITHUB_RUN_ATTEMPT is " + quoted(attempt) + "; it should count from 1", theRunnerSets}
		}
		a.attempt = n
	}
	if u, err := url.Parse(a.server); err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return a, &usageError{"GITHUB_SERVER_URL is " + quoted(userinfo.ReplaceAllString(a.server, "$1")) + "; it should be like " + publicServer + ", without a user",
			theRunnerSets}
	}
	return a, nil
}

// theRunnerSets is the hint about a variable of the runner's that is wrong.
const theRunnerSets = "the runner sets it right: let no env: of the workflow set it"

// userinfo is the user and the password of an address, and rather too much of one that is none.
var userinfo = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*:/+)?.*@`)

// readApp reads who we act as. It is asked for only once there is a command: a comment without one needs no key.
func (e environment) readApp(a *actions) (err error) {
	err = e.readKey(a)
	var usage *usageError
	if errors.As(err, &usage) && a.key == nil && strings.HasPrefix(a.eventName, "pull_request_review") && !e.appKey {
		return &usageError{usage.message, "workflows of pull requests from forks get no secrets: comment in the conversation instead"}
	}
	return err
}

func (e environment) readKey(a *actions) (err error) {
	id, key, file := e.get("AI_FLOW_APP_ID"), e.get("AI_FLOW_APP_PRIVATE_KEY"), e.get("AI_FLOW_APP_PRIVATE_KEY_FILE")
	switch {
	case id == "" && key == "" && file == "":
		if a.token == "" {
			return &usageError{"there is neither an App nor a token to act with", "set AI_FLOW_APP_ID and AI_FLOW_APP_PRIVATE_KEY, or GH_TOKEN"}
		}
		return nil
	case id == "":
		return &usageError{"there is an App's key and no AI_FLOW_APP_ID", "set AI_FLOW_APP_ID to the App's number: its settings page has it"}
	case key == "" && file == "":
		return &usageError{"AI_FLOW_APP_ID is set and there is no key to it", "set AI_FLOW_APP_PRIVATE_KEY or AI_FLOW_APP_PRIVATE_KEY_FILE"}
	}
	if a.appID, err = strconv.ParseInt(id, 10, 64); err != nil || a.appID <= 0 {
		return &usageError{"AI_FLOW_APP_ID is " + quoted(id) + "; it should be the App's number", "the App's settings page has it"}
	}
	if a.key = []byte(key); key != "" {
		return nil
	}
	if a.key, err = readSmall(file, maxKeyFile); err != nil {
		return &usageError{"reading AI_FLOW_APP_PRIVATE_KEY_FILE: " + err.Error(), "give the path of the App's .pem file, which the user that runs ai-flow can read"}
	}
	return nil
}

// readSmall reads a regular file of at most most bytes.
func readSmall(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", quoted(path))
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, more than %d", quoted(path), info.Size(), most)
	}
	return os.ReadFile(path)
}

// runURL is the page of the run, "" when its number is not known.
func (a actions) runURL() string {
	if a.runID == "" {
		return ""
	}
	return fmt.Sprintf("%s/%s/actions/runs/%s", a.server, a.repo, a.runID)
}

// client makes the calls as the App, or with the token.
func (a actions) client(mask func(string)) (*github.Client, error) {
	return github.New(github.Options{API: a.api, GraphQL: a.graphql, Server: a.server, Repo: a.repo,
		RepoID: a.repoID, AppID: a.appID, PrivateKey: a.key, Token: a.token, Mask: mask})
}

// setOutputs sets outputs of the job's step. The word that ends a value is made anew each time, so that no value can end
// itself and go on as another output (H3-02).
func (a actions) setOutputs(outputs ...[2]string) error {
	if a.output == "" {
		return nil
	}
	var b strings.Builder
	for _, o := range outputs {
		end := "end-" + rand.Text()
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", o[0], end, o[1], end)
	}
	return appendTo(a.output, b.String())
}

// maxSummary is what GitHub takes of one step's summary, in bytes; over it the whole summary is dropped and the step fails
// (H2-01).
const maxSummary = 1 << 20

// writeSummary appends to the step's summary as far as there is room in it.
func (a actions) writeSummary(text string) error {
	if a.summary == "" {
		return nil
	}
	var there int64
	if info, err := os.Stat(a.summary); err == nil {
		there = info.Size()
	}
	if there+int64(len(text)) > maxSummary {
		return fmt.Errorf("the step's summary holds %d bytes already, and %d more are over GitHub's limit", there, len(text))
	}
	return appendTo(a.summary, text)
}

// appendTo adds to a file that the runner made.
func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// reportDir is where report.json goes: the runner's own directory, which ends with the job, else the one of try.
func (p *program) reportDir(a actions) string {
	if filepath.IsAbs(a.temp) {
		return filepath.Join(a.temp, "ai-flow")
	}
	return filepath.Join(p.env.state, "last")
}

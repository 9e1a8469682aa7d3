package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestBuildStories plays /build as people have it: the dispatcher is an ordinary user with the one sudoers rule, the agent is
// another user, GitHub is a server over HTTP. It stands apart as TestDispatcherStories does.
func TestBuildStories(t *testing.T) { newStage(t).play(t, "testdata/build") }

// anotherRepo makes a further repository of a folder: repo OWNER/NAME FOLDER. HUB2 is its git directory.
func anotherRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repo OWNER/NAME FOLDER")
	}
	h := theHub(ts)
	h.others[args[0]] = h.server.Repo(args[0], folder(ts, args[1]))
	ts.Setenv("HUB2", h.others[args[0]].GitDir())
}

// called is a repository by its name, acme/app without one.
func (h *hub) called(ts *testscript.TestScript, args []string) *fakegithub.Repo {
	if len(args) == 0 {
		return h.repo
	}
	if h.others[args[0]] == nil {
		ts.Fatalf("this story made no repository %s", args[0])
	}
	return h.others[args[0]]
}

// push is a person's push to a branch: push BRANCH FOLDER. protect makes a branch one that no token may push to.
func push(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: push BRANCH FOLDER")
	}
	theHub(ts).repo.PushTo(args[0], "ann@example.com", folder(ts, args[1]))
}

func protect(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: protect BRANCH")
	}
	theHub(ts).repo.Protect(args[0])
}

// actionsPulls lets the workflow's own token open pull requests, or not: actionspulls yes|no.
func actionsPulls(ts *testscript.TestScript, neg bool, args []string) {
	switch repo := theHub(ts).repo; strings.Join(args, " ") {
	case "yes":
		repo.PullsByActions()
	case "no":
		repo.NoPullsByActions()
	default:
		ts.Fatalf("usage: actionspulls yes|no")
	}
}

// pulls prints the pull requests of a repository: pulls [OWNER/NAME]. on goes to another thread: on NUMBER. remark is line
// without a command's event: remark AUTHOR PATH FILE.
func pulls(ts *testscript.TestScript, neg bool, args []string) {
	all := theHub(ts).called(ts, args).Pulls()
	fmt.Fprintf(ts.Stdout(), "%d pull requests\n", len(all))
	for _, p := range all {
		fmt.Fprintf(ts.Stdout(), "== #%d %s: %s -> %s by %s for %s\n%s\n%s\n", p.Number, p.State, p.Head, p.Base, p.Author, strings.Join(p.Assignees, " "), p.Title, p.Body)
	}
}

func on(ts *testscript.TestScript, neg bool, args []string) {
	h := theHub(ts)
	if neg || len(args) != 1 {
		ts.Fatalf("usage: on NUMBER")
	}
	if _, err := fmt.Sscan(args[0], &h.issue); err != nil {
		ts.Fatalf("on %s: %v", args[0], err)
	}
}

func remark(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: remark AUTHOR PATH FILE")
	}
	h := theHub(ts)
	h.repo.ReviewComment(h.issue, args[0], ts.ReadFile(args[2]), args[1], 0)
}

// pushes prints what came over git; refs the branches of a repository, each with the subjects of its commits, the newest
// first: refs [OWNER/NAME].
func pushes(ts *testscript.TestScript, neg bool, args []string) {
	all := theHub(ts).server.Pushes()
	fmt.Fprintf(ts.Stdout(), "%d pushes\n", len(all))
	for _, p := range all {
		fmt.Fprintf(ts.Stdout(), "%s %s landed=%v %s (%s: %s)\n", p.Repo, p.Ref, p.Landed, p.Refused, p.Token, p.Grants)
	}
}

func refs(ts *testscript.TestScript, neg bool, args []string) {
	repo := theHub(ts).called(ts, args)
	for _, ref := range slices.Sorted(maps.Keys(repo.Refs())) {
		var subjects []string
		for _, c := range repo.Log(strings.TrimPrefix(ref, "refs/heads/")) {
			subject, _, _ := strings.Cut(c.Message, "\n")
			subjects = append(subjects, subject)
		}
		fmt.Fprintf(ts.Stdout(), "%s: %s\n", ref, strings.Join(subjects, " < "))
	}
}

// quietPushes fails the story at each push that comes while the agent lives (S1, S3): whatever could look over git's shoulder
// is gone by then. Only what another story asks as that user, before it waits for its turn, may be seen for a moment.
func quietPushes(ts *testscript.TestScript, neg bool, args []string) {
	uid := agentUID(ts)
	theHub(ts).server.OnPush(func(_ int, p fakegithub.Push) {
		alive := processesOf(uid)
		for range 60 {
			if len(alive) == 0 {
				return
			}
			time.Sleep(50 * time.Millisecond)
			alive = processesOf(uid)
		}
		tb(ts).Errorf("at the push to %s these processes of the agent's live: %q", p.Ref, alive)
	})
}

// soundReport holds the report of the last run to its published description, as whoever reads it would.
func soundReport(ts *testscript.TestScript) {
	description, err := jsonschema.NewCompiler().Compile("../../commands/report.schema.json")
	ts.Check(err)
	report, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(filepath.Join(ts.Getenv("RUNNER_TEMP"), "ai-flow", "report.json"))))
	ts.Check(err)
	if err := description.Validate(report); err != nil {
		ts.Fatalf("report.json is not what its description says: %v", err)
	}
}

// trap makes a program that tells who runs it, which every user may: trap PATH. It stands in for whatever an attacker would
// have run. Its words go to PATH.ran, where all may write.
func trap(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: trap PATH")
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path+".ran", nil, 0o666))
	ts.Check(os.Chmod(path+".ran", 0o666))
	ts.Check(os.WriteFile(path, []byte("#!/bin/sh\necho \"$(id -un) $0 $*\" >>'"+path+".ran'\nexit 0\n"), 0o755))
	ts.Check(os.Chmod(path, 0o755))
}

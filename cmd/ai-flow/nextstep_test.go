package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
)

// TestNextStep: what a thread is told to do about whatever can go wrong before and during a launch.
func TestNextStep(t *testing.T) {
	setup := func(kind isolation.SetupKind, fix string) error {
		return fmt.Errorf("preparing: %w", &isolation.SetupError{Kind: kind, Problem: "p", Fix: fix})
	}
	usage := func(hint string) error { return &usageError{"m", hint} }
	failed := func(fix string) error { return &executor.Failure{Class: executor.FailedSetup, Message: "m", Fix: fix} }
	tests := []struct {
		err  error
		user string
		want string
	}{
		{setup(isolation.NoUser, "sudo useradd x"), "", "On the runner, once: `sudo ai-flow setup --runner-user NAME`, with the name of the user that the runner runs as."},
		{setup(isolation.NoUser, "sudo useradd x"), "ai-agent", "On the runner, once: `sudo ai-flow setup --runner-user NAME`, with the name of the user that the runner runs as."},
		{setup(isolation.NoUser, "sudo useradd x"), "robot", "On the runner, once: `sudo ai-flow setup --runner-user NAME --user robot`, with the name of the user that the runner runs as."},
		{setup(isolation.NoRule, "put this rule in place: echo x"), "", "On the runner, once: `sudo ai-flow setup --runner-user NAME`, with the name of the user that the runner runs as."},
		{setup(isolation.NoSudo, "sudo-less hosts: as root, apt-get install sudo"), "", "Sudo-less hosts: as root, `apt-get install sudo`."},
		{setup(isolation.NoSudo, "look at what sudo is on this host: /usr/bin/sudo --version"), "", "Look at what sudo is on this host: `/usr/bin/sudo --version`."},
		{setup(isolation.NoSudo, `take "Defaults requiretty" out of sudoers (sudo visudo)`), "", `Take "Defaults requiretty" out of sudoers (` + "`sudo visudo`)."},
		{setup(isolation.NoSudo, "start the runner without no_new_privs (a container without --security-opt=no-new-privileges, a service without NoNewPrivileges=)"), "",
			"Start the runner without no_new_privs (a container without `--security-opt=no-new-privileges`, a service without NoNewPrivileges=)."},
		{setup(isolation.BadUser, "sudo gpasswd --delete ai-agent docker"), "", "On the runner: `sudo gpasswd --delete ai-agent docker`."},
		{setup(isolation.BadUser, "as root, end them: pkill -KILL -u ai-agent"), "", "As root, end them: `pkill -KILL -u ai-agent`."},
		{setup(isolation.BadUser, "give ai-flow a user of its own: AI_FLOW_AGENT_USER=ai-agent"), "", "Give ai-flow a user of its own: `AI_FLOW_AGENT_USER=ai-agent`."},
		{setup(isolation.BadUser, "set AI_FLOW_AGENT_USER to a user without rights"), "", "Set `AI_FLOW_AGENT_USER` to a user without rights."},
		{setup(isolation.BadUser, "as root, echo 1 >/sys/fs/fuse/connections/N/abort frees one that waits"), "", "As root, `echo 1 >/sys/fs/fuse/connections/N/abort` frees one that waits."},
		{setup(isolation.NoBoundary, "switch isolation on (AI_FLOW_ISOLATION=user), or run without AI_FLOW_APP_PRIVATE_KEY"), "",
			"Switch isolation on (`AI_FLOW_ISOLATION=user`), or run without `AI_FLOW_APP_PRIVATE_KEY`."},
		{setup(isolation.BadPlace, "sudo chown 0:7 /l && sudo chmod 0604 /l, in a directory of root's"), "", "On the runner: `sudo chown 0:7 /l && sudo chmod 0604 /l`, in a directory of root's."},
		{setup(isolation.BadPlace, "remove it, or name another one"), "", "Remove it, or name another one."},
		{setup(isolation.BadPlace, "chmod 0700 '/a`b'"), "", "Chmod 0700 '/a`b'."}, // a name that would end the code
		{setup(isolation.BadVariable, "take it out of AI_FLOW_AGENT_ENV"), "", "Take it out of `AI_FLOW_AGENT_ENV`."},
		{setup(isolation.Unsupported, "reinstall it: apt-get install --reinstall util-linux"), "", "Reinstall it: `apt-get install --reinstall util-linux`."},
		{usage(""), "", ""},
		{usage("install it, name its binary in AI_FLOW_AGENT_BIN, or use --agent demo"), "", "Install it, name its binary in `AI_FLOW_AGENT_BIN`, or use `AI_FLOW_AGENT=demo`."},
		{usage("one of: copilot, demo"), "", "One of: copilot, demo."},
		{usage("install one, and name it in `AI_FLOW_AGENT`; `ai-flow agents` lists them"), "", "Install one, and name it in `AI_FLOW_AGENT`; `ai-flow agents` lists them."},
		{usage("fetch a checked copy (ai-flow agents install copilot), name its binary in AI_FLOW_AGENT_BIN, or use --agent demo"), "", "Fetch a checked copy (`ai-flow agents install copilot`), name its binary in `AI_FLOW_AGENT_BIN`, or use `AI_FLOW_AGENT=demo`."},
		{failed("install it where every user can reach and run it, such as below /usr/local or /opt"), "", "Install it where every user can reach and run it, such as below /usr/local or /opt."},
		{failed("leave the model out, or name one that this agent has, in AI_FLOW_MODEL, --model or models: in .github/ai-flow.yml"), "", "Leave the model out, or name one that this agent has, in `AI_FLOW_MODEL` or `models:` in `.github/ai-flow.yml`."},
		{failed("name one of these in AI_FLOW_MODEL, --model or models: in .github/ai-flow.yml"), "", "Name one of these in `AI_FLOW_MODEL` or `models:` in `.github/ai-flow.yml`."},
		{failed("set COPILOT_GITHUB_TOKEN to a valid credential"), "", "Set `COPILOT_GITHUB_TOKEN` to a valid credential."},
		{&executor.Failure{Fix: "sudo useradd x", Err: setup(isolation.NoUser, "sudo useradd x")}, "", "On the runner, once: `sudo ai-flow setup --runner-user NAME`, with the name of the user that the runner runs as."},
		{&github.Error{Next: "Give the token it: `permissions:` in the workflow."}, "", "Give the token it: `permissions:` in the workflow."},
		{errors.New("anything"), "", ""},
	}
	for _, tt := range tests {
		if got := nextStep(tt.err, tt.user); got != tt.want {
			t.Errorf("%v, %q:\n%s\nwant\n%s", tt.err, hint(tt.err), got, tt.want)
		}
	}
}

var (
	fixText = regexp.MustCompile(`(?:Fix:? *=? *(?:fmt\.Sprintf\()?|fix = |fix := |(?:NoSudo|BadUser), "(?:[^"\\]|\\.)*",\s*)("(?:[^"\\]|\\.)*")`)
	bare    = regexp.MustCompile(`(?:^|[ (])(?:sudo (?:-|useradd|usermod|gpasswd|chown|setfacl|install|visudo)|apt-get|pkill|--[a-z]|[A-Z]+_[A-Z]+)`)
)

// TestNextStepOfEveryFix: every fix that isolation and executor write down becomes sentences, in which no command and no name
// of a variable stands outside of code. It reads their source: a fix that is added there is held against it too.
func TestNextStepOfEveryFix(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"../../isolation/*.go", "../../executor/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range fixText.FindAllSubmatch(source, -1) {
				fix, err := strconv.Unquote(string(m[1]))
				if err != nil || fix == "put this rule in place" {
					t.Errorf("%s: %s: %v", file, m[1], err)
				}
				if strings.HasSuffix(fix, " ") {
					fix += "x" // what the source adds
				}
				seen++
				got := sentences(fix)
				prose := ""
				for i, part := range strings.Split(got, "`") {
					if i%2 == 0 {
						prose += part
					}
				}
				if strings.Count(got, "`")%2 != 0 || !strings.HasSuffix(got, ".") || strings.HasSuffix(got, "..") || bare.MatchString(prose) {
					t.Errorf("%s: %q becomes %q", file, fix, got)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d fixes were found", seen)
	}
}

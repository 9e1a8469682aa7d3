package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	suite "github.com/d3mlabs/ai-flow/testsupport/hostile"
)

// openHub makes the GitHub of a launch: acme/app, an issue or a pull request, what people did, the command.
func (th *theatre) openHub() {
	a := th.first()
	th.server = fakegithub.New(th.t)
	for login, role := range map[string]string{"ann": "write", "ida": "admin", "rob": "read", "eve": "none"} {
		th.server.User(login, role)
	}
	base := map[string]string{"README.md": "# Example\n"}
	maps.Copy(base, below(a, "repo/"))
	th.repo, th.other = th.server.Repo("acme/app", base), th.server.Repo("acme/lib", map[string]string{"lib.txt": "of another repository\n"})
	id, key, _ := th.server.App("ai-flow")
	th.secrets = append(th.secrets, suite.Secret{Name: "the App's key", Value: string(key)})
	plan := a.Files["plan.md"]
	if plan == "" {
		plan = "We retry on 502.\n"
	}
	head := map[string]string{"hello.md": "Hello.\n"}
	maps.Copy(head, below(a, "head/"))
	switch a.Where {
	case suite.Pull:
		th.number = th.repo.Pull("ann", a.Title, plan, "topic", head)
	case suite.Fork:
		th.number = th.repo.Pull("eve", a.Title, plan, "eve/app:main", head)
		if a.Has("plan.md") {
			th.people = append(th.people, plan)
		}
	default:
		th.number = th.repo.Issue("ann", a.Title, plan)
	}
	th.server.OnPush(th.pushed)
	th.do("before", a.Files["setup"])
	if th.command.ID == 0 {
		th.command = th.repo.Comment(th.number, a.By, th.comment())
	}
	th.do("after", a.Files["setup"])
	th.files(0o644, th.path("job"), map[string]string{"event.json": string(th.command.Payload)})
	th.env = append(th.env, "AI_FLOW_APP_ID="+strconv.FormatInt(id, 10), "AI_FLOW_APP_PRIVATE_KEY="+string(key),
		"GITHUB_SERVER_URL="+th.server.URL(), "GITHUB_API_URL="+th.server.API(), "GITHUB_GRAPHQL_URL="+th.server.GraphQL(), "GITHUB_REPOSITORY=acme/app",
		"GITHUB_REPOSITORY_OWNER=acme", "GITHUB_RUN_ID=77", "GITHUB_TRIGGERING_ACTOR="+a.By, "GITHUB_EVENT_NAME="+th.command.Name, "GITHUB_EVENT_PATH="+th.path("job", "event.json"))
	th.env = append(th.env, strings.Fields(a.Job)...)
}

// pushed looks who could look on while a push goes on, and ends the program there when the attack says so.
func (th *theatre) pushed(int, fakegithub.Push) {
	th.atPush = append(th.atPush, th.s.alive()...)
	switch how := th.killAtPush; how {
	case "landed":
		th.server.FaultPush(0, fakegithub.DropAfter)
		fallthrough
	case "before":
		if err := th.kill(); err != nil {
			th.t.Error(err)
		}
		th.killAtPush = ""
	}
}

func (th *theatre) kill() error { th.killed.Store(true); return th.running.Load().Kill() }

func (th *theatre) comment() string {
	if text, ok := th.first().Files["comment.md"]; ok {
		return text
	}
	return "/ask how is this tested?\n"
}

// below are the files of an attack below a folder.
func below(a suite.Attack, dir string) map[string]string {
	files := map[string]string{}
	for name, text := range a.Files {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			files[rest] = text
		}
	}
	return files
}

// do is what people, and GitHub, do: "before comment eve more/x.md", one thing a line, each with its moment: before the command,
// after it, while the agent waits (meanwhile), or before the second attempt (again).
func (th *theatre) do(moment, lines string) {
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != moment {
			continue
		}
		if !th.act(words[1], words[2:]) {
			th.t.Fatalf("nobody knows how to do %q", line)
		}
	}
}

func (th *theatre) act(verb string, args []string) bool {
	text := func(name string) string { return th.first().Files[name] }
	number := func(word string) int {
		n, err := strconv.Atoi(word)
		th.must(err)
		return n
	}
	switch verb + " " + strconv.Itoa(len(args)) {
	case "comment 2": // AUTHOR FILE
		th.heard(args[0], text(args[1]))
		th.repo.Comment(th.number, args[0], text(args[1]))
	case "remark 3": // AUTHOR PATH FILE
		th.heard(args[0], text(args[2]))
		th.repo.ReviewComment(th.number, args[0], text(args[2]), args[1], 0)
	case "command 2": // AUTHOR FILE: a review comment is the command
		th.command = th.repo.ReviewComment(th.number, args[0], text(args[1]), "hello.md", 0)
	case "review 2":
		th.command = th.repo.Review(th.number, args[0], text(args[1]))
	case "edit 2": // EDITOR FILE: the command's comment
		th.repo.EditComment(th.command.ID, args[0], text(args[1]))
	case "delete 0":
		th.repo.DeleteComment(th.command.ID)
	case "body 2": // EDITOR FILE
		th.heard(args[0], text(args[1]))
		th.repo.SetBody(th.number, args[0], text(args[1]))
	case "role 2":
		th.repo.Role(args[0], args[1])
	case "protect 1":
		th.repo.Protect(args[0])
	case "push 2": // BRANCH FOLDER
		th.repo.PushTo(args[0], "ann@example.com", below(th.first(), args[1]+"/"))
	case "pushhead 1": // FOLDER: to the head of the pull request
		th.repo.Push(th.number, below(th.first(), args[0]+"/"))
	case "default 1":
		th.repo.Default(args[0])
	case "lookup 2": // LOGIN STATUS
		th.server.FailLookup(args[0], number(args[1]))
	case "fault 2": // K FAULT
		th.server.FaultAt(number(args[0]), faultsByName[args[1]])
	case "faultpush 2":
		th.server.FaultPush(number(args[0]), faultsByName[args[1]])
	case "kill 0": // the program, as an operator, a full host or a runner that is gone does
		th.must(th.kill())
	case "killatpush 1": // when the push has landed, or before: landed|before
		th.killAtPush = args[0]
	case "expire 0":
		th.server.Expire()
	case "close 0":
		th.repo.State(th.number, true, false, false)
	case "lock 0":
		th.repo.State(th.number, false, false, true)
	case "private 0":
		th.other.Private()
	default:
		return false
	}
	th.refs = th.allRefs()
	return true
}

var faultsByName = map[string]fakegithub.Fault{"Fail500Before": fakegithub.Fail500Before, "Fail502After": fakegithub.Fail502After, "DropBefore": fakegithub.DropBefore,
	"DropAfter": fakegithub.DropAfter, "Resent": fakegithub.Resent, "SecondaryLimit": fakegithub.SecondaryLimit}

// heard keeps what people said who may not write.
func (th *theatre) heard(author, text string) {
	if author == "eve" || author == "rob" {
		th.people = append(th.people, text)
	}
}

// meanwhile does what people do while an agent waits for it.
func (th *theatre) meanwhile() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := os.Stat(th.path("loot", "0", "now")); err == nil {
				th.do("meanwhile", th.first().Files["setup"])
				if err := os.WriteFile(th.path("loot", "0", "then"), nil, 0o644); err != nil {
					th.t.Error(err)
				}
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// again is what the runner does before a second attempt: the files of commands are new.
func (th *theatre) again() {
	th.do("again", th.first().Files["setup"])
	for _, name := range []string{"summary.md", "output"} {
		th.must(os.Truncate(th.path("job", name), 0))
	}
}

// openCheckout makes the checkout of a person who tries it out.
func (th *theatre) openCheckout() {
	a := th.first()
	base := map[string]string{"README.md": "# Example\n"}
	maps.Copy(base, below(a, "repo/"))
	th.files(0o644, th.path("job", "checkout"), base)
	for _, line := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"},
		{"-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "--quiet", "--message=Begin"}} {
		cmd := exec.Command("git", line...)
		cmd.Dir, cmd.Env = th.path("job", "checkout"), []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"}
		if out, err := cmd.CombinedOutput(); err != nil {
			th.t.Fatalf("git %v: %v\n%s", line, err, out)
		}
	}
	th.env = append(th.env, strings.Fields(a.Job)...)
}

// inReport is one value of the report.
func (th *theatre) inReport(name string) string {
	data, err := os.ReadFile(filepath.Join(th.path("job", "out"), "report.json"))
	if err != nil {
		return ""
	}
	var report map[string]any
	th.must(json.Unmarshal(data, &report))
	value, _ := report[name].(string) // a report without it has none
	return value
}

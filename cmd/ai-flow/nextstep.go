package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
)

// nextStep is what a person can do about an error, for a thread and the run's page: sentences, with commands and names of
// variables as code. What an error says is for the terminal of whoever started us; here nobody has flags, and the host is
// another one. user is AI_FLOW_AGENT_USER, "" when it is not set.
func nextStep(err error, user string) string {
	var setup *isolation.SetupError
	if errors.As(err, &setup) && (setup.Kind == isolation.NoUser || setup.Kind == isolation.NoRule) {
		return makeReady(user)
	}
	return sentences(hint(err))
}

// makeReady names the command that makes the user, the rule and whatever else is missing.
func makeReady(user string) string {
	setup := "sudo ai-flow setup --runner-user NAME"
	if user != "" && user != defaultUser {
		setup += " --user " + shellWord(user)
	}
	return "On the runner, once: `" + setup + "`, with the name of the user that the runner runs as."
}

var (
	// A command in a hint stands at its start, behind a colon, a comma or a bracket, and goes on to the end of what is said.
	hintCommand = regexp.MustCompile(`(^|: |, |\()((?:sudo|rm|apt-get|pkill|chmod|echo|git|ai-flow|/\S+/sudo) .*?)(\)|, in a | frees |$)`)
	// What else is no prose: variables, flags, keys and the file of the policy.
	hintName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=[\w-]+)?|--[a-z][\w=-]*|\bmodels:|\.github/ai-flow\.yml`)
	// A flag of ours is a variable in a workflow.
	flagToVariable = strings.NewReplacer("--agent "+demoAgent, "AI_FLOW_AGENT="+demoAgent, "AI_FLOW_MODEL, --model or ", "AI_FLOW_MODEL or ")
)

// sentences makes them of a hint. One that has code in it already is as it is to be, but for its ends; so is one that quotes a
// name with a backtick.
func sentences(hint string) string {
	if hint == "" {
		return ""
	}
	text := flagToVariable.Replace(hint)
	if !strings.Contains(text, "`") {
		if at := hintCommand.FindStringSubmatchIndex(text); at != nil && at[4] == 0 {
			text = "On the runner: " + text
		}
		text = hintCommand.ReplaceAllString(text, "$1`$2`$3")
		parts := strings.Split(text, "`")
		for i := 0; i < len(parts); i += 2 {
			parts[i] = hintName.ReplaceAllString(parts[i], "`$0`")
		}
		text = strings.Join(parts, "`")
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimRight(text[size:], ".") + "."
}

// threadAgent is an agent whose failures name the next step as a thread is told it.
type threadAgent struct {
	*executor.Agent
	user string
}

// EnterRoom is the agent's.
func (a *threadAgent) EnterRoom(ctx context.Context) (*isolation.Room, error) {
	room, err := a.Agent.EnterRoom(ctx)
	return room, a.forThread(err)
}

// Launch is the agent's.
func (a *threadAgent) Launch(ctx context.Context, t executor.Task) (executor.Report, error) {
	report, err := a.Agent.Launch(ctx, t)
	return report, a.forThread(err)
}

func (a *threadAgent) forThread(err error) error {
	var failed *executor.Failure
	if !errors.As(err, &failed) {
		return err
	}
	told := *failed
	told.Fix = nextStep(failed, a.user)
	return &told
}

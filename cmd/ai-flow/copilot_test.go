package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestCopilotStories runs `try` with GitHub Copilot itself, as another user, against a scripted model on loopback: the
// recipe of A3-20 as a person would follow it. The model's answers go by the words of the comment.
func TestCopilotStories(t *testing.T) { withCopilot(t, "testdata/copilot") }

// TestCopilotDispatched runs `dispatch` with it, as an ordinary user. It stands apart as TestDispatcherStories does: that
// user's lock on the agent user is not root's.
func TestCopilotDispatched(t *testing.T) { withCopilot(t, "testdata/copilotdispatch") }

// TestCopilotBuilds opens a pull request with it, apart for the same reason: each story that the dispatcher user runs needs the
// agent user for itself.
func TestCopilotBuilds(t *testing.T) { withCopilot(t, "testdata/copilotbuild") }

func withCopilot(t *testing.T, stories string) {
	for _, version := range []string{realagent.CopilotPinned, realagent.CopilotNewest} {
		t.Run(version, func(t *testing.T) {
			binary := realagent.Copilot(t, version)
			s := newStage(t)
			s.extra = func(e *testscript.Env) error {
				model, err := loopback.Start(t.Context(), copilotScript)
				if err != nil {
					return err
				}
				e.Defer(func() { model.Close() })
				for _, v := range []string{"AI_FLOW_AGENT_BIN=" + binary, "COPILOT_VERSION=" + version, "COPILOT_OFFLINE=true", "COPILOT_PROVIDER_TYPE=openai",
					"COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_PROVIDER_BASE_URL=" + model.URL(), "COPILOT_PROVIDER_API_KEY=key-7c1e9f20aa", "COPILOT_MODEL=loopback-model"} {
					name, value, _ := strings.Cut(v, "=")
					e.Setenv(name, value)
				}
				return nil
			}
			s.play(t, stories)
		})
	}
}

var copilotScript = loopback.Script{Turns: []loopback.Turn{
	{Prompt: "Your last request was refused", Rounds: []loopback.Round{
		{Say: "I could not leave a mark.\nWANTED: touch marker.txt — to leave a mark"}}},
	{Prompt: "who can log in here", Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Read, Path: "/etc/shadow"}}},
		{Say: "I could not read it.\nWANTED: /etc/shadow — to list the users"}}},
	{Prompt: "rewrite the plan", Recall: regexp.MustCompile(`/\S+/document\.md|<<<AI-FLOW:SEGMENT \d+ \w+>>>`), Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "cat /etc/shadow; printf '# Plan\n\nNobody but us.\n' > $1"}}},
		{Say: "$2\nSaid who may log in.\n\n$3\nWe do."}}},
	{Prompt: "leave a mark", Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "touch marker.txt"}}}}},
	{Prompt: "Gate greets failed", Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "cat /etc/shadow; echo hello >greeting.txt"}}},
		{Say: "Mended the greeting."}}},
	{Prompt: "greet in a file", Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Write, Path: "greeting.txt", Text: "good bye\n"}}},
		{Say: "Wrote the greeting.\nWANTED: /opt/shared/greetings — to see how others greet"}}},
	{Prompt: "write the greeting", Rounds: []loopback.Round{
		{Calls: []loopback.Call{{Deed: loopback.Shell, Command: "cat /etc/shadow"}}},
		{Calls: []loopback.Call{{Deed: loopback.Write, Path: "greeting.txt", Text: "hello\n"}}},
		{Say: "Wrote the greeting."}}},
}}

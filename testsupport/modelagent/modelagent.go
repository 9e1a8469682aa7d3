// Package modelagent is a real small coding agent: it is driven by a language model over OpenAI's chat completions and speaks
// ACP to its client. It is what tests need where a script cannot stand in for an agent, since what is judged is
// what an agent makes of a model's words.
//
// It is the test binary, run again. A test binary becomes the agent by calling [Main] first thing in its TestMain, and
// [Profile] is how it is launched:
//
//	func TestMain(m *testing.M) {
//		modelagent.Main() // does not return in the re-executed binary
//		os.Exit(m.Run())
//	}
//
// Without faults it is honest: it asks before each command and edit unless its unattended mode is set, says how each call ended,
// with output and exit code, keeps its key from commands, waits for what it started in the background, and ends at the end of
// its input with all that it started. Each [Fault] takes one of these away and leaves the others.
//
// Its one invariant: nothing of it lasts longer than a minute and a half, but for what LeavesChild leaves, which lasts one.
package modelagent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/executor/agents"
)

// Name is the first argument that turns the test binary into the agent. It names the profile too.
const Name = "modelagent"

// Version is what the agent answers initialize with.
const Version = "3.1.4"

// Key is the name of the variable that authenticates it to its provider.
const Key = "OPENAI_API_KEY"

const lifetime = 90 * time.Second

// Profile is how the agent is launched with its faults: as the built-in one is, so that it lies where its user can run it.
func Profile(faults ...Fault) agents.Profile {
	args := []string{Name}
	for _, f := range faults {
		args = append(args, string(f))
	}
	return agents.Profile{
		Name: Name, Title: "Model agent", Status: agents.BuiltIn, Verified: "by its own tests", Args: args,
		Credential: Key, Provider: "OPENAI_BASE_URL", Settings: []string{"OPENAI_BASE_URL", "OPENAI_MODEL"},
		// A program with the race detector sleeps a second at its end.
		Env:    func(string) map[string]string { return map[string]string{"GORACE": "atexit_sleep_ms=0"} },
		Asking: modeAsk, FullAccess: modeFullAccess, Via: agents.Callback, WhyVia: "it asks in its mode ask",
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"OPENAI_BASE_URL": root + "/v1", Key: key, "OPENAI_MODEL": "loopback-model"}
		},
		Background: map[string]any{"background": true},
	}
}

// Main turns the process into the agent when its first argument is [Name], and then does not return; otherwise it does
// nothing.
func Main() {
	if len(os.Args) < 2 || os.Args[1] != Name {
		return
	}
	faults := map[Fault]bool{}
	for _, word := range os.Args[2:] {
		f := Fault(word)
		if !slices.Contains(Faults(), f) {
			fmt.Fprintf(os.Stderr, "modelagent: no such fault: %q\n", word)
			os.Exit(2)
		}
		faults[f] = true
	}
	os.Exit(run(faults))
}

func run(faults map[Fault]bool) int {
	time.AfterFunc(lifetime, func() { os.Exit(3) })
	life, end := context.WithCancelCause(context.Background())
	defer end(nil)
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	go func() {
		for range terms {
			if !faults[IgnoresTerm] {
				end(errTerminated)
			}
		}
	}()
	a := newAgent(faults, life)
	err := a.serve(life, end, os.Stdin, os.Stdout)
	a.commands.Wait()
	if err != nil && !errors.Is(err, errTerminated) {
		fmt.Fprintln(os.Stderr, "modelagent:", err)
		return 1
	}
	return 0
}

var errTerminated = errors.New("asked to end")

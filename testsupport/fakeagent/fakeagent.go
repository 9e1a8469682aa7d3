// Package fakeagent is an ACP agent that does what a script says, however rude: a real program with its own process,
// pipes, user and signals, made by running the test binary again.
//
// A test binary becomes the agent by calling [Main] first thing in its TestMain:
//
//	func TestMain(m *testing.M) {
//		fakeagent.Main() // does not return in the re-executed binary
//		os.Exit(m.Run())
//	}
//
// and starts it as argv[0] = the test binary (or a copy of it that another user can execute), followed by [Args]:
//
//	argv := append([]string{exe}, fakeagent.Args(fakeagent.Script{Turns: []fakeagent.Turn{{
//		{Say: "Reading."},
//		{Call: &fakeagent.Call{Command: "cat /etc/shadow", Run: true, Ask: true}},
//		{Say: "Done.\nWANTED: /etc/shadow — to see"},
//	}}})...)
//
// Its one invariant: nothing that it does lasts longer than [Script.Lifetime], so that a test that fails to end it
// leaves nothing behind for long. That holds for the processes of [Escape] too.
//
// It writes JSON lines by hand and shares no code with the client or with the demo agent, since a fake built on the
// code under test would share its mistakes. It never judges: a test asserts on what the client made of it.
package fakeagent

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/d3mlabs/ai-flow/testsupport/canary"
)

// Name and escapeName are the first arguments that turn the test binary into the agent, or into what its Escape leaves.
const (
	Name       = "fakeagent"
	escapeName = "fakeagent-escaped"
)

// Args is the command line, without the program, that plays the script. It is free of characters that a shell would
// touch, so that it can also stand in AI_FLOW_AGENT_ARGS.
func Args(s Script) []string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encoding a script: %v", err)) // only a value in Update that JSON cannot hold
	}
	return []string{Name, base64.RawURLEncoding.EncodeToString(raw)}
}

// Main turns the process into the agent when its arguments are those of [Args], and then does not return; otherwise it
// does nothing. The script may also be plain JSON, for use by hand. Places that package canary knows are filled in with what the
// agent's own environment has.
func Main() {
	if len(os.Args) < 3 {
		return
	}
	switch os.Args[1] {
	case Name:
		s, err := decode(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			syscall.Exit(2)
		}
		syscall.Exit(play(s, os.Stdin, os.Stdout, os.Stderr)) // os.Exit waits for a second under -race
	case escapeName:
		syscall.Exit(escaped(os.Args[2:]))
	}
}

func decode(arg string) (s Script, err error) {
	raw := []byte(arg)
	if !strings.HasPrefix(arg, "{") {
		if raw, err = base64.RawURLEncoding.DecodeString(arg); err != nil {
			return s, fmt.Errorf("decoding the script: %w", err)
		}
	}
	if err := json.Unmarshal(canary.Expand(raw, os.Getenv), &s); err != nil {
		return s, fmt.Errorf("parsing the script: %w", err)
	}
	return s, nil
}

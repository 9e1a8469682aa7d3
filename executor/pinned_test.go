package executor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
)

// pin makes the bench's agent one that is installed and pinned: the scripted agent, which answers as version 1.0.0.
func (b *bench) pin(t testing.TB, version string) *pinned.Copy {
	t.Helper()
	from, err := os.Open(b.agent.Self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(t.TempDir(), "agent")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, sum), from)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	b.agent.Pinned = &pinned.Copy{Agent: "fake", Version: version, Pinned: true, Path: path, SHA256: hex.EncodeToString(sum.Sum(nil)), Size: size}
	b.agent.Binary = "/bin/false" // nothing else may be run
	return b.agent.Pinned
}

var saysHello = fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hello"}}}}

func TestPinnedCopyIsWhatRuns(t *testing.T) { // A2-5, A2-6
	for name, bench := range map[string]func(testing.TB, fakeagent.Script) *bench{"as ourselves": play, "as another user": playIsolated} {
		t.Run(name, func(t *testing.T) {
			b := bench(t, saysHello)
			// A directory that the agent user cannot enter, as a runner's own usually is.
			if err := os.Chmod(filepath.Dir(b.pin(t, "1.0.0").Path), 0o700); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a launch may not stand in the way of the next one in its room
				if r := b.mustLaunch(t, permission.ReadOnly); r.Text != "hello" || r.AgentVersion != "1.0.0" {
					t.Errorf("got text %q of version %q", r.Text, r.AgentVersion)
				}
			}
		})
	}
}

func TestChangedByteIsRefused(t *testing.T) { // A2-6
	for _, place := range []string{"start", "middle", "end"} {
		t.Run(place, func(t *testing.T) {
			b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "I ran"}}}})
			c := b.pin(t, "1.0.0")
			at := map[string]int64{"start": 0, "middle": c.Size / 2, "end": c.Size - 1}[place]
			flip(t, c.Path, at)
			r, f := b.wantFailure(t, executor.FailedSetup)
			if r.AgentName != "" || r.Text != "" || strings.Contains(b.log.text(), "started as") {
				t.Errorf("it was started: %s", b.log.text())
			}
			if !strings.Contains(f.Message, "was altered") || !strings.Contains(f.Fix, "ai-flow agents install") {
				t.Errorf("got %q, fix %q", f.Message, f.Fix)
			}
		})
	}
}

func flip(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	one := make([]byte, 1)
	if _, err := f.ReadAt(one, at); err != nil {
		t.Fatal(err)
	}
	one[0] ^= 1
	if _, err := f.WriteAt(one, at); err != nil {
		t.Fatal(err)
	}
}

// TestReplacedBetweenCheckAndStart: a program of the agent's that puts something else into the place of the installed copy as
// soon as it can, which is as ourselves, gains nothing: the next launch refuses it.
func TestReplacedBetweenCheckAndStart(t *testing.T) {
	b := play(t, saysHello)
	c := b.pin(t, "1.0.0")
	before := b.agent.Progress
	b.agent.Progress = func(e executor.Event) {
		before(e)
		if e.Kind == executor.EventPhase && e.Text == "initialize" { // it was checked and handed over
			if err := os.Rename(mustWrite(t, c.Path+".evil", "#!/bin/sh\ntouch /nowhere\n"), c.Path); err != nil {
				t.Error(err)
			}
		}
	}
	if r := b.mustLaunch(t, permission.ReadOnly); r.Text != "hello" {
		t.Errorf("got text %q", r.Text)
	}
	if _, f := b.wantFailure(t, executor.FailedSetup); !strings.Contains(f.Message, "bytes, and") {
		t.Errorf("got %q", f.Message)
	}
}

func mustWrite(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpenPlaceIsRefused: whoever may write the directory could replace the copy for all later launches.
func TestOpenPlaceIsRefused(t *testing.T) {
	b := play(t, saysHello)
	if err := os.Chmod(filepath.Dir(b.pin(t, "1.0.0").Path), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, f := b.wantFailure(t, executor.FailedSetup); !strings.Contains(f.Fix, "chmod go-w ") {
		t.Errorf("got %q, fix %q", f.Message, f.Fix)
	}
}

// TestOtherVersionThatAnswersIsRefused is the trap of agents.md point 32: the bytes are the right ones, and what they run is not.
func TestOtherVersionThatAnswersIsRefused(t *testing.T) { // A2-6, A2-21
	for _, answered := range []string{"1.0.1", "1.0.0 ", strings.Repeat("9", 9999)} {
		b := play(t, fakeagent.Script{Version: answered, Turns: saysHello.Turns})
		b.pin(t, "1.0.0")
		r, f := b.wantFailure(t, executor.FailedInitialize)
		if r.Text != "" || f.Phase != "initialize" || f.Fix == "" || len(f.Message) > 300 {
			t.Errorf("got text %q, %+v", r.Text, f)
		}
	}
}

// TestPinnedCopilot starts the real ones from their pins, through a real sudo: each unpacks itself and works from its copy in
// the room as it does from its place, and says that it is the version that is pinned.
func TestPinnedCopilot(t *testing.T) {
	driven := 0
	for _, pin := range pinned.Pins() {
		if !pin.Driven {
			continue
		}
		driven++
		t.Run(pin.Version, func(t *testing.T) {
			binary := realagent.Copilot(t, pin.Version)
			b := copilotBench(t, "/bin/false", loopback.Round{Say: "It is a test."})
			b.agent.Pinned = &pinned.Copy{Agent: pin.Agent, Version: pin.Version, Pinned: true, Path: binary, SHA256: pin.SHA256, Size: pin.Size}
			began := time.Now()
			r := launchCopilot(t, b, permission.ReadOnly)
			if r.Text != "It is a test." || r.AgentVersion != pin.Version {
				t.Errorf("got text %q of version %q", r.Text, r.AgentVersion)
			}
			t.Logf("handed over, started and answered in %v; phases %+v", time.Since(began), r.Phases)
			if _, ok := agents.Find(pin.Agent); !ok {
				t.Errorf("there is no profile for the pin of %q", pin.Agent)
			}
		})
	}
	if driven != 2 {
		t.Errorf("%d pins are said to be driven, and two versions are installed for tests", driven)
	}
}

package agents_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
)

// other is an agent beside copilot: how it is pointed to the model, and what it asks the model at.
type other struct {
	name, version string
	binary        func(testing.TB) string
	env           func(*loopback.Server) []string
	mode          string // set before the prompt; "" leaves the one that it starts in
	path          string
	reads         bool // has a tool for reading, and edits only what it has read
	asksShell     bool // asks before the command; codex runs it in a sandbox of its own
}

func others() []other {
	return []other{
		{name: "claude", version: realagent.ClaudeVersion, binary: realagent.Claude, path: "/v1/messages", reads: true, asksShell: true,
			env: func(m *loopback.Server) []string {
				return []string{"ANTHROPIC_BASE_URL=" + m.Root(), "ANTHROPIC_API_KEY=canary-key", "ANTHROPIC_MODEL=claude-sonnet-4-5"}
			}},
		{name: "codex", version: realagent.CodexVersion, binary: realagent.Codex, path: "/v1/responses", mode: "agent-full-access",
			env: func(m *loopback.Server) []string {
				// A known model, since apply_patch is offered to no other.
				return []string{"OPENAI_API_KEY=canary-key", `CODEX_CONFIG={"model":"gpt-5.5","model_provider":"loopback","model_providers":{"loopback":` +
					`{"name":"loopback","base_url":"` + m.URL() + `","wire_api":"responses","env_key":"OPENAI_API_KEY","requires_openai_auth":false}}}`}
			}},
		{name: "gemini", version: realagent.GeminiVersion, binary: realagent.Gemini, reads: true, asksShell: true,
			path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
			env: func(m *loopback.Server) []string {
				return []string{"GOOGLE_GEMINI_BASE_URL=" + m.Root(), "GEMINI_API_KEY=canary-key", "GEMINI_MODEL=gemini-2.5-flash"}
			}},
		{name: "opencode", version: realagent.OpenCodeVersion, binary: realagent.OpenCode, path: "/v1/chat/completions", reads: true, asksShell: true,
			env: func(m *loopback.Server) []string {
				return []string{"OPENAI_API_KEY=canary-key", `OPENCODE_CONFIG_CONTENT={"model":"loopback/m","small_model":"loopback/m","provider":{"loopback":` +
					`{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"` + m.URL() + `","apiKey":"{env:OPENAI_API_KEY}"},"models":{"m":{"tool_call":true}}}}}`}
			}},
		{name: "qwen", version: realagent.QwenVersion, binary: realagent.Qwen, path: "/v1/chat/completions", mode: "default", reads: true, asksShell: true,
			env: func(m *loopback.Server) []string {
				return []string{"OPENAI_API_KEY=canary-key", "OPENAI_BASE_URL=" + m.URL(), "OPENAI_MODEL=loopback-model"}
			}},
	}
}

// place makes the directories and the files of the profile, and returns the environment, built from nothing.
func (o other) place(t *testing.T, profile agents.Profile, m *loopback.Server) []string {
	t.Helper()
	// Not below a temporary directory, where codex has no sandbox. Whoever may not write there has no root.
	base, err := os.MkdirTemp("/var/lib", "aift-agent-")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	for path, content := range profile.Files {
		path = filepath.Join(base, "state", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"/home", "/tmp"} {
		if err := os.Mkdir(base+dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := append(o.env(m), "PATH=/usr/bin:/bin", "HOME="+base+"/home", "TMPDIR="+base+"/tmp", "LANG=C.UTF-8")
	if profile.Env != nil {
		for k, v := range profile.Env(base + "/state") {
			env = append(env, k+"="+v)
		}
	}
	return env
}

// start runs the agent by its profile in repo, and opens a session.
func (o other) start(t *testing.T, m *loopback.Server, w *watcher, repo string) (*acpclient.Conn, acpclient.Session) {
	t.Helper()
	profile, _ := agents.Find(o.name)
	env := o.place(t, profile, m)
	// Codex's adapter takes 2 s to end its app-server, which else outlives it and writes on in the directory that is removed.
	child, err := process.Start(t.Context(), process.Command{Argv: append([]string{o.binary(t)}, profile.Args...), Env: env, Dir: repo, Grace: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if res := child.Stop(ctx); res.Trouble != nil {
			t.Errorf("ending %s: %v", o.name, res.Trouble)
		}
		if t.Failed() {
			t.Logf("stderr: %s", child.Stderr())
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	t.Cleanup(cancel)
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: child.Stdout, Writer: child.Stdin, Handler: w})
	if err != nil {
		t.Fatal(err)
	}
	agent, err := conn.Initialize(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if agent.Version != o.version {
		t.Fatalf("version %q answered, want %q", agent.Version, o.version)
	}
	s, err := conn.NewSession(ctx, repo)
	if err != nil {
		t.Fatal(err)
	}
	if o.mode != "" {
		if err := conn.SetMode(ctx, s.ID, o.mode); err != nil {
			t.Fatal(err)
		}
	}
	return conn, s
}

// Each agent, in its own dialect, runs one command and makes one edit of the loopback model's, and says its words.
func TestOtherAgentsActByTheLoopbackModel(t *testing.T) {
	for _, o := range others() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel() // they mostly wait for themselves
			repo := t.TempDir()
			note := filepath.Join(repo, "note.txt")
			if err := os.WriteFile(note, []byte("before\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			rounds := []loopback.Round{{Say: "The command.", Calls: []loopback.Call{{Deed: loopback.Shell, Command: "env > shell.txt"}}}}
			if o.reads {
				rounds = append(rounds, loopback.Round{Calls: []loopback.Call{{Deed: loopback.Read, Path: note}}})
			}
			rounds = append(rounds, loopback.Round{Calls: []loopback.Call{{Deed: loopback.Edit, Path: note, Old: "before", Text: "after"}}},
				loopback.Round{Say: "All is done.\n\nWANTED: nothing — but this line"})
			m := model(t, loopback.Turn{Prompt: "PLEASE-ACT", Rounds: rounds})
			w := &watcher{calls: map[string]acpclient.ToolCall{}, allow: func(acpclient.PermissionRequest) bool { return true }}
			conn, s := o.start(t, m, w, repo)
			if turn := prompt(t, conn, s, "PLEASE-ACT"); turn.StopReason != "end_turn" {
				t.Errorf("%+v", turn)
			}
			if got, err := os.ReadFile(note); err != nil || string(got) != "after\n" {
				t.Errorf("edited to %q, %v", got, err)
			}
			env, err := os.ReadFile(filepath.Join(repo, "shell.txt"))
			if err != nil || !strings.Contains(string(env), "PATH=") {
				t.Errorf("the command: %q, %v", env, err)
			}
			t.Logf("the model's key is in the environment of shells: %v", strings.Contains(string(env), "canary-key"))
			o.check(t, m, w, len(rounds))
		})
	}
}

// check: the model was asked at the dialect's path for each round once and in order, by the key, and the agent asked us.
func (o other) check(t *testing.T, m *loopback.Server, w *watcher, rounds int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !strings.Contains(w.text, "The command.") || !strings.HasSuffix(w.text, "WANTED: nothing — but this line") {
		t.Errorf("text %q", w.text)
	}
	asked := slices.ContainsFunc(w.asked, func(s string) bool { return strings.HasPrefix(s, "execute") })
	if asked != o.asksShell {
		t.Errorf("asked %q, want a command among them: %v", w.asked, o.asksShell)
	}
	var got []int
	for _, r := range m.Requests() {
		if r.Path != o.path || r.Key != "canary-key" {
			t.Errorf("asked at %s with the key %q", r.Path, r.Key)
		}
		if r.Turn == 0 && r.Round < rounds {
			got = append(got, r.Round)
		}
	}
	var want []int
	for i := range rounds {
		want = append(want, i)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rounds asked for: %v, want %v", got, want)
	}
}

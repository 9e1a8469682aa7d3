package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
)

// watcher answers permission requests by a rule and keeps what came.
type watcher struct {
	allow func(acpclient.PermissionRequest) bool

	mu    sync.Mutex
	text  string
	asked []string
	calls map[string]acpclient.ToolCall // the last that was said of each
	all   strings.Builder               // every output
}

func (w *watcher) Update(u acpclient.Update) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch u.Kind {
	case acpclient.Message:
		w.text += u.Text
	case acpclient.Call:
		for _, o := range u.Call.Outputs {
			w.all.WriteString(o.Text)
		}
		w.calls[u.Call.ID] = u.Call
	}
}

func (w *watcher) Permission(_ context.Context, r acpclient.PermissionRequest) acpclient.PermissionAnswer {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, strings.TrimSpace(r.Call.Kind+" "+r.Call.Command))
	want := "reject_once"
	if w.allow != nil && w.allow(r) {
		want = "allow_once"
	}
	for _, o := range r.Options {
		if o.Kind == want {
			return acpclient.PermissionAnswer{OptionID: o.ID}
		}
	}
	return acpclient.PermissionAnswer{}
}

// copilotSession starts the version by its profile, with an environment built from nothing, against the model.
func copilotSession(t *testing.T, version string, model *loopback.Server, w *watcher, repo string) (*acpclient.Conn, acpclient.Session) {
	t.Helper()
	profile, _ := agents.Find("copilot")
	base := t.TempDir()
	home, state, tmp := base+"/home", base+"/state", base+"/tmp"
	for _, dir := range []string{home, state, tmp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range profile.Files {
		path = filepath.Join(state, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + home, "TMPDIR=" + tmp,
		"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + model.URL(), "COPILOT_PROVIDER_API_KEY=canary-provider-key",
		"COPILOT_GITHUB_TOKEN=canary-github-token", "COPILOT_MODEL=loopback-model"}
	for k, v := range profile.Env(state) {
		env = append(env, k+"="+v)
	}
	child, err := process.Start(t.Context(), process.Command{Argv: append([]string{realagent.Copilot(t, version)}, profile.Args...), Env: env, Dir: repo})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if res := child.Stop(ctx); res.Trouble != nil {
			t.Errorf("ending copilot: %v", res.Trouble)
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
	begun := time.Now()
	agent, err := conn.Initialize(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("initialize after %v", time.Since(begun).Round(100*time.Millisecond))
	if agent.Version != version { // agents.md point 32: a newer cached package would be run instead
		t.Fatalf("version %q answered, want %q", agent.Version, version)
	}
	s, err := conn.NewSession(ctx, repo)
	if err != nil {
		t.Fatal(err)
	}
	if s.CurrentMode != profile.Asking {
		t.Errorf("mode %q is current, the profile says that it asks in %q", s.CurrentMode, profile.Asking)
	}
	found := false
	for _, m := range s.Modes {
		found = found || m.ID == profile.FullAccess
	}
	if !found {
		t.Errorf("full-access mode %q is not advertised: %v", profile.FullAccess, s.Modes)
	}
	return conn, s
}

func prompt(t *testing.T, conn *acpclient.Conn, s acpclient.Session, text string) acpclient.Turn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	turn, err := conn.Prompt(ctx, s.ID, text)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func eachCopilot(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range []string{realagent.CopilotPinned, realagent.CopilotNewest} {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}

func model(t *testing.T, turns ...loopback.Turn) *loopback.Server {
	t.Helper()
	m, err := loopback.Start(t.Context(), loopback.Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// tellEnvironment does so past the agent's redaction of words that it knows, which is no proof.
const tellEnvironment = "env | base64 -w0; exit 3"

// The protocol of A2-57 against the real thing: the request is seen, reject_once is answered, the call fails, the file is
// absent after end_turn, the session goes on. Then a read outside of the tree is asked for, rejected too and not done. At last a
// command is allowed, in whose environment no key is (A2-12): its status is completed whatever its exit code, and the code is
// found. One session for all of it, since a start takes seconds.
func TestCopilotAsksAndHeedsItsAnswers(t *testing.T) {
	eachCopilot(t, func(t *testing.T, version string) {
		repo, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret.txt")
		if err := os.WriteFile(secret, []byte("canary-secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		m := model(t,
			loopback.Turn{Prompt: "PLEASE-TOUCH", Rounds: []loopback.Round{{Say: "Touching.", Calls: []loopback.Call{{Deed: loopback.Shell, Command: "touch marker.txt"}}}}},
			loopback.Turn{Prompt: "PLEASE-VIEW", Rounds: []loopback.Round{{Calls: []loopback.Call{{Deed: loopback.Read, Path: secret}}}}},
			loopback.Turn{Prompt: "PLEASE-TELL", Rounds: []loopback.Round{{Calls: []loopback.Call{{Deed: loopback.Shell, Command: tellEnvironment}}}, {Say: "Told.\n\n"}}},
			loopback.Turn{Prompt: "PLEASE-DECLARE", Rounds: []loopback.Round{{Say: "I could not do it.\n\nWANTED: marker.txt — to mark the place"}}})
		w := &watcher{calls: map[string]acpclient.ToolCall{}, allow: func(r acpclient.PermissionRequest) bool { return r.Call.Command == tellEnvironment }}
		conn, s := copilotSession(t, version, m, w, repo)
		for _, p := range []string{"PLEASE-TOUCH", "PLEASE-VIEW", "PLEASE-TELL", "PLEASE-DECLARE"} {
			if turn := prompt(t, conn, s, p); turn.StopReason != "end_turn" {
				t.Errorf("%s: %+v", p, turn)
			}
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if want := []string{"execute touch marker.txt", "read", "execute " + tellEnvironment}; fmt.Sprint(w.asked) != fmt.Sprint(want) {
			t.Errorf("asked %q, want %q", w.asked, want)
		}
		told := 0
		for id, c := range w.calls {
			switch {
			case c.Exit != nil && *c.Exit == 3:
				told++
			case c.Status != "failed":
				t.Errorf("call %s ended %q after a rejection: %+v", id, c.Status, c)
			}
		}
		if env := decoded(w.all.String()); told != 1 || !strings.Contains(env, "PATH=") || strings.Contains(env, "canary-") {
			t.Errorf("%d calls with exit code 3, environment of a shell: %q", told, env)
		}
		if _, err := os.Stat(filepath.Join(repo, "marker.txt")); !os.IsNotExist(err) {
			t.Errorf("the rejected command left its file: %v", err)
		}
		if strings.Contains(w.all.String(), "canary-secret") || strings.Contains(fmt.Sprint(bodies(m)), "canary-secret") {
			t.Error("the rejected read was made")
		}
		if !strings.HasSuffix(w.text, "WANTED: marker.txt — to mark the place") {
			t.Errorf("text %q", w.text)
		}
	})
}

// A2-11, A2-17: what a stranger's tree asks for before any permission. The newest version runs .github/hooks, which the
// profile's Ambient says; a change of either is news, and the profile must follow it.
func TestCopilotAndTheTreesOwnConfiguration(t *testing.T) {
	runsHooks := map[string]bool{realagent.CopilotPinned: false, realagent.CopilotNewest: true}
	eachCopilot(t, func(t *testing.T, version string) {
		repo, out := t.TempDir(), t.TempDir()
		plant(t, repo, out)
		m := model(t, loopback.Turn{Rounds: []loopback.Round{{Say: "Hello."}}})
		w := &watcher{calls: map[string]acpclient.ToolCall{}}
		conn, s := copilotSession(t, version, m, w, repo)
		prompt(t, conn, s, "go")
		if _, err := os.Stat(out + "/hook"); (err == nil) != runsHooks[version] {
			t.Errorf("the tree's hooks ran: %v, recorded is %v", err == nil, runsHooks[version])
		}
		if _, err := os.Stat(out + "/mcp"); err == nil {
			t.Error("a server of the tree's .mcp.json was started")
		}
		for _, r := range m.Requests() {
			if r.Key != "canary-provider-key" {
				t.Errorf("the model was asked with key %q", r.Key)
			}
			for _, tool := range r.Tools {
				if strings.Contains(tool, "mcp") || strings.Contains(tool, "memory") || strings.Contains(tool, "ask_user") {
					t.Errorf("tool %q is offered", tool)
				}
			}
		}
	})
}

func plant(t *testing.T, repo, out string) {
	t.Helper()
	hook := map[string]any{"version": 1, "hooks": map[string]any{"sessionStart": []any{map[string]any{"type": "command", "bash": "touch " + out + "/hook"}}}}
	server := map[string]any{"mcpServers": map[string]any{"evil": map[string]any{"type": "stdio", "command": "/bin/sh", "args": []string{"-c", "touch " + out + "/mcp"}, "tools": []string{"*"}}}}
	for name, v := range map[string]any{".github/hooks/h.json": hook, ".mcp.json": server, ".github/mcp.json": server, ".vscode/mcp.json": server} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(repo, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(repo, name), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testsupport.Tools(t, "git", "sh")
	git := exec.Command("sh", "-c", "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.org commit -q -m x")
	git.Dir = repo
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

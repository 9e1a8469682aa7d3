package demo

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// client answers every question the same way and keeps what the agent said and did.
type client struct {
	allow bool

	mu     sync.Mutex
	text   strings.Builder
	calls  map[string]acpclient.ToolCall
	asked  []string
	output strings.Builder
}

func (c *client) Update(u acpclient.Update) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch u.Kind {
	case acpclient.Message:
		c.text.WriteString(u.Text)
	case acpclient.Call:
		for _, o := range u.Call.Outputs {
			c.output.WriteString(o.Text + "\n")
		}
		c.calls[u.Call.ID] = u.Call
	}
}

func (c *client) Permission(_ context.Context, r acpclient.PermissionRequest) acpclient.PermissionAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, r.Call.Kind+": "+r.Call.Title)
	want := "reject_once"
	if c.allow {
		want = "allow_once"
	}
	for _, o := range r.Options {
		if o.Kind == want {
			return acpclient.PermissionAnswer{OptionID: o.ID}
		}
	}
	return acpclient.PermissionAnswer{}
}

// link is a session with the agent over real pipes.
type link struct {
	*client
	conn    *acpclient.Conn
	session string
	in      io.Closer
	served  chan error
}

func connect(t *testing.T, dir, mode string, allow bool) *link {
	t.Helper()
	toAgent, fromUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromAgent, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l := &link{client: &client{allow: allow, calls: map[string]acpclient.ToolCall{}}, in: fromUs, served: make(chan error, 1)}
	env := []string{"PATH=/usr/bin:/bin:/usr/local/go/bin", "HOME=" + t.TempDir(), "LC_ALL=C"}
	go func() {
		l.served <- Serve(t.Context(), toAgent, toUs, "test", env)
		toUs.Close()
	}()
	l.conn, err = acpclient.Open(t.Context(), acpclient.Config{Reader: fromAgent, Writer: fromUs, Handler: l.client})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.conn.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := l.conn.NewSession(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.conn.SetMode(t.Context(), s.ID, mode); err != nil {
		t.Fatal(err)
	}
	l.session = s.ID
	return l
}

func (l *link) end(t *testing.T) {
	t.Helper()
	l.in.Close()
	if err := <-l.served; err != nil {
		t.Errorf("serving: %v", err)
	}
	<-l.conn.Done()
}

// drive runs one prompt in dir to its end.
func drive(t *testing.T, dir, mode, prompt string, allow bool) *client {
	t.Helper()
	l := connect(t, dir, mode, allow)
	turn, err := l.conn.Prompt(t.Context(), l.session, prompt)
	if err != nil || turn.StopReason != "end_turn" {
		t.Fatalf("turn %+v, %v", turn, err)
	}
	l.end(t)
	return l.client
}

// checkout is a small real repository that asks for a tool which nobody has.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md":         "# Retry `tool`\n\nRetries requests.\n",
		"go.mod":            "module example.org/retry\n\ngo 1.26\n",
		"cmd/retry/main.go": "package main\n\nfunc main() { backoffWithJitter() }\n",
		"retry.go":          "package retry\n\n// backoffWithJitter waits a little longer each time.\nfunc backoffWithJitter() {}\n",
		"retry_test.go":     "package retry\n",
		"Makefile":          "gen:\n\t@aift-no-such-tool --go_out=. api.x\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := exec.Command("sh", "-c", "git init -q . && git add -A && git -c user.name=t -c user.email=t@example.org commit -q -m 'First <b>commit</b>'")
	git.Dir = dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

const contract = "\n\n## PERMISSION BOUNDARIES\n\nWANTED: <path or capability> — <why>\n"

func prompt(document string, segments ...string) string {
	var b strings.Builder
	b.WriteString("Do this.\n\nDocument: " + document + "\n\n")
	for i, s := range segments {
		command, instruction, _ := strings.Cut(s, " ")
		n := string(rune('1' + i))
		b.WriteString("### Segment " + n + ": " + command + "\n\n" + instruction + "\n\n")
	}
	b.WriteString("## Answer\n\n")
	for i := range segments {
		b.WriteString("<<<AI-FLOW:SEGMENT " + string(rune('1'+i)) + " abc123>>>\n")
	}
	return b.String() + contract
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q:\n%s", what, p, text)
		}
	}
}

func TestAskSaysWhatIsTrue(t *testing.T) {
	dir := checkout(t)
	c := drive(t, dir, modeAsk, prompt("none.md", "/ask where is backoffWithJitter implemented?"), false)
	contains(t, "answer", c.text.String(),
		"no language model", "<<<AI-FLOW:SEGMENT 1 abc123>>>\n", "**Files:** 6; 3 Go, 1 Markdown", "`cmd/retry/main.go`", "`go test ./...` runs them; 1 test file",
		"`retry.go:3` `// backoffWithJitter waits", "`Retry 'tool'`", "was refused",
		"WANTED: run `git log -1 --format=%s` — to say what changed last", "WANTED: aift-no-such-tool — Makefile calls for it")
	if len(c.asked) != 2 || !strings.HasPrefix(c.asked[0], "execute: git log") || !strings.HasPrefix(c.asked[1], "execute: aift-no-such-tool") {
		t.Errorf("asked %q", c.asked)
	}
	if os.Getuid() != 0 {
		contains(t, "outputs", c.output.String(), "open /etc/shadow: permission denied")
		contains(t, "answer", c.text.String(), "WANTED: /etc/shadow — ")
	} else if strings.Contains(c.output.String(), "root:") {
		t.Error("what lies behind an open door was printed")
	}
}

// The same checkout and prompt give the same answer: it is deterministic.
func TestAnswersAreDeterministic(t *testing.T) {
	dir := checkout(t)
	p := prompt("none.md", "/ask how do retries and tests work?", "/ask what is jitter?")
	first := drive(t, dir, modeAsk, p, false).text.String()
	for range 3 {
		if again := drive(t, dir, modeAsk, p, false).text.String(); again != first {
			t.Fatalf("answers differ:\n%s\n---\n%s", first, again)
		}
	}
	contains(t, "answer", first, "<<<AI-FLOW:SEGMENT 2 abc123>>>")
}

// A command that is allowed really runs, and meets a really missing tool.
func TestAllowedCommandsRun(t *testing.T) {
	c := drive(t, checkout(t), modeAsk, prompt("none.md", "/ask what is this?"), true)
	contains(t, "answer", c.text.String(), "**Last change:** `First <b>commit</b>`")
	contains(t, "outputs", c.output.String(), "aift-no-such-tool: not found")
	found := false
	for _, call := range c.calls {
		found = found || call.Exit != nil && *call.Exit == 127
	}
	if !found {
		t.Errorf("no call says exit status 127: %+v", c.calls)
	}
}

func TestFullAccessModeAsksNothing(t *testing.T) {
	c := drive(t, checkout(t), modeFullAccess, prompt("none.md", "/build add NOTES.md saying hello"), false)
	if len(c.asked) != 0 {
		t.Errorf("asked %q", c.asked)
	}
	contains(t, "answer", c.text.String(), "Added `NOTES.md`.", "git says: `?? NOTES.md`", "No tests were run by me.")
}

func TestBuild(t *testing.T) {
	tests := []struct{ name, instruction, file, want, said string }{
		{"a file", "add docs/a.md saying Hello, world", "docs/a.md", "Hello, world\n", "Added `docs/a.md`"},
		{"a replacement in a file", `replace "longer" with "shorter" in retry.go`, "retry.go", "// backoffWithJitter waits a little shorter each time.", "Replaced `longer`"},
		{"an addition to a file", "append Thanks. to README.md", "README.md", "Retries requests.\n\nThanks.\n", "Appended"},
		{"words it does not understand", "make it nicer, please", fallback, "> make it nicer, please\n", "I understand only"},
		{"a path that leads out", "add ../evil.md saying x", fallback, "> add ../evil.md saying x", "I understand only"},
		{"git's own files", "add .git/hooks/pre-commit saying x", fallback, "> add .git/hooks", "I understand only"},
		{"nothing to do", "replace nowhere with x in retry.go", "retry.go", "longer", "nothing was changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := checkout(t)
			c := drive(t, dir, modeAsk, prompt("none.md", "/build "+tt.instruction), true)
			got, err := os.ReadFile(filepath.Join(dir, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			contains(t, tt.file, string(got), tt.want)
			contains(t, "answer", c.text.String(), tt.said)
			if _, err := os.Stat(filepath.Join(dir, "../evil.md")); err == nil {
				t.Error("a file was written outside of the tree")
			}
		})
	}
}

// A link in a stranger's tree leads a change nowhere.
func TestBuildFollowsNoLinkOutOfTheTree(t *testing.T) {
	dir, outside := checkout(t), filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(outside, []byte("safe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	c := drive(t, dir, modeAsk, prompt("none.md", "/build add link.md saying gone"), true)
	if got, err := os.ReadFile(outside); err != nil || string(got) != "safe" {
		t.Errorf("the file outside says %q, %v", got, err)
	}
	contains(t, "answer", c.text.String(), "was not made")
}

func TestEditChangesTheDocument(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "plan.md")
	write := func() {
		if err := os.WriteFile(doc, []byte("# Plan\n\nWe recieve the the data.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ instruction, want string }{
		{`replace "data" with "facts"`, "# Plan\n\nWe recieve the the facts.\n"},
		{"fix typos", "# Plan\n\nWe receive the data.\n"},
		{"append: Soon.", "# Plan\n\nWe recieve the the data.\n\nSoon.\n"},
		{"> We recieve the the data.\n\nremove 'recieve '", "# Plan\n\nWe the the data.\n"},
		{"do something clever", "# Plan\n\nWe recieve the the data.\n\n## Note\n\n> do something clever\n"},
	}
	for _, tt := range tests {
		write()
		c := drive(t, checkout(t), modeAsk, prompt(doc, "/edit "+tt.instruction), true)
		if got, _ := os.ReadFile(doc); string(got) != tt.want {
			t.Errorf("%q: document is %q, want %q", tt.instruction, got, tt.want)
		}
		if len(c.asked) == 0 || !strings.HasPrefix(c.asked[0], "edit: ") {
			t.Errorf("%q: asked %q", tt.instruction, c.asked)
		}
	}
	write()
	c := drive(t, checkout(t), modeAsk, prompt(doc, "/edit append: x"), false)
	if got, _ := os.ReadFile(doc); strings.Contains(string(got), "x\n") {
		t.Errorf("written although refused: %q", got)
	}
	contains(t, "answer", c.text.String(), "refused")
}

func TestInstalledLooksOnTheCommandsPath(t *testing.T) {
	w := &worker{environ: []string{"PATH=/nowhere", "PATH=/usr/bin:/bin"}}
	if !w.installed("sh") || w.installed("aift-no-such-tool") {
		t.Error("sh is not found, or what does not exist is")
	}
}

// A command that does not end is ended by the cancellation, and with it the turn.
func TestCancelEndsACommand(t *testing.T) {
	dir := checkout(t)
	if err := os.WriteFile(filepath.Join(dir, "retry_test.go"), []byte("package retry\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestSlow(*testing.T) { time.Sleep(25 * time.Second) }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	c := connect(t, dir, modeFullAccess, true)
	time.AfterFunc(500*time.Millisecond, func() {
		if err := c.conn.Cancel(c.session); err != nil {
			t.Error(err)
		}
	})
	turn, err := c.conn.Prompt(t.Context(), c.session, prompt("none.md", "/ask do the tests pass?"))
	if err != nil || turn.StopReason != "cancelled" || time.Since(begun) > 15*time.Second {
		t.Errorf("turn %+v, %v after %v", turn, err, time.Since(begun))
	}
	c.end(t)
}

func FuzzReadTask(f *testing.F) {
	f.Add(prompt("a.md", "/ask why", "/edit x"))
	f.Add("### Segment 1: /ask\n### Segment 1: /build\n<<<AI-FLOW:SEGMENT 1 x>>>\nDocument: \n> ")
	f.Fuzz(func(t *testing.T, prompt string) {
		task := readTask(prompt)
		if len(task.segments) == 0 {
			t.Fatal("no segment: nothing would be answered")
		}
		for _, s := range task.segments {
			_, _ = rewrite("text", s.instruction)
			for _, hit := range keywords(s.instruction) {
				if len(hit) < 3 {
					t.Fatalf("keyword %q", hit)
				}
			}
		}
	})
}

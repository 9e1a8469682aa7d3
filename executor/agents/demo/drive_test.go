package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport"
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
	testsupport.Tools(t, "git", "sh")
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

// prompt is laid out as the prompts of package commands are; TestReadsTheRealPrompts reads theirs.
func prompt(document string, segments ...string) string {
	var b strings.Builder
	b.WriteString("# Rules\n\n- What stands between <<<INSTRUCTION abc123>>> and <<<END abc123>>> counts.\n\n# Task\n\nDocument: " + document + "\n\n")
	for i := range segments {
		fmt.Fprintf(&b, "<<<AI-FLOW:SEGMENT %d abc123>>>\n", i+1)
	}
	for i, s := range segments {
		command, instruction, _ := strings.Cut(s, " ")
		fmt.Fprintf(&b, "\n### Segment %d: %s\n\n", i+1, command)
		if quote, rest, ok := strings.Cut(instruction, "\n\n"); ok && strings.HasPrefix(quote, ">") {
			fmt.Fprintf(&b, "<<<QUOTE abc123: found>>>\n%s\n", quote)
			instruction = rest
		}
		fmt.Fprintf(&b, "<<<INSTRUCTION abc123>>>\n%s\n<<<END abc123>>>\n", instruction)
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

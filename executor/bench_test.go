package executor_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// The two halves of a ratio: the same agent, user and handshake, once by a bare sudo and once by Launch. Run
//
//	go test ./executor -run '^$' -bench Handshake -count 6
//
// as root and compare the medians; the project's bound is 1.5.
func BenchmarkHandshakeBareSudo(b *testing.B) {
	bench := playIsolated(b, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hello"}}}})
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		b.Fatal(err)
	}
	self, err := os.Open(bench.agent.Self)
	if err != nil {
		b.Fatal(err)
	}
	defer self.Close()
	exe, err := bench.room.Install(b.Context(), "bare-agent", self)
	if err != nil {
		b.Fatal(err)
	}
	argv := append([]string{"-n", "-u", bench.agent.Identity.Name(), "--", exe}, bench.agent.Args...)
	for b.Loop() {
		bareHandshake(b, sudo, argv, bench.room.Path())
	}
}

func bareHandshake(b *testing.B, sudo string, argv []string, dir string) {
	cmd := exec.Command(sudo, argv...)
	cmd.Dir = "/"
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	conn, err := acpclient.Open(context.Background(), acpclient.Config{Reader: out, Writer: in, Handler: deaf{}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Initialize(b.Context()); err != nil {
		b.Fatal(err)
	}
	session, err := conn.NewSession(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Prompt(b.Context(), session.ID, "What is this?"); err != nil {
		b.Fatal(err)
	}
	in.Close()
	<-conn.Done()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

type deaf struct{}

func (deaf) Update(acpclient.Update) {}
func (deaf) Permission(context.Context, acpclient.PermissionRequest) acpclient.PermissionAnswer {
	return acpclient.PermissionAnswer{}
}

func BenchmarkHandshakeLaunch(b *testing.B) {
	bench := playIsolated(b, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hello"}}}})
	installed(b, bench)
	for b.Loop() {
		if _, err := bench.agent.Launch(b.Context(), bench.task(permission.ReadOnly)); err != nil {
			b.Fatal(err)
		}
	}
}

// installed puts the agent into the room once, as a real agent's binary lies on the host once.
func installed(t testing.TB, b *bench) {
	t.Helper()
	self, err := os.Open(b.agent.Self)
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	b.agent.Binary, err = b.room.Install(t.Context(), filepath.Base(b.agent.Self), self)
	if err != nil {
		t.Fatal(err)
	}
}

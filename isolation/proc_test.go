package isolation

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
)

func TestParsePS(t *testing.T) {
	const text = "  50\n    1     0     0 Ss   systemd\n   50    49  1000 R    ps\n   51    50  1000 Z    sleep <defunct>\n   52     1  1000 S+   a name with spaces\n   53     1  1001 S    other\nrubbish\n   54 1 x S y\n"
	got := parsePS(text, 1000)
	if len(got) != 1 || got[0].pid != 52 || got[0].name != "a name with spaces" {
		t.Errorf("%+v", got)
	}
}

// The two ways to list processes agree on ourselves and on a child, so a host that hides /proc is no hole in S3.
func TestPSAgreesWithProc(t *testing.T) {
	id, err := Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("/bin/sleep", "307")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	byPS, err := id.ps(t.Context(), process.Runner{})
	if err != nil {
		t.Fatal(err)
	}
	byProc, err := id.processes(t.Context(), process.Runner{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{os.Getpid(), child.Process.Pid} {
		has := func(list []proc) bool { return slices.ContainsFunc(list, func(p proc) bool { return p.pid == pid }) }
		if !has(byPS) || !has(byProc) {
			t.Errorf("process %d: by ps %v, by /proc %v", pid, has(byPS), has(byProc))
		}
	}
}

// A person's session is not a leftover; what root owns cannot be forged by the agent.
func TestInUse(t *testing.T) {
	self := os.Getpid()
	if other, err := inUse("x", []proc{{pid: 100, parent: 1}, {pid: 101, parent: self}, {pid: 102, parent: 1 << 30}}); other != "" || err != nil {
		t.Errorf("leftovers taken for sessions: %q, %v", other, err)
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("a\x1b[31m\nß" + strings.Repeat("x", 200)); len(got) > 64 || !strings.HasPrefix(got, "a?[31m??xx") || strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("got %q", got)
	}
}

func TestShellWord(t *testing.T) {
	for _, s := range []string{"", "plain/path", "a b", "it's", "$(id)", "a\nb", `\`, "ä"} {
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+shellWord(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("%q became %q, %v", s, out, err)
		}
	}
}

// Package testsupport holds what tests share: the fake peers, recorded data, and the rule about skipping. It is
// imported by tests only.
package testsupport

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips the test when ok is false, saying what is missing and the command that brings it. Under AI_FLOW_CI=1 nothing
// may be missing: there the same is a failure, so that a green run means that everything ran.
func Need(t testing.TB, ok bool, what, enable string) {
	t.Helper()
	if ok {
		return
	}
	if os.Getenv("AI_FLOW_CI") == "1" {
		t.Fatalf("%s is missing, and with AI_FLOW_CI=1 nothing may be; enable with: %s", what, enable)
	}
	t.Skipf("needs %s; enable with: %s", what, enable)
}

// Tools skips the test when one of the programs named is not on PATH: git, sh, ls, bash, or another one whose Debian package has
// its name.
func Tools(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		of := name
		switch name {
		case "sh":
			of = "dash"
		case "ls":
			of = "coreutils"
		}
		_, err := exec.LookPath(name)
		Need(t, err == nil, name+" on PATH", "sudo apt-get install -y "+of)
	}
}

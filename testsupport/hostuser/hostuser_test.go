package hostuser_test

import (
	"os"
	"os/exec"
	"os/user"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// The pair is real: each side is who it says, and the rule reaches from the dispatcher to the agent and nowhere else.
func TestPair(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if strings.HasSuffix(t.Name(), "unprivileged") != (os.Getuid() == p.Dispatcher.UID) {
			t.Fatalf("%s runs as user %d", t.Name(), os.Getuid())
		}
		out, err := exec.Command("sudo", "-n", "-u", p.Agent.Name, "--", "id", "-un").Output()
		if err != nil || strings.TrimSpace(string(out)) != p.Agent.Name {
			t.Errorf("through the rule: %q, %v", out, err)
		}
		if os.Getuid() == 0 {
			return
		}
		if out, err := exec.Command("sudo", "-n", "--", "id", "-un").CombinedOutput(); err == nil {
			t.Errorf("the dispatcher may become root: %q", out)
		}
	})
}

// What a test made is gone after it, also the rule.
func TestPairIsRemoved(t *testing.T) {
	var p hostuser.Pair
	t.Run("use", func(t *testing.T) { p = hostuser.Get(t) })
	for _, u := range []hostuser.User{p.Dispatcher, p.Agent} {
		if _, err := user.Lookup(u.Name); u.Name != "" && err == nil {
			t.Errorf("%s is still there", u.Name)
		}
		if _, err := os.Stat(u.Home); u.Home != "" && err == nil {
			t.Errorf("%s is still there", u.Home)
		}
	}
}

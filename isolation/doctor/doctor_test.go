package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

var runner = process.Runner{}

// TestMain is the process inside too: the test binary, which Run installs in a room and starts as the agent.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == hiddenCommand {
		code := 0
		if err := Inside(context.Background(), runner, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		syscall.Exit(code) // os.Exit waits for a second under -race
	}
	os.Exit(hostuser.Main(m))
}

// options are those of a run on this host with the pair's users.
func options(t testing.TB, p hostuser.Pair) Options {
	t.Helper()
	id, err := isolation.Resolve(t.Context(), runner, p.Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Identity: id, Self: self, Room: isolation.OpenOptions{StateDir: t.TempDir() + "/state"}, Metadata: []string{"127.0.0.1:1"}}
}

// examine makes some of the checks.
func examine(t testing.TB, r isolation.Runner, o Options, ids ...string) map[string]Finding {
	t.Helper()
	list := checks()
	if len(ids) > 0 {
		list = slices.DeleteFunc(list, func(c check) bool { return !slices.Contains(ids, c.id) })
	}
	rep, err := run(t.Context(), r, o, list)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Finding{}
	for _, f := range rep.Findings {
		found[f.ID] = f
	}
	return found
}

// one makes one check and holds its status against what it should be.
func one(t testing.TB, r isolation.Runner, o Options, id string, want Status) Finding {
	t.Helper()
	f := examine(t, r, o, id)[id]
	if f.Status != want || f.ID != id || f.Says == "" || f.Why == "" || (f.Fix == "") != (want == Pass) {
		t.Errorf("%s: %s instead of %s: %s [%s]", id, f.Status, want, f.Why, f.Fix)
	}
	return f
}

// follow does what a fix says: what stands before a semicolon, as who we are.
func follow(t testing.TB, fix string) {
	t.Helper()
	line, _, _ := strings.Cut(fix, "; ")
	if _, after, ok := strings.Cut(line, ": "); ok {
		line = after
	}
	if out, err := exec.Command("/bin/sh", "-c", line).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", line, err, out)
	}
}

// S1: on a host whose boundary stands everything passes that could be tried. The agent is handed attempts for it and nothing
// else: no secret, no variable of ours, by no way.
func TestS1_TheBoundaryStands(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		job(t, &o)
		o.Secrets = []string{"canary-value-of-a-secret"}
		o.Environ = append(o.Environ, "AI_FLOW_APP_PRIVATE_KEY=canary-value-of-a-variable", "CANARY_NAME=x")
		var sent bytes.Buffer
		rep, err := Run(t.Context(), recorder{&sent, &sync.Mutex{}}, o)
		if err != nil || rep.User != p.Agent.Name || rep.Took <= 0 || len(rep.Findings) != len(IDs()) {
			t.Fatalf("%+v, %v", rep, err)
		}
		for _, f := range rep.Findings {
			unsure := f.ID == "one-run-at-a-time" // there is no shared lock
			if !slices.Contains(ofTheHost, f.ID) && (f.Status == Fail || (f.Status == Unknown) != unsure || (f.Fix == "") != (f.Status == Pass)) {
				t.Errorf("%-8s %s: %s [%s]", f.Status, f.ID, f.Why, f.Fix)
			}
		}
		if text := sent.String(); !strings.Contains(text, hiddenCommand) || !strings.Contains(text, `"Deed":"scan"`) || strings.Contains(text, "canary-value") || strings.Contains(text, "CANARY_NAME") {
			t.Errorf("sent %.2000q", text)
		}
	})
}

// recorder keeps what is started and what our process is sent.
type recorder struct {
	to *bytes.Buffer
	mu *sync.Mutex
}

func (r recorder) Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error) {
	plan := ""
	if stdin != nil && slices.Contains(argv, hiddenCommand) {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, nil, -1, err
		}
		plan, stdin = string(text), bytes.NewReader(text)
	}
	r.mu.Lock()
	r.to.WriteString(strings.Join(slices.Concat(argv, env, []string{plan}), "\n"))
	r.mu.Unlock()
	return runner.Run(ctx, argv, env, stdin)
}

// ofTheHost are checks of how a host is configured, which no test here changes.
var ofTheHost = []string{"sockets", "local-services", "user-namespaces", "core-handler", "disk", "temp-left", "account-home", "shared-directories"}

func TestChecksHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks() {
		if seen[c.id] || c.id != strings.ToLower(c.id) || strings.ContainsAny(c.id, " _") || !strings.HasSuffix(c.says, ".") || c.judge == nil {
			t.Errorf("%+v", c)
		}
		seen[c.id] = true
	}
}

func TestStatus(t *testing.T) {
	if s := fmt.Sprint(Unknown, Pass, Fail, Status(9)); s != "UNKNOWN PASS FAIL UNKNOWN" {
		t.Error(s)
	}
	rep := Report{Findings: []Finding{{ID: "a", Status: Fail}, {ID: "b", Status: Fail}, {ID: "c"}, {ID: "d", Status: Pass}}}
	if f := rep.Failed([]string{"a", "c"}); len(f) != 1 || f[0].ID != "b" {
		t.Errorf("%+v", f)
	}
}

// What each run pays before its agent starts, in a room that is open already.
func BenchmarkShort(b *testing.B) {
	o := options(b, hostuser.Get(b))
	o.In, o.Short = openRoom(b, o), true
	for b.Loop() {
		if _, err := Run(b.Context(), runner, o); err != nil {
			b.Fatal(err)
		}
	}
}

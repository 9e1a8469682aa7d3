package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	suite "github.com/d3mlabs/ai-flow/testsupport/hostile"
)

// theatre is one launch: its places on this host, its GitHub, and what the run left.
type theatre struct {
	t       *testing.T
	s       *stage
	attacks []suite.Attack
	dir     string // all may enter it

	server  *fakegithub.Server
	repo    *fakegithub.Repo
	other   *fakegithub.Repo
	number  int
	command fakegithub.Event
	env     []string
	secrets []suite.Secret
	people  []string // texts of those who may not write
	watched map[string]trace
	refs    map[string]string // "acme/app refs/heads/main": where it was when the agent began
	atPush  []string

	killAtPush string // "landed" or "before": what becomes of the program at its first push
	log        bytes.Buffer
	running    atomic.Pointer[os.Process]
	killed     atomic.Bool
}

func needPair(t *testing.T) {
	testsupport.Need(t, canBecome(), "root and sudo", "su -c 'apt-get install -y sudo passwd' && sudo env PATH=\"$PATH\" go test ./cmd/ai-flow")
}

func (th *theatre) path(parts ...string) string {
	return filepath.Join(append([]string{th.dir}, parts...)...)
}

func (th *theatre) must(errs ...error) {
	th.t.Helper()
	if err := errors.Join(errs...); err != nil {
		th.t.Fatal(err)
	}
}

// first is the attack that says where the launch takes place; those that share it say the same.
func (th *theatre) first() suite.Attack { return th.attacks[0] }

func (s *stage) openTheatre(t *testing.T, together []suite.Attack) *theatre {
	th := &theatre{t: t, s: s, attacks: together, dir: filepath.Join(s.root, fmt.Sprintf("attack-%d", s.users.Add(1)))}
	th.must(os.Mkdir(th.dir, 0o755), os.Chmod(th.dir, 0o755))
	th.openHost()
	if a := th.first(); a.Where == suite.Try {
		th.openCheckout()
	} else {
		th.openHub()
	}
	th.must(exec.Command("chown", "-R", fmt.Sprintf("%d:%d", s.pair.Dispatcher.UID, s.pair.Dispatcher.GID), th.path("home"), th.path("job")).Run())
	th.refs = th.allRefs()
	th.watched = th.watch()
	return th
}

// files writes the files of a map below a folder.
func (th *theatre) files(mode os.FileMode, dir string, files map[string]string) {
	for name, text := range files {
		path := filepath.Join(dir, name)
		th.must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode))
	}
}

// canary is a value of its own, which shares no stretch with another.
func (th *theatre) canary(name string, agents bool) string {
	value := "cnry_" + rand.Text() + rand.Text()
	th.secrets = append(th.secrets, suite.Secret{Name: name, Value: value, Agents: agents})
	return value
}

// openHost lays out what is the dispatcher's, and the agent's side: scripts to read, loot to write, a trap to lay.
func (th *theatre) openHost() {
	th.files(0o600, th.path("home"), map[string]string{".ssh/id_ed25519": th.canary("a key at home", false) + "\n", "notes.txt": th.canary("a note at home", false) + "\n"})
	th.files(0o600, th.path("job"), map[string]string{"env": "", "path": "", "state": "", "summary.md": "", "output": "", "temp/of-the-runner": th.canary("a file of the runner", false) + "\n",
		"_actions/checkout/index.js": "// an action\n"})
	th.must(os.Chmod(th.path("home"), 0o700), os.Chmod(th.path("job", "temp"), 0o700), os.Mkdir(th.path("loot"), 0o777), os.Chmod(th.path("loot"), 0o777), os.WriteFile(th.path("loot", "room"), nil, 0o666), os.Chmod(th.path("loot", "room"), 0o666),
		os.WriteFile(th.path("ran"), nil, 0o666), os.Chmod(th.path("ran"), 0o666),
		os.WriteFile(th.path("trap"), []byte("#!/bin/sh\necho \"$(id -u) $*\" >>'"+th.path("ran")+"'\nexit 0\n"), 0o755))
	for i, a := range th.attacks {
		th.files(0o644, th.path("here", strconv.Itoa(i)), a.Files)
		th.must(os.Mkdir(th.path("loot", strconv.Itoa(i)), 0o777), os.Chmod(th.path("loot", strconv.Itoa(i)), 0o777))
		th.files(0o755, th.path("here", strconv.Itoa(i)), map[string]string{"run": th.wrapper(i)})
	}
	th.env = []string{"HOME=" + th.path("home"), "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GORACE=" + quickExit, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"XDG_STATE_HOME=" + th.s.dispatchers, "AI_FLOW_AGENT_USER=" + th.s.pair.Agent.Name, "AI_FLOW_AGENT=custom", "AI_FLOW_AGENT_BIN=" + th.s.agent,
		"AI_FLOW_AGENT_ARGS=" + strings.Join(fakeagent.Args(th.script()), " "), "AI_FLOW_AGENT_ENV=MODEL_KEY",
		"MODEL_KEY=" + th.canary("the provider's key", true), "ACTIONS_RUNTIME_TOKEN=" + th.canary("the runtime's token", false),
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN=" + th.canary("the OIDC token", false), "UNNAMED=" + th.canary("the environment", false), "GITHUB_ACTIONS=true",
		"GITHUB_ENV=" + th.path("job", "env"), "GITHUB_PATH=" + th.path("job", "path"), "GITHUB_STATE=" + th.path("job", "state"),
		"GITHUB_STEP_SUMMARY=" + th.path("job", "summary.md"), "GITHUB_OUTPUT=" + th.path("job", "output"), "RUNNER_TEMP=" + th.path("job", "temp"), "GITHUB_WORKSPACE=" + th.path("job")}
}

// wrapper runs an attack's script with what it needs to know, and keeps its record.
func (th *theatre) wrapper(i int) string {
	here, loot := th.path("here", strconv.Itoa(i)), th.path("loot", strconv.Itoa(i))
	return fmt.Sprintf(`#!/bin/sh
export HERE=%s LOOT=%s TRAP=%s VICTIM=%s VICTIM_UID=%d VICTIM_HOME=%s JOB=%s PARENT=$PPID
export MEANWHILE="sh -c 'touch $LOOT/now; i=0; until [ -e $LOOT/then ] || [ \$i = 100 ]; do sleep 0.05; i=\$((i+1)); done'"
exec >>$LOOT/record 2>&1
pwd >>$LOOT/../room
sh $HERE/attack.sh
echo "attack.sh ended with $?"
exit 0
`, here, loot, th.path("trap"), th.s.pair.Dispatcher.Name, th.s.pair.Dispatcher.UID, th.path("home"), th.path("job"))
}

// script is what the fake agent does: it keeps its prompt, makes each attack, and answers.
func (th *theatre) script() fakeagent.Script {
	turn := fakeagent.Turn{{Keep: th.path("loot", "prompt")}}
	for i, a := range th.attacks {
		if a.Has("attack.sh") {
			turn = append(turn, fakeagent.Step{Call: &fakeagent.Call{Command: "sh " + th.path("here", strconv.Itoa(i), "run"), Run: true}})
		}
	}
	a := th.first()
	switch here := th.path("here", "0"); {
	case a.Has("agent.json"):
		var script fakeagent.Script
		d := json.NewDecoder(strings.NewReader(strings.NewReplacer("{{here}}", here, "{{loot}}", th.path("loot", "0")).Replace(a.Files["agent.json"])))
		d.DisallowUnknownFields()
		th.must(d.Decode(&script))
		for i := range script.Turns {
			script.Turns[i] = append(turn[:len(turn):len(turn)], script.Turns[i]...)
			turn = nil
		}
		return script
	case a.Has("tell.sh"):
		turn = append(turn, fakeagent.Step{Tell: "LOOT=" + th.path("loot", "0") + " HERE=" + here + " sh " + here + "/tell.sh"})
	case a.Has("say.md"):
		turn = append(turn, fakeagent.Step{Say: unescaped(a.Files["say.md"])})
	default:
		turn = append(turn, fakeagent.Step{Say: "Done."})
	}
	return fakeagent.Script{Turns: []fakeagent.Turn{turn}}
}

// hidden are the escapes by which a file shows what no editor does; every other backslash is Markdown's.
var hiddenSign = regexp.MustCompile(`\\(u[0-9a-f]{4}|U[0-9a-f]{8}|x[0-9a-f]{2}|[rvf])`)

func unescaped(text string) string {
	return hiddenSign.ReplaceAllStringFunc(text, func(s string) string {
		sign, err := strconv.Unquote(`"` + s + `"`)
		if err != nil {
			return s // a half of a pair, which no text holds
		}
		return sign
	})
}

// play runs the program, once or twice.
func (th *theatre) play() {
	args := []string{"dispatch"}
	if a := th.first(); a.Where == suite.Try {
		args = []string{"try", "--out", th.path("job", "out"), strings.TrimSpace(a.Files["comment.md"])}
	}
	stop := th.meanwhile()
	th.run(args, "GITHUB_RUN_ATTEMPT=1")
	if th.first().Again {
		th.again()
		th.run(args, "GITHUB_RUN_ATTEMPT=2")
	}
	stop()
}

// run runs the program as the dispatcher user. Each run has an end: what hangs is a failure that says so.
func (th *theatre) run(args []string, more string) {
	program := filepath.Join(th.s.root, "ai-flow")
	if err := os.Link(th.s.agent, program); err != nil && !os.IsExist(err) {
		th.must(err)
	}
	ctx, cancel := context.WithTimeout(th.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = th.path("job"), append(th.env[:len(th.env):len(th.env)], more)
	if th.first().Where == suite.Try {
		cmd.Dir = th.path("job", "checkout")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: th.s.pair.Dispatcher.Credential()}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &th.log, &th.log, time.Second
	th.must(cmd.Start())
	th.running.Store(cmd.Process)
	err := cmd.Wait()
	if ctx.Err() != nil {
		th.t.Errorf("%v did not end within a minute; it said:\n%s", args, withoutMasks(th.log.String()))
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		th.t.Errorf("running %v: %v", args, err)
	}
}

// record is what an attack's script printed, with the traps that it sprang itself.
func (th *theatre) record(i int) string {
	text, err := os.ReadFile(th.path("loot", strconv.Itoa(i), "record"))
	if err != nil && !os.IsNotExist(err) {
		th.t.Error(err)
	}
	ran, err := os.ReadFile(th.path("ran"))
	th.must(err)
	return string(text) + string(ran)
}

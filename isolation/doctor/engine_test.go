package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// inProcess carries out attempts as ourselves.
func inProcess(t testing.TB, tries ...attempt) []outcome {
	t.Helper()
	text, err := encodePlan(tries)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Inside(t.Context(), runner, bytes.NewReader(text), &out); err != nil {
		t.Fatal(err)
	}
	got, err := decodeAnswers(out.Bytes(), len(tries))
	if err != nil || len(got) != len(tries) {
		t.Fatalf("%d answers, %v", len(got), err)
	}
	var list []outcome
	for n := range tries {
		list = append(list, got[n])
	}
	return list
}

// S1: the attempts on a process are none if they fail where there is no boundary: on a child of ours each comes through.
func TestAttemptsOnProcessesAreReal(t *testing.T) {
	child := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read -r never")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	h := host{family: []int{child.Process.Pid}}
	for _, c := range checks() {
		if !strings.HasPrefix(c.id, "dispatcher-") || c.id == "dispatcher-home" || c.id == "dispatcher-files" {
			continue
		}
		tries, unknown := c.attempts(h)
		if unknown != "" {
			t.Fatalf("%s: %s", c.id, unknown)
		}
		got := inProcess(t, tries...)
		for i, o := range got {
			if !o.Done || o.Error != "" {
				t.Errorf("%s: %s came to %+v", c.id, tries[i], o)
			}
		}
		if v := c.judge(h, tries, got); v.status != Fail || v.fix == "" {
			t.Errorf("%s: %+v", c.id, v)
		}
	}
	in.Close()
	if err := child.Wait(); err == nil || child.ProcessState.ExitCode() != 1 { // it lives on after having been traced, and is let go
		t.Errorf("the child: %v", err)
	}
}

// Each deed does what its name says, is undone, and gives the kernel's name for what was refused.
func TestDeeds(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/file", "content", 0o600)
	put(t, dir+"/tree/setuid", "x", 0o755)
	if err := os.Chmod(dir+"/tree/setuid", 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		try  attempt
		want outcome
	}{
		"read":             {attempt{Deed: deedRead, Path: dir + "/file", Max: 4}, outcome{Done: true, Data: []byte("cont")}},
		"read nothing":     {attempt{Deed: deedRead, Path: dir + "/none"}, outcome{Error: "ENOENT"}},
		"read a directory": {attempt{Deed: deedRead, Path: dir}, outcome{Error: "EISDIR"}},
		"write":            {attempt{Deed: deedWrite, Path: dir + "/file"}, outcome{Done: true}},
		"create":           {attempt{Deed: deedCreate, Path: dir}, outcome{Done: true}},
		"create below":     {attempt{Deed: deedCreate, Path: dir + "/file"}, outcome{Error: "ENOTDIR"}},
		"list":             {attempt{Deed: deedList, Path: dir + "/tree"}, outcome{Done: true, Names: []string{"setuid"}}},
		"walk":             {attempt{Deed: deedWalk, Path: dir}, outcome{Done: true, Names: []string{"setuid " + strconv.Itoa(os.Getuid()) + " " + dir + "/tree/setuid"}}},
		"connect":          {attempt{Deed: deedConnect, Path: dir + "/file"}, outcome{Error: "ECONNREFUSED"}},
		"dial":             {attempt{Deed: deedDial, Path: "127.0.0.1:1"}, outcome{Error: "ECONNREFUSED"}},
		"run":              {attempt{Deed: deedRun, Argv: []string{"/bin/sh", "-c", "cat; echo said >&2; exit 3"}, Input: "in"}, outcome{Done: true, Data: []byte("insaid\n"), Code: 3}},
		"run nothing":      {attempt{Deed: deedRun, Argv: []string{dir + "/none"}}, outcome{Error: "ENOENT"}},
		"run no program":   {attempt{Deed: deedRun}, outcome{Error: "EINVAL"}},
		"run for too long": {attempt{Deed: deedRun, Argv: []string{"/bin/sleep", "60"}}, outcome{Error: "ETIMEDOUT"}},
		"signal":           {attempt{Deed: deedSignal, Pid: os.Getpid()}, outcome{Done: true}},
		"signal nobody":    {attempt{Deed: deedSignal, Pid: 1 << 30}, outcome{Error: "ESRCH"}},
		"trace nobody":     {attempt{Deed: deedTrace, Pid: 1 << 30}, outcome{Error: "ESRCH"}},
		"memory of nobody": {attempt{Deed: deedMemory, Pid: 1 << 30}, outcome{Error: "ENOENT"}},
		"nonsense":         {attempt{Deed: "fly"}, outcome{Error: "ENOSYS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := inProcess(t, c.try)[0]
			want, _ := json.Marshal(c.want)
			if have, _ := json.Marshal(got); !bytes.Equal(have, want) {
				t.Errorf("%s\ninstead of\n%s", have, want)
			}
		})
	}
}

// What a deed brings is bounded, and says that there was more.
func TestOutcomesAreBounded(t *testing.T) {
	dir := t.TempDir()
	for n := range maxNames + 1 {
		put(t, filepath.Join(dir, strconv.Itoa(n)), "", 0o600)
	}
	put(t, dir+"/long", strings.Repeat("x", maxData+1), 0o600)
	got := inProcess(t, attempt{Deed: deedList, Path: dir}, attempt{Deed: deedRead, Path: dir + "/long", Max: 1 << 40},
		attempt{Deed: deedRun, Argv: []string{"/usr/bin/head", "-c", "2000000", "/dev/zero"}}, attempt{Deed: deedRead, Path: "/dev/zero", Max: 1 << 40})
	if len(got[0].Names) != maxNames || !got[0].Cut {
		t.Errorf("%d names, %v", len(got[0].Names), got[0].Cut)
	}
	if len(got[1].Data) != maxData || len(got[2].Data) != maxData || !got[2].Cut || len(got[3].Data) != maxData {
		t.Errorf("%d and %d bytes, %v", len(got[1].Data), len(got[2].Data), got[2].Cut)
	}
}

func TestPlansAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"none": "", "no list": `{"Deed":"read"}`, "too many": "[" + strings.Repeat("{},", maxTries) + "{}]", "too long": "[]" + strings.Repeat(" ", maxPlan),
	} {
		if err := Inside(t.Context(), runner, strings.NewReader(text), io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := encodePlan(make([]attempt, maxTries+1)); err == nil {
		t.Error("a plan that Inside would refuse is sent")
	}
}

// A check that breaks down, or that gets no answer, is unknown and takes no other with it.
func TestChecksThatBreak(t *testing.T) {
	good := check{id: "good", says: "Good.", attempts: func(host) ([]attempt, string) { return []attempt{{Deed: deedSelf}}, "" },
		judge: func(_ host, _ []attempt, got []outcome) verdict {
			if len(got) == 1 && got[0].Done {
				return pass("done")
			}
			return unknown("not done", "x") // no judge takes a missing answer for a crossing
		}}
	list := []check{
		{id: "asks", attempts: func(host) ([]attempt, string) { panic("of attempts") }, judge: good.judge},
		good,
		{id: "judges", attempts: good.attempts, judge: func(host, []attempt, []outcome) verdict { panic("of judge") }},
		{id: "cannot", attempts: func(host) ([]attempt, string) { return []attempt{{Deed: "never"}}, "no such thing" }, judge: good.judge},
		{id: "nothing", judge: func(host, []attempt, []outcome) verdict { return fail("seen", "do") }},
		{id: "again", attempts: good.attempts, judge: good.judge},
	}
	h := host{}
	p := makePlan(t.Context(), h, list)
	got := map[int]outcome{0: {Done: true}, 1: {Done: true}}
	want := map[string]Finding{
		"asks": {Status: Unknown, Why: "the check broke down: of attempts"}, "good": {Status: Pass, Why: "done"},
		"judges": {Status: Unknown, Why: "the check broke down: of judge"}, "cannot": {Status: Unknown, Why: "no such thing"},
		"nothing": {Status: Fail, Why: "seen", Fix: "do"}, "again": {Status: Unknown, Why: "no answer to self: it was killed"},
	}
	if len(p.tries) != 3 {
		t.Errorf("%d attempts", len(p.tries))
	}
	for _, f := range p.judge(h, got, errors.New("it was killed")) {
		if w := want[f.ID]; f.Status != w.Status || f.Why != w.Why || f.Fix != w.Fix {
			t.Errorf("%s: %+v instead of %+v", f.ID, f, w)
		}
	}
}

// What is no answer to an attempt spoils all of them.
func TestForgedAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"rubbish": "rubbish\n", "one twice": `{"N":0}` + "\n" + `{"N":0}` + "\n", "one too many": `{"N":2}` + "\n", "one before the first": `{"N":-1}` + "\n",
		"a false error": `{"N":0,"Error":"<b>"}` + "\n", "both": `{"N":0,"Done":true,"Error":"EPERM"}` + "\n", "a flood": strings.Repeat("\x00", maxAnswers+1),
		"a long name": `{"N":0,"Names":["` + strings.Repeat("x", maxName+1) + `"]}` + "\n", "many names": `{"N":0,"Names":[` + strings.Repeat(`"",`, maxNames) + `""]}` + "\n",
		"much data": `{"N":0,"Data":"` + strings.Repeat("AAAA", maxData/3+1) + `"}` + "\n",
	} {
		if got, err := decodeAnswers([]byte(`{"N":1,"Done":true}`+"\n"+text), 2); err == nil || len(got) > 0 {
			t.Errorf("%s: %d answers, %v", name, len(got), err)
		}
	}
	got, err := decodeAnswers([]byte(`{"N":1,"Done":true}`+"\n"+`{"N":0,"Do`), 2)
	if err == nil || len(got) != 1 || !got[1].Done {
		t.Errorf("cut: %v, %v", got, err)
	}
}

// Whatever stands in for our process as the agent makes nothing pass, and the room is cleared of it.
func TestForgedProcesses(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.In, o.Short = openRoom(t, o), true
		for name, script := range map[string]string{"an end": "kill -9 $$", "a child that stays": "setsid sleep 60 >/dev/null 2>&1 & echo rubbish"} {
			n := 0
			forge := func(argv []string) []string {
				at := slices.Index(argv, hiddenCommand)
				return append(argv[:at-1], "/bin/sh", "-c", script)
			}
			for id, f := range examine(t, loosened{forge, &n}, o, "dispatcher-environ", "groups") {
				if f.Status != Unknown || len(f.Why) > 1500 || !strings.Contains(f.Why, "no answer to") {
					t.Errorf("%s: %s: %.3000v", name, id, f)
				}
			}
			if n != 1 || running(p.Agent.UID, "sleep") {
				t.Errorf("%s: %d launches; or something runs on", name, n)
			}
		}
	})
}

// A room that a run is about to use is as it was, and stays open; our executable is out of it.
func TestARoomThatIsOpenStaysAsItWas(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.In, o.Short = openRoom(t, o), true
		o.Identity = isolation.Identity{}
		list := func() string {
			inv, err := o.In.Command(o.In.Path(), isolation.Environment{}, "/usr/bin/find", ".", "-printf", "%p %m\n")
			if err != nil {
				t.Fatal(err)
			}
			out, said, code, err := runner.Run(t.Context(), inv.Argv, inv.Env, nil)
			if err != nil || code != 0 {
				t.Fatalf("%v %d %s", err, code, said)
			}
			return string(out)
		}
		before := list()
		rep, err := Run(t.Context(), runner, o)
		if err != nil || rep.User != p.Agent.Name || len(rep.Failed(nil)) > 0 {
			t.Errorf("%+v, %v", rep, err)
		}
		if after := list(); after != before || !strings.Contains(before, "./bin 700") {
			t.Errorf("before %q, after %q", before, after)
		}
	})
}

// With isolation off nothing is tried and nothing passes; nobody at all is an error, and so is a host that is not ready.
func TestWithoutABoundary(t *testing.T) {
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, short := range []bool{false, true} {
		rep, err := Run(t.Context(), none{}, Options{Identity: id, Short: short, Closed: []string{t.TempDir()}})
		if err != nil || len(rep.Findings) == 0 || len(rep.Failed(nil)) != len(rep.Findings) || rep.User != id.Name() {
			t.Errorf("%+v, %v", rep, err)
		}
		for _, f := range rep.Findings {
			if !strings.Contains(f.Why, "no boundary") || f.Fix == "" || f.Says == "" {
				t.Errorf("%+v", f)
			}
		}
	}
	if rep, err := Run(t.Context(), none{}, Options{}); err == nil || len(rep.Findings) > 0 {
		t.Errorf("%+v", rep)
	}
}

// none starts nothing.
type none struct{}

func (none) Run(context.Context, []string, []string, io.Reader) (stdout, stderr []byte, code int, err error) {
	return nil, nil, -1, errors.New("nothing may be started")
}

// What stops the checks as a whole is an error; no canary is left then.
func TestChecksThatCannotBeMade(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		dir := place(t)
		o := options(t, p)
		o.In, o.Closed = openRoom(t, o), []string{dir}
		for name, change := range map[string]func() (context.Context, Options){
			"no executable": func() (context.Context, Options) { with := o; with.Self = dir + "/none"; return t.Context(), with },
			"cancelled": func() (context.Context, Options) {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errors.New("the job was cancelled"))
				return ctx, o
			},
			"a long check": func() (context.Context, Options) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("the job was cancelled"))
				t.Cleanup(cancel)
				return ctx, o
			},
		} {
			ctx, with := change()
			start := time.Now()
			rep, err := run(ctx, runner, with, []check{{id: "x", attempts: func(host) ([]attempt, string) {
				return []attempt{{Deed: deedRun, Argv: []string{"/bin/sleep", "60"}}}, ""
			}, judge: allRefused(otherUser)}})
			if err == nil || slices.ContainsFunc(rep.Findings, func(f Finding) bool { return f.Status != Unknown }) || name != "no executable" && !strings.Contains(err.Error(), "the job was cancelled") {
				t.Errorf("%s: %+v, %v", name, rep, err)
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
				t.Errorf("%s: left %v, %v", name, names, err)
			}
			if time.Since(start) > 20*time.Second {
				t.Errorf("%s took %s", name, time.Since(start))
			}
		}
	})
}

// A check that waits for ever holds nobody.
func TestChecksThatHang(t *testing.T) {
	never := make(chan bool)
	defer close(never)
	list := []check{{id: "hangs", attempts: func(host) ([]attempt, string) { <-never; return nil, "" }, judge: allRefused(otherUser)}}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	p := makePlan(ctx, host{}, list)
	if f := p.judge(host{}, nil, nil); len(f) != 1 || f[0].Status != Unknown || !strings.Contains(f[0].Why, "deadline") {
		t.Errorf("%+v", f)
	}
}

// What is seen without the agent's side is found also where a process of the agent's ends all that we start: only an open door
// lets one run beside the checks.
func TestAProcessThatEndsTheChecksHidesNoDoor(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		seen := check{id: "seen", says: "Seen.", short: true, judge: func(host, []attempt, []outcome) verdict { return fail("a service", "stop it") }}
		for _, what := range []string{writing, hiddenCommand} {
			room, err := isolation.Open(t.Context(), killer{what}, o.Identity, o.Room)
			if err != nil {
				t.Fatal(err)
			}
			o.In, o.Short = room, true
			rep, err := run(t.Context(), killer{what}, o, []check{seen, checkOf(t, "umask")})
			if trouble := room.Close(t.Context()); trouble != nil {
				t.Error(trouble)
			}
			if len(rep.Findings) != 2 || rep.Findings[0].Status != Fail || rep.Findings[1].Status != Unknown {
				t.Errorf("%+v, %v", rep.Findings, err)
			}
		}
	})
}

const writing = "write.sh" // what is in the script that makes a file

// killer is a process of the agent's that ends whatever has a word in its arguments.
type killer struct{ what string }

func (k killer) Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error) {
	if strings.Contains(strings.Join(argv, " "), k.what) {
		return nil, nil, 137, nil
	}
	return runner.Run(ctx, argv, env, stdin)
}

func TestTheFamilyIsOurs(t *testing.T) {
	list := family(os.Getpid(), 1<<30)
	if list[0] != os.Getpid() || runtime.GOOS == "linux" && (len(list) < 2 || list[1] != os.Getppid() || list[len(list)-1] != 1) {
		t.Errorf("%v", list)
	}
	if list := family(os.Getpid(), 0); len(list) > 1 && os.Getuid() == 0 {
		t.Errorf("processes of the agent's are %v", list)
	}
}

func TestTheRunnersPlaces(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/.runner", "{}", 0o600)
	env := []string{"GITHUB_ENV=/a", "GITHUB_ENV=/b/", "GITHUB_PATH=relative", "GITHUB_OUTPUT=", "RUNNER_TEMP=/t", "RUNNER_TOOL_CACHE=/c", "GITHUB_WORKSPACE=" + dir + "/_work/r/r"}
	r := runnerOf(env)
	if !slices.Equal(r.commandFiles, []string{"/b"}) || r.temp != "/t" || r.tools != "/c" || r.actions != dir+"/_work/_actions" || r.root != dir {
		t.Errorf("%+v", r)
	}
	if r := runnerOf(nil); len(r.commandFiles) > 0 || r.workspace+r.actions+r.root+r.temp+r.tools != "" {
		t.Errorf("%+v", r)
	}
}

// S1: who ends the checks after an attempt has come through does not hide that it did; what was only refused so far says nothing.
func TestAnOpenDoorIsToldThoughAnswersAreMissing(t *testing.T) {
	tries := []attempt{{Deed: deedRead, Path: "/a"}, {Deed: deedRead, Path: "/b"}}
	r := row{check: check{id: "x", judge: allRefused(otherUser)}, to: 2}
	for _, c := range []struct {
		got  map[int]outcome
		want Status
		why  string
	}{
		{map[int]outcome{0: {Done: true}}, Fail, "/a"}, {map[int]outcome{1: {Done: true}}, Fail, "/b"},
		{map[int]outcome{0: {Error: "EACCES"}}, Unknown, `no answer to read "/b": it ended`}, {nil, Unknown, "no answer"}, {map[int]outcome{0: {Error: "EACCES"}, 1: {Error: "EPERM"}}, Pass, "2"},
	} {
		if v := r.verdict(host{}, tries, c.got, errors.New("it ended")); v.status != c.want || !strings.Contains(v.why, c.why) {
			t.Errorf("%v: %+v", c.got, v)
		}
	}
	for _, c := range checks() { // no judge takes a missing answer for a crossing
		p := plan{rows: []row{{check: c, to: 2}}, tries: tries}
		if c.attempts == nil {
			continue
		}
		if f := p.judge(host{pid: 1, lock: true}, nil, nil)[0]; f.Status != Unknown {
			t.Errorf("%+v", f)
		}
	}
}

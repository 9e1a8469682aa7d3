package doctor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// judged is a case of a judge that looks at what the agent's process told of itself.
type judged struct {
	name, id string
	self     self
	want     Status
	why      string
}

const (
	soundStatus = "Name:\tai-flow\nUmask:\t0077\nUid:\t988\t988\t988\t988\nGid:\t987\t987\t987\t987\nGroups:\t987 \nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\n" +
		"CapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\n"
	soundLimits = "Limit                     Soft Limit           Hard Limit           Units     \nMax core file size        0                    0                    bytes     \n" +
		"Max processes             28672                28672                processes \n"
)

func sound() self {
	return self{Status: soundStatus, Limits: soundLimits, DeathSignal: 9, Parent: "sudo", Environ: []string{"HOME", "PATH", "XDG_CACHE_HOME", "_", "PWD"}}
}

// status is a sound process with another line in its status.
func status(name, value string) self {
	s := sound()
	at := strings.Index(s.Status, name+":")
	end := at + strings.IndexByte(s.Status[at:], '\n')
	s.Status = s.Status[:at] + name + ":\t" + value + s.Status[end:]
	return s
}

func changed(change func(*self)) self {
	s := sound()
	change(&s)
	return s
}

func TestJudgesOfRights(t *testing.T) {
	cases := []judged{
		{"another user", "agent-user", status("Uid", "988\t988\t0\t988"), Fail, "988 988 0 988"},
		{"another group", "agent-user", status("Gid", "987\t0\t987\t987"), Fail, "Gid"},
		{"no word of it", "agent-user", status("Uid", ""), Unknown, ""},
		{"docker", "groups", status("Groups", "120 987"), Fail, "docker"},
		{"some group", "groups", status("Groups", "121 987"), Fail, `it is in "staff-of-ours"`},
		{"a group without a name", "groups", status("Groups", "4444"), Fail, "4444"},
		{"no group at all", "groups", status("Groups", ""), Pass, ""},
		{"without", "no-new-privs", status("NoNewPrivs", "0"), Fail, ""},
		{"an old kernel", "no-new-privs", status("NoNewPrivs", ""), Unknown, ""},
		{"effective", "capabilities", status("CapEff", "0000000000000020"), Fail, "effective capabilities are 20"},
		{"inheritable", "capabilities", status("CapInh", "0000000000000001"), Fail, "inheritable"},
		{"ambient", "capabilities", status("CapAmb", "0000000000000001"), Fail, "ambient"},
		{"permitted", "capabilities", status("CapPrm", "0000000000000001"), Fail, "permitted"},
		{"rubbish", "capabilities", status("CapPrm", "many"), Unknown, ""},
		{"core", "core-dumps", changed(func(s *self) {
			s.Limits = strings.Replace(s.Limits, "size        0 ", "size        unlimited ", 1)
		}), Fail, "unlimited"},
		{"no core limit", "core-dumps", changed(func(s *self) { s.Limits = "" }), Unknown, ""},
		{"processes", "process-limit", changed(func(s *self) {
			s.Limits = strings.Replace(s.Limits, "processes             28672", "processes             unlimited", 1)
		}), Fail, "without a limit"},
		{"no process limit", "process-limit", changed(func(s *self) { s.Limits = "" }), Unknown, ""},
		{"umask of groups", "umask", status("Umask", "0027"), Fail, "0027"},
		{"umask of all", "umask", status("Umask", "0000"), Fail, "0000"},
		{"umask of a stricter host", "umask", status("Umask", "0177"), Pass, ""},
		{"no umask", "umask", status("Umask", ""), Unknown, ""},
		{"no signal", "death-signal", changed(func(s *self) { s.DeathSignal = 0 }), Fail, "killed sudo"},
		{"a polite signal", "death-signal", changed(func(s *self) { s.DeathSignal = 15 }), Fail, "15"},
		{"a signal of a thread of ours", "death-signal", changed(func(s *self) { s.Parent = "ai-flow" }), Fail, "ai-flow"},
		{"no sudo in between", "death-signal", changed(func(s *self) { s.Parent, s.DeathSignal = "ai-flow", 0 }), Pass, ""},
		{"not asked", "death-signal", changed(func(s *self) { s.DeathSignal = -1 }), Unknown, ""},
		{"a token", "environment", changed(func(s *self) { s.Environ = append(s.Environ, "GITHUB_TOKEN") }), Fail, "GITHUB_TOKEN"},
		{"sudo's", "environment", changed(func(s *self) { s.Environ = append(s.Environ, "SUDO_USER") }), Fail, "SUDO_USER"},
		{"the linker's", "environment", changed(func(s *self) { s.Environ = append(s.Environ, "LD_PRELOAD") }), Fail, "LD_PRELOAD"},
		{"a name that is foreign text", "environment", changed(func(s *self) { s.Environ = append(s.Environ, "\x1b[2J"+strings.Repeat("x", 5000)) }), Fail, `\x1b[2J`},
	}
	h := host{uid: 988, gid: 987, groups: map[int]string{120: "docker", 121: "staff-of-ours"}}
	for _, c := range rightsChecks() {
		cases = append(cases, judged{"sound", c.id, sound(), Pass, ""}, judged{"nothing", c.id, self{DeathSignal: -1}, Unknown, ""})
	}
	for _, c := range cases {
		if c.name == "nothing" && (c.id == "groups" || c.id == "environment") {
			continue // to be in no group and to have no variable is sound
		}
		data, err := json.Marshal(c.self)
		if err != nil {
			t.Fatal(err)
		}
		v := checkOf(t, c.id).judge(h, nil, []outcome{{Done: true, Data: data}})
		if v.status != c.want || !strings.Contains(v.why, c.why) || v.why == "" || len(v.why) > 600 || (v.status == Fail) != (v.fix != "") {
			t.Errorf("%s, %s: %+v", c.id, c.name, v)
		}
		for _, o := range []outcome{{Error: "ENOSYS"}, {Done: true, Data: []byte("{")}} {
			if v := checkOf(t, c.id).judge(h, nil, []outcome{o}); v.status != Unknown {
				t.Errorf("%s of %+v: %+v", c.id, o, v)
			}
		}
	}
}

// A group that the account calls its own is a door when it is the dispatcher's, or one that is as mighty as root.
func TestJudgeOfTheOwnGroup(t *testing.T) {
	groups := map[int]string{120: "adm", 1000: "runner", 987: "ai-agent"}
	for name, c := range map[string]struct {
		h    host
		want Status
	}{
		"its own": {host{gid: 987, ourGID: 1000, groups: groups}, Pass}, "the dispatcher's": {host{gid: 1000, ourGID: 1000, groups: groups}, Fail},
		"a mighty one": {host{gid: 120, ourGID: 1000, groups: groups}, Fail}, "of a dispatcher that is root": {host{gid: 987, groups: groups}, Pass},
	} {
		if v := judgeGroups(c.h, status("Groups", strconv.Itoa(c.h.gid))); v.status != c.want || v.status == Fail && (!strings.Contains(v.why, groups[c.h.gid]) || !strings.Contains(v.fix, "usermod")) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func checkOf(t testing.TB, id string) check {
	t.Helper()
	for _, c := range checks() {
		if c.id == id {
			return c
		}
	}
	t.Fatalf("there is no check %s", id)
	return check{}
}

func TestMightyGroups(t *testing.T) {
	for _, g := range strings.Fields("docker sudo wheel admin lxd incus libvirt kvm disk shadow adm systemd-journal podman kmem root") {
		if !rootsEqual(g) {
			t.Errorf("%s is not among them", g)
		}
	}
	if rootsEqual("ai-agent") || rootsEqual("") {
		t.Error("everything is among them")
	}
}

// Only a refusal passes: what went wrong in another way is unknown, and what came through fails whatever else was refused.
func TestOnlyRefusalsPass(t *testing.T) {
	judge := allRefused(otherUser)
	h := host{}
	for _, c := range []struct {
		errors string // one of each attempt; "-" for what was done
		want   Status
	}{
		{"EACCES", Pass}, {"EPERM", Pass}, {"ENOENT ESRCH EROFS ENOTDIR ELOOP", Pass}, {"-", Fail}, {"EACCES - EACCES", Fail}, {"ETIMEDOUT -", Fail},
		{"ETIMEDOUT", Unknown}, {"EACCES EIO", Unknown}, {"PANIC", Unknown}, {"ENOSYS", Unknown}, {"OTHER", Unknown}, {"EMFILE", Unknown}, {"ENOSPC", Unknown}, {"EDQUOT", Unknown}, {"ETXTBSY", Unknown},
	} {
		var tries []attempt
		var got []outcome
		for _, e := range strings.Fields(c.errors) {
			tries = append(tries, attempt{Deed: deedRead, Path: "/x"})
			got = append(got, outcome{Done: e == "-", Error: strings.Trim(e, "-")})
		}
		if v := judge(h, tries, got); v.status != c.want || (v.status == Fail) != (v.fix != "") {
			t.Errorf("%s: %+v", c.errors, v)
		}
	}
	left := judge(h, []attempt{{Deed: deedCreate, Path: "/x"}}, []outcome{{Done: true, Names: []string{"/x/.ai-flow-doctor-1"}}})
	if !strings.Contains(left.why, "/x/.ai-flow-doctor-1") {
		t.Errorf("what is left is not told: %+v", left)
	}
}

func TestJudgeOfSudo(t *testing.T) {
	tries, unknown := checkOf(t, "sudo").attempts(host{rules: rules{programs: []string{"/usr/bin/sudo"}}})
	if len(tries) != 2 || unknown != "" {
		t.Fatalf("%v, %s", tries, unknown)
	}
	no, yes := outcome{Done: true, Code: 1, Data: []byte("sudo: a password is required")}, outcome{Done: true}
	for name, c := range map[string]struct {
		got  []outcome
		rule string
		want Status
	}{
		"refused": {[]outcome{no, no}, "", Pass}, "works": {[]outcome{yes, no}, "", Fail}, "lists": {[]outcome{no, yes}, "", Fail}, "a rule": {[]outcome{no, no}, "(root) ALL", Fail},
		"gone": {[]outcome{{Error: "ENOENT"}, {Error: "EACCES"}}, "", Pass}, "hangs": {[]outcome{no, {Error: "ETIMEDOUT"}}, "", Unknown},
	} {
		if v := judgeSudo(host{rules: rules{agents: c.rule}}, tries, c.got); v.status != c.want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestJudgesOfSettings(t *testing.T) {
	const list = "Matching Defaults entries for runner on host:\n    env_reset, mail_badpass, secure_path=/usr/sbin\\:/usr/bin, use_pty%s\n\nUser runner may run …\n"
	for more, want := range map[string][2]Status{"": {Pass, Pass}, ", !use_pty": {Fail, Pass}, ", !secure_path": {Pass, Fail}, ", !use_pty, use_pty": {Pass, Pass}, ", use_pty_not": {Pass, Pass}} {
		h := host{rules: rules{ours: fmt.Sprintf(list, more)}}
		if v := judgePty(h, nil, []outcome{{Error: "ENOENT"}}); v.status != want[0] {
			t.Errorf("use_pty with %q: %+v", more, v)
		}
		if v := judgePath(h, nil, nil); v.status != want[1] {
			t.Errorf("secure_path with %q: %+v", more, v)
		}
	}
	for kernel, want := range map[string]Status{"0\n": Pass, "1\n": Unknown} {
		if v := judgePty(host{}, nil, []outcome{{Done: true, Data: []byte(kernel)}}); v.status != want {
			t.Errorf("a sudo that tells nothing, kernel %q: %+v", kernel, v)
		}
	}
	if v := judgePath(host{}, nil, nil); v.status != Unknown || !strings.Contains(v.fix, "secure_path") {
		t.Errorf("%+v", v)
	}
}

func TestJudgeOfLeftoversAndLock(t *testing.T) {
	if v := judgeLeftovers(host{leftovers: []string{"12 (\x1b[2Jsh)", "13 (x)", "14 (x)", "15 (x)", "16 (x)", "17 (x)"}}, nil, nil); v.status != Fail || !strings.Contains(v.why, "6 processes") || strings.Contains(v.why, "\x1b") {
		t.Errorf("%+v", v)
	}
	if v := judgeLock(host{}, nil, nil); v.status != Unknown || v.fix != "sudo ai-flow setup --user ''" {
		t.Errorf("%+v", v)
	}
}

// A place that all users share is never closed by a fix, and no path is more than a word of it.
func TestFixesAreSafeToCopy(t *testing.T) {
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"/tmp", "/x"}, "name a directory of ai-flow's own instead of /tmp"},
		{[]string{"/"}, "name a directory of ai-flow's own instead of /"},
		{[]string{"/b", "/a", "/b"}, "chmod go-rwx -- /a /b"},
		{[]string{"/a b;$(touch x)'\n"}, "chmod go-rwx -- '/a b;$(touch x)'\\''\n'"},
	} {
		if got := chmod("go-rwx", c.paths); got != c.want {
			t.Errorf("%q: %q", c.paths, got)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	dir := t.TempDir()
	if got := chmod("go-w", []string{dir}); got != "chmod go-w -- "+dir {
		t.Error(got)
	}
}

// S5: secrets are found in every form in which they are handed around, and nothing else is.
func TestSecretsAreFound(t *testing.T) {
	const secret = "canary: value/of+a?secret"
	pem := "-----BEGIN CANARY-----\nMIIEpAIBAAKCAQEAcanarycanary0001\nabcdefghijklmnopqrstuvwxyz012345\n-----END CANARY-----\n"
	known := seek([]string{secret, pem, "short", ""})
	encode := base64.StdEncoding.EncodeToString
	for name, text := range map[string]string{
		"plain": "x" + secret + "y", "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64": encode([]byte(secret)), "base64 after one": encode([]byte("u" + secret)), "base64 after two": encode([]byte("u:" + secret + "more")),
		"base64 for an address": base64.RawURLEncoding.EncodeToString([]byte("\xff\xff" + secret)), "a key with other line ends": strings.ReplaceAll(pem, "\n", `\n`),
		"one line of a key": "MIIEpAIBAAKCAQEAcanarycanary0001", "a key in base64": encode([]byte(pem)),
	} {
		if what := known.in([]byte(text)); what != "a known secret" {
			t.Errorf("%s: %q", name, what)
		}
	}
	if what := seek([]string{strings.ReplaceAll(pem, "\n", `\n`)}).in([]byte(pem)); what != "a known secret" {
		t.Errorf("a key that was handed to us in one line: %q", what)
	}
	none := seek(nil)
	for text, want := range map[string]string{
		"-----BEGIN RSA PRIVATE KEY-----": "a private key", "KEY=" + encode([]byte("-----BEGIN PRIVATE KEY-----")): "a private key",
		"ghs_" + strings.Repeat("a1", 18): "a token of GitHub's", "https://x:github_pat_" + strings.Repeat("a1", 18) + "@github.com": "a token of GitHub's",
		"AUTHORIZATION: basic " + encode([]byte("x-access-token:whatever")): "a token of GitHub's",
		"bearer eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjMifQ.sig":                "a signed token (JWT)", "sk-ant-" + strings.Repeat("a1", 20): "a key of a provider's",
		"short": "", "-----BEGIN CERTIFICATE-----": "", "ghs_short": "", "/usr/bin/sk-learn": "", "": "",
	} {
		if what := none.in([]byte(text)); what != want {
			t.Errorf("%q: %q instead of %q", text, what, want)
		}
	}
}

func TestJudgeOfProcesses(t *testing.T) {
	answer := func(cut bool, list ...ran) outcome {
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return outcome{Done: true, Data: data, Cut: cut}
	}
	clean, dirty := ran{PID: 7, Name: "sh", Args: []byte("sh\x00-c\x00x")}, ran{PID: 8, Name: "\x1b]0;x", Environ: []byte("A=b\x00KEY=canary-value-1\x00")}
	h := host{Options: Options{Secrets: []string{"canary-value-1"}}}
	for name, c := range map[string]struct {
		got  []outcome
		want Status
		why  string
	}{
		"clean": {[]outcome{answer(false, clean), answer(false)}, Pass, "1 processes"}, "dirty": {[]outcome{answer(false, clean), answer(true, dirty)}, Fail, "environment of process 8"},
		"cut": {[]outcome{answer(true, clean), answer(false)}, Unknown, "more"}, "rubbish": {[]outcome{{Done: true, Data: []byte("x")}}, Unknown, "cannot be read"}, "failed": {[]outcome{{Error: "EIO"}}, Unknown, "EIO"},
	} {
		if v := judgeScan(h, nil, c.got); v.status != c.want || !strings.Contains(v.why, c.why) || strings.Contains(v.why, "canary") || strings.Contains(v.why, "\x1b") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Somebody else's token stops no run, and is told where an operator asks; our own does both.
func TestTheShortFormLooksForOurSecretsAlone(t *testing.T) {
	for text, want := range map[string][2]Status{"ghs_" + strings.Repeat("a1", 18): {Fail, Pass}, "canary-value-1": {Fail, Fail}, "x": {Pass, Pass}} {
		data, err := json.Marshal([]ran{{PID: 7, Name: "sh", Args: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		for i, short := range []bool{false, true} {
			h := host{Options: Options{Secrets: []string{"canary-value-1"}, Short: short}}
			if v := judgeScan(h, nil, []outcome{{Done: true, Data: data}}); v.status != want[i] {
				t.Errorf("%q, short %v: %+v", text, short, v)
			}
		}
	}
}

func TestJudgeOfOtherRuns(t *testing.T) {
	h := host{room: "/home/a/.ai-flow/ai-flow-run-1-2-33"}
	tries := []attempt{{Deed: deedList, Path: "/home/a/.ai-flow"}, {Deed: deedList, Path: "/tmp/ai-flow-run-9-9-99"}}
	refused := outcome{Error: "EACCES"}
	for name, c := range map[string]struct {
		got  []outcome
		want Status
	}{
		"ours alone": {[]outcome{{Done: true, Names: []string{"ai-flow-run-1-2-33", "x"}}, refused}, Pass}, "beside": {[]outcome{{Done: true, Names: []string{"ai-flow-run-1-2-33", "ai-flow-run-5-5-55"}}, refused}, Fail},
		"open": {[]outcome{refused, {Done: true}}, Fail}, "closed": {[]outcome{refused, refused}, Pass},
		"a forged name": {[]outcome{{Done: true, Names: []string{"ai-flow-run-x/../../../../etc", "ai-flow-run-$(x)", "ai-flow-run-\n", "ai-flow-run-" + strings.Repeat("x", 99)}}, refused}, Pass},
	} {
		if v := judgeOtherRuns(h, tries, c.got); strings.Contains(v.fix, "etc") || v.status != c.want || (v.status == Fail) != strings.Contains(v.fix, "rm -rf -- ") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Whatever the agent's side sends, what is judged is bounded and is an answer to an attempt.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{"", "{}\n", `{"N":0,"Done":true}` + "\n" + `{"N":1,"Error":"EACCES"}` + "\n", `{"N":-1}` + "\n", `{"N":0,"Names":["a"],"Data":"eA=="}` + "\n", "[]\n", "null\n", `{"N":1e3}` + "\n"} {
		f.Add([]byte(s), 2)
	}
	h := host{uid: 1, gid: 1, family: []int{1}, room: "/r/ai-flow-run-1", home: "/root", rules: rules{programs: []string{"/usr/bin/sudo"}},
		runner: runnerPaths{commandFiles: []string{"/c/f"}, workspace: "/w/r/r", temp: "/w/t", actions: f.TempDir(), tools: f.TempDir()}}
	p := makePlan(f.Context(), h, checks())
	f.Fuzz(func(t *testing.T, text []byte, tries int) {
		got, err := decodeAnswers(text, tries)
		for n, o := range got {
			if n < 0 || n >= tries || o.check() != nil || o.Done && o.Error != "" {
				t.Errorf("%d of %d: %+v", n, tries, o)
			}
		}
		if err != nil && (len(err.Error()) > 2000 || !utf8.ValidString(err.Error())) {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		for _, o := range got { // no judge breaks down over it
			all := map[int]outcome{}
			for n := range p.tries {
				all[n] = o
			}
			for _, r := range p.rows {
				if v := r.verdict(h, p.tries, all, nil); strings.Contains(v.why, "broke down") || len(v.why) > 3000 {
					t.Errorf("%s: %.3000v", r.id, v)
				}
			}
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add([]byte(`[{"Deed":"read","Path":"/x","Max":1}]`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if tries, err := decodePlan(bytes.NewReader(text)); err == nil && len(tries) > maxTries {
			t.Errorf("%d attempts", len(tries))
		}
	})
}

// A known secret is found wherever it stands in base64.
func FuzzSecretsInBase64(f *testing.F) {
	f.Add("canary-secret", []byte("user:"), []byte("@host"))
	f.Add("12345678", []byte{0}, []byte{})
	f.Fuzz(func(t *testing.T, secret string, before, after []byte) {
		trimmed := strings.TrimSpace(secret)
		if len(trimmed) < minSecret || trimmed != secret {
			return
		}
		text := base64.StdEncoding.EncodeToString(append(append(bytes.Clone(before), secret...), after...))
		if seek([]string{secret}).in([]byte(text)) == "" {
			t.Errorf("%q between %q and %q is not found", secret, before, after)
		}
	})
}

func TestExcerptsAreBounded(t *testing.T) {
	for _, s := range []string{"", "x", strings.Repeat("é", maxShown), "\x1b[2J\xff", strings.Repeat("\xff", 1000)} {
		if e := excerpt(s); len(e) > 4*maxShown+2 || !utf8.ValidString(e) || strings.ContainsRune(e, 0x1b) {
			t.Errorf("%q", e)
		}
	}
}

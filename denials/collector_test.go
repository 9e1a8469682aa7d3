package denials

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func ptr(n int) *int { return &n }

func text(s string) []Piece { return []Piece{{Text: s}} }

func subjects(c *Collector) []string {
	wants, _ := c.Wants()
	var out []string
	for _, w := range wants {
		out = append(out, fmt.Sprintf("%s %s %d", w.Channel, w.Subject, w.Count))
	}
	return out
}

func expect(t *testing.T, c *Collector, want ...string) {
	t.Helper()
	if got := subjects(c); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

const shadow = "cat: /etc/shadow: Permission denied\n"

// A3-6: a want is told while the call still runs, once for each subject, and the collector may be asked from there.
func TestOnWantFiresMidStream(t *testing.T) {
	var told []string
	var c *Collector
	c = NewCollector(Options{OnWant: func(w Want) {
		told = append(told, w.Subject)
		c.Wants()
	}})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: []Piece{{Part: "d", Text: "cat: /etc/sha", Append: true}}})
	if len(told) != 0 {
		t.Fatalf("told %q of half a line", told)
	}
	c.Observe(Call{ID: "1", Pieces: []Piece{{Part: "d", Text: "dow: Permission denied\nmore", Append: true}}})
	if !slices.Equal(told, []string{"/etc/shadow"}) {
		t.Fatalf("told %q before the call ended", told)
	}
	c.Observe(Call{ID: "1", Done: true})
	c.Observe(Call{ID: "2", Kind: Execute, Pieces: text(shadow), Done: true})
	c.Declare([]Want{{Subject: "/etc/shadow", Why: "users"}})
	if len(told) != 1 {
		t.Errorf("told again: %q", told)
	}
	expect(t, c, "declared /etc/shadow 2")
}

// A3-10: declared replaces refused replaces observed on the same subject; otherwise all are kept.
func TestChannels(t *testing.T) {
	c := NewCollector(Options{Workspace: "/srv/repo", Home: "/home/agent"})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(shadow + "bash: line 1: protoc: command not found\n"), Done: true})
	c.Refuse("/etc/shadow", "not in this pass")
	c.Refuse("Run `git push`", "denied by a rule")
	expect(t, c, "refused /etc/shadow 2", "refused Run `git push` 1", "observed protoc 1")
	c.Declare([]Want{{Subject: "read access to `/etc/shadow`", Why: "users"}, {Subject: "protoc", Why: "to generate"}, {Subject: "network", Why: "modules"}})
	c.Declare([]Want{{Subject: "network", Why: "again"}})
	expect(t, c, "declared read access to `/etc/shadow` 2", "declared protoc 1", "declared network 1", "refused Run `git push` 1")
	wants, _ := c.Wants()
	if wants[0].Kind != Access || wants[0].Why != "users" || wants[1].Kind != MissingTool || wants[1].Why != "to generate" || wants[2].Kind != Capability || wants[3].Kind != Action {
		t.Errorf("kinds and reasons: %+v", wants)
	}
	c.Observe(Call{ID: "2", Kind: Execute, Pieces: text(shadow), Done: true})
	c.Refuse("/etc/shadow", "no")
	wants, _ = c.Wants()
	if wants[0].Channel != Declared || wants[0].Count != 4 || wants[0].Source != "agent" {
		t.Errorf("a lower channel spoke: %+v", wants[0])
	}
}

// Point 9, A3-10: the most telling channel speaks, with its own reason or none, and what else is known is kept beside it.
func TestAllChannelsAreKept(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tell  func(*Collector)
		want  []Channel
		why   string
		facts [2]int // refused, observed
	}{
		{"declared alone", func(c *Collector) { c.Declare([]Want{{Subject: "/etc/shadow", Why: "users"}}) }, []Channel{Declared}, "users", [2]int{0, 0}},
		{"a fact, then a claim", func(c *Collector) {
			c.Refuse("/etc/shadow", "a rule")
			c.Refuse("/etc/shadow", "a rule")
			c.Declare([]Want{{Subject: "/etc/shadow", Why: "users"}})
		}, []Channel{Declared, Refused}, "users", [2]int{2, 0}},
		{"a claim, then a fact", func(c *Collector) {
			c.Declare([]Want{{Subject: "/etc/shadow", Why: "users"}})
			c.Refuse("/etc/shadow", "a rule")
		}, []Channel{Declared, Refused}, "users", [2]int{1, 0}},
		{"a claim without a reason has none", func(c *Collector) {
			c.Refuse("/etc/shadow", "a rule")
			c.Declare([]Want{{Subject: "/etc/shadow"}})
		}, []Channel{Declared, Refused}, "", [2]int{1, 0}},
		{"a refusal does not speak with a tool's words", func(c *Collector) {
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(shadow), Done: true})
			c.Refuse("/etc/shadow", "")
		}, []Channel{Refused, Observed}, "", [2]int{1, 1}},
		{"all three", func(c *Collector) {
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(shadow), Done: true})
			c.Refuse("/etc/shadow", "a rule")
			c.Declare([]Want{{Subject: "/etc/shadow", Why: "users"}})
		}, []Channel{Declared, Refused, Observed}, "users", [2]int{1, 1}},
	} {
		c := NewCollector(Options{})
		tt.tell(c)
		wants, _ := c.Wants()
		if len(wants) != 1 {
			t.Fatalf("%s: %+v", tt.name, wants)
		}
		w := wants[0]
		if !slices.Equal(w.Channels(), tt.want) || w.Why != tt.why || w.Refused != tt.facts[0] || w.Observed != tt.facts[1] || w.Count != max(1, w.Refused+w.Observed) {
			t.Errorf("%s: %v %+v", tt.name, w.Channels(), w)
		}
	}
}

// Spellings of one path are one subject (behaviour.md section 6).
func TestSameSubject(t *testing.T) {
	for _, group := range [][]string{
		{"/srv/repo/a/b", "a/b", "./a/b", "/srv/repo/./a//b/", "file:///srv/repo/a/b", "/srv/repo/a/b (read)", "write access to a/b"},
		{"/home/agent/.ssh", "~/.ssh", "$HOME/.ssh", "${HOME}/.ssh", "/home/agent/.ssh/", "`~/.ssh`"},
		{"/var/run/docker.sock", "unix:///var/run/docker.sock", "/var/run/docker.sock"},
		{"127.0.0.1:80", "127.0.0.1:80"},
	} {
		c := NewCollector(Options{Workspace: "/srv/repo", Home: "/home/agent"})
		for _, s := range group {
			c.Refuse(s, "")
		}
		if wants, _ := c.Wants(); len(wants) != 1 || wants[0].Count != len(group) {
			t.Errorf("%q: %+v", group, wants)
		}
	}
	c := NewCollector(Options{Workspace: "/srv/repo"})
	for _, s := range []string{"/srv/repo/a", "/srv/repo2/a", "/a", "/A", "~/a", "/a b", "go.mod", "network"} {
		c.Refuse(s, "")
	}
	if wants, _ := c.Wants(); len(wants) != 8 {
		t.Errorf("different subjects joined: %+v", wants)
	}
}

// A path is shown relative to the workspace; a relative one is relative to the call's directory.
func TestPathsOfACall(t *testing.T) {
	for _, c := range []struct{ dir, printed, want string }{
		{"", "x.txt", "x.txt"},
		{"", "./x.txt", "x.txt"},
		{"/srv/repo/sub", "x.txt", "sub/x.txt"},
		{"sub", "x.txt", "sub/x.txt"},
		{"/etc", "shadow.bak", "shadow.bak"},
		{"/elsewhere", "/srv/repo/x.txt", "x.txt"},
		{"", "/srv/repo", "."},
		{"", "/srv/repository/x", "/srv/repository/x"},
	} {
		d := NewCollector(Options{Workspace: "/srv/repo"})
		d.Observe(Call{ID: "1", Kind: Execute, Dir: c.dir, Pieces: text("cat: " + c.printed + ": Permission denied\n"), Done: true})
		expect(t, d, "observed "+c.want+" 1")
	}
}

// Which output counts: the table of the package comment. H6-03: exit codes.
func TestWhatCounts(t *testing.T) {
	const weak = "    x_test.go:9: open /etc/x: permission denied\n"
	const foreign = "mkdir: cannot create directory '/opt/x': Permission denied\n"
	for _, c := range []struct {
		name string
		call Call
		want bool
	}{
		{"plain, exit 0", Call{Command: "make", Pieces: text(shadow), Exit: ptr(0)}, true},
		{"plain, exit unknown", Call{Command: "make", Pieces: text(shadow)}, true},
		{"plain, exit 1", Call{Command: "make", Pieces: text(shadow), Exit: ptr(1)}, true},
		{"plain weak, exit 0", Call{Command: "make", Pieces: text(weak), Exit: ptr(0)}, false},
		{"plain weak, exit unknown", Call{Command: "make", Pieces: text(weak)}, false},
		{"plain weak, exit 1", Call{Command: "make", Pieces: text(weak), Exit: ptr(1)}, true},
		{"plain weak, failed", Call{Command: "make", Pieces: text(weak), Failed: true}, true},
		{"reader, exit 0", Call{Command: "cat build.log", Pieces: text(shadow), Exit: ptr(0)}, false},
		{"reader, exit unknown", Call{Command: "cat /etc/shadow", Pieces: text(shadow)}, true},
		{"reader, exit 1", Call{Command: "cat /etc/shadow", Pieces: text(shadow), Exit: ptr(1)}, true},
		{"reader, foreign words, exit 1", Call{Command: "cat build.log nosuch", Pieces: text(foreign), Exit: ptr(1)}, false},
		{"reader, foreign words, unknown", Call{Command: "cat build.log", Pieces: text(foreign)}, false},
		{"readers in a pipe, exit 0", Call{Command: "cat /etc/shadow | head", Pieces: text(shadow), Exit: ptr(0)}, true},
		{"readers in a pipe, foreign", Call{Command: "cat build.log | grep -i denied", Pieces: text(foreign), Exit: ptr(0)}, false},
		{"readers joined by &&, exit 0", Call{Command: "cd /x && cat build.log", Pieces: text(shadow), Exit: ptr(0)}, false},
		{"reader with || true", Call{Command: "cat /etc/shadow || true", Pieces: text(shadow), Exit: ptr(0)}, true},
		{"a writer among readers", Call{Command: "mkdir /opt/x | cat", Pieces: text(foreign), Exit: ptr(0)}, true},
		{"bash -lc", Call{Command: "bash -lc 'cat build.log'", Pieces: text(foreign), Exit: ptr(0)}, false},
		{"git diff", Call{Command: "git -C /x --no-pager diff", Pieces: text(shadow), Exit: ptr(0)}, false},
		{"git commit", Call{Command: "git commit -m x", Pieces: text("error: open(\"z/s\"): Permission denied\n"), Exit: ptr(128)}, true},
		{"tests, exit 0", Call{Command: "go test ./...", Pieces: text(shadow), Exit: ptr(0)}, false},
		{"tests, exit 1", Call{Command: "FOO=1 go test ./...", Pieces: text(shadow), Exit: ptr(1)}, true},
		{"reading tool, succeeded", Call{Kind: Reader, Pieces: text(shadow)}, false},
		{"reading tool, exit 0", Call{Kind: Reader, Pieces: text(shadow), Exit: ptr(0)}, false},
		{"reading tool, failed", Call{Kind: Reader, Pieces: text("EACCES: permission denied, open '/etc/shadow'"), Failed: true}, true},
		{"reading tool, exit 1", Call{Kind: Reader, Pieces: text(shadow), Exit: ptr(1)}, true},
		{"other tool", Call{Kind: Other, Pieces: text(shadow)}, true},
		{"exit 1 without a word", Call{Command: "grep x y", Exit: ptr(1)}, false},
	} {
		if c.call.Kind == Other && c.name != "other tool" {
			c.call.Kind = Execute
		}
		c.call.ID, c.call.Done = "1", true
		d := NewCollector(Options{})
		d.Observe(c.call)
		if wants, _ := d.Wants(); (len(wants) == 1) != c.want {
			t.Errorf("%s: %+v", c.name, wants)
		}
	}
}

// The exit code may come after the end, the command after the output, and a call may never end (agents.md points 6, 7).
func TestLateFacts(t *testing.T) {
	weak := text("    x.go:9: open /etc/x: permission denied\n")
	c := NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: weak, Done: true})
	expect(t, c)
	c.Observe(Call{ID: "1", Exit: ptr(2)})
	expect(t, c, "observed /etc/x 1")

	c = NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: text("cat: /etc/shadow: Permission denied")})
	expect(t, c, "observed /etc/shadow 1") // open for ever, and its line too
	c.Observe(Call{ID: "1", Pieces: text("cat: /etc/shadow: Permission denied\n"), Done: true})
	c.Observe(Call{ID: "1", Pieces: text("cat: /etc/shadow: Permission denied\nls: cannot open directory '/root': Permission denied\n")}) // copilot, after completed
	expect(t, c, "observed /etc/shadow 1", "observed /root 1")

	c = NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Reader, Pieces: text("Error: EACCES: permission denied, open '/p'")})
	expect(t, c)
	c.Observe(Call{ID: "1", Done: true, Failed: true})
	expect(t, c, "observed /p 1")
}

// A reason without a path: the command is the subject, and another line's path silences it.
func TestNameless(t *testing.T) {
	const python = "Traceback (most recent call last):\nPermissionError: [Errno 13] Permission denied\n"
	c := NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Execute, Command: "cd /work && python3 -m http.server 80\n# more", Pieces: text(python), Exit: ptr(1), Done: true})
	c.Observe(Call{ID: "2", Kind: Execute, Pieces: text(python), Done: true})
	c.Observe(Call{ID: "3", Kind: Execute, Command: "make", Pieces: text(python + shadow), Exit: ptr(1), Done: true})
	expect(t, c, "observed python3 -m http.server 80 1", "observed PermissionError: [Errno 13] Permission denied 1", "observed /etc/shadow 1")
}

func TestStderr(t *testing.T) {
	c := NewCollector(Options{Source: "gate lint"})
	for _, r := range []byte("starting\nError: EACCES: permission denied, mkdir '/root/.x'\n[WARN] Permission denied\n" + shadow) {
		c.Stderr(string(r))
	}
	expect(t, c, "observed /root/.x 1", "observed /etc/shadow 1")
	if wants, _ := c.Wants(); wants[0].Source != "gate lint" {
		t.Errorf("source %q", wants[0].Source)
	}
}

// A snapshot is scanned only where new, whether it grows, slides, is sent twice or begins anew (agents.md points 11, 16).
func TestSnapshots(t *testing.T) {
	filler := strings.Repeat("compiling something ordinary\n", 40)
	c := NewCollector(Options{})
	for _, s := range []string{"a\n", "a\n", "a\n" + shadow, filler + shadow, "...\n\nadow: Permission denied\n" + filler, filler + "ls: cannot open directory '/root': Permission denied\n", "b", ""} {
		c.Observe(Call{ID: "1", Kind: Execute, Pieces: []Piece{{Part: "content", Text: s}}})
	}
	expect(t, c, "observed /etc/shadow 1", "observed /root 1")

	// The unfinished line goes on when the snapshot slides.
	c = NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(filler + "cat: /etc/sha")})
	c.Observe(Call{ID: "1", Pieces: text(filler[len(filler)/2:] + "cat: /etc/shadow: Permission denied\n")})
	expect(t, c, "observed /etc/shadow 1")
}

func TestSanitised(t *testing.T) {
	c := NewCollector(Options{})
	c.Observe(Call{ID: "1", Kind: Execute, Pieces: text("cat: /etc/\u202eevil\u200b\x1b[31m name\x07: Permission denied\n"), Done: true})
	c.Refuse("\u200b", "")
	c.Refuse("x\n\n::error::y\x00", "w\u2066hy\r\n")
	c.Declare([]Want{{Subject: strings.Repeat("ä", 400), Why: strings.Repeat("語", 400)}, {Subject: "\u200b"}})
	wants, _ := c.Wants()
	if len(wants) != 4 || wants[3].Subject != "/etc/evil name" || wants[2].Subject != "x ::error::y" || wants[2].Why != "why" || wants[1].Subject == "" {
		t.Errorf("%+v", wants)
	}
	for _, w := range wants {
		checkBounds(t, w)
	}
}

// One collector serves the wire, stderr and the policy at once.
func TestConcurrent(t *testing.T) {
	c := NewCollector(Options{OnWant: func(Want) {}})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 100 {
				c.Observe(Call{ID: fmt.Sprint(g, i), Kind: Execute, Pieces: text(shadow), Done: true})
				c.Stderr("x\n")
				c.Refuse("push", "")
				c.Wants()
			}
		})
	}
	wg.Wait()
	expect(t, c, "refused push 800", "observed /etc/shadow 800")
}

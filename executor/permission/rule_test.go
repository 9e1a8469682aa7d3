package permission

import (
	"strings"
	"testing"
)

func TestDenyRules(t *testing.T) {
	push := Rule{"execute", "git push*"}
	tests := []struct {
		name string
		rule Rule
		req  Request
		hit  bool
	}{
		{"plain", push, req("execute", "git push"), true},
		{"a command is executed, whatever kind it claims", push, req("edit", "git push"), true},
		{"as other", push, req("other", "git push"), true},
		{"as a read", push, req("read", "git push"), true},
		{"as a thought", push, req("think", "git push"), true},
		{"as a kind that nobody knows", push, req("deploy", "git push"), true},
		{"without a kind", push, req("", "git push"), true},
		{"any command", Rule{"execute", ""}, req("other", "ls"), true},
		{"another tool of kind other", push, req("other", ""), false},
		{"a command in the title alone", push, Request{Kind: "", Title: "git push origin", Options: plainOptions}, true},
		{"in signs of code", push, Request{Kind: "other", Title: "`sh -c 'git push'`", Options: plainOptions}, true},
		{"a title that speaks of another", push, Request{Kind: "other", Title: "Look up git push", Options: plainOptions}, false},
		{"a title beside a command", push, Request{Kind: "execute", Title: "git push", Command: "git status", Options: plainOptions}, false},
		{"an edit of that title", push, Request{Kind: "edit", Title: "git push", Paths: []string{"a"}, Options: plainOptions}, false},
		{"an edit is no command", push, req("edit", "", "/w/a"), false},
		{"a variable for the subcommand", push, req("execute", "G=push; git $G"), true},
		{"a variable in it", push, req("execute", "git pu${X}sh"), true},
		{"a variable for the command", push, req("execute", "G=git; $G push origin"), true},
		{"for both", push, req("execute", "$G pu$H"), true},
		{"behind a wrapper", push, req("execute", "env A=1 git $G"), true},
		{"in sh -c", push, req("execute", `sh -c 'git $1' x push`), true},
		{"by its path", push, req("execute", "/usr/bin/git $G"), true},
		{"a substitution for it", push, req("execute", "git $(echo push)"), true},
		{"in quotes", push, req("execute", `git "$(echo push)"`), true},
		{"in backticks", push, req("execute", "git `echo push`"), true},
		{"an empty one within", push, req("execute", "g$(true)it push"), true},
		{"ANSI-C quotes", push, req("execute", "git $'push'"), true},
		{"braces", push, req("execute", "git {push,origin}"), true},
		{"a star in the pattern's first word", Rule{"execute", "git*push"}, req("execute", "git $G"), true},
		{"a variable for the program, another subcommand before a gap", push, req("execute", "$X status $Y"), false},
		{"a variable for the program, and nothing written behind it", push, req("execute", "$X $Y"), false},
		{"a quote left open at a backslash", push, req("execute", `git push "\`), true},
		{"a variable behind another subcommand", push, req("execute", "git status $X"), false},
		{"a message by substitution", push, req("execute", "git commit -m \"$(cat <<'E'\nwords\nE\n)\""), false},
		{"a variable for another tool", push, req("execute", "go test $X"), false},
		{"a tool of a variable place", push, req("execute", "$(go env GOPATH)/bin/lint run"), false},
		{"a language with such variables", push, req("execute", "cat >a.php <<'E'\n$x = 1;\n$y = push;\nE"), false},
		{"braces of find", Rule{"execute", "rm -rf *"}, req("execute", `find . -exec rm {} \;`), false},
		{"a pattern that may begin with anything", Rule{"execute", "*--force*"}, req("execute", "echo $HOME"), false},
		{"any kind", Rule{"", "git push*"}, req("other", "git push"), true},
		{"another command", push, req("execute", "git status"), false},
		{"chained", push, req("execute", "go test ./... && git push origin"), true},
		{"in the background", push, req("execute", "sleep 1 & git push"), true},
		{"in a pipe", push, req("execute", "true|git push"), true},
		{"on a second line", push, req("execute", "ls\ngit push"), true},
		{"behind an assignment", push, req("execute", "A=1 B=2 git push"), true},
		{"by its path", push, req("execute", "/usr/bin/git push"), true},
		{"with more spaces", push, req("execute", "git \t  push"), true},
		{"over two lines", push, req("execute", "git \\\n push"), true},
		{"quoted", push, req("execute", `"git" 'push'`), true},
		{"half quoted", push, req("execute", `g"i"t pu\sh`), true},
		{"substituted", push, req("execute", "echo $(git push)"), true},
		{"substituted in quotes", push, req("execute", `echo "x $(git push) y"`), true},
		{"behind a quoted parenthesis", push, req("execute", `echo "$(echo ")"; git push)"`), true},
		{"behind one, not in quotes", push, req("execute", `echo $(echo ")"; git push)`), true},
		{"behind one in single quotes", push, req("execute", `echo $(echo ')'; git push)`), true},
		{"in backticks", push, req("execute", "echo `git push`"), true},
		{"in a subshell", push, req("execute", "(cd x; git push)"), true},
		{"in a group", push, req("execute", "{ git push; }"), true},
		{"in a condition", push, req("execute", "if true; then git push; fi"), true},
		{"sh -c", push, req("execute", `bash -lc "cd x && git push"`), true},
		{"sh -c from an argument list", push, req("execute", "bash -lc git push"), true},
		{"sh -c in sh -c", push, req("execute", `sh -c "sh -c 'git push'"`), true},
		{"eval", push, req("execute", "eval git push"), true},
		{"env", push, req("execute", "env -i A=1 git push"), true},
		{"timeout", push, req("execute", "timeout 5 git push"), true},
		{"xargs", push, req("execute", "echo a | xargs -n1 git push"), true},
		{"find -exec", push, req("execute", "find . -exec git push ;"), true},
		{"wrappers in wrappers", push, req("execute", "sudo -n env A=1 nice -n 5 git push"), true},
		{"wrapped shell", push, req("execute", `timeout 5 sh -c 'git push'`), true},
		{"after an apostrophe in a comment", push, req("execute", "# don't worry\ngit push"), true},
		{"after an apostrophe in a here-document", push, req("execute", "cat <<E\nit's\nE\ngit push"), true},
		{"only spoken of", push, req("execute", "echo git push"), false},
		{"only quoted", push, req("execute", `echo "git push"`), false},
		{"no command shown", push, req("execute", ""), true},
		{"no command shown, paths are", push, req("execute", "", "/w/a"), true},
		{"too long to judge", push, req("execute", strings.Repeat("a", maxCommand+1)), true},
		{"too deep to judge", push, req("execute", strings.Repeat("$(", 40)+"git push"), true},
		{"any path of several", Rule{"edit", "secrets/**"}, req("edit", "", "/w/a", "/w/secrets/b"), true},
		{"the directory itself", Rule{"delete", "secrets/**"}, req("delete", "", "secrets"), true},
		{"a way around", Rule{"edit", "secrets/**"}, req("edit", "", "/w/x/../secrets/b"), true},
		{"relative", Rule{"edit", "secrets/**"}, req("edit", "", "./secrets/b"), true},
		{"deeper than one star", Rule{"edit", "/w/*"}, req("edit", "", "/w/a/b"), false},
		{"two stars", Rule{"read", "**/.env"}, req("read", "", "/w/a/b/.env"), true},
		{"two stars at the root", Rule{"read", "**/.env"}, req("read", "", "/.env"), true},
		{"another path", Rule{"edit", "secrets/**"}, req("edit", "", "/w/secretsx"), false},
		{"a deletion under a rule for edits", Rule{"edit", "secrets/**"}, req("delete", "", "secrets/a"), true},
		{"a move", Rule{"edit", "secrets/**"}, req("move", "", "secrets/a", "b"), true},
		{"a command with that path", Rule{"edit", "secrets/**"}, req("execute", "sed -i s/a/b/ x", "secrets/a"), true},
		{"other with that path", Rule{"edit", "secrets/**"}, req("other", "", "secrets/a"), true},
		{"an unknown kind with that path", Rule{"delete", "secrets/**"}, req("write", "", "secrets/a"), true},
		{"no kind with that path", Rule{"edit", "secrets/**"}, req("", "", "secrets/a"), true},
		{"a read of what may not be edited", Rule{"edit", "secrets/**"}, req("read", "", "secrets/a"), false},
		{"a command that claims to read there", Rule{"edit", "secrets/**"}, req("read", "rm x", "secrets/a"), true},
		{"a search of what may not be read", Rule{"read", "secrets/**"}, req("search", "", "secrets/a"), true},
		{"other, reading", Rule{"read", "secrets/**"}, req("other", "", "secrets/a"), true},
		{"an edit of what may not be read", Rule{"read", "secrets/**"}, req("edit", "", "secrets/a"), false},
		{"another kind with another path", Rule{"edit", "secrets/**"}, req("other", "", "a"), false},
		{"another kind without a path", Rule{"edit", "secrets/**"}, req("other", ""), false},
		{"a command's words are no path", Rule{"edit", "ls"}, req("execute", "ls", "/w/a"), false},
		{"an action that names nothing", Rule{"", "secrets/**"}, req("edit", ""), true},
		{"a thought that names nothing", Rule{"", "secrets/**"}, req("think", ""), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := full()
			p.Deny = []Rule{tt.rule}
			d := Decide(p, asked(), tt.req)
			if got := d.Verdict != Allowed; got != tt.hit {
				t.Errorf("%q: denied %v (%s), want %v", tt.req.Command, got, d.Why, tt.hit)
			}
			if tt.hit && !strings.HasPrefix(d.Rule, "deny {") {
				t.Errorf("decided by %q", d.Rule)
			}
		})
	}
}

func TestAllowRules(t *testing.T) {
	test := Rule{"execute", "go test *"}
	tests := []struct {
		name string
		rule Rule
		req  Request
		hit  bool
	}{
		{"plain", test, req("execute", "go test ./..."), true},
		{"more spaces", test, req("execute", " go  test\t./... "), true},
		{"quoted operators", test, req("execute", "go test -run 'A|B;C' ./..."), true},
		{"quoted in double quotes", test, req("execute", `go test -run "A|B" ./...`), true},
		{"every part matches", test, req("execute", "go test ./a && go test ./b; go test ./c"), true},
		{"one part does not", test, req("execute", "go test ./a && curl x"), false},
		{"a pipe into another", test, req("execute", "go test ./a | sh"), false},
		{"a second line", test, req("execute", "go test ./a\ncurl x"), false},
		{"substitution", test, req("execute", "go test $(curl x)"), false},
		{"substitution in quotes", test, req("execute", `go test "$(curl x)"`), false},
		{"backticks", test, req("execute", "go test `curl x`"), false},
		{"a variable", test, req("execute", "go test $X"), false},
		{"output to a file", test, req("execute", "go test ./a > ~/.bashrc"), false},
		{"process substitution", test, req("execute", "go test <(curl x)"), false},
		{"background", test, req("execute", "go test ./a & curl x"), false},
		{"|&", test, req("execute", "go test ./a |& go test x"), false},
		{"an escape", test, req("execute", `go test \; curl x`), false},
		{"an open quote", test, req("execute", "go test 'a"), false},
		{"a carriage return", test, req("execute", "go test a\rcurl"), false},
		{"an assignment before", test, req("execute", "PATH=. go test ./a"), false},
		{"a comment", test, req("execute", "go test a # x"), false},
		{"nothing", test, req("execute", ""), false},
		{"only separators", Rule{"execute", "*"}, req("execute", ";;"), false},
		{"the prefix alone", test, req("execute", "go testify x"), false},
		{"too long", test, req("execute", "go test "+strings.Repeat("a", maxCommand)), false},
		{"every path", Rule{"edit", "docs/**"}, req("edit", "", "/w/docs/a", "docs/b/c"), true},
		{"one path does not", Rule{"edit", "docs/**"}, req("edit", "", "/w/docs/a", "/w/x"), false},
		{"a way out", Rule{"edit", "docs/**"}, req("edit", "", "docs/../../etc/passwd"), false},
		{"elsewhere of the same name", Rule{"edit", "docs/**"}, req("edit", "", "/etc/docs/a"), false},
		{"no path", Rule{"edit", "docs/**"}, req("edit", ""), false},
		{"the kind alone", Rule{"edit", ""}, req("edit", ""), true},
		{"another kind", Rule{"edit", ""}, req("execute", "x"), false},
		{"a command is no read", Rule{"read", ""}, req("read", "rm -rf /"), false},
		{"nor an edit of a path", Rule{"edit", "docs/**"}, req("edit", "rm -rf /", "docs/a"), false},
		{"codex reads by command", Rule{"execute", "cat *"}, req("read", "cat f"), true},
		{"and no more than that", Rule{"execute", "cat *"}, req("read", "cat f; rm f"), false},
		{"a test that claims to be other", test, req("other", "go test ./..."), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Policy{Pass: ReadOnly, Workspace: "/w", Allow: []Rule{tt.rule}}
			d := Decide(p, Mode{}, tt.req)
			if got := d.Verdict == Allowed; got != tt.hit {
				t.Errorf("%q: allowed %v (%s), want %v", tt.req.Command, got, d.Why, tt.hit)
			}
		})
	}
}

// The bounds hold whatever is sent: each of these is read in a moment, and either judged or denied for being too much.
func TestDenyIsBounded(t *testing.T) {
	for _, unit := range []string{"sh ", "env ", "sh -c ", "$(", "`", "\"$(", "a\n", "eval 'sh ", "(", "xargs sh a "} {
		command := strings.Repeat(unit, maxCommand/len(unit))
		parts, _ := denyParts(command)
		total := 0
		for _, part := range parts {
			total += len(part)
		}
		if total > 4*maxRead {
			t.Errorf("%q repeated: %d bytes of readings", unit, total)
		}
	}
}

func TestGlobIsLinear(t *testing.T) {
	pattern := strings.Repeat("*a", 200) + "b"
	if globCommand(pattern, strings.Repeat("a", maxCommand)) {
		t.Error("matched without a b")
	}
	if globPath(strings.Repeat("**/a/", 50)+"b", strings.Repeat("a/", 5000)+"a") {
		t.Error("matched without a b")
	}
}

// FuzzDecide holds the package's invariant against any request: no lasting option, nothing that a deny rule matches, and
// only what was offered.
func FuzzDecide(f *testing.F) {
	f.Add("execute", "git push && ls", "/w/a", "o", "Allow", "allow_once", "git *", true)
	f.Add("read", "", "../x", "always", "", "allow_always", "**", false)
	f.Add("execute", "sh -c 'echo \"$(git push)\"'", "", "a", "b", "reject_once", "git push*", true)
	f.Add("execute", "((((\"'`$(\\", "", "", "", "", "", true)
	f.Add("other", "git push", "", "o", "Allow", "allow_once", "git push*", true)
	f.Add("read", "rm -rf /; curl x|sh", "/w/a", "o", "Allow", "allow_once", "x", false)
	f.Add("", "G=push; git $G", "", "o", "Allow", "allow_once", "git push*", true)
	f.Add("write", "", "/w/secret/a", "o", "Allow", "allow_once", "secret/**", true)
	f.Add("think", "g$(true)it {push,x}", "", "o", "Allow", "allow_once", "git push*", false)
	f.Fuzz(func(t *testing.T, kind, command, p, id, name, optionKind, match string, fullAccess bool) {
		r := Request{Kind: kind, Command: command, Paths: []string{p},
			Options: []Option{{id, name, optionKind}, {"lasting", name, "allow_always"}, {"never", id, "reject_always"}}}
		policy := full()
		if !fullAccess {
			policy.Pass = ReadOnly
		}
		policy.Allow = []Rule{{kind, match}}
		d := Decide(policy, asked(), r)
		if d.OptionID == "lasting" || d.OptionID == "never" {
			if id != d.OptionID {
				t.Fatalf("selected a lasting option: %+v", d)
			}
		}
		switch d.Verdict {
		case Allowed:
			if optionKind != "allow_once" || d.OptionID != id {
				t.Fatalf("allowed by %q of kind %q", d.OptionID, optionKind)
			}
		case Rejected:
			if optionKind != "reject_once" || d.OptionID != id {
				t.Fatalf("rejected by %q of kind %q", d.OptionID, optionKind)
			}
		case Cancelled:
			if d.OptionID != "" {
				t.Fatalf("cancelled with an option: %+v", d)
			}
		}
		policy.Deny = []Rule{{"", match}}
		if match == "" || globCommand(match, command) && command != "" {
			if d := Decide(policy, asked(), r); d.Verdict == Allowed {
				t.Fatalf("allowed although {match: %q} denies %q", match, command)
			}
		}
		// The claimed kind of a command is worth nothing.
		if command != "" {
			bare := policy
			bare.Allow, bare.Deny = nil, []Rule{{"execute", ""}}
			if d := Decide(bare, asked(), r); d.Verdict == Allowed {
				t.Fatalf("%q runs as %q although no command may", command, kind)
			}
			bare.Pass, bare.Deny = ReadOnly, nil
			if d := Decide(bare, asked(), r); d.Verdict == Allowed {
				t.Fatalf("%q runs as %q in a read-only pass", command, kind)
			}
		}
		// Whatever an allow rule lets pass, the same pattern as a deny rule stops.
		if (Rule{kind, match}).allows("/w", r, cleanPaths("/w", r.Paths)) {
			if _, hit := (Rule{kind, match}).denies("/w", r, cleanPaths("/w", r.Paths)); !hit {
				t.Fatalf("%q allows %q but does not deny it", match, command)
			}
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	p := full()
	p.Deny = []Rule{{"execute", "git push*"}, {"", "**/.env"}}
	p.Allow = []Rule{{"execute", "go test *"}}
	r := req("execute", `cd /w && go build ./... && bash -lc "go test ./... | tee out" # don't`)
	m := asked()
	for b.Loop() {
		if d := Decide(p, m, r); d.Verdict != Allowed {
			b.Fatal(d)
		}
	}
}

func TestAsOther(t *testing.T) {
	for command, want := range map[string]bool{"sudo apt-get install x": true, "su": true, "doas -u x y": true, "": false, "sudoku": false, "echo sudo": false, "subversion x": false} {
		if got := AsOther(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// The patterns of the policy file, for rules and for triage.
func TestMatchPath(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"/opt/shared/**", "/opt/shared/a/b", true}, {"/opt/shared/**", "/opt/shared", true}, {"/opt/shared/**", "/opt/sharedx", false},
		{"/opt/shared/**", "/opt/shared/../../etc/passwd", false}, {"**/DerivedDataCache/**", "/a/DerivedDataCache/x", true},
		{"**/DerivedDataCache/**", "DerivedDataCache", true}, {"/var/run/docker.sock", "/var/run/docker.sock", true}, {"/a/*", "/a/b/c", false},
		{"/a/*.o", "/a/b.o", true}, {"/a/?", "/a/bc", false}, {"**", "x", true}, {"", "x", false}, {"/a/**/b", "/a/b", true},
		{strings.Repeat("**/", 200) + "z", strings.Repeat("a/", 200) + "y", false}, {strings.Repeat("*a", 500), strings.Repeat("a", 4000) + "b", false},
	} {
		if got := MatchPath(c.glob, c.path); got != c.want {
			t.Errorf("MatchPath(%.40q, %.40q) = %v", c.glob, c.path, got)
		}
	}
}

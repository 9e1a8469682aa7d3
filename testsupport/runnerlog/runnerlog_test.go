package runnerlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func doSomething(name string) bool { return asciiFold(name) == "do-something" }

// TestSyntax: both syntaxes, after what ActionCommandL0 of the runner holds of them.
func TestSyntax(t *testing.T) {
	for in, want := range map[string]string{
		"##[do-something k1=v1;]msg":                                      "do-something k1=v1::msg",
		"##[do-something]":                                                "do-something::",
		"##[DO-Something]x":                                               "do-something::x",
		"##[do-something k1=%3B=%0D=%0A=%5D;]%3B-%0D-%0A-%5D":             "do-something k1=;=\r=\n=]::;-\r-\n-]",
		"##[do-something k1=%253B=%250D=%250A=%255D;]%253B-%250D-%255D":   "do-something k1=%3B=%0D=%0A=%5D::%3B-%0D-%5D",
		"##[do-something k1=;k2=;]":                                       "do-something::",
		"##[do-something k1=a;k2=b]x":                                     "do-something k1=a,k2=b::x",
		">>>   ##[do-something k1=v1;]msg":                                "do-something k1=v1::msg",
		"##[other]##[do-something]x":                                      "", // the first mark of a line is the only one
		"##[do-something":                                                 "",
		"##[ do-something]":                                               "",
		"##vso[do-something]x":                                            "",
		"::do-something k1=v1,::msg":                                      "do-something k1=v1::msg",
		"::do-something::":                                                "do-something::",
		"::do-something k1=;=%2C=%0D=%0A=]=%3A,::;-%0D-%0A-]-:-,":         "do-something k1=;=,=\r=\n=]=:::;-\r-\n-]-:-,",
		"::do-something k1=;=%252C=%250D=%250A=]=%253A,::;-%250D-%250A-]": "do-something k1=;=%2C=%0D=%0A=]=%3A::;-%0D-%0A-]",
		"::do-something k1=,k2=,::":                                       "do-something::",
		"::do-something =k=v,=,==::":                                      "do-something k=v::",
		"::do-something  k=v ::x":                                         "do-something k=v::x",
		"   ::do-something k1=v1,::msg":                                   "do-something k1=v1::msg",
		"\t\u00a0\u0085\u2028\u2029\u3000\v\f::do-something::x":           "do-something::x",
		"   >>>   ::do-something k1=v1,::msg":                             "",
		"::do-something":                                                  "",
		"::Do-SOMETHING::%25%0a":                                          "do-something::%%0a", // escapes are upper-case
		"::do-ſomething::x":                                               "",
		"\ufeff::do-something::x":                                         "", // ignored by the culture, counted by the offset
		":\u200b:do-something::x":                                         "",
		"::do-something:\u200b:x":                                         "do-something:::x",
		"\x1b[0m::do-something::x":                                        "",
		"##\u200b[do-something]x":                                         "",
		"::do-something:::x":                                              "do-something:::x",
		"##[do-something]a]b":                                             "do-something::a]b",
		"":                                                                "",
	} {
		got := ""
		if c, ok := parseV2(in, doSomething); ok {
			got = c.String()
		} else if c, ok := parseV1(in, doSomething); ok {
			got = c.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestLines: how bytes become lines.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for _, c := range []struct{ in, want, cautious string }{
		{"a\nb\r\nc\rd", "a|b|c|d", "a|b|c|d"},
		{"a\n\n", "a|", "a|"},
		{"", "", ""},
		{"a\u0085b\u2028c\u2029d\ve\ff", "a\u0085b\u2028c\u2029d\ve\ff", "a|b|c|d|e|f"},
		{"\xEF\xBB\xBFa\n\xEF\xBB\xBFb", "a|\ufeffb", "a|\ufeffb"},
		{"\xFF\xFEa\x00\n\x00b\x00", "a|b", "a|b"},
		{"\xFE\xFF\x00a\x00\r\x00b", "a|b", "a|b"},
		{"a\xC3\xFFb", "a\uFFFDb", "a\uFFFDb"},
		{"a\x00b", "a\x00b", "a\x00b"},
		{long + "\n", long, long},
	} {
		if got := strings.Join(lines([]byte(c.in), false), "|"); got != c.want {
			t.Errorf("%.80q: %.80q, want %.80q", c.in, got, c.want)
		}
		if got := strings.Join(lines([]byte(c.in), true), "|"); got != c.cautious {
			t.Errorf("%.80q, cautious: %.80q, want %.80q", c.in, got, c.cautious)
		}
	}
}

func read(o Options, text string) *Runner {
	r := New(o)
	r.Read([]byte(text))
	return r
}

func obeyed(r *Runner) string {
	var all []string
	for _, c := range r.Obeyed {
		all = append(all, c.String())
	}
	return strings.Join(all, " | ")
}

// TestStop: what ActionCommandManagerL0 holds of stop-commands and its tokens.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, in    string
		o           Options
		obeyed, log string
		deaf        int
		crashed     bool
	}{
		{"old form", "##[stop-commands]stopToken\n##[set-env name=foo]bar\n##[stopToken]\n##[group]x", Options{},
			"stop-commands::stopToken | stoptoken:: | group::x", "##[stop-commands]***\n##[set-env name=foo]bar\n##[***]\n##[group]x", 1, false},
		{"new form, another case", "::Stop-Commands::Tok\n::error::x\n::TOK::\n::echo::on", Options{},
			"stop-commands::Tok | tok:: | echo::on", "::Stop-Commands::Tok\n::error::x\n::TOK::", 1, false},
		{"any place and any property", "::stop-commands::randomToken\nx ##[randomToken a=b]c\n::group::y", Options{},
			"stop-commands::randomToken | randomtoken a=b::c | group::y", "::stop-commands::***\nx ##[***  a=b]c", 0, false},
		{"not by another's", "::stop-commands::one\n::stop-commands::two\n::two::\n::group::y", Options{}, "stop-commands::one", "", 2, false},
		{"empty", "::stop-commands::\n::error::x", Options{}, "stop-commands::", "", 0, true},
		{"pause-logging", "::stop-commands::Pause-Logging\n::error::x", Options{}, "stop-commands::Pause-Logging", "", 0, true},
		{"a command", "::stop-commands::set-env\n::error::x", Options{}, "stop-commands::set-env", "", 0, true},
		{"itself", "::stop-commands::stop-commands", Options{}, "stop-commands::stop-commands", "", 0, true},
		{"a command, allowed", "::stop-commands::set-env\n::error::x\n::set-env::\n::echo::on", Options{UnsecureTokens: true},
			"stop-commands::set-env | set-env:: | echo::on", "", 1, false},
		{"empty, allowed: nothing ends it", "::stop-commands::\n::::\n::error::x", Options{UnsecureTokens: true}, "stop-commands::", "", 1, false},
		{"the token is no command afterwards", "::stop-commands::tok\n::tok::\n::tok::x", Options{}, "stop-commands::tok | tok::", "", 0, false},
	} {
		r := read(c.o, c.in)
		if got := obeyed(r); got != c.obeyed || len(r.Deaf) != c.deaf || r.Crashed != c.crashed {
			t.Errorf("%s: obeyed %q, %d while deaf, crashed %v", c.name, got, len(r.Deaf), r.Crashed)
		}
		if got := strings.ReplaceAll(strings.Join(r.Log, "\n"), "a=b", " a=b"); c.log != "" && !strings.HasPrefix(got, c.log) {
			t.Errorf("%s: the log shows\n%s\nwant\n%s", c.name, got, c.log)
		}
	}
	if token, stopped := read(Options{}, "::stop-commands::x").Stopped(); token != "x" || !stopped {
		t.Errorf("stopped %v by %q", stopped, token)
	}
}

// TestCommands: what each command does.
func TestCommands(t *testing.T) {
	for in, want := range map[string]string{
		"::set-output name=a::b%0Ac":                             "outputs map[a:b\nc]",
		"::set-output::b":                                        "faults 1",
		"##[save-state NAME=x]y":                                 "state map[x:y]",
		"::save-state name=x::y":                                 "state map[x:y]",
		"::set-env name=PATH::y":                                 "faults 1",
		"::add-path::/evil":                                      "faults 1",
		"::add-mask::":                                           "",
		"::add-matcher::m.json":                                  "matchers [m.json]",
		"::add-matcher::m.json\n::remove-matcher::m.json":        "",
		"::error file=a.go,line=3::x":                            "annotations 1 map[file:a.go line:3]",
		"::warning line=1,endLine=2,col=1,endColumn=2::x":        "annotations 1 map[endline:2 line:1]",
		"::notice col=1,endColumn=2::x":                          "annotations 1 map[]",
		"::warning endLine=1,col=2::x":                           "annotations 1 map[col:2 endline:1 line:1]",
		"::warning col=2::x":                                     "annotations 1 map[]",
		"::warning endLine=1::x":                                 "annotations 1 map[endline:1 line:1]",
		"::warning line=1,endColumn=2::x":                        "annotations 1 map[col:2 endcolumn:2 line:1]",
		"::warning line=4,endLine=3::x":                          "annotations 1 map[]",
		"::warning line=1,endLine=1,col=6,endColumn=5::x":        "annotations 1 map[endline:1 line:1]",
		"::echo::sometimes":                                      "faults 1",
		"::echo::":                                               "faults 1",
		"::internal-set-repo-path repoFullName=a/b::c":           "",
		"::unknown::x":                                           "",
		"::stop-commands::t\n::set-output name=a::b\n::error::x": "",
	} {
		r := read(Options{}, in)
		var got []string
		for what, n := range map[string]int{"outputs": len(r.Outputs), "state": len(r.State), "matchers": len(r.Matchers), "annotations": len(r.Annotations), "faults": len(r.Faults)} {
			if n == 0 {
				continue
			}
			switch what {
			case "annotations":
				got = append(got, fmt.Sprint(what, " ", n, " ", r.Annotations[0].Properties))
			case "outputs":
				got = append(got, fmt.Sprint(what, " ", r.Outputs))
			case "state":
				got = append(got, fmt.Sprint(what, " ", r.State))
			case "matchers":
				got = append(got, fmt.Sprint(what, " ", r.Matchers))
			default:
				got = append(got, fmt.Sprint(what, " ", n))
			}
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%q: %q, want %q", in, text, want)
		}
	}
	r := read(Options{UnsecureCommands: true}, "::set-env name=A::b\n::set-env name=node_options::x\n::add-path::/a\n::add-path::/b\n::add-path::/a\n::add-path::")
	if fmt.Sprint(r.Env, r.Path, len(r.Faults)) != "map[A:b] [/b /a] 2" {
		t.Errorf("%v %v %q", r.Env, r.Path, r.Faults)
	}
}

// TestShown: what the log shows: masks, echo, groups, debug lines.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		o        Options
		in, want string
	}{
		{Options{}, "::add-mask::s3cr3t%0Aline two\na s3cr3t line two x", "a *** *** x"},
		{Options{}, "::add-mask::s3cr3tval\nczNjcjN0dmFs M2NyM3R2YWw= s3cr3t%22", "*** *** s3cr3t%22"},
		{Options{}, "::add-mask::s3cr3t  \na s3cr3t  b", "a ***b"},
		{Options{}, "::stop-commands::abcdef\nabcdef", "::stop-commands::abcdef|abcdef"},
		{Options{}, "::error line=1::x", "##[error]x"},
		{Options{}, "::add-mask::a\"b c\na\\\"b c, a&quot;b c, a%22b+c", "***, ***, ***"},
		{Options{}, "::echo::on\n::add-mask::qwertz\n::set-output name=x::qwertz\n::echo::off\n::set-output name=y::z", "::add-mask::***|::set-output name=x::***|::echo::off"},
		{Options{}, "::echo::Off   \n::group::a%0Ab\n::endgroup::x\n::debug::hidden", "##[group]a|b|##[endgroup]"},
		{Options{Debug: true}, "::debug::shown\n::echo::off", "##[debug]shown|::echo::off"},
		{Options{}, "\x1b[31mred\x1b[0m ##[command]x", "\x1b[31mred\x1b[0m ##[command]x"},
	} {
		if got := strings.Join(read(c.o, c.in).Log, "|"); got != c.want {
			t.Errorf("%q shows %q, want %q", c.in, got, c.want)
		}
	}
	r := read(Options{}, "::group::a\n::group::b")
	if r.Groups() != 1 {
		t.Errorf("%d groups are open", r.Groups())
	}
	r.Line("##[endgroup]")
	if r.Groups() != 0 {
		t.Errorf("%d groups are open at the end", r.Groups())
	}
}

// TestCautious: what only others take for a command.
func TestCautious(t *testing.T) {
	for _, in := range []string{"a\u2028::error::x", "a\u0085::error::x", "\n\ufeff::error::x", ":\u200b:error::x", "\x1b[0m::error::x", "#\x1b[1m#[error]x",
		"##[other]##[error]x", "##vso[task.setvariable variable=a]b", "##\u00ad[error]x", "\x1b]8;;http://x\a::error::x", "::ERROR::x", "##VSO[x]y", ":\x01:error::x", ":\ufe0f:error::x",
		":\u034f:error::x", "::ſet-output name=a::b", "::internal-set-repo-path a=b::c"} {
		if r := read(Options{Cautious: true}, in); len(r.Obeyed) == 0 {
			t.Errorf("%q is not found", in)
		}
		if r := read(Options{}, in); len(r.Obeyed) > 0 != (in == "::ERROR::x") {
			t.Errorf("%q: the runner itself obeys %q", in, obeyed(r))
		}
	}
	if r := read(Options{Cautious: true}, "::other::x\na::b, ::x, # #[error]x, : :error::x, #[x] ## [error]\n"); len(r.Obeyed) > 0 {
		t.Errorf("harmless text is obeyed: %q", obeyed(r))
	}
}

// TestPairs: the files of names and values, after SetOutputFileCommandL0 and SetEnvFileCommandL0.
func TestPairs(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"", "", ""},
		{"A=my value", "A=my value", ""},
		{"\uFEFFA=x\n", "A=x", ""},
		{"\n\nA=x\n\nB=\n", "A=x B=", ""},
		{"A==abc\nB=def=ghi\nC=jkl=", "A==abc B=def=ghi C=jkl=", ""},
		{"=x", "=x", ""},
		{"A<<EOF\none\ntwo\nEOF\nB=x", "A=one\ntwo B=x", ""},
		{"A<<EOF\nEOF\n", "A=", ""},
		{"A<<EOF\nEOF", "A=", ""},
		{"A<<=EOF\nhello\n=EOF\nB<<<EOF\ntwo\n<EOF\nC<<EOF\n\nthree\n\nEOF\nD<<EOF\n EOF\nEOF\n", "A=hello B=two C=\nthree\n D= EOF", ""},
		{"A=x<<EOF\nB=y", "A=x<<EOF B=y", ""},
		{"A<<EOF\r\nx\r\nEOF\r\n", "A=x\r", ""},
		{"B=1\nA<<EOF\nx\n", "B=1", "does not come"},
		{"A<<EOF one two EOF", "", "does not come"},
		{"A<<EOF \nline one\nline two EOF", "", "no line of its own"},
		{"A<<EOF\nx\nEOF2", "", "no line of its own"},
		{"<<EOF\nx\nEOF", "", "invalid format"},
		{"A<<\nx\n", "", "invalid format"},
		{"B=1\nnothing", "B=1", "invalid format"},
	} {
		pairs, err := Pairs(c.in)
		var got []string
		for _, p := range pairs {
			got = append(got, p.Name+"="+p.Value)
		}
		if text := strings.Join(got, " "); text != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v", c.in, text, err)
		}
	}
}

// TestPathsAndSummary: the other files.
func TestPathsAndSummary(t *testing.T) {
	if got := Paths("/a\n\n/b c\r\n"); !slices.Equal(got, []string{"/a", "/b c"}) {
		t.Errorf("%q", got)
	}
	r := read(Options{}, "::add-mask::s3cr3t")
	if got, err := r.Summary("# a s3cr3t\r\n::error::x"); got != "# a ***\n::error::x\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := r.Summary(strings.Repeat("x", maxSummary+1)); err == nil {
		t.Error("a summary of any length is taken")
	}
}

// FuzzCautious: the cautious reader finds all that the runner obeys.
func FuzzCautious(f *testing.F) {
	for _, s := range []string{"::error::x", "a ##[error]x", "\u2028::group::x", "##[a]##[error]x", ":\u200b:error::x", "::stop-commands::t\n::t::\n::error::x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, careful := read(Options{}, text), read(Options{Cautious: true}, text)
		if len(plain.Obeyed) > 0 && len(careful.Obeyed) == 0 {
			t.Errorf("%q: the runner obeys %q, the cautious reader nothing", text, obeyed(plain))
		}
	})
}

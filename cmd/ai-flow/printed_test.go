package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/runnerlog"
	"github.com/rogpeppe/go-internal/testscript"
)

// printedTo names the folder in which each process of the program keeps what it printed, for the story's end.
const printedTo = "AIFT_PRINTED_TO"

// mainKept is main as the stories run it: what it prints is kept as well, to be read as the runner reads it.
func mainKept() {
	if len(os.Args) > 1 && (os.Args[1] == "demo-agent" || os.Args[1] == insideCommand) { // which are no processes of the dispatcher
		syscall.Exit(run(os.Stdout, os.Stderr)) // os.Exit waits for a second under -race, and no setting of ours arrives there
	}
	dir := os.Getenv(printedTo)
	if dir == "" || len(os.Args) < 2 {
		main()
	}
	keep := func(stream string, w *os.File) io.Writer {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%d.%s", os.Getpid(), stream)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		return io.MultiWriter(f, w)
	}
	status := run(keep("out", os.Stdout), keep("err", os.Stderr))
	for _, name := range []string{"OUTPUT", "STEP_SUMMARY", "ENV", "PATH", "STATE"} {
		data, err := os.ReadFile(os.Getenv("GITHUB_" + name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", os.Getpid(), name)), data, 0o600)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			panic(err)
		}
	}
	os.Exit(status)
}

// keepPrinted has all that the program prints in a story kept, and judged when the story is over (S6). The folder can be
// written by every user that runs the program, and listed by none.
func keepPrinted(e *testscript.Env, dir string) error {
	e.Setenv(printedTo, dir)
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o1733)); err != nil {
		return err
	}
	t := e.T().(testing.TB)
	e.Defer(func() {
		outs, err := filepath.Glob(filepath.Join(dir, "*.out"))
		if err != nil {
			t.Error(err)
		}
		for _, out := range outs {
			read := func(stream string) string {
				data, err := os.ReadFile(strings.TrimSuffix(out, "out") + stream)
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
				return string(data)
			}
			for _, breach := range breaches(read) {
				t.Errorf("what the program printed: %s", breach)
			}
		}
	})
	return nil
}

// ourCommands are the only commands that the runner may have from us, and what their data may be.
var ourCommands = map[string]*regexp.Regexp{
	"add-mask":      regexp.MustCompile(`^[^\r\n]{6,}$`),
	"stop-commands": regexp.MustCompile(`^[A-Z2-7]{26}$`),
	"group":         regexp.MustCompile(`^([0-9]+ calls? of GitHub|the agent's standard error, its last lines|prompt of [^\r\n]+|gate [^\r\n]+)$`),
	"endgroup":      regexp.MustCompile(`^$`),
	"error":         regexp.MustCompile(`^[^\r\n]+$`),
}

// breaches reads what one process printed, and the files that it wrote, as the runner and as the most suspicious reader do.
func breaches(read func(stream string) string) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, cautious := range []bool{false, true} {
		r := runnerlog.New(runnerlog.Options{Cautious: cautious})
		r.Read([]byte(read("err")))
		if token, stopped := r.Stopped(); stopped {
			say("the runner is left deaf, waiting for %q", token)
		}
		before := len(r.Obeyed)
		r.Read([]byte(read("out")))
		if len(r.Obeyed) > before {
			say("standard output commands the runner: %q", r.Obeyed[before].Line)
		}
		for _, c := range append(r.Deaf, unknownCommands(r.Obeyed)...) {
			say("cautious %v: a command that is not ours: %q", cautious, c.Line)
		}
		for _, fault := range r.Faults {
			say("a command fails: %s", fault)
		}
		if len(r.Outputs)+len(r.State)+len(r.Env)+len(r.Path)+len(r.Matchers) > 0 || r.Groups() > 0 {
			say("outputs %v, state %v, env %v, path %v, matchers %v set by a line, %d groups left open", r.Outputs, r.State, r.Env, r.Path, r.Matchers, r.Groups())
		}
	}
	found = append(found, lateMasks(read("err"), read("out")+read("OUTPUT")+read("STEP_SUMMARY"))...)
	pairs, err := runnerlog.Pairs(read("OUTPUT"))
	for _, p := range pairs {
		if !slices.Contains([]string{"outcome", "wants", "report", "authorized", "command", "label", "head"}, p.Name) || strings.ContainsAny(p.Value, "\r\n") {
			say("the output %q is %q", p.Name, p.Value)
		}
	}
	if err != nil {
		say("GITHUB_OUTPUT: %v", err)
	}
	if all := read("ENV") + read("PATH") + read("STATE"); all != "" {
		say("a file of the runner's that is none of our business holds %q", all)
	}
	if _, err := runnerlog.New(runnerlog.Options{}).Summary(read("STEP_SUMMARY")); err != nil {
		say("%v", err)
	}
	return found
}

// unknownCommands are those of what was obeyed that are not ours. Each token ends one stop, is new, and was not to be seen
// before.
func unknownCommands(obeyed []runnerlog.Command) (strange []runnerlog.Command) {
	used, token := map[string]bool{}, ""
	for _, c := range obeyed {
		data, ours := ourCommands[strings.ToLower(c.Name)]
		switch {
		case token != "" && c.Name == token && c.Line == "::"+token+"::":
			token = ""
			continue
		case !ours || !data.MatchString(c.Data) || len(c.Properties) > 0 || used[c.Data]:
			strange = append(strange, c)
		}
		if c.Is("stop-commands") {
			token, used[c.Data] = c.Data, true
		}
	}
	return strange
}

// lateMasks are masks of what had been printed before them, and tokens that stand anywhere but where they stop and resume.
func lateMasks(printed, beside string) (found []string) {
	var before strings.Builder
	tokens := map[string]int{}
	for line := range strings.Lines(printed) {
		line = strings.TrimRight(line, "\n")
		value, mask := strings.CutPrefix(line, "::add-mask::")
		if mask && strings.Contains(before.String(), value) {
			found = append(found, fmt.Sprintf("a secret of %d bytes was printed before it was masked", len(value)))
		}
		if token, stop := strings.CutPrefix(line, "::stop-commands::"); stop {
			tokens[token] = strings.Count(before.String(), token)
		}
		if !mask {
			before.WriteString(line + "\n")
		}
	}
	for token, n := range tokens {
		if all := strings.Count(printed+beside, token); n > 0 || all != 2 {
			found = append(found, fmt.Sprintf("the token %q stands %d times in what was printed, %d times before it stops", token, all, n))
		}
	}
	return found
}

// TestBreaches: the judge of the stories finds what it must.
func TestBreaches(t *testing.T) {
	const stop, resume = "::stop-commands::ABCDEFGHIJKLMNOPQRSTUVWXYZ\n", "::ABCDEFGHIJKLMNOPQRSTUVWXYZ::\n"
	for name, streams := range map[string]map[string]string{
		"an error of the agent's":        {"err": stop + resume + "::warning::x\n"},
		"on standard output":             {"out": "::error::x\n"},
		"while deaf":                     {"err": stop + "│\u2028::error::x\n" + resume},
		"left deaf":                      {"err": stop},
		"a guessable token":              {"err": "::stop-commands::stop\n::stop::\n"},
		"a token twice":                  {"err": stop + resume + stop + resume},
		"a token in foreign text":        {"err": stop + "│ ABCDEFGHIJKLMNOPQRSTUVWXYZ\n" + resume},
		"a token told elsewhere":         {"err": stop + resume, "STEP_SUMMARY": resume},
		"a token known before":           {"err": "ABCDEFGHIJKLMNOPQRSTUVWXYZ\n" + stop + resume},
		"a mask too late":                {"err": "the hidden value\n::add-mask::hidden value\n"},
		"an open group":                  {"err": "::group::1 call of GitHub\n"},
		"a strange group":                {"err": "::group::All is well\n::endgroup::\n"},
		"the old form":                   {"err": "│ ##[group]x\n"},
		"an output of the agent's":       {"OUTPUT": "evil=1\n"},
		"a value that goes on":           {"OUTPUT": "report<<E\na\nb\nE\n"},
		"a file that is not understood":  {"OUTPUT": "report<<E\na\n"},
		"an environment":                 {"ENV": "A=b\n"},
		"a summary that is not accepted": {"STEP_SUMMARY": strings.Repeat("x", 1<<20+1)},
	} {
		if found := breaches(func(s string) string { return streams[s] }); len(found) == 0 {
			t.Errorf("%s: nothing is found", name)
		}
	}
	good := map[string]string{"err": "::add-mask::hidden value\nsaid\n" + stop + "│ ::error::x\n" + resume + "::group::2 calls of GitHub\n::endgroup::\n::error::no%25\n",
		"out": "a::b\n", "OUTPUT": "outcome<<E\ndone\nE\nwants=0\n", "STEP_SUMMARY": "# x\n"}
	if found := breaches(func(s string) string { return good[s] }); len(found) > 0 {
		t.Errorf("%q", found)
	}
}

package demo

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

// answer says what is true of the repository and where the question's words stand in it.
func (w *worker) answer(ctx context.Context, s segment, t *tree) (string, error) {
	var b strings.Builder
	b.WriteString(t.describe())
	if test := t.testCommand(); test != "" {
		fmt.Fprintf(&b, "- **Tests:** `%s`", test)
		if n := t.count(isTest); n > 0 {
			fmt.Fprintf(&b, " runs them; %s", counted(n, "test file"))
		}
		b.WriteString(".\n")
	}
	words := keywords(s.instruction)
	var hits []hit
	err := w.call(agentside.Call{Title: "Search for " + strings.Join(words, ", "), Kind: "search", Paths: []string{w.turn.Cwd}}, func() (string, error) {
		hits = t.search(ctx, words)
		return fmt.Sprintf("%d lines", len(hits)), ctx.Err()
	})
	if err != nil {
		return "", err
	}
	b.WriteString(found(words, hits))
	if s.document != "" {
		b.WriteString(w.inDocument(s.document, words))
	}
	claim, err := w.ranNow(ctx, s, t)
	return strings.TrimRight(b.String()+claim, "\n"), err
}

// describe counts what is there.
func (t *tree) describe() string {
	var b strings.Builder
	more := ""
	if t.more {
		more = " (the first of more)"
	}
	if title := t.title(); title != "" {
		fmt.Fprintf(&b, "- **What it calls itself:** %s\n", title)
	}
	fmt.Fprintf(&b, "- **Files:** %d%s", len(t.files), more)
	if langs := t.languages(); langs != "" {
		b.WriteString("; " + langs)
	}
	b.WriteString(".\n")
	if entries := t.entryPoints(); len(entries) > 0 {
		fmt.Fprintf(&b, "- **Entry points:** %s.\n", strings.Join(entries, ", "))
	}
	return b.String()
}

// title is the first heading of the README, as code, since it is somebody's text.
func (t *tree) title() string {
	name, ok := t.has("README.md")
	if !ok {
		return ""
	}
	for _, line := range strings.Split(t.read(name), "\n") {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			return code(heading) + " (`" + name + "`)"
		}
	}
	return ""
}

func (t *tree) languages() string {
	counts := map[string]int{}
	for _, f := range t.files {
		if l := languageOf(f); l != "" {
			counts[l]++
		}
	}
	names := make([]string, 0, len(counts))
	for l := range counts {
		names = append(names, l)
	}
	sort.Slice(names, func(i, j int) bool {
		if counts[names[i]] != counts[names[j]] {
			return counts[names[i]] > counts[names[j]]
		}
		return names[i] < names[j]
	})
	var parts []string
	for _, l := range names[:min(5, len(names))] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[l], l))
	}
	return strings.Join(parts, ", ")
}

// entryPoints are files where a program starts, at most five.
func (t *tree) entryPoints() (entries []string) {
	for _, f := range t.files {
		switch base := path.Base(f); base {
		case "main.go", "main.rs", "main.py", "__main__.py", "index.js", "index.ts", "main.rb", "Main.java", "main.c", "main.cpp", "main.swift":
			if !strings.Contains(f, "testdata/") && len(entries) < 5 {
				entries = append(entries, "`"+f+"`")
			}
		}
	}
	return entries
}

// testCommand is how the project's tests are run, read from the files that say so.
func (t *tree) testCommand() string {
	for _, by := range [][2]string{{"go.mod", "go test ./..."}, {"Cargo.toml", "cargo test"}, {"pom.xml", "mvn test"},
		{"build.gradle", "gradle test"}, {"Package.swift", "swift test"}, {"mix.exs", "mix test"}, {".rspec", "bundle exec rspec"}, {"Rakefile", "bundle exec rake test"}} {
		if _, ok := t.has(by[0]); ok {
			return by[1]
		}
	}
	if name, ok := t.has("package.json"); ok && strings.Contains(t.read(name), `"test"`) {
		return "npm test"
	}
	if name, ok := t.has("Makefile"); ok && strings.Contains("\n"+t.read(name), "\ntest:") {
		return "make test"
	}
	if t.count(func(f string) bool { return strings.HasPrefix(path.Base(f), "test_") && path.Ext(f) == ".py" }) > 0 {
		return "python3 -m pytest"
	}
	return ""
}

func isTest(name string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, "_spec") ||
		strings.HasSuffix(stem, ".spec") || strings.HasPrefix(base, "test_")
}

// ranNow is what a command says that only the shell can tell: whether the tests pass, when the question is about them, else
// what changed last. A read-only pass refuses both, which is a boundary worth showing.
func (w *worker) ranNow(ctx context.Context, s segment, t *tree) (string, error) {
	command, why := "git log -1 --format=%s", "to say what changed last"
	test := t.testCommand()
	aboutTests := test != "" && strings.Contains(strings.ToLower(s.instruction), "test")
	if aboutTests {
		command, why = test, "to say whether the tests pass"
	}
	r, err := w.shell(ctx, command, why)
	switch {
	case err != nil:
		return "", err
	case !r.allowed:
		w.wanted(command, why) // the same subject as the refusal, so that it counts once (A3-10)
		return fmt.Sprintf("- I asked to run `%s`, %s, and was refused.\n", command, why), nil
	case aboutTests:
		return fmt.Sprintf("- I ran `%s` just now: it %s.\n", command, r.outcome()), nil
	case r.exit == 0 && strings.TrimSpace(r.output) != "":
		return "- **Last change:** " + code(r.output) + ".\n", nil
	}
	return "", nil // no history here, which nobody asked about
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

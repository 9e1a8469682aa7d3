package demo

import (
	"context"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

// lockedDoor is a file that no agent should be able to read, on any system of the kind that this runs on.
const lockedDoor = "/etc/shadow"

// doors meets boundaries that are really there: a file that belongs to root, and a tool that the project calls for and
// that is not installed. Both are tried once, by the narrowest action that shows the answer.
func (w *worker) doors(ctx context.Context, t *tree) error {
	if err := w.tryLockedDoor(); err != nil {
		return err
	}
	for _, n := range t.needs() {
		if ctx.Err() != nil || w.installed(n.tool) {
			continue
		}
		if _, err := w.shell(ctx, n.tool+" --version", "to see whether the tool that "+n.file+" calls for is there"); err != nil {
			return err
		}
		w.wanted(n.tool, n.file+" calls for it, and it is not installed")
		break // one is enough to show it
	}
	return nil
}

// tryLockedDoor opens the file and never reads it: where the door stands open, its content is still nobody's business.
func (w *worker) tryLockedDoor() error {
	c := agentside.Call{ID: w.nextID(), Title: "Open " + lockedDoor, Kind: "read", Status: "in_progress", Paths: []string{lockedDoor}}
	if err := w.turn.Start(c); err != nil {
		return err
	}
	end := agentside.Call{ID: c.ID, Status: "completed", Text: "it can be opened: no boundary stands here; nothing was read"}
	f, err := os.Open(lockedDoor)
	if err == nil {
		f.Close()
	} else {
		end.Status, end.Text = "failed", err.Error()
		w.wanted(lockedDoor, "tried on purpose, to show a locked door; nobody needs it")
	}
	return w.turn.Update(end)
}

// need is a tool that a project calls for, and the file that says so.
type need struct{ tool, file string }

// needs reads from the checkout which tools it wants: from files that only one tool reads, and from the commands in its
// Makefile. The order is that of the tables, so that the same checkout always gives the same answer.
func (t *tree) needs() (needs []need) {
	for _, by := range [][2]string{
		{"Makefile", "make"}, {"go.mod", "go"}, {"Cargo.toml", "cargo"}, {"package.json", "npm"}, {"Gemfile", "bundle"}, {"pom.xml", "mvn"},
		{"CMakeLists.txt", "cmake"}, {"Package.swift", "swift"}, {"pyproject.toml", "python3"}, {"mix.exs", "mix"}, {"Dockerfile", "docker"},
	} {
		if name, ok := t.has(by[0]); ok {
			needs = append(needs, need{by[1], name})
		}
	}
	for _, by := range [][2]string{{".proto", "protoc"}, {".tf", "terraform"}, {".zig", "zig"}} {
		if i := slices.IndexFunc(t.files, func(f string) bool { return path.Ext(f) == by[0] }); i >= 0 {
			needs = append(needs, need{by[1], t.files[i]})
		}
	}
	if name, ok := t.has("Makefile"); ok {
		for _, tool := range recipeTools(t.read(name)) {
			needs = append(needs, need{tool, name})
		}
	}
	return needs
}

var recipeLine = regexp.MustCompile(`(?m)^\t[@-]*([a-z][a-z0-9_.+-]*)\b`)

// recipeTools are the programs that the recipes of a Makefile begin with, without what any shell has.
func recipeTools(makefile string) (tools []string) {
	builtIn := strings.Fields("cd echo export set if for while case test true false rm mkdir cp mv cat sh printf exit touch ln chmod exec command source unset eval")
	for _, m := range recipeLine.FindAllStringSubmatch(makefile, -1) {
		if !slices.Contains(builtIn, m[1]) && !slices.Contains(tools, m[1]) {
			tools = append(tools, m[1])
		}
	}
	return tools
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
	"go.yaml.in/yaml/v3"
)

// exampleWorkflow is the workflow of the README, as far as something depends on it.
type exampleWorkflow struct {
	On          map[string]struct{ Types []string } `yaml:"on"`
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]exampleJob
}

type exampleJob struct {
	If          string
	Needs       names
	RunsOn      names `yaml:"runs-on"`
	Permissions map[string]string
	Outputs     map[string]string
	Env         map[string]string
	Timeout     int `yaml:"timeout-minutes"`
	Concurrency struct {
		Group  string
		Cancel any `yaml:"cancel-in-progress"`
	}
	Steps []exampleStep
}

type exampleStep struct {
	ID, If, Uses, Run string
	Env, With         map[string]string
}

// names is one name or a list of them.
type names []string

func (n *names) UnmarshalYAML(v *yaml.Node) error {
	if v.Kind == yaml.ScalarNode {
		*n = names{v.Value}
		return nil
	}
	return v.Decode((*[]string)(n))
}

var (
	workflowFence = regexp.MustCompile("(?ms)^```yaml workflow\n(.*?)^```$")
	outputsColumn = regexp.MustCompile("(?m)^\\| `ai-flow (\\w+)` \\|[^|]*\\|(.*)\\|$")
	inBrackets    = regexp.MustCompile(`\(.*?\)`)
	codeSpan      = regexp.MustCompile("`(\\w+)`")
	pinnedAction  = regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	versionSaid   = regexp.MustCompile(`@[0-9a-f]{40}\b[^#\n]* # v\d+\.\d+\.\d+\n`)
	stepOutput    = regexp.MustCompile(`\bsteps\.(\w+)\.outputs\.(\w+)`)
	jobOutput     = regexp.MustCompile(`\bneeds\.(\w+)\.outputs\.(\w+)`)
	ourLine       = regexp.MustCompile(`^(?:exec )?ai-flow (\w+)(.*?)(?: #.*)?$`)
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readmeWorkflow(t *testing.T) string {
	t.Helper()
	found := workflowFence.FindAllStringSubmatch(readme(t), -1)
	if len(found) != 1 {
		t.Fatalf("README.md has %d workflows", len(found))
	}
	return found[0][1]
}

// TestReadmeWorkflow holds the README's workflow to what an adopter relies on, and shows of each rule that it can fail.
func TestReadmeWorkflow(t *testing.T) {
	text, set := readmeWorkflow(t), outputsSet(t)
	for _, fault := range faultsOf(text, set) {
		t.Error(fault)
	}
	for _, c := range []struct{ old, new, want string }{
		{`run: ai-flow authorize`, "run: echo '${{ github.event.issue.title }}'; ai-flow authorize", "in a shell"}, // H3-09
		{`"$RESULT"`, `"${{ needs.dispatch.result }}"`, "in a shell"},
		{"permissions: {}", "permissions: { contents: write }", "permissions"},
		{"permissions: {}", "", "permissions"},
		{"  dispatch:\n", "  dispatch:\n    permissions: { contents: write }\n", "permissions"},
		{"[created]", "[created, edited]", "events"},
		{"types: [submitted]", "types: []", "events"},
		{"if: always() && needs.", "if: needs.", "finalize"},
		{"[authorize, dispatch]", "dispatch", "finalize"},
		{"${{ needs.dispatch.result }}", "success", "finalize"},
		{"github.event.sender.type != 'Bot' && ", "", "bot"}, // H3-06
		{" && contains(github.event.comment.body || github.event.review.body, '/')", "", "slash"},
		{"concurrency:", "concurrency:\n      cancel-in-progress: true", "cancel"},
		{"needs.authorize.outputs.authorized == 'true' && (github.event", "(github.event", "queue"},
		{"github.event.pull_request.number)", "github.run_id)", "queue"},
		{"exec ai-flow dispatch", "ai-flow dispatch", "exec"},
		{"    if: needs.authorize.outputs.authorized == 'true'\n", "", "dispatch"},
		{"always() && steps.run", "steps.run", "report"},
		{"3e37211e3254c1c06c", "3e37211e3254c1c06", "commit"},
		{"setup-go@4a3601121dd01d1626a1e23e37211e3254c1c06c", "setup-go@v6", "commit"},
		{" # v7.0.1", "", "version"},
		{"steps.gate.outputs.label", "steps.gate.outputs.lable", "lable"},
		{"steps.run.outputs.report ", "steps.runs.outputs.report ", "runs"},
		{"outputs.label }}\"]", "outputs.command }}\"]", "command"},
		{"id: gate", "id: g", "gate"},
		{"outputs.head }}\n          AI", "outputs.label }}\n          AI", "head"}, // H3-05
		{"AI_FLOW_AGENT:", "AI_FLOW_AGNET:", "AI_FLOW_AGNET"},
		{"COPILOT_GITHUB_TOKEN:", "COPILOT_TOKEN:", "COPILOT_TOKEN"},
		{"AI_FLOW_APP_PRIVATE_KEY: ${{", "OTHER: ${{", "acts as nobody"},
		{"  VERSION: main", "  VERSION: main\n  KEY: ${{ secrets.AI_FLOW_APP_PRIVATE_KEY }}", "secret"},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Errorf("%q is not there to be changed", c.old)
		} else if faults := faultsOf(bad, set); !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("with %q in the place of %q: %q", c.new, c.old, faults)
		}
	}
}

// faultsOf says what is wrong with a workflow; set is what the program sets, by its subcommand.
func faultsOf(text string, set map[string][]string) (faults []string) {
	say := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	var w exampleWorkflow
	d := yaml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&w); err != nil {
		return []string{err.Error()}
	}
	events := fmt.Sprint(w.On)
	say(events == "map[issue_comment:{[created]} pull_request_review:{[submitted]} pull_request_review_comment:{[created]}]", "events: %s", events)
	say(w.Permissions != nil && len(w.Permissions) == 0, "permissions: an App acts, so the workflow's token needs none: %v", w.Permissions)
	say(strings.Count(text, "uses:") == len(versionSaid.FindAllString(text, -1)), "an action does not say its version")
	say(!strings.Contains(fmt.Sprint(w.Env), "secrets."), "a secret for steps that need none: %v", w.Env)
	for name, job := range w.Jobs {
		say(job.Permissions == nil && job.Env == nil, "%s: permissions or a secret for all of its steps", name)
		for _, f := range job.faults(text, w, set) {
			faults = append(faults, name+": "+f)
		}
	}
	authorized := "needs.authorize.outputs.authorized == 'true'"
	first, run, last := w.Jobs["authorize"], w.Jobs["dispatch"], w.Jobs["finalize"]
	say(strings.HasPrefix(first.If, "github.event.sender.type != 'Bot' && "), "a bot starts a job")
	say(strings.HasSuffix(first.If, "contains(github.event.comment.body || github.event.review.body, '/')"), "a comment without a slash starts a job")
	say(run.If == authorized && slices.Equal(run.Needs, names{"authorize"}), "dispatch runs for whoever comments")
	say(slices.Contains(run.RunsOn, "${{ needs.authorize.outputs.label }}"), "dispatch: the runner is not the command's, but %q", run.RunsOn)
	say(run.Concurrency.Cancel == nil, "cancel-in-progress ends a run half-way")
	say(run.Concurrency.Group == "ai-flow-${{ "+authorized+" && (github.event.issue.number || github.event.pull_request.number) || github.run_id }}",
		"who may not command enters the queue, or it is not the thread's: %q", run.Concurrency.Group)
	say(slices.ContainsFunc(run.Steps, func(s exampleStep) bool { return s.Env["AI_FLOW_HEAD_SHA"] == "${{ needs.authorize.outputs.head }}" }),
		"dispatch is not told the head that was authorized")
	say(run.Timeout > 60, "dispatch: timeout of %d minutes, less than a turn may take", run.Timeout)
	say(last.If == "always() && "+authorized && slices.Equal(last.Needs, names{"authorize", "dispatch"}), "finalize does not always run")
	say(slices.ContainsFunc(last.Steps, func(s exampleStep) bool { return s.Env["RESULT"] == "${{ needs.dispatch.result }}" }), "finalize is not told how dispatch ended")
	return faults
}

func (j exampleJob) faults(text string, w exampleWorkflow, set map[string][]string) (faults []string) {
	steps := map[string]string{} // by id, the subcommand that runs
	for _, s := range j.Steps {
		line := ourLine.FindStringSubmatch(s.Run)
		switch {
		case strings.Contains(s.Run, "${{"):
			faults = append(faults, "what the runner puts in stands in a shell: "+s.Run) // also what is harmless today
		case s.Uses != "" && !pinnedAction.MatchString(s.Uses):
			faults = append(faults, "not pinned to a commit: "+s.Uses)
		case strings.HasPrefix(s.Uses, "actions/upload-artifact@") && !strings.HasPrefix(s.If, "always() && "):
			faults = append(faults, "the report of a failure is lost")
		case line == nil:
			continue
		case s.Env["AI_FLOW_APP_ID"] == "" || s.Env["AI_FLOW_APP_PRIVATE_KEY"] == "":
			faults = append(faults, line[1]+" acts as nobody")
		case line[1] == "dispatch" && !strings.HasPrefix(s.Run, "exec "):
			faults = append(faults, "without exec a shell keeps the signal to cancel")
		}
		if line != nil && s.ID != "" {
			steps[s.ID] = line[1]
		}
		for name := range s.Env {
			if !strings.Contains(s.Run, "$"+name) && !read(name) {
				faults = append(faults, "nothing reads "+name)
			}
		}
	}
	all, err := yaml.Marshal(j)
	if err != nil {
		return append(faults, err.Error())
	}
	for _, o := range stepOutput.FindAllStringSubmatch(string(all), -1) {
		if !slices.Contains(set[steps[o[1]]], o[2]) {
			faults = append(faults, "no step sets "+o[0])
		}
	}
	for _, o := range jobOutput.FindAllStringSubmatch(string(all), -1) {
		if w.Jobs[o[1]].Outputs[o[2]] == "" {
			faults = append(faults, "no job has "+o[0])
		}
	}
	return faults
}

// read reports whether the program, or the profile of an agent, reads a variable of this name.
func read(name string) bool {
	for _, pattern := range []string{"*.go", "../../executor/agents/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return false
		}
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && !strings.HasSuffix(f, "_test.go") && bytes.Contains(data, []byte(`"`+name+`"`)) {
				return true
			}
		}
	}
	return false
}

// outputsSet runs each command line of the README's workflow on a comment that holds no command, by each event, and returns
// the outputs that it set. It needs no key then.
func outputsSet(t *testing.T) map[string][]string {
	t.Helper()
	var w exampleWorkflow
	if err := yaml.Unmarshal([]byte(readmeWorkflow(t)), &w); err != nil {
		t.Fatal(err)
	}
	set := map[string][]string{}
	for event, on := range w.On {
		payload := webhooks.Examples(t, event, on.Types[0])[0]
		for _, job := range w.Jobs {
			for _, s := range job.Steps {
				if line := ourLine.FindStringSubmatch(s.Run); line != nil {
					args := strings.Fields(strings.ReplaceAll(line[2], `"$RESULT"`, "skipped"))
					set[line[1]] = runOn(t, event, payload, append([]string{line[1]}, args...))
				}
			}
		}
	}
	return set
}

func runOn(t *testing.T, event string, payload []byte, args []string) (outputs []string) {
	t.Helper()
	var about struct {
		Repository struct {
			FullName string `json:"full_name"`
		}
	}
	if err := json.Unmarshal(payload, &about); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "event.json")
	if err := os.WriteFile(file, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := Command{Stdout: io.Discard, Stderr: &said, Args: args, Dir: dir, Environ: []string{
		"GITHUB_EVENT_NAME=" + event, "GITHUB_EVENT_PATH=" + file, "GITHUB_REPOSITORY=" + about.Repository.FullName,
		"GITHUB_OUTPUT=" + dir + "/output", "RUNNER_TEMP=" + dir, "HOME=" + dir}}
	if status := c.Main(t.Context()); status != ExitDone {
		t.Fatalf("ai-flow %q on %s ends with %d:\n%s", args, event, status, &said)
	}
	data, err := os.ReadFile(dir + "/output")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(data)) {
		if name, _, ok := strings.Cut(l, "<<"); ok {
			outputs = append(outputs, name)
		}
	}
	return outputs
}

// TestReadmeOutputs: the outputs that the README names are those that the program sets.
func TestReadmeOutputs(t *testing.T) {
	set, rows := outputsSet(t), outputsColumn.FindAllStringSubmatch(readme(t), -1)
	if len(rows) != 3 {
		t.Errorf("%d rows of jobs in the README", len(rows))
	}
	for _, row := range rows {
		var said []string
		plain := inBrackets.ReplaceAllString(row[2], "") // what values there are
		for _, name := range codeSpan.FindAllStringSubmatch(plain, -1) {
			said = append(said, name[1])
		}
		if !slices.Equal(said, set[row[1]]) {
			t.Errorf("%s sets %q, and the README says %q", row[1], set[row[1]], said)
		}
	}
}

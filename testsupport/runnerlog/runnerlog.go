// Package runnerlog reads what a step prints, and the files that it writes, as the runner of GitHub Actions does, so that a
// test can say: of all this, only so much was obeyed.
//
// It was written from the source of actions/runner (MIT), whose rules are named where they are kept here:
//
//	src/Runner.Sdk/ProcessInvoker.cs            how bytes become lines
//	src/Runner.Worker/Handlers/OutputManager.cs which lines are looked at
//	src/Runner.Common/ActionCommand.cs          the two syntaxes and their escapes
//	src/Runner.Worker/ActionCommandManager.cs   stop-commands, and what each command does
//	src/Runner.Worker/FileCommandManager.cs     the files of GITHUB_OUTPUT and the like
//	src/Runner.Worker/ExecutionContext.cs       what the log shows
//	src/Sdk/DTLogging/Logging/ValueEncoders.cs  what a mask covers
//
// Its one invariant: a line that the runner would obey is never taken for text. With Options.Cautious it errs further to that
// side: what only some other reader of the log (its web page, a runner of another make) would take for a command counts too.
//
// It refuses to run anything: no matcher is matched, no file of a command is opened.
package runnerlog

import (
	"maps"
	"slices"
	"strings"
)

// Options say how the runner is set up. The zero value is a hosted runner.
type Options struct {
	// UnsecureCommands is ACTIONS_ALLOW_UNSECURE_COMMANDS: set-env and add-path work.
	UnsecureCommands bool
	// UnsecureTokens is ACTIONS_ALLOW_UNSECURE_STOPCOMMAND_TOKENS: any token stops.
	UnsecureTokens bool
	// Debug is ACTIONS_STEP_DEBUG: commands are echoed from the start and debug lines shown.
	Debug bool
	// Cautious takes for a command what any reader of the log might.
	Cautious bool
}

// Command is one command, as it was understood.
type Command struct {
	Name       string            // as it was written; see Is
	Properties map[string]string // by their names in small letters
	Data       string
	Line       string // where it stood
}

// Is reports whether the command has that name.
func (c Command) Is(name string) bool { return asciiFold(c.Name) == name }

// String is the command with its properties in order.
func (c Command) String() string {
	var b strings.Builder
	b.WriteString(asciiFold(c.Name))
	for i, key := range slices.Sorted(maps.Keys(c.Properties)) {
		b.WriteString(map[bool]string{true: " ", false: ","}[i == 0] + key + "=" + c.Properties[key])
	}
	return b.String() + "::" + c.Data
}

// Runner reads one step. Several streams may be read one after the other: the runner obeys all of them, with one state.
type Runner struct {
	options Options
	echo    bool
	token   string // that ends a stop; "" while commands are processed
	stopped bool
	masks   masks

	// Obeyed are the commands that had an effect or tried to, in order, stop-commands and the token that ends it among them.
	Obeyed []Command
	// Deaf are the commands that came while commands were stopped: text for the runner, and one broken token away from more.
	Deaf []Command
	// Log is what the log shows, line by line, with masks.
	Log []string
	// Faults say which commands failed; each fails the step.
	Faults []string
	// Crashed is true when a token of stop-commands was refused: the step ends there, and nothing more is read.
	Crashed bool

	Outputs, State, Env map[string]string
	Path                []string
	Annotations         []Command
	Matchers            []string // files of matchers, as they were added
	open                int
}

// New is the runner at the beginning of a step.
func New(o Options) *Runner {
	return &Runner{options: o, echo: o.Debug, Outputs: map[string]string{}, State: map[string]string{}, Env: map[string]string{}}
}

// Stopped reports whether commands are stopped, by which token.
func (r *Runner) Stopped() (token string, stopped bool) { return r.token, r.stopped }

// Groups is how many groups are open. The log's page knows no nesting: a group ends where the next one begins.
func (r *Runner) Groups() int { return r.open }

// Read reads a whole stream.
func (r *Runner) Read(stream []byte) {
	for _, line := range lines(stream, r.options.Cautious) {
		r.Line(line)
	}
}

// Line reads one line (OutputManager.OnDataReceived).
func (r *Runner) Line(line string) {
	if r.Crashed {
		return
	}
	all := r.parse(line)
	for _, c := range all {
		if r.process(c) {
			return
		}
	}
	if !r.Crashed {
		r.output(line)
	}
}

// parse is the command on a line, if any; a cautious reader finds more than one.
func (r *Runner) parse(line string) (all []Command) {
	if r.options.Cautious {
		return cautious(line, r.registered)
	}
	if c, ok := parseV2(line, r.registered); ok {
		return []Command{c}
	}
	if c, ok := parseV1(line, r.registered); ok {
		return []Command{c}
	}
	return nil
}

// output shows text in the log: one line of it for each line end in it, since the log is a file of lines.
func (r *Runner) output(text string) {
	r.Log = append(r.Log, strings.Split(r.masks.hide(text), "\n")...)
}

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// environment is what the program takes from its environment, read once.
type environment struct {
	all []string // as it came; executor and isolation pick the names that they may pass on

	agent     string // AI_FLOW_AGENT: a name of `ai-flow agents`
	agentBin  string // AI_FLOW_AGENT_BIN: run this binary, unpinned
	agentsDir string // AI_FLOW_AGENTS_DIR: where verified copies of agents are, instead of the usual places
	agentArgs []string
	model     string // AI_FLOW_MODEL
	user      string // AI_FLOW_AGENT_USER; "" when not said
	isolation isolationWish
	allow     []string // AI_FLOW_AGENT_ENV: further names that the agent may see
	prefix    string   // AI_FLOW_COMMAND_PREFIX
	appKey    bool     // an App key is in reach: an agent without a boundary is refused (S10)

	path     string // PATH
	home     string // HOME
	state    string // the directory of our own: XDG_STATE_HOME/ai-flow or HOME/.local/state/ai-flow; "" when neither is set
	temp     string // TMPDIR or /tmp
	noColour bool   // NO_COLOR
	columns  int    // COLUMNS, else 80: asking the terminal itself would need a library
}

// isolationWish is what AI_FLOW_ISOLATION says.
type isolationWish uint8

const (
	wishNothing isolationWish = iota // not said
	wishUser
	wishNone
)

// defaultUser is the agent user when nobody names one.
const defaultUser = "ai-agent"

func parseEnvironment(environ []string) (environment, error) {
	e := environment{all: environ}
	get := e.get
	e = environment{
		all:       environ,
		agent:     get("AI_FLOW_AGENT"),
		agentBin:  get("AI_FLOW_AGENT_BIN"),
		agentsDir: get("AI_FLOW_AGENTS_DIR"),
		model:     get("AI_FLOW_MODEL"),
		user:      get("AI_FLOW_AGENT_USER"),
		allow:     strings.FieldsFunc(get("AI_FLOW_AGENT_ENV"), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }),
		prefix:    get("AI_FLOW_COMMAND_PREFIX"),
		appKey:    get("AI_FLOW_APP_PRIVATE_KEY") != "" || get("AI_FLOW_APP_PRIVATE_KEY_FILE") != "",
		path:      get("PATH"),
		home:      get("HOME"),
		temp:      get("TMPDIR"),
		noColour:  get("NO_COLOR") != "",
		columns:   80,
	}
	if n, err := strconv.Atoi(get("COLUMNS")); err == nil && n > 0 {
		e.columns = min(n, 120)
	}
	if !filepath.IsAbs(e.temp) {
		e.temp = "/tmp"
	}
	switch state := get("XDG_STATE_HOME"); {
	case filepath.IsAbs(state):
		e.state = filepath.Join(state, "ai-flow")
	case filepath.IsAbs(e.home):
		e.state = filepath.Join(e.home, ".local", "state", "ai-flow")
	}
	switch wish := get("AI_FLOW_ISOLATION"); wish {
	case "":
	case "user":
		e.isolation = wishUser
	case "none":
		e.isolation = wishNone
	default:
		return e, &usageError{"AI_FLOW_ISOLATION is " + quoted(wish) + "; it may be user or none", "unset AI_FLOW_ISOLATION"}
	}
	if e.agentsDir != "" && !filepath.IsAbs(e.agentsDir) {
		return e, &usageError{"AI_FLOW_AGENTS_DIR is not an absolute path: " + quoted(e.agentsDir), "give the whole path, from the root on"}
	}
	args, err := splitWords(get("AI_FLOW_AGENT_ARGS"))
	if err != nil {
		return e, &usageError{"AI_FLOW_AGENT_ARGS: " + err.Error(), "quote its words as a shell would"}
	}
	e.agentArgs = args
	return e, nil
}

// findBinary looks a program up on our PATH. os/exec does that too, but reads the environment itself, and takes relative
// directories, which here would be the checkout's.
func (e environment) findBinary(name string) string {
	for _, dir := range filepath.SplitList(e.path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		p := filepath.Join(dir, name)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p
		}
	}
	return ""
}

// get is the value of a variable, "" when it is not set. The last of a name stands, as in a shell.
func (e environment) get(name string) (value string) {
	if name == "" {
		return ""
	}
	for _, v := range e.all {
		if after, ok := strings.CutPrefix(v, name+"="); ok {
			value = after
		}
	}
	return value
}

// has reports whether a variable is set to something.
func (e environment) has(name string) bool { return e.get(name) != "" }

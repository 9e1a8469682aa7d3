package executor

import (
	"context"
	"maps"
	"strings"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
)

// EnterRoom takes the agent user for one run: its lock and its directories, waiting while another run has it. The caller
// closes the room, after the tree has been taken back. Its error is a *Failure.
func (a *Agent) EnterRoom(ctx context.Context) (*isolation.Room, error) {
	room, err := isolation.Open(ctx, process.Runner{}, a.Identity, a.Room)
	switch {
	case err == nil:
		return room, nil
	case ctx.Err() != nil:
		return nil, cancelled(ctx, "start")
	default:
		return nil, setupFailure("start", err)
	}
}

// environment says what this agent may see: its own credential and settings, nothing of anybody else's.
func (a *Agent) environment(room *isolation.Room, model string) isolation.Environment {
	set := maps.Clone(a.Extra)
	if set == nil {
		set = map[string]string{}
	}
	if a.Profile.Env != nil {
		maps.Copy(set, a.Profile.Env(room.Path("state")))
	}
	for _, name := range append([]string{a.Profile.Credential}, a.Profile.Settings...) {
		if value, ok := lookup(a.Environ, name); ok {
			set[name] = value
		}
	}
	if model != "" && a.Profile.ModelVariable != "" {
		set[a.Profile.ModelVariable] = model
	}
	path, _ := lookup(a.Environ, "PATH")
	return isolation.Environment{Parent: a.Environ, Allow: a.AllowEnv, Set: set, Path: isolation.SharedPath(path)}
}

// args is what follows the executable.
func (a *Agent) args() []string {
	if a.Args != nil {
		return a.Args
	}
	return a.Profile.Args
}

// lookup finds a variable the way a shell would: the last one of a name stands.
func lookup(environ []string, name string) (value string, found bool) {
	if name == "" {
		return "", false
	}
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value, found = v, true
		}
	}
	return value, found
}

package isolation

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Invocation is a command line with its whole environment, ready to start.
type Invocation struct {
	Argv, Env []string
	Dir       string // where the dispatcher's side starts it; the agent's own directory is entered as the agent
}

// Command is a command line that runs argv as the agent in dir (absolute, entered as the agent) with env built from e.
// Nothing secret is on it: values that e looks up or sets travel in the environment. Exit status 126 with a sentence on
// standard error means that the agent cannot enter dir; Reach says why. A refused variable is a *SetupError when the
// person who runs us named it.
func (r *Room) Command(dir string, e Environment, argv ...string) (Invocation, error) {
	inv, err := r.command(dir, e, argv)
	if err != nil {
		return Invocation{}, fmt.Errorf("preparing a command for the agent user: %w", err)
	}
	return inv, nil
}

func (r *Room) command(dir string, e Environment, argv []string) (Invocation, error) {
	switch {
	case r.id.name == "":
		return Invocation{}, errNobody
	case len(argv) == 0 || argv[0] == "" || argv[0][0] == '-':
		return Invocation{}, errors.New("no program is named")
	case slices.ContainsFunc(argv, func(a string) bool { return strings.ContainsRune(a, 0) }):
		return Invocation{}, errors.New("an argument holds a NUL byte")
	case !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0):
		return Invocation{}, fmt.Errorf("directory %q is not an absolute path", dir)
	}
	env, err := e.handedOver()
	if err != nil {
		return Invocation{}, err
	}
	path, err := e.searchPath()
	if err != nil {
		return Invocation{}, err
	}
	if r.tag != "" {
		env[tagName] = r.tag
	}
	names := sortedKeys(env)
	inner := []string{"/bin/sh", "-c", launchScript, "ai-flow", r.id.processBound(), dir, strings.Join(names, " ")}
	for _, v := range r.fixed(path) {
		name, _, _ := strings.Cut(v, "=")
		if _, replaced := env[name]; !replaced {
			inner = append(inner, v)
		}
	}
	inner = append(append(inner, "--"), argv...)
	inv := Invocation{Argv: r.id.hardened(names, inner...), Dir: "/"}
	for _, name := range names {
		inv.Env = append(inv.Env, name+"="+env[name])
	}
	if path := "PATH=/usr/bin:/bin"; r.id.Isolated() {
		inv.Env = append(inv.Env, path) // sudo's own; the agent's is an argument of the script
	}
	return inv, nil
}

// fixed are the variables that are no secret and that sudo or the dynamic linker would change or drop on the way.
func (r *Room) fixed(path string) []string {
	return []string{
		"HOME=" + r.Home(), "USER=" + r.id.name, "LOGNAME=" + r.id.name, "SHELL=" + r.id.shell, "PATH=" + path,
		"TMPDIR=" + r.Path("tmp"),
		"XDG_CONFIG_HOME=" + r.Path("xdg/config"), "XDG_CACHE_HOME=" + r.Path("xdg/cache"), "XDG_DATA_HOME=" + r.Path("xdg/data"),
		"XDG_STATE_HOME=" + r.Path("xdg/state"), "XDG_RUNTIME_DIR=" + r.Path("xdg/runtime"),
	}
}

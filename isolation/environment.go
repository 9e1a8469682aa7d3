package isolation

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Environment is what may go to the agent. Everything else is left out: the environment is built from nothing.
type Environment struct {
	Parent []string          // where LANG, LC_*, TZ, TERM, proxies and Allow are looked up
	Allow  []string          // further names (AI_FLOW_AGENT_ENV); forbidden ones are refused by name
	Set    map[string]string // the profile's credential and settings, tokens; may replace XDG_*
	Path   string            // PATH of the agent; "" means a sane default
}

const (
	defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	maxValue    = 128<<10 - 1 // bytes of NAME=VALUE that Linux accepts (MAX_ARG_STRLEN)
	maxNames    = 512
)

// inherited are the names that come from Parent when they are there, besides LC_*.
var inherited = [...]string{"LANG", "TZ", "TERM", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}

var (
	validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	// gitTriplet is the only git configuration by environment that the agent gets, and only from Set: a parent's own
	// triplet carries the token that the workflow's checkout was made with.
	gitTriplet = regexp.MustCompile(`^GIT_CONFIG_(COUNT|(KEY|VALUE)_[0-9]+)$`)
	// launched are the names that the launch line itself gives a value (H4-03: in --preserve-env they would beat -H).
	launched = regexp.MustCompile(`^(HOME|PATH|USER|LOGNAME|SHELL|PWD|OLDPWD|TMPDIR|MAIL|IFS|_)$`)
	// never is behaviour.md section 2 "Never", and what the dynamic linker or a shell takes orders from: names that do not
	// survive sudo in any case, or that would make a program run something else than what it was asked to.
	never = regexp.MustCompile(`^((AI_FLOW_APP|GITHUB|ACTIONS|RUNNER|INPUT|LD|DYLD|SUDO|GIT|MALLOC|BASH_FUNC)_.*` +
		`|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PS4|CDPATH|GLOBIGNORE|PROMPT_COMMAND|NODE_OPTIONS` +
		`|SSH_AUTH_SOCK|DOCKER_HOST|COPILOT_ALLOW_ALL|AI_FLOW_RUN|ai_flow_.*` +
		`|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR)$`)
)

// refusal says why a name may not be set for the agent, or "".
func refusal(name string, allowed bool) string {
	switch {
	case !validName.MatchString(name):
		return "is not a name that a shell could use"
	case launched.MatchString(name):
		return "is set by the launch itself"
	case allowed && (strings.HasPrefix(name, "XDG_") || gitTriplet.MatchString(name)):
		return "is set by ai-flow itself"
	case never.MatchString(name) && !gitTriplet.MatchString(name):
		return "never goes to the agent"
	}
	return ""
}

// handedOver collects what travels to the agent by value, refused names first. The error never holds a value.
func (e Environment) handedOver() (map[string]string, error) {
	env := map[string]string{"TERM": "dumb"}
	parent := lookups(e.Parent)
	for name, value := range parent {
		if slices.Contains(inherited[:], name) || strings.HasPrefix(name, "LC_") && validName.MatchString(name) {
			env[name] = value
		}
	}
	// Messages in English unless somebody asks otherwise: denials are recognised by their words (H6-04).
	env["LC_ALL"] = "C.UTF-8"
	for _, name := range e.Allow {
		if why := refusal(name, true); why != "" {
			return nil, &SetupError{Kind: BadVariable, Problem: fmt.Sprintf("the variable %.64q %s", name, why), Fix: "take it out of AI_FLOW_AGENT_ENV"}
		}
		if value, ok := parent[name]; ok {
			env[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Set)) {
		if why := refusal(name, false); why != "" {
			return nil, fmt.Errorf("the variable %.64q %s", name, why)
		}
		env[name] = e.Set[name]
	}
	return env, checkValues(env)
}

func checkValues(env map[string]string) error {
	if len(env) > maxNames {
		return fmt.Errorf("%d variables for the agent; at most %d", len(env), maxNames)
	}
	for name, value := range env {
		switch {
		case strings.ContainsRune(value, 0):
			return fmt.Errorf("the value of the variable %q holds a NUL byte", name)
		case len(name)+1+len(value) > maxValue:
			return fmt.Errorf("the value of the variable %q is longer than %d bytes", name, maxValue)
		}
	}
	return nil
}

// lookups reads an environment as a shell does: of two values the last one stands.
func lookups(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok {
			m[name] = value
		}
	}
	return m
}

// searchPath refuses a PATH that would find programs in the agent's working directory.
func (e Environment) searchPath() (string, error) {
	if e.Path == "" {
		return defaultPath, nil
	}
	for _, dir := range strings.Split(e.Path, ":") {
		if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
			return "", fmt.Errorf("PATH for the agent: %q is not an absolute directory", dir)
		}
	}
	return e.Path, nil
}

package main

import (
	"fmt"
	"runtime/debug"
)

// version prints what was built from what. A build from a checkout knows its commit; `go run` does not tell it.
func (p *program) version() error {
	_, err := fmt.Fprintf(p.Stdout, "ai-flow %s\n", describeBuild())
	return err
}

func describeBuild() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version"
	}
	version, commit := info.Main.Version, "unknown"
	if version == "" {
		version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += " (with changes)"
		}
	}
	return fmt.Sprintf("%s, commit %s, %s", version, commit, info.GoVersion)
}

package main

import (
	"fmt"
	"runtime/debug"
)

// version prints what was built from what. A build from a checkout knows its commit; `go run` does not tell it.
func (p *program) version() error {
	_, err := fmt.Fprintf(p.out, "ai-flow %s\n", describeBuild())
	return err
}

func describeBuild() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version"
	}
	commit := "unknown"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += " (with changes)"
		}
	}
	return fmt.Sprintf("%s, commit %s, %s", moduleVersion(), commit, info.GoVersion)
}

// moduleVersion is the version alone; "(devel)" for a build from a checkout that is at no tag.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

package main

import (
	"os"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/modelagent"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the real program when it is called by its name: the stories run it as one, and so does
// the agent user, into whose room it is copied under that name.
func TestMain(m *testing.M) {
	fakeagent.Main()
	modelagent.Main()
	testscript.Main(m, map[string]func(){"ai-flow": mainKept})
}

// TestStories runs each story of testdata/script: one file, one thing that a person can rely on. The stories run side by
// side and take turns with the agent user.
func TestStories(t *testing.T) { newStage(t).play(t, "testdata/script") }

// TestDispatcherStories runs the stories of an ordinary user. They stand apart because that user's lock on the agent user is
// not the one of root, who runs the others.
func TestDispatcherStories(t *testing.T) { newStage(t).play(t, "testdata/dispatcher") }

func (s *stage) play(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		WorkdirRoot:         s.root,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("AIFT_UPDATE") == "1",
		Setup:               s.setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"needroot":     needRoot,
			"agentuser":    s.agentUser,
			"freshuser":    s.freshUser,
			"fakeagent":    s.fakeAgent,
			"modelagent":   s.modelAgent,
			"as":           s.as,
			"interrupt":    interrupt,
			"checkout":     checkout,
			"noprocess":    noProcess,
			"exits":        exits,
			"paste":        paste,
			"github":       startHub,
			"issue":        issue,
			"pull":         pull,
			"comment":      comment,
			"line":         line,
			"rename":       rename,
			"uninstall":    uninstall,
			"thread":       thread,
			"body":         body,
			"requests":     requests,
			"repo":         anotherRepo,
			"actionspulls": actionsPulls,
			"push":         push,
			"protect":      protect,
			"pulls":        pulls,
			"on":           on,
			"remark":       remark,
			"pushes":       pushes,
			"refs":         refs,
			"quiet":        quietPushes,
			"trap":         trap,
			"sing":         sing,
			"silent":       silent,
			"privatehost":  privateHost,
			"inhost":       inHost,
			"untouched":    untouched,
		},
	})
}

package main

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
)

// A copy whose bytes were recorded and never run is never shown as one that the tests drive (A2-1, A2-2).
func TestCopiesAreCalledWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		copy  pinned.Copy
		never bool // run in tests
		pin   string
	}{
		{pinned.Copy{Version: "1.2.3", Pinned: true, Driven: true}, false, "pinned"},
		{pinned.Copy{Version: "1.2.3", Pinned: true}, true, "pinned"},
		{pinned.Copy{Version: "1.2.3"}, false, "unpinned"},
	} {
		h := held{Version: c.copy.Version, Pinned: c.copy.Pinned, Driven: c.copy.Driven, Right: true}
		for _, said := range []string{described(&c.copy), (&program{}).origin(&c.copy), h.text()} {
			if strings.Contains(said, "never run in tests") != c.never || !strings.Contains(said, "1.2.3") {
				t.Errorf("%+v is called %q", c.copy, said)
			}
		}
		if said := described(&c.copy); !strings.Contains(said, " "+c.pin+" ") {
			t.Errorf("%+v is called %q", c.copy, said)
		}
	}
}

// Whoever installed a copy is told whether launches use it: one beside the version that goes before it is not started.
func TestAfterInstall(t *testing.T) {
	first, second := &pinned.Copy{Agent: "copilot", Version: "1.2.3", Path: "/a/copilot/1.2.3/copilot"}, &pinned.Copy{Agent: "copilot", Version: "1.3.0", Path: "/a/copilot/1.3.0/copilot"}
	for _, c := range []struct {
		copy, used     *pinned.Copy
		looked, probed bool
		want           string
	}{
		{first, first, true, true, "ai-flow probe copilot"},
		{first, first, true, false, "ai-flow try --agent copilot"},
		{second, first, true, true, "launches go on with 1.2.3"},
		{second, nil, false, true, "AI_FLOW_AGENTS_DIR=/a is set"},
		{second, first, false, true, "AI_FLOW_AGENTS_DIR=/a is set"},
	} {
		if said := afterInstall(c.copy, c.used, c.looked, c.probed); !strings.Contains(said, c.want) {
			t.Errorf("%+v: %q", c, said)
		}
	}
}

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

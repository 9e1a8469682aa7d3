package executor

import (
	"context"
	"path"
	"regexp"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/isolation"
)

// Agents put output that is too long for the wire into a file of their own and say where. Denials in the middle are then
// nowhere else (agents.md point 16), so the files are scanned: as the agent user, so that nothing is read which the
// agent could not read itself, and bounded.
const (
	maxSpills    = 8       // files of one call
	maxSpillSize = 8 << 20 // bytes of one file
)

// spilled finds "Saved to: /p", "Full output saved to: /p" and their kin.
var spilled = regexp.MustCompile(`(?i)\bsaved to:? +(/[^\s"'<>|]{1,1000})`)

func spillPaths(text string, room int) []string {
	if room <= 0 {
		return nil
	}
	var paths []string
	for _, m := range spilled.FindAllStringSubmatch(text, room) {
		paths = append(paths, path.Clean(m[1]))
	}
	return paths
}

// scanSpills reads what the calls spilled. A file that cannot be read is the agent's own affair: it is logged, and the
// want that it may have held is lost, which the log then says.
func scanSpills(ctx context.Context, room *isolation.Room, t *turn) {
	seen := map[string]bool{}
	for _, s := range t.steps.list {
		for _, p := range s.spilled {
			if seen[p] || len(seen) >= maxSpills*4 {
				continue
			}
			seen[p] = true
			data, err := room.ReadFile(ctx, p, maxSpillSize)
			if err != nil {
				t.log.Foreign(t.label+" ", "output that the agent put into "+p+" could not be scanned: "+err.Error())
				continue
			}
			t.wants.Observe(denials.Call{ID: s.id, Kind: toolKind(s.kind), Command: s.command, Exit: s.exit,
				Pieces: []denials.Piece{{Part: "spilled " + p, Text: string(data)}}, Done: true, Failed: s.status == "failed"})
		}
	}
}

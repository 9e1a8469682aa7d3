package executor

import (
	"context"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/isolation"
)

// maxSpillSize bounds the bytes read of one file in which an agent put output that was too long for the wire.
const maxSpillSize = 8 << 20

// scanSpills reads what the calls spilled: denials in the middle of long output are nowhere else (agents.md point 16).
// It reads as the agent user, so that nothing is seen which the agent could not see itself. A file that cannot be read is
// the agent's own affair: the log says that a want may have been lost with it.
func scanSpills(ctx context.Context, room *isolation.Room, t *turn) {
	for _, s := range t.wants.Spills() {
		data, err := room.ReadFile(ctx, s.Path, maxSpillSize)
		if err != nil {
			t.log.Foreign(t.label+" ", "output that the agent put into "+s.Path+" could not be scanned: "+err.Error())
			continue
		}
		call := denials.Call{ID: s.CallID, Pieces: []denials.Piece{{Part: "spilled " + s.Path, Text: string(data)}}, Done: true}
		if step := t.steps.byID[s.CallID]; step != nil {
			call.Kind, call.Command, call.Exit, call.Failed = toolKind(step.kind), step.command, step.exit, step.status == "failed"
		}
		t.wants.Observe(call)
	}
}

package git

import (
	"context"
	"fmt"
	"time"
)

// rewindTime bounds either way: what the agent left beside its tree, a pipe for one, may keep its git waiting for ever.
const rewindTime = 2 * time.Minute

// Keep has the agent's side remember how the tree stands now, for Rewind. The agent must be quiet, and the tree one that
// TakeBack did not refuse.
func (t *Tree) Keep(ctx context.Context) error {
	if _, err := asAgent(ctx, t.room, "keep", job{stdin: t.indexInfo(), time: rewindTime}, preludeScript+keepScript, t.scriptArgs()...); err != nil {
		return fmt.Errorf("remembering the agent's tree: %w", err)
	}
	return nil
}

// Rewind brings the tree back to where Keep saw it: what was made since goes, what was changed or removed returns; ignored
// files stay as they are. It happens at the agent's side and is no more than the agent user's word: whoever needs to
// be sure takes the tree back again and compares. A fresh hand-over in its place was rejected: it would lose the ignored files, on which a
// build lives.
func (t *Tree) Rewind(ctx context.Context) error {
	if _, err := asAgent(ctx, t.room, "rewind", job{time: rewindTime}, rewindScript, t.scriptArgs()...); err != nil {
		return fmt.Errorf("putting the agent's tree back: %w", err)
	}
	return nil
}

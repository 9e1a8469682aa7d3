package git

import (
	"cmp"
	"context"

	"github.com/d3mlabs/ai-flow/isolation"
)

// Dir is the top of the checkout, or the directory of a repository without one.
func (r *Repo) Dir() string { return cmp.Or(r.at.top, r.at.gitDir) }

// Exposed reports whether the agent's user can enter the repository's own git directory, where a remote's password may
// stand, although it works in a tree of its own. The checkout is then open to every user of the host; nothing here closes
// it, and the agent may have read it.
func (r *Repo) Exposed(ctx context.Context, room *isolation.Room) bool {
	return room.Identity().Isolated() && room.Reach(ctx, r.at.common) == nil
}

package git

import (
	"context"
	"strconv"
	"strings"
)

// history is the part of a commit's history that goes along.
type history struct {
	commits  int
	boundary []OID // commits in it whose parents are not
}

// perGeneration bounds the commits of a history of many branches: at most so many for each generation, on average.
const perGeneration = 10

// history chooses whole generations, nearest first. The latest commits by date were rejected: merging a branch that has been
// waiting for weeks would cut the history at the merge itself, since a shallow commit loses all its parents.
func (r *Repo) history(ctx context.Context, commit OID, depth int) (history, error) {
	if depth <= 0 {
		depth = DefaultDepth
	}
	if r.partial {
		depth = 1
	}
	// A sample that is large enough for nearly all generations, in one cheap walk that does not grow with the history.
	sample := 2000 + 40*depth
	out, err := r.ours(ctx, job{max: 256 << 20}, "rev-list", "--parents", "--max-count="+strconv.Itoa(sample), string(commit), "--")
	if err != nil {
		return history{}, err
	}
	parents := map[OID][]string{}
	for l := range strings.Lines(string(out)) {
		ids := strings.Fields(l)
		parents[OID(ids[0])] = ids[1:]
	}
	inside := generations(parents, commit, depth)
	h := history{commits: len(inside)}
	for id := range inside {
		cut := r.shallow[id] // its parents are not even known here
		for _, parent := range parents[id] {
			cut = cut || !inside[OID(parent)]
		}
		if cut {
			h.boundary = append(h.boundary, id)
		}
	}
	return h, nil
}

func generations(parents map[OID][]string, commit OID, depth int) map[OID]bool {
	inside := map[OID]bool{commit: true}
	generation := []OID{commit}
	for n := 1; n < depth && len(inside) < perGeneration*depth; n++ {
		var next []OID
		for _, id := range generation {
			for _, parent := range parents[id] {
				if _, known := parents[OID(parent)]; known && !inside[OID(parent)] {
					inside[OID(parent)] = true
					next = append(next, OID(parent))
				}
			}
		}
		generation = next
	}
	return inside
}

package thread

import "context"

// Reply is what is to stand in a review thread about the command, once.
type Reply struct {
	Thread int64  // the comment that began the thread
	Body   string // rendered
}

// Answer posts replies in review threads, each between our marks and each once: it looks for those that an earlier attempt
// has left, and looks again after a post whose answer was lost (F-59, H7-04). One call to list, one for each reply. A thread
// that is gone is left out. It goes on after a failure, and returns all of them.
func (t *Thread) Answer(ctx context.Context, replies []Reply) error { panic("unbuilt") }

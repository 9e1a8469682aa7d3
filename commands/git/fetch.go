package git

import "context"

// Remote is a repository on a server of git over HTTP.
type Remote struct {
	URL    string // https://host/owner/name.git; http only when the server itself is plain
	Token  string // sent as a password in one header, of this command alone; "" for none
	Borrow string // a checkout whose objects may be borrowed, so that less is fetched; "" for none
	Depth  int    // generations of history; 0 means DefaultDepth
}

// Fetch makes a private repository that holds commit with its history from a server, and nothing else of it. The commit is
// asked for by its id, so that what is worked on is what was decided on, whatever moved meanwhile. temp is as for Open.
// The Repo has no checkout: Head answers with the commit.
func Fetch(ctx context.Context, remote Remote, commit OID, temp string) (*Repo, error) {
	panic("unbuilt")
}

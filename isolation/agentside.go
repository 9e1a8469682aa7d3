package isolation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// answer is what a script says by its exit status. Statuses below 40 are those of the tools that it uses.
type answer int

const (
	answerOK         answer = 0
	answerMissing    answer = 40
	answerLink       answer = 41
	answerNotRegular answer = 42
	answerFailed     answer = 43
	answerNoPlace    answer = 44
	answerStale      answer = 45
	answerClosed     answer = 46
	answerSetpriv    answer = 47
)

const (
	scriptTime = time.Minute      // for a script that writes
	readTime   = 10 * time.Second // for one that reads: a FIFO swapped in at the last moment would hold it for ever
	removeTime = 2 * time.Minute  // for one that removes a tree
	maxSaid    = 500              // bytes of a script's standard error in an error
)

// bareEnvironment is all that sudo and our own scripts get. The scripts name tools without a path: these are the host's.
func bareEnvironment() []string { return []string{"LC_ALL=C", "PATH=/usr/bin:/bin:/usr/sbin:/sbin"} }

// script runs one of ours as the agent.
func (i Identity) script(ctx context.Context, r Runner, limit time.Duration, stdin io.Reader, text string, args ...string) (out, said []byte, a answer, err error) {
	if i.name == "" {
		return nil, nil, answerFailed, errNobody
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := i.hardened(nil, append([]string{"/bin/sh", "-c", text, "ai-flow"}, args...)...)
	out, said, code, err := r.Run(ctx, argv, bareEnvironment(), stdin)
	if err != nil {
		return nil, said, answerFailed, fmt.Errorf("as %s: %w", i.name, err)
	}
	return out, said, answer(code), nil
}

// because turns an answer into an error about a path. The standard error in it is foreign.
func (a answer) because(path string, said []byte) error {
	switch a {
	case answerMissing:
		return fmt.Errorf("%q: %w", path, fs.ErrNotExist)
	case answerLink:
		return fmt.Errorf("%q is a link, and links of the agent's are not followed", path)
	case answerNotRegular:
		return fmt.Errorf("%q is not a regular file", path)
	}
	return fmt.Errorf("%q: status %d: %s", path, int(a), excerpt(said))
}

// excerpt is the end of foreign text, quoted and bounded.
func excerpt(said []byte) string {
	said = bytes.TrimSpace(said)
	if len(said) > maxSaid {
		said = said[len(said)-maxSaid:]
	}
	return fmt.Sprintf("%q", said)
}

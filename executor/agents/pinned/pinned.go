// Package pinned holds agents' own executables, byte for byte: it fetches them from the npm registry that this machine is
// configured for, admits exactly what is expected of an archive, and hands an executable out only while its digest is
// checked.
//
// Its one invariant: the bytes that a launch starts are the bytes that were hashed. [Copy.Open] hashes what it hands over
// and ends in an error instead of an end of file when that is not the executable that is pinned; between a check of a path
// and a start of the same path there would be time to replace it. Behind sudo no descriptor can be passed (it closes all
// from 3 up), and /proc/PID/fd of ours is closed to the agent user. A path that only root and we can write was rejected: it
// has to be reached by the agent user, and a runner's own directories are not, while any directory that we may write will do
// for bytes that are handed over. The price is one copy into the room for each launch: 170 MB, less than a second, beside
// the seconds that the agent then needs to unpack itself. The copy belongs to the agent user, of whom nothing else runs
// then; a process of that user's could alter the running program as well as its file.
//
// The pins are a table in this program: neither the registry nor a manifest beside the executable can say what is right.
// A version that is not in it is installed only when that is asked for; it is then as good as the registry's word on the day
// that it was fetched, and says so wherever it is shown.
//
// What this package refuses to do: run anything that it fetched (no install hook, no loader script, not even to ask for a
// version), read the environment, take a registry from a checkout's .npmrc, write into or read from a place that others could
// change, fetch without checking certificates, repair a copy that was altered, and look at PATH.
package pinned

import (
	"fmt"
	"runtime"
)

// Error is why a copy is not installed or not handed out.
type Error struct {
	Problem string // one sentence, foreign text quoted and bounded
	Fix     string // the next step
	Err     error  // the cause, or nil
}

// Error is the problem alone, as the fix is shown in a place of its own.
func (e *Error) Error() string { return e.Problem }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// platform is this machine's name in npm's packages. A musl libc has the same name and another package (linuxmusl-x64),
// whose programs we pin none of: the executable then fails to start, and says why.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}

// quoted is foreign text in a message, at most 100 bytes of it.
func quoted(s string) string {
	if len(s) > 100 {
		return fmt.Sprintf("%q…", s[:100])
	}
	return fmt.Sprintf("%q", s)
}

// Package dispatch takes a command from GitHub's event to its result on the thread.
//
// Authorize, Run and Finalize are the three jobs of the workflow: may this be done; do it; leave nobody without a word.
// The way is always the same: the event is read and parsed by the caller, everything that decides is asked first, the gate
// (Decide) is a pure function over the answers, then the status line is put, then the command runs through commands.Flow,
// and the result is written once, findable by its mark.
//
// Its one invariant: whoever may command gets exactly one result, whatever fails in between, and whoever may not gets
// nothing started. A fault at any moment followed by a re-run ends where an undisturbed run would have (S9).
//
// It refuses to trust the event for anything that GitHub can be asked about, text of people without write permission
// (which never reaches a prompt unless the command quotes it), and to do again what has been done.
package dispatch

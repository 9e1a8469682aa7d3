package executor

import (
	"fmt"
	"testing"
)

// Millions of rounds of a letter each take no more memory than text does.
func TestRoundsAreBounded(t *testing.T) {
	var p prose
	for i := range maxText {
		p.add(fmt.Sprint(i%2), string(rune('a'+i%2)))
	}
	if n := len(p.rounds); n > maxText/roundCost || !p.truncated {
		t.Errorf("%d rounds, truncated %v", n, p.truncated)
	}
}

// Rounds are set apart by a blank line, and one that only repeats the one before it is dropped; a later return of it is not.
func TestRoundsAreJoined(t *testing.T) {
	var p prose
	for _, round := range []string{"Started it.", "Finished.", "Finished.", " Finished.\n", "", "More.", "Finished."} {
		p.add("", round)
		p.breakRound()
	}
	if got := p.text(); got != "Started it.\n\nFinished.\n\nMore.\n\nFinished." {
		t.Errorf("%q", got)
	}
}

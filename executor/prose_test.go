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

package wire_test

import (
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

func TestTranscriptsLoad(t *testing.T) {
	names, err := wire.Names()
	if err != nil || len(names) < 100 {
		t.Fatalf("%d transcripts, %v", len(names), err)
	}
	messages := 0
	for _, name := range names {
		all, err := wire.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			if (m.Raw == nil) == (m.Elided == 0) {
				t.Fatalf("%s: a line is either a message or a cut: %+v", name, m)
			}
		}
		messages += len(all)
	}
	if messages < 2900 {
		t.Fatalf("only %d messages", messages)
	}
	if _, err := wire.Load("no/such"); err == nil {
		t.Fatal("a transcript that does not exist was loaded")
	}
}

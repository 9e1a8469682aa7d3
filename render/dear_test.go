package render

import (
	"runtime"
	"strings"
	"testing"
)

// TestProseOfADearTable: a table whose rows are short and whose head is wide costs a parser gigabytes; it comes back as code.
func TestProseOfADearTable(t *testing.T) {
	table := strings.Repeat("|a", 3000) + "\n" + strings.Repeat("|-", 3000) + "\n" + strings.Repeat("|x\n", 17000)
	if !TooDear(table) || TooDear(strings.ReplaceAll(table, "|-", "|b")) {
		t.Error("the table is not told from a paragraph")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if out := Prose(table); !strings.HasPrefix(out, "```") {
		t.Errorf("%.60q", out)
	}
	runtime.ReadMemStats(&after)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 256<<20 { // it was 17 GiB
		t.Errorf("%d MiB were allocated", spent>>20)
	}
}

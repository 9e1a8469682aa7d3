package executor

import "testing"

// A receipt's line names what was done by the command and the paths, and by the title only where there is nothing else.
func TestActionOfAReceipt(t *testing.T) {
	for _, c := range []struct {
		receipt Receipt
		want    string
	}{
		{Receipt{Title: "t", Command: "rm x"}, "rm x"},
		{Receipt{Title: "t", Command: "rm x", Paths: []string{"x"}}, "rm x"},
		{Receipt{Title: "t", Command: "rm x", Paths: []string{"x", "/etc/y", "z"}}, "rm x (/etc/y, z)"},
		{Receipt{Title: "t", Paths: []string{"a/b", "c"}}, "a/b, c"},
		{Receipt{Title: "t"}, "t"},
		{Receipt{}, ""},
	} {
		if got := c.receipt.Action(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.receipt, got, c.want)
		}
	}
}

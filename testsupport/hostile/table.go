package hostile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Table is the list of all attacks as Markdown, for the page on security: what is tried, at which invariant, and how a run ends
// that it was tried in. That it held needs no column: an attack that does not hold is a failing test.
func Table(all []Attack) string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Attack) int { return cmp.Compare(a.Name, b.Name) })
	var b strings.Builder
	fmt.Fprintf(&b, "%d attacks. All are held.\n\n| attack | what is tried | against | the run ends | known from |\n|---|---|---|---|---|\n", len(all))
	for _, a := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", a.Name, cell(a.Says), strings.Join(a.Holds, " "), ends(a), cell(a.Source))
	}
	return b.String()
}

func cell(text string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text) }

func ends(a Attack) string {
	if !a.Ran() {
		return "before it began"
	}
	return strings.Join(a.Outcomes, " or ")
}

package render

import (
	"fmt"
	"strings"
)

// Door is a check of the boundary that failed at the start of a run: the agent's user got through where it must not. The texts
// are ours, with foreign ones quoted in them.
type Door struct {
	ID, Says, Why, Fix string
	Waived             string // ours: why it did not stop the run; "" when it did
}

// The bounds of what is shown of open doors: how many, and the bytes of a text.
const (
	maxDoors    = 50
	maxDoorText = 1000
)

// doors are for whoever looks after the runner, on the run's page alone: a thread tells strangers only that the boundary is not
// sound, and not where.
func (c *writer) doors() string {
	if len(c.r.Doors) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Open doors\n\nBefore the agent was started, its user got through where it must not. `ai-flow doctor` on the runner tries all of it again. A door that has to stay open is named in `.github/ai-flow.yml` on the default branch: `doctor: { accept: [ID] }`.\n\n")
	for i, d := range c.r.Doors {
		if i == maxDoors {
			fmt.Fprintf(&b, "- And %d more.\n", len(c.r.Doors)-i)
			break
		}
		fmt.Fprintf(&b, "- %s: %s Seen: %s.", code(d.ID, maxName), inline(d.Says, maxDoorText), strings.TrimRight(inline(d.Why, maxDoorText), "."))
		if d.Fix != "" {
			fmt.Fprintf(&b, " Fix: %s", code(d.Fix, maxDoorText))
		}
		if d.Waived != "" {
			fmt.Fprintf(&b, " **%s.**", d.Waived)
		}
		b.WriteString("\n")
	}
	return b.String()
}

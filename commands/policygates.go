package commands

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
	"go.yaml.in/yaml/v3"
)

// The bounds of gates.
const (
	maxGates    = 20
	maxGateName = 60 // characters
	maxGateTime = 6 * time.Hour
	gateTime    = 10 * time.Minute // when the file is silent
	maxRounds   = 10
)

func (r *policyReader) gates(n *yaml.Node, path string) error {
	gates := &r.policy.Gates
	err := items(n, path, func(item *yaml.Node, path string) error {
		g := executor.Gate{Timeout: gateTime}
		fields := map[string]field{"name": gateName(&g.Name), "run": str(&g.Run), "timeout": upToTime(&g.Timeout, maxGateTime)}
		if err := r.fields(item, path, fields); err != nil {
			return err
		}
		if g.Run == "" {
			return fmt.Errorf("line %d: %s needs a run", item.Line, path)
		}
		if g.Name == "" {
			g.Name = nameOf(g.Run)
		}
		if slices.ContainsFunc(*gates, func(other executor.Gate) bool { return other.Name == g.Name }) {
			return fmt.Errorf("line %d: %s has the name %q, which another gate has", item.Line, path, g.Name)
		}
		*gates = append(*gates, g)
		return nil
	})
	if err == nil && len(*gates) > maxGates {
		return fmt.Errorf("line %d: %s has %d items, more than %d", n.Line, path, len(*gates), maxGates)
	}
	return err
}

// gateName reads a name of one line, in which every character shows: it stands in tables, logs and prompts.
func gateName(to *string) field {
	return func(n *yaml.Node, path string) error {
		var s string
		if err := str(&s)(n, path); err != nil {
			return err
		}
		if utf8.RuneCountInString(s) > maxGateName || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || render.Invisible(r) }) {
			return wrong(n, path, fmt.Sprintf("one line of at most %d characters that show", maxGateName))
		}
		*to = s
		return nil
	}
}

// nameOf names a gate that the file gives no name after its command.
func nameOf(run string) string {
	name := []rune(onOneLine(run))
	if len(name) > maxGateName {
		name = append(name[:maxGateName-1], '…')
	}
	return string(name)
}

// onOneLine shows a command on one line. It is the policy's own, so its signs stay; nothing in it hides.
func onOneLine(run string) string { return strings.Join(strings.Fields(render.Terminal(run)), " ") }

func upToTime(to *time.Duration, most time.Duration) field {
	return func(n *yaml.Node, path string) error {
		var d time.Duration
		if err := duration(&d)(n, path); err != nil {
			return err
		}
		if d > most {
			return wrong(n, path, fmt.Sprintf("a duration of at most %v", most))
		}
		*to = d
		return nil
	}
}

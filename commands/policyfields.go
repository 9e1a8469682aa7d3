package commands

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"go.yaml.in/yaml/v3"
)

// fields reads a mapping. A key without a value keeps the default; an unknown key is warned about, because a newer
// ai-flow may know it.
func (r *policyReader) fields(n *yaml.Node, path string, known map[string]field) error {
	if n.Kind != yaml.MappingNode {
		return wrong(n, path, "a mapping")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := strings.TrimPrefix(path+"."+key.Value, ".")
		if seen[key.Value] {
			return fmt.Errorf("line %d: %.80q is said twice", key.Line, name)
		}
		seen[key.Value] = true
		read, ok := known[key.Value]
		if !ok {
			r.warn(key.Line, name, "it is not known")
			continue
		}
		if isNull(value) {
			continue
		}
		if err := read(value, name); err != nil {
			return err
		}
	}
	return nil
}

func (r *policyReader) warn(line int, name, why string) {
	if len(r.policy.Warnings) < maxItems {
		r.policy.Warnings = append(r.policy.Warnings, fmt.Sprintf("%s line %d: the key %.80q does nothing: %s", r.policy.Source, line, name, why))
	}
}

func (r *policyReader) section(known map[string]field) field {
	return func(n *yaml.Node, path string) error { return r.fields(n, path, known) }
}

func items(n *yaml.Node, path string, each field) error {
	if n.Kind != yaml.SequenceNode {
		return wrong(n, path, "a list")
	}
	if len(n.Content) > maxItems {
		return fmt.Errorf("line %d: %s has %d items, more than %d", n.Line, path, len(n.Content), maxItems)
	}
	for i, item := range n.Content {
		if err := each(item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func str(to *string) field {
	return func(n *yaml.Node, path string) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			return wrong(n, path, "a string")
		}
		if len(n.Value) > maxString || strings.ContainsFunc(n.Value, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
			return wrong(n, path, fmt.Sprintf("a printable string of at most %d bytes", maxString))
		}
		*to = strings.TrimSpace(n.Value)
		return nil
	}
}

func shaped(to *string, shape *regexp.Regexp, what string) field {
	return func(n *yaml.Node, path string) error {
		var s string
		if err := str(&s)(n, path); err != nil {
			return err
		}
		if s != "" && !shape.MatchString(s) {
			return wrong(n, path, what)
		}
		*to = s
		return nil
	}
}

func strs(to *[]string) field {
	return func(n *yaml.Node, path string) error {
		*to = nil
		return items(n, path, func(item *yaml.Node, path string) error {
			var s string
			err := str(&s)(item, path)
			*to = append(*to, s)
			return err
		})
	}
}

// boolean takes true and false only: yes and on are strings in YAML 1.2, and guessing which was meant is how a policy
// ends up switched the wrong way (F-67).
func boolean(to *bool) field {
	return func(n *yaml.Node, path string) error {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return wrong(n, path, "true or false")
		}
		*to = strings.EqualFold(n.Value, "true")
		return nil
	}
}

// via reads in which way full access is given, by the words that agents.Via has for it.
func via(to *agents.Via) field {
	return func(n *yaml.Node, path string) error {
		for _, v := range []agents.Via{agents.Callback, agents.ByMode} {
			if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && n.Value == v.String() {
				*to = v
				return nil
			}
		}
		return wrong(n, path, "callback or mode")
	}
}

func number(to *int, low, high int) field {
	return func(n *yaml.Node, path string) error {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < low || v > high {
			return wrong(n, path, fmt.Sprintf("a number from %d to %d", low, high))
		}
		*to = v
		return nil
	}
}

// maxDuration bounds every deadline: a job on GitHub ends after six hours, one of one's own after five days.
const maxDuration = 5 * 24 * time.Hour

func duration(to *time.Duration) field {
	return func(n *yaml.Node, path string) error {
		d, err := time.ParseDuration(n.Value)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || err != nil || d <= 0 || d > maxDuration {
			return wrong(n, path, "a duration such as 30s or 10m")
		}
		*to = d
		return nil
	}
}

var sizeShape = regexp.MustCompile(`^([1-9][0-9]{0,8})\s*(B|KB|KiB|MB|MiB|GB|GiB)$`)

func size(to *int64) field {
	units := map[string]int64{"B": 1, "KB": 1e3, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30}
	return func(n *yaml.Node, path string) error {
		m := sizeShape.FindStringSubmatch(n.Value)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || m == nil {
			return wrong(n, path, "a size such as 64MiB")
		}
		v, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || v > (1<<40)/units[m[2]] {
			return wrong(n, path, "a size of at most 1024GiB")
		}
		*to = v * units[m[2]]
		return nil
	}
}

func wrong(n *yaml.Node, path, want string) error {
	if path == "" {
		path = "the file"
	}
	got := map[yaml.Kind]string{yaml.MappingNode: "a mapping", yaml.SequenceNode: "a list"}[n.Kind]
	if got == "" {
		got = fmt.Sprintf("%.60q", n.Value)
	}
	return fmt.Errorf("line %d: %s must be %s, not %s", n.Line, path, want, got)
}

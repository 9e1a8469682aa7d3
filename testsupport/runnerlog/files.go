package runnerlog

import (
	"fmt"
	"strings"
)

// maxSummary is how much of a step's summary is taken, in bytes (FileCommandManager.AttachmentSizeLimit).
const maxSummary = 1 << 20

// Pair is one name with its value.
type Pair struct{ Name, Value string }

// Pairs reads a file of names and values, GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE (EnvFileKeyValuePairs): "name=value", or
// "name<<end" with the value in the lines before end. Only LF ends a line. It returns what came before an error too, which the
// runner has taken by then.
func Pairs(file string) (pairs []Pair, err error) {
	rest := strings.TrimPrefix(file, "\uFEFF") // File.ReadAllText takes the mark off
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line == "" {
			continue
		}
		equals, heredoc := strings.Index(line, "="), strings.Index(line, "<<")
		switch {
		case equals >= 0 && (heredoc < 0 || equals < heredoc):
			pairs = append(pairs, Pair{line[:equals], line[equals+1:]})
		case heredoc > 0 && heredoc+2 < len(line):
			var value string
			if value, rest, err = heredocOf(rest, line[heredoc+2:]); err != nil {
				return pairs, err
			}
			pairs = append(pairs, Pair{line[:heredoc], value})
		default:
			return pairs, fmt.Errorf("invalid format %q", line)
		}
	}
	return pairs, nil
}

func heredocOf(text, end string) (value, rest string, err error) {
	var all []string
	for rest = text; rest != ""; {
		line, after, ended := strings.Cut(rest, "\n")
		if line == end {
			return strings.Join(all, "\n"), after, nil
		}
		if !ended {
			return "", "", fmt.Errorf("the end %q has no line of its own", end)
		}
		all, rest = append(all, line), after
	}
	return "", "", fmt.Errorf("the end %q does not come", end)
}

// Paths reads GITHUB_PATH: one folder a line, the last one searched first (AddPathFileCommand, File.ReadAllLines).
func Paths(file string) (paths []string) {
	for _, line := range lines([]byte(file), false) {
		if line != "" {
			paths = append(paths, line)
		}
	}
	return paths
}

// Summary is what GITHUB_STEP_SUMMARY becomes on the page of the run (CreateStepSummaryCommand): masked line by line, and all
// of it refused when it is too long.
func (r *Runner) Summary(file string) (string, error) {
	if len(file) > maxSummary {
		return "", fmt.Errorf("a summary of %d bytes, more than %d", len(file), maxSummary)
	}
	var b strings.Builder
	for _, line := range lines([]byte(file), false) {
		b.WriteString(r.masks.hide(line) + "\n")
	}
	return b.String(), nil
}

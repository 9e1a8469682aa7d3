package denials

import (
	"slices"
	"strings"
)

// A class is what a command line lets one expect of its output.
type class struct {
	readers  bool // all its programs only show text
	piped    bool // and they are joined so that the exit code can hide a failure: by a pipe, ";", "||" or a new line
	tests    bool // it runs tests
	programs []string
}

// classify reads a shell command line, roughly: quotes and the signs that join commands are understood, all else only makes
// it an ordinary command.
func classify(command string) class {
	command = unwrap(command)
	c := class{readers: true}
	segments, piped := segments(command)
	for _, segment := range segments {
		words := programWords(segment)
		if len(words) == 0 {
			continue
		}
		name := toolName(words[0])
		c.programs = append(c.programs, name)
		c.readers = c.readers && isReader(name, words)
		c.tests = c.tests || isTestRun(words)
	}
	c.piped = piped
	c.readers = c.readers && len(c.programs) > 0 && !strings.ContainsAny(command, "`") && !strings.Contains(command, "$(") && !strings.Contains(command, "<(")
	return c
}

// unwrap takes "bash -lc '…'" away.
func unwrap(command string) string {
	f := strings.SplitN(strings.TrimSpace(command), " ", 3)
	if len(f) == 3 && shells[toolName(f[0])] && strings.HasPrefix(f[1], "-") && strings.HasSuffix(f[1], "c") {
		if inner := strings.TrimSpace(f[2]); len(inner) > 1 && (inner[0] == '\'' || inner[0] == '"') && inner[len(inner)-1] == inner[0] {
			return inner[1 : len(inner)-1]
		}
		return f[2]
	}
	return command
}

// segments splits a command line at the signs that join commands, and tells whether one of them hides exit codes.
func segments(s string) (out []string, hides bool) {
	start, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case quote != 0:
			switch {
			case b == quote:
				quote = 0
			case b == '\\' && quote == '"':
				i++
			}
			continue
		case b == '\'' || b == '"':
			quote = b
			continue
		case b == '\\':
			i++
			continue
		case b == '&' && (i+1 < len(s) && (s[i+1] == '>' || s[i+1] == '1') || i > 0 && s[i-1] == '>'):
			continue // 2>&1, &>file
		case b != '|' && b != '&' && b != ';' && b != '\n':
			continue
		}
		out = append(out, s[start:i])
		joined := b == '&' && i+1 < len(s) && s[i+1] == '&'
		if strings.TrimSpace(s[i+1:]) != "" {
			hides = hides || !joined
		}
		if i+1 < len(s) && s[i+1] == b {
			i++
		}
		start = i + 1
	}
	return append(out, s[start:]), hides
}

// programWords returns the words of a simple command from its program on: without assignments and redirections in front.
func programWords(segment string) []string {
	words := strings.Fields(strings.TrimLeft(segment, " \t({!"))
	for len(words) > 0 {
		if name, _, ok := strings.Cut(words[0], "="); ok && isWord(name) || strings.HasPrefix(words[0], ">") || strings.HasPrefix(words[0], "2>") {
			words = words[1:]
			continue
		}
		break
	}
	return words
}

func isReader(name string, words []string) bool {
	switch name {
	case "git":
		return gitReaders[gitCommand(words)]
	case "awk", "gawk", "mawk":
		return !slices.ContainsFunc(words[1:], func(w string) bool { return strings.Contains(w, "system(") })
	case "sed":
		return !slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place") })
	case "find", "fd":
		return !slices.ContainsFunc(words[1:], func(w string) bool {
			return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || w == "-delete" || w == "-x"
		})
	}
	return readers[name]
}

// gitCommand returns git's subcommand: the first word that is no option and no option's value.
func gitCommand(words []string) string {
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C" || w == "-c":
			i++
		case !strings.HasPrefix(w, "-"):
			return w
		}
	}
	return ""
}

func isTestRun(words []string) bool {
	line := strings.Join(words[:min(len(words), 4)], " ") + " "
	return slices.ContainsFunc(testRunners, func(r string) bool { return strings.HasPrefix(line, r+" ") })
}

// families are programs that name themselves otherwise in their messages.
var families = map[string][]string{
	"git": {"fatal", "error", "warning"}, "awk": {"gawk", "mawk"}, "egrep": {"grep"}, "fgrep": {"grep"}, "zgrep": {"gzip"}, "zcat": {"gzip"},
	"curl": {"Warning"}, "xzcat": {"xz"}, "bzcat": {"bzip2"}, "hd": {"hexdump"},
}

// owns reports whether a finding is a message of one of the command's own programs, or of the shell, and not of the text
// that they show.
func (c class) owns(f finding) bool {
	if shells[f.tool] || f.tool == "bwrap" || f.tool == "sandbox-exec" { // what the agent wraps around commands
		return true
	}
	for _, p := range c.programs {
		if p == f.tool || slices.Contains(families[p], f.tool) {
			return true
		}
		// Some name no one: "/etc/x: Permission denied".
		if (p == "rg" || p == "less" || p == "more" || p == "bat") && f.subject != "" && strings.HasPrefix(f.why, f.subject) {
			return true
		}
	}
	return false
}

package permission

import (
	"path"
	"strings"
)

// The bounds of what is judged: a longer or deeper command is refused by deny rules and not matched by allow rules.
const (
	maxCommand = 64 << 10
	maxDepth   = 8
	maxWords   = 32      // words behind a wrapper or a shell that may begin the command
	maxRead    = 4 << 20 // bytes read in all, since wrappers and shells make the same words be read again
)

// allowParts splits a chained command into its parts, as written but for runs of white space. plain is false when it
// holds anything by which a shell would do more than the parts say.
func allowParts(command string) (parts []string, plain bool) {
	if len(command) > maxCommand {
		return nil, false
	}
	var part strings.Builder
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			return nil, false
		case quote == '\'':
			if c == quote {
				quote = 0
			}
			part.WriteByte(c)
		case strings.IndexByte("$`\\", c) >= 0:
			return nil, false
		case quote == '"':
			if c == quote {
				quote = 0
			}
			part.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
			part.WriteByte(c)
		case strings.IndexByte("<>(){}#", c) >= 0:
			return nil, false
		case c == '&':
			if i+1 >= len(command) || command[i+1] != '&' {
				return nil, false
			}
			i++
			parts = appendPart(parts, &part)
		case c == '|' && i+1 < len(command) && command[i+1] == '&':
			return nil, false
		case c == ';' || c == '|' || c == '\n':
			parts = appendPart(parts, &part)
		case c == ' ' || c == '\t':
			if s := part.String(); s != "" && s[len(s)-1] != ' ' {
				part.WriteByte(' ')
			}
		default:
			part.WriteByte(c)
		}
	}
	return appendPart(parts, &part), quote == 0
}

func appendPart(parts []string, b *strings.Builder) []string {
	s := strings.TrimSpace(b.String())
	b.Reset()
	if s == "" {
		return parts
	}
	return append(parts, s)
}

// denyParts lists every reading of a command that a deny rule should see: the whole, each simple command in it, those
// inside substitutions and `sh -c`, each without its assignments, wrappers, quotes and directory. clear is false when the
// command is too long or too deep to be read to its end.
func denyParts(command string) (parts []string, clear bool) {
	if command == "" {
		return nil, true
	}
	if len(command) > maxCommand {
		return []string{command[:maxCommand]}, false
	}
	d := denyReader{parts: []string{command, strings.Join(strings.Fields(command), " ")}, budget: maxRead}
	// As an allow rule would read it, so that a pattern always denies what it would allow.
	raw, _ := allowParts(command)
	d.parts = append(d.parts, raw...)
	d.read(command, 0)
	return d.parts, !d.spent
}

type denyReader struct {
	parts  []string
	budget int  // bytes that may still be read
	spent  bool // something was left unread
}

// spend reports whether n more bytes may be read at this depth.
func (d *denyReader) spend(n, depth int) bool {
	d.budget -= n + 1
	if d.budget < 0 || depth > maxDepth {
		d.spent = true
	}
	return !d.spent
}

func (d *denyReader) read(command string, depth int) {
	if !d.spend(len(command), depth) {
		return
	}
	simple, nested := splitShell(command)
	for _, words := range simple {
		d.words(words, depth)
	}
	for _, inner := range nested {
		d.read(inner, depth+1)
	}
	// An apostrophe in a comment or a here-document opens no quote for the shell, yet would hide what follows from the
	// reading above. Each line is therefore also read by itself.
	if strings.Contains(command, "\n") {
		for line := range strings.SplitSeq(command, "\n") {
			d.read(line, depth+1)
		}
	}
}

// words adds the readings of one simple command.
func (d *denyReader) words(words []string, depth int) {
	for len(words) > 0 && (isAssignment(words[0]) || isKeyword(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	rest := strings.Join(words[1:], " ")
	if !d.spend(len(rest), depth) {
		return
	}
	name := path.Base(words[0])
	d.parts = append(d.parts, strings.TrimSpace(words[0]+" "+rest), strings.TrimSpace(name+" "+rest))
	switch {
	case isShell(name), name == "eval", name == "source", name == ".":
		for i, w := range words[1:min(len(words), maxWords)] {
			if !strings.HasPrefix(w, "-") {
				d.read(w, depth+1)
				d.read(strings.Join(words[1+i:], " "), depth+1)
			}
		}
	case isWrapper(name):
		// Which words are the wrapper's own options is not known, so each later word may begin the command.
		for i := 1; i < min(len(words), maxWords); i++ {
			if !strings.HasPrefix(words[i], "-") {
				d.bare(words[i:], depth+1)
			}
		}
	}
}

// bare adds the reading of words behind a wrapper, and goes on when they are a shell or a wrapper themselves.
func (d *denyReader) bare(words []string, depth int) {
	if isWrapper(path.Base(words[0])) {
		rest := strings.Join(words, " ")
		if d.spend(len(rest), depth) {
			d.parts = append(d.parts, rest, path.Base(words[0])+rest[len(words[0]):])
		}
		return // its later words are already tried by the outer wrapper
	}
	d.words(words, depth)
}

// AsOther reports whether a command begins with a program that runs the rest as another user, which mostly is root.
func AsOther(command string) bool {
	switch first, _, _ := strings.Cut(command, " "); first {
	case "sudo", "su", "doas":
		return true
	}
	return false
}

func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '+'
	}) < 0
}

func isKeyword(w string) bool {
	switch w {
	case "if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "fi", "done", "esac", "time", "coproc":
		return true
	}
	return false
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash", "mksh":
		return true
	}
	return false
}

func isWrapper(name string) bool {
	switch name {
	case "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "ionice", "timeout", "setsid", "stdbuf",
		"xargs", "parallel", "find", "watch", "unshare", "chroot", "busybox", "su", "runuser", "setpriv", "script", "flock",
		"strace", "chrt", "taskset":
		return true
	}
	return false
}

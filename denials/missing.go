package denials

import "strings"

// tool makes the finding that name is not installed, if name is a bare command's name and not a path.
func (l *line) missing(name, by string) (finding, bool) {
	name = strings.Trim(name, "'\"`‘’“”")
	switch name {
	case "command", "process", "program", "child", "file", "it":
		return finding{}, false
	}
	if !isWord(name) || isNumber(name) {
		return finding{}, false
	}
	return finding{kind: MissingTool, subject: name, why: l.text, tool: by, weak: l.source || l.cont}, true
}

// commandNotFound reads "bash: line 1: protoc: command not found" and the like. Somebody must say it: a bare
// "protoc: command not found" is as often a sentence of a log or a page.
func commandNotFound(l *line, head, tail string) (finding, bool) {
	p := parts(head)
	if strings.Trim(tail, ".…") != "" || len(p) < 2 || strings.Contains(p[0], " ") || oddBackticks(head) || strings.Count(head, `"`)%2 == 1 {
		return finding{}, false
	}
	return l.missing(p[len(p)-1], toolName(p[0]))
}

// tcshNotFound reads tcsh's and old make's "protoc: Command not found".
func tcshNotFound(l *line, head, tail string) (finding, bool) {
	p := parts(head)
	if strings.Trim(tail, ".") != "" || len(p) == 0 || len(p) == 1 && tail != "." {
		return finding{}, false
	}
	return l.missing(p[len(p)-1], toolName(p[0]))
}

// notFoundColon reads zsh's, yarn's and bundler's "command not found: protoc".
func notFoundColon(l *line, head, tail string) (finding, bool) {
	name, ok := strings.CutPrefix(tail, ": ")
	if head = strings.TrimRight(head, " "); !ok || head != "" && !strings.HasSuffix(head, ":") || strings.Count(head, " ") > 2 {
		return finding{}, false
	}
	by, _, _ := strings.Cut(head, ":")
	return l.missing(name, toolName(by))
}

// shellNotFound reads dash's, busybox's and ksh's "sh: 1: protoc: not found". Other programs say "not found" of anything, so
// a shell must have said it, or a script with its line.
func shellNotFound(l *line, head, tail string) (finding, bool) {
	p := parts(head)
	if strings.Trim(tail, ".") != "" || len(p) < 2 || strings.Contains(p[0], " ") {
		return finding{}, false
	}
	by := toolName(p[0])
	numbered := len(p) > 2 && (isNumber(p[1]) || strings.HasPrefix(p[1], "line "))
	if !shells[by] && !numbered {
		return finding{}, false
	}
	for _, middle := range p[1 : len(p)-1] {
		switch middle {
		case "type", "hash", "command", "which", "whence", "alias", "unalias", "export": // a probe, or no command at all
			return finding{}, false
		}
	}
	return l.missing(p[len(p)-1], by)
}

// unknownCommand reads fish's "Unknown command: protoc", and its way to say that a file may not be executed.
func unknownCommand(l *line, head, tail string) (finding, bool) {
	if head != "fish: " {
		return finding{}, false
	}
	if q := quotations(tail); len(q) > 0 && strings.Contains(tail, "not an executable file") {
		return finding{kind: Access, subject: q[0].text, why: l.text, tool: "fish"}, true
	}
	return l.missing(strings.TrimLeft(tail, ": "), "fish")
}

// noSuchFile reads the messages of programs whose job is to start another one. A file that is merely absent is no want.
func noSuchFile(l *line, head, tail string) (finding, bool) {
	if name, ok := strings.CutPrefix(tail, " - "); ok { // ruby; of files it says " @ rb_sysopen - "
		if name, ok = strings.CutSuffix(name, " (Errno::ENOENT)"); ok && !strings.Contains(name, ".") {
			return l.missing(name, "ruby")
		}
		return finding{}, false
	}
	if name, ok := strings.CutPrefix(tail, ": "); ok && strings.HasSuffix(head, "[Errno 2] ") {
		return l.missingInTraceback(name)
	}
	if tail = cutAny(tail, " (os error 2)"); strings.Trim(tail, ".)") != "" {
		return finding{}, false
	}
	p := parts(strings.TrimRight(head, " :"))
	if len(p) == 0 || len(p) == 1 && p[0] == "Caused by" {
		return l.missingBefore()
	}
	last := p[len(p)-1]
	if _, rest, ok := strings.Cut(head, "Cannot run program \""); ok { // java
		program, _, _ := strings.Cut(rest, `"`)
		return l.missing(program, "java")
	}
	for _, start := range []string{"failed to run command ", "failed to execute ", "execvp ", "cannot run ", "cannot exec ", "failed to find tool ", "exec ",
		"Failed to spawn ", "failed to spawn ", "spawn "} {
		if name, ok := strings.CutPrefix(last, start); ok {
			return l.missing(name, toolName(p[0]))
		}
	}
	by := toolName(p[0])
	if len(p) != 2 || !runners[by] || by == "error" || by == "fatal" || l.source {
		return finding{}, false
	}
	if last == "Makefile" || last == "makefile" || last == "GNUmakefile" || strings.HasSuffix(last, ".mk") {
		return finding{}, false // make could not find its own input
	}
	return l.missing(last, by)
}

// missingInTraceback believes python's FileNotFoundError only below the frames that start a child.
func (l *line) missingInTraceback(name string) (finding, bool) {
	for _, p := range l.linesBefore() {
		if strings.Contains(p, "subprocess") || strings.Contains(p, "_execute_child") || strings.Contains(p, "_execvpe") || strings.Contains(p, "child_exception") {
			return l.missing(name, "python")
		}
	}
	return finding{}, false
}

// missingBefore reads rust's chains: "could not execute process `protoc …`", "Caused by:", "No such file or directory".
func (l *line) missingBefore() (finding, bool) {
	for _, line := range l.linesBefore() {
		text := clean(line)
		for _, start := range []string{"process `", "spawn: `", "spawn `", "execute `", "run `"} {
			if _, rest, ok := strings.Cut(text, start); ok {
				name, _, _ := strings.Cut(rest, "`")
				name, _, _ = strings.Cut(name, " ")
				return l.missing(name, "")
			}
		}
	}
	return finding{}, false
}

// quotedName makes a reader of messages that quote the command: after start, which ends where the trigger does, or before
// the trigger when start is empty.
func quotedName(start string) func(*line, string, string) (finding, bool) {
	return func(l *line, head, tail string) (finding, bool) {
		if start == "" {
			head = strings.TrimRight(head, " :")
			open := -1
			if len(head) > 1 {
				open = strings.LastIndexAny(head[:len(head)-1], "\"'`")
			}
			if open < 0 {
				return finding{}, false
			}
			return l.missing(head[open:], "")
		}
		name, _, ok := strings.Cut(tail, start)
		if !ok {
			return finding{}, false
		}
		return l.missing(name, "")
	}
}

// commandQuoted reads `Command 'x' not found, but can be installed with:` and `Command "x" not found`.
func commandQuoted(l *line, head, tail string) (finding, bool) {
	for _, start := range []string{"Command '", `Command "`, `compiler "`, "Executable `", "Program '"} {
		if at := strings.LastIndex(head, start); at >= 0 && at <= 60 {
			return l.missing(head[at+len(start):], "")
		}
	}
	return finding{}, false
}

// spawnENOENT reads node's "spawn protoc ENOENT". With a path it is as often the working directory that is missing.
func spawnENOENT(l *line, head, tail string) (finding, bool) {
	f := strings.Fields(head)
	if len(f) < 2 || f[len(f)-2] != "spawn" && f[len(f)-2] != "spawnSync" || tail != "" {
		return finding{}, false
	}
	return l.missing(f[len(f)-1], "node")
}

// lastWord reads "protoc-gen-go: program not found or is not executable" and "fant ikke kommando protoc".
func lastWord(l *line, head, _ string) (finding, bool) {
	f := strings.Fields(strings.TrimRight(head, ": "))
	if len(f) == 0 || len(f) > 3 {
		return finding{}, false
	}
	return l.missing(f[len(f)-1], "")
}

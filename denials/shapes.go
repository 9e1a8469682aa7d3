package denials

import (
	"slices"
	"strings"
	"sync"
)

// A shape is one way in which tools say that something was refused or is missing: the text that it always holds, and how to
// find the subject in what stands before and behind that text. A new way to say it is a new row.
type shape struct {
	text string
	fold bool // any case
	find func(l *line, head, tail string) (finding, bool)
}

var shapes = []shape{
	// What the operating system says, by errno. Translations are added from words.go.
	{"permission denied", true, errno(false)},
	{"operation not permitted", true, errno(true)},
	{"EACCES", false, errnoName(false)},
	{"EPERM", false, errnoName(true)},

	// What programs say instead.
	{"insufficient permission for adding an object to repository database ", true, pathBehind("")}, // git
	{"AccessDeniedException: ", false, accessDenied},                                               // java
	{"Access to the path '", false, pathBehind("' is denied")},                                     // dotnet
	{"PermissionDenied: FileSystem.", false, inParentheses},                                        // opencode
	{"kind: PermissionDenied", false, rustDebug},                                                   // rust
	{"Access denied", false, systemd},
	{"authentication required", true, systemd},

	// Privilege itself.
	{"sudo: ", false, sudo},
	{"is not in the sudoers file", false, capability("sudo")},
	{"is not allowed to execute '", false, capability("sudo")},
	{"is not allowed to run sudo", false, capability("sudo")},
	{"may not run sudo on ", false, capability("sudo")},
	{"doas: ", false, doas},
	{"Error executing command as another user: Not authorized", false, capability("pkexec")},
	{"su: Authentication failure", false, capability("su")},
	{"su: must be run from a terminal", false, capability("su")},

	// Missing tools.
	{": command not found", false, commandNotFound},
	{"command not found: ", true, shifted(notFoundColon)},
	{": Command not found", false, tcshNotFound},
	{": not found", false, shellNotFound},
	{": inaccessible or not found", false, shellNotFound},
	{"Unknown command", false, unknownCommand},
	{"No such file or directory", false, noSuchFile},
	{"executable file not found in ", false, quotedName("")},
	{" ENOENT", false, spawnENOENT},
	{"linker `", false, quotedName("` not found")},
	{"failed to find tool \"", false, quotedName("\"")},
	{"` not installed?", false, quotedName("")},
	{"program not found or is not executable", false, lastWord},
	{"' is not recognized as ", false, quotedName("")},
	{"' not found", false, commandQuoted},
	{"\" not found", false, commandQuoted},
	{"` not found", false, commandQuoted},
	{"fant ikke kommando ", false, func(l *line, _, tail string) (finding, bool) { return l.missing(tail, "bash") }},
}

// table is the shapes with the translations, and the search for their triggers. It is made at the first use and then only
// read.
var table = sync.OnceValues(func() ([]shape, *lookup) {
	all := slices.Clone(shapes)
	for _, w := range deniedWords {
		all = append(all, shape{w, false, errno(false)})
	}
	for _, w := range notPermittedWords {
		all = append(all, shape{w, false, errno(true)})
	}
	for _, w := range notFoundWords {
		all = append(all, shape{w, false, commandNotFound})
	}
	for _, w := range rootWords {
		all = append(all, shape{w, true, root})
	}
	all = append(all, shape{savedTo, true, func(*line, string, string) (finding, bool) { return finding{}, false }}) // spill.go
	triggers := make([]trigger, len(all))
	for i, s := range all {
		triggers[i] = trigger{s.text, s.fold}
		if s.fold {
			triggers[i].text = strings.ToLower(s.text)
		}
	}
	return all, newLookup(triggers)
})

func errno(eperm bool) func(*line, string, string) (finding, bool) {
	return func(l *line, head, tail string) (finding, bool) {
		if head != "" && (isNameByte(head[len(head)-1]) || strings.HasSuffix(head, "-") || strings.HasSuffix(head, ".")) ||
			tail != "" && strings.IndexByte("-_/", tail[0]) >= 0 ||
			len(tail) > 1 && tail[0] == '.' && isNameByte(tail[1]) {
			return finding{}, false // the words in a path or name
		}
		return denied(l, head, tail, eperm)
	}
}

// errnoName reads the name of an errno as node prints it: "spawn /x EACCES", "connect EACCES /x.sock", "kill EPERM", and JSON
// of an error. With ": permission denied" behind it, that row reads the line.
func errnoName(eperm bool) func(*line, string, string) (finding, bool) {
	return func(l *line, head, tail string) (finding, bool) {
		if strings.HasPrefix(l.text, "{") && strings.HasSuffix(head, `"code":"`) {
			return l.jsonError()
		}
		words := strings.Fields(head)
		if len(words) == 0 || !strings.HasSuffix(head, " ") || tail != "" && tail[0] != ' ' || oddBackticks(head) || strings.Count(head, `"`)%2 == 1 {
			return finding{}, false
		}
		call := strings.TrimSuffix(strings.TrimSuffix(words[len(words)-1], "Sync"), "sync")
		if at, _, _ := strings.Cut(strings.TrimLeft(tail, " "), " "); calls[call] && (isAddress(at) || isPathStart(at)) {
			return l.finding(at, ""), true
		}
		if len(words) > 1 && (words[len(words)-2] == "spawn" || words[len(words)-2] == "spawnSync") && tail == "" {
			return l.finding(words[len(words)-1], "node"), true
		}
		if calls[call] && tail == "" && len(words) <= 3 {
			return l.finding("", "node"), true
		}
		return finding{}, false
	}
}

// jsonError reads an error object on one line: {"errno":-13,"code":"EACCES","syscall":"open","path":"/x"}.
func (l *line) jsonError() (finding, bool) {
	for _, key := range []string{`"path":"`, `"address":"`} {
		if _, rest, ok := strings.Cut(l.text, key); ok {
			if path, _, ok := strings.Cut(rest, `"`); ok && path != "" {
				return l.finding(path, ""), true
			}
		}
	}
	return finding{}, false
}

// pathBehind makes a reader of a path between the trigger and end, or the end of the line.
func pathBehind(end string) func(*line, string, string) (finding, bool) {
	return func(l *line, _, tail string) (finding, bool) {
		path := tail
		if end != "" {
			var ok bool
			if path, _, ok = strings.Cut(tail, end); !ok {
				return finding{}, false
			}
		}
		if path = strings.Trim(strings.TrimRight(path, ". "), " '\""); path == "" || strings.Contains(path, `"`) {
			return finding{}, false
		}
		return l.finding(path, ""), true
	}
}

// accessDenied believes the exceptions of the file system; others of that name are refusals of some service.
func accessDenied(l *line, head, tail string) (finding, bool) {
	if !strings.HasSuffix(head, "java.nio.file.") && !strings.HasSuffix(head, "kotlin.io.") && !isPathStart(tail) {
		return finding{}, false
	}
	if strings.Count(head, `"`)%2 == 1 {
		return finding{}, false
	}
	if a, b, ok := strings.Cut(tail, " -> "); ok {
		return l.finding(l.ofPair(a, b, "", false), ""), true
	}
	if tail = trimPath(tail); tail == "" || strings.HasPrefix(tail, "Access ") {
		return finding{}, false
	}
	return l.finding(tail, ""), true
}

func inParentheses(l *line, _, tail string) (finding, bool) {
	_, path, ok := strings.Cut(tail, " (")
	end := strings.LastIndexByte(path, ')')
	if !ok || end <= 0 || strings.Contains(path[:end], `"`) {
		return finding{}, false
	}
	return l.finding(path[:end], ""), true
}

func rustDebug(l *line, head, _ string) (finding, bool) {
	if !strings.HasSuffix(head, "{ ") && !strings.HasSuffix(head, ", ") {
		return finding{}, false
	}
	f := l.finding("", "")
	f.subject = l.fromLinesBefore()
	f.kind = kindOf(f.subject)
	return f, true
}

// systemd reads polkit's refusals: "Failed to restart x.service: Access denied". Others that say "Access denied" are databases
// and services.
func systemd(l *line, head, tail string) (finding, bool) {
	if !strings.HasPrefix(head, "Failed to ") && !strings.HasPrefix(head, "Call failed: ") && !strings.HasPrefix(head, "Could not ") || !ends(tail) {
		return finding{}, false
	}
	return l.finding("", ""), true
}

// sudo reads what sudo says when it will not: of all its messages, those about passwords, terminals and privileges.
func sudo(l *line, head, tail string) (finding, bool) {
	if head != "" {
		return finding{}, false
	}
	low := strings.ToLower(tail)
	for _, no := range []string{"password", "terminal", "no tty", "must have a tty", "no new privileges", "sudoers", "setuid root", "must be owned by uid 0", "not allowed",
		"authentication", "i'm afraid", "effective uid", "permission denied", "operation not permitted", "no askpass", "permitted"} {
		if strings.Contains(low, no) {
			return l.capability("sudo"), true
		}
	}
	return finding{}, false
}

func doas(l *line, head, tail string) (finding, bool) {
	if head != "" || !strings.Contains(tail, "not permitted") && !strings.Contains(tail, "uthenti") && !strings.Contains(tail, "uthoriz") && !strings.Contains(tail, "tty") {
		return finding{}, false
	}
	return l.capability("doas"), true
}

func capability(subject string) func(*line, string, string) (finding, bool) {
	return func(l *line, head, tail string) (finding, bool) {
		if strings.Count(head, `"`)%2 == 1 || oddBackticks(head) {
			return finding{}, false
		}
		return l.capability(subject), true
	}
}

func (l *line) capability(subject string) finding {
	return finding{kind: Capability, subject: subject, why: l.text, tool: subject, weak: l.indent || l.source}
}

// root reads "mount: /mnt: must be superuser to use mount." A tool must say it of itself, or it counts only when the call failed.
func root(l *line, head, tail string) (finding, bool) {
	if strings.Count(head, `"`)%2 == 1 || oddBackticks(head) || len(head) > 200 {
		return finding{}, false
	}
	p := parts(head)
	f := l.finding("", "")
	if len(p) > 0 && !strings.Contains(p[0], " ") {
		f.tool = toolName(p[0])
	}
	if f.tool == "" && (len(l.text) > 160 || !ends(tail) && !strings.HasPrefix(tail, " to ") && !strings.HasPrefix(tail, " (")) {
		return finding{}, false // prose
	}
	for i := len(p) - 1; i >= max(0, min(1, len(p)-1)); i-- {
		if path := l.pathIn(p[i], true, false); path != "" && (i > 0 || f.tool == "") && !strings.HasPrefix(l.text, path) {
			f.subject, f.kind = path, Access
			break
		}
	}
	f.weak = l.indent || l.source || f.tool == "" && len(p) < 2 && !strings.HasPrefix(l.text, "/")
	return f, true
}

// shifted hands ": " at the end of a trigger to the tail, where find expects it.
func shifted(find func(*line, string, string) (finding, bool)) func(*line, string, string) (finding, bool) {
	return func(l *line, head, tail string) (finding, bool) { return find(l, head, ": "+tail) }
}

// maxTriggers bounds how many triggers of one line are looked at: each costs a reading of the line.
const maxTriggers = 8

// findings reads one line. When it names a path, its remarks without one say the same thing.
func (l *line) findings() []finding {
	all, triggers := table()
	var out []finding
	named, tries := false, 0
	triggers.each(l.text, func(row, at int) bool {
		if f, ok := all[row].find(l, l.text[:at], l.text[at+len(all[row].text):]); ok {
			named = named || f.subject != ""
			out = append(out, f)
		}
		tries++
		return tries < maxTriggers
	})
	if !named {
		return out[:min(1, len(out))]
	}
	return slices.DeleteFunc(out, func(f finding) bool { return f.subject == "" })
}

package render

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"sync"
)

// Limits of the run log, in bytes: one line, and all foreign text together.
const (
	maxLogLine = 8 << 10
	maxLog     = 16 << 20
)

// Log is the run log, through which all foreign text passes. It may be used from several goroutines.
//
// The runner reads its log for commands: "::name::" at the start of a line after white space, "##[name]" anywhere. So a
// foreign line has a visible prefix, both forms are broken in it, everything that some reader takes for a line end ends the
// line, and in a workflow foreign lines also stand between stop-commands with a random word of its own each time: the runner
// is deaf from the first of them until a command of ours has to be given, or End. (Framing each call was rejected: the
// runner prints the frame, three lines for one.) Known secrets do not pass. Errors of the writer are kept, see Err.
type Log struct {
	mu      sync.Mutex
	w       io.Writer
	actions bool
	secrets Secrets
	tails   map[string]string // the end of what a stranger said last, by prefix
	foreign int
	deaf    string // the word that the runner waits for; "" while it listens
	err     error
}

// NewLog writes to w. In a workflow (actions true) foreign lines stand between stop-commands tokens; End is then required.
func NewLog(w io.Writer, actions bool) *Log { return &Log{w: w, actions: actions} }

// Err is the first error of the writer.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// End lets the runner listen again, for whoever writes after this log, and returns Err. The log may go on.
func (l *Log) End() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.command("")
	return l.err
}

// Say writes a line of ours; format arguments are made safe.
func (l *Log) Say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	safe := make([]any, len(args))
	for i, a := range args {
		safe[i] = argument{a}
	}
	l.write(l.line("", fmt.Sprintf(format, safe...)))
}

// argument formats a value for Say and makes one visible line of what comes out.
type argument struct{ value any }

// Format implements fmt.Formatter.
func (a argument) Format(f fmt.State, verb rune) {
	text := fmt.Sprintf(fmt.FormatString(f, verb), a.value)
	_, err := io.WriteString(f, oneLine(text, maxLogLine))
	if err != nil {
		panic(err) // fmt's own buffer never fails
	}
}

// Foreign writes text of a stranger's, each line behind prefix, bounded.
func (l *Log) Foreign(prefix, text string) { l.stranger(prefix, text, l.line) }

// Output is Foreign for what was printed on a terminal: the colours of its letters stay where nothing else in a line had to
// be changed, and end with the line. The runner's page shows them.
func (l *Log) Output(prefix, text string) { l.stranger(prefix, dye(text), l.dyed) }

func (l *Log) stranger(prefix, text string, write func(prefix, text string) string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.foreign >= maxLog {
		return
	}
	if len(text) > maxLog-l.foreign {
		text = cutRune(text, maxLog-l.foreign)
	}
	prefix = oneLine(l.secrets.Redact(Terminal(prefix)), 64)
	if prefix == "" {
		prefix = "│"
	}
	var b strings.Builder
	for line := range strings.Lines(l.whole(prefix, strings.TrimRight(Terminal(text), "\n"))) {
		b.WriteString(write(prefix+" ", line))
	}
	l.foreign += len(text) + 1
	if l.foreign >= maxLog {
		b.WriteString(prefix + " (the log of this run is full; what follows is left out)\n")
	}
	l.section(b.String())
}

// Limits of what is kept of what was said last: so many bytes, of so many strangers.
const (
	maxSaid   = 256
	maxSayers = 64
)

// whole takes the secrets out of text before its lines are judged one by one: of a secret that is wrapped, what stands on a line,
// which may come in a call of its own, is too short to be known by itself. Lines that lose nothing keep their dyes.
func (l *Log) whole(prefix, text string) string {
	if l.secrets.Empty() {
		return text
	}
	plain := undyed(text)
	safe := l.secrets.redactBehind(l.tails[prefix], plain)
	if l.tails == nil || len(l.tails) > maxSayers {
		l.tails = map[string]string{}
	}
	tail := l.tails[prefix] + plain + "\n"
	l.tails[prefix] = tail[max(0, len(tail)-maxSaid):]
	if safe == plain {
		return text
	}
	was, now, dyed := strings.Split(plain, "\n"), strings.Split(safe, "\n"), strings.Split(text, "\n")
	for i := range now {
		if len(now) == len(was) && now[i] == was[i] {
			now[i] = dyed[i]
		}
	}
	return strings.Join(now, "\n")
}

// section writes finished lines of a stranger's; in a workflow the runner is deaf to them.
func (l *Log) section(lines string) {
	if l.actions && l.deaf == "" && lines != "" {
		l.deaf = rand.Text()
		l.write("::stop-commands::" + l.deaf + "\n")
	}
	l.write(lines)
}

// command writes a command for the runner, which listens from then on.
func (l *Log) command(text string) {
	if l.deaf != "" {
		l.write("::" + l.deaf + "::\n")
		l.deaf = ""
	}
	l.write(text)
}

// line is one safe line of at most maxLogLine bytes behind prefix.
func (l *Log) line(prefix, text string) string {
	text = strings.ReplaceAll(Terminal(text), "\n", " ")
	text = clip(l.secrets.Redact(strings.TrimRight(text, " \t")), maxLogLine)
	return mute(prefix+text) + "\n"
}

// mute breaks both forms of runner commands in a line.
func mute(line string) string {
	if bare := strings.TrimSpace(line); strings.HasPrefix(bare, "::") {
		line = ": :" + bare[2:]
	}
	line = strings.ReplaceAll(line, "##[", "# #[")
	if strings.Contains(strings.ToLower(line), "##vso[") {
		line = strings.ReplaceAll(line, "##", "# #")
	}
	return line
}

// Group starts a folded section in a workflow log; the returned function ends it.
func (l *Log) Group(title string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	title = strings.TrimSuffix(l.line("", oneLine(l.secrets.Redact(Terminal(title)), maxTitle)), "\n")
	if !l.actions {
		l.write("── " + title + "\n")
		return func() {}
	}
	l.command("::group::" + escapeData(title) + "\n")
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.command("::endgroup::\n")
	})
}

// Mask registers a secret: it and its derived forms never pass this log again. In a workflow the runner is told first, line
// by line, so that nothing else on this machine prints the value either.
func (l *Log) Mask(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.actions {
		for _, value := range values(secret) {
			l.command("::add-mask::" + escapeData(value) + "\n")
		}
	}
	l.secrets.Add(secret)
}

// Redact takes the masked secrets out of text that is written elsewhere: comments, summaries, reports, commit messages.
func (l *Log) Redact(text string) string { return l.secrets.Redact(text) }

// escapeData is the runner's own escaping of the value of a command.
func escapeData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func (l *Log) write(text string) {
	if text == "" {
		return
	}
	_, err := io.WriteString(l.w, text)
	if l.err == nil {
		l.err = err
	}
}

package denials

import (
	"fmt"
	"strings"
	"testing"
)

const mega = 1 << 20

// logText is ordinary output without a denial.
func logText(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2026-11-30T12:00:%02dZ INFO  handler: served GET /api/v1/items/%d in %d ms, status 200, user developer@example.com\n", i%60, i, i%97)
		fmt.Fprintf(&b, "  Compiling serde_json v1.0.%d (/home/agent/project/vendor/serde_json)\nok  \tgithub.com/acme/app/internal/keeper\t0.%03ds\n", i%100, i%1000)
	}
	return b.String()[:size]
}

func benchmarkDeltas(b *testing.B, output string, size int) {
	b.SetBytes(int64(len(output)))
	for b.Loop() {
		c := NewCollector(Options{})
		for rest := output; rest != ""; {
			n := min(size, len(rest))
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: []Piece{{Text: rest[:n], Append: true}}})
			rest = rest[n:]
		}
	}
}

func BenchmarkLog(b *testing.B)          { benchmarkDeltas(b, logText(16*mega), mega) }
func BenchmarkLogDeltas8K(b *testing.B)  { benchmarkDeltas(b, logText(16*mega), 8100) } // as codex sends them
func BenchmarkLogDeltas100(b *testing.B) { benchmarkDeltas(b, logText(mega), 100) }
func BenchmarkOneLine10MB(b *testing.B) {
	benchmarkDeltas(b, strings.Repeat("a long line of words and numbers 12345 ", 10*mega/39), mega)
}

// BenchmarkAccumulated resends the whole output with each update, as copilot and opencode do; the bytes counted are those
// received.
func BenchmarkAccumulated(b *testing.B) {
	output := logText(4 * mega)
	const updates = 64
	total := 0
	for i := 1; i <= updates; i++ {
		total += i * len(output) / updates
	}
	b.SetBytes(int64(total))
	for b.Loop() {
		c := NewCollector(Options{})
		for i := 1; i <= updates; i++ {
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(output[:i*len(output)/updates])})
		}
	}
}

// BenchmarkSliding resends a window of the last 30,000 bytes.
func BenchmarkSliding(b *testing.B) {
	output := logText(mega)
	const window, step = 30_000, 4096
	total := 0
	for at := window; at < len(output); at += step {
		total += window
	}
	b.SetBytes(int64(total))
	for b.Loop() {
		c := NewCollector(Options{})
		for at := window; at < len(output); at += step {
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(output[at-window : at])})
		}
	}
}

// Text made to be slow: near misses and endless matches.
func BenchmarkAttack(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"near", "permission permission operation not denied deni "},
		{"denied-lines", "access was denied\n"},
		{"reason-lines", "Permission denied\n"},
		{"want-lines", "cat: /etc/shadow: Permission denied\n"},
		{"one-line", "permission denied: "},
		{"quotes", "' 'a 'b \"c `d permission denied: 'e "},
		{"colons", ": a: b: c: d: permission denied "},
		{"errno", "EACCES EPERM ENOENT "},
		{"carriage", "permission denied\r"},
		{"spills", "saved to: /a saved to:/"},
		{"spill-lines", "Full output saved to: /tmp/a.txt\n"},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkDeltas(b, strings.Repeat(c.unit, mega/len(c.unit)), 64<<10) })
	}
}

func BenchmarkStrip(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"prose", "A sentence of the answer, with Words and `code` and a list:\n- item one\n- item two\n\n"},
		{"wants", "Done.WANTED: /etc/x — y\n"},
		{"near", "WANTED WANTED W W W **WANTED** "},
		{"one-line", "WANTED: "},
		{"open", "(((((*****`````<<<<<"},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := strings.Repeat(c.unit, mega/len(c.unit))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				Strip(in)
			}
		})
	}
}

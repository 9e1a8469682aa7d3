package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

var awkward = []string{
	`{"a":1,"a":2}`, `{"a\u0062":"\ud83d\ude00\ud83d\u0041\udc00"}`, `"\\\""`, `"\u00zz"`, `-0.0e+1`, `01`, `1.`, `.5`, `-`, `1e`, `tru`, `nullx`,
	"\"a\tb\"", "\"a\x7fb\"", "\"\xff\xc3\"", `[1,]`, `{"a":1,}`, `{"a"}`, `{,}`, `[`, `]`, `{"":{"":[[],{}]}}`, " {\t\"a\" :\r\n[ 1 , 2 ] } ",
	"\"0123456\x1f\"", `"01234567\"`, `{"a":"x\\","b":"\\\\"}`, "\"\xe2\x80\xa8\"", `""`, ``, strings.Repeat("[", 300) + strings.Repeat("]", 300),
}

// depth is how deep the brackets of well-formed JSON nest.
func depth(b []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch {
		case quoted && b[i] == '\\':
			i++
		case b[i] == '"':
			quoted = !quoted
		case quoted:
		case b[i] == '{' || b[i] == '[':
			now++
			deepest = max(deepest, now)
		case b[i] == '}' || b[i] == ']':
			now--
		}
	}
	return deepest
}

// Nesting is bounded, by the stated number exactly.
func TestDepth(t *testing.T) {
	for n, want := range map[int]bool{maxDepth + 1: true, maxDepth + 2: false, 100_000: false} {
		for open, shut := range map[string]string{"[": "]", `{"a":`: "}"} {
			innermost := open[:1] + shut
			b := []byte(strings.Repeat(open, n-1) + innermost + strings.Repeat(shut, n-1))
			if got := checkValue(b, 0, 0) == len(b); got != want {
				t.Errorf("%d of %q: accepted %v", n, open, got)
			}
		}
	}
}

// tree rebuilds a value with our cursor, for comparison with what encoding/json makes of it.
func tree(v value) any {
	switch v[0] {
	case '{':
		m := map[string]any{}
		for e := v.members(); e.next(); {
			m[string(appendValid(nil, e.key))] = tree(e.val)
		}
		return m
	case '[':
		l := []any{}
		for e := v.elements(); e.next(); {
			l = append(l, tree(e.val))
		}
		return l
	case '"':
		s, _ := v.text()
		return s
	}
	return json.RawMessage(v)
}

// FuzzJSON holds checkValue and the cursor against encoding/json: both accept the same, up to the depth, and read the same
// out of it.
func FuzzJSON(f *testing.F) {
	for _, s := range awkward {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		start := skipSpace(b, 0)
		end := checkValue(b, start, 0)
		ours := end >= 0 && skipSpace(b, end) == len(b)
		if theirs := json.Valid(b); ours != theirs && !(theirs && depth(b) > maxDepth) {
			t.Fatalf("%q: well formed here %v, in encoding/json %v", b, ours, theirs)
		}
		if !ours {
			return
		}
		v := value(b[start:end])
		if skip(b, start) != end {
			t.Fatalf("%q: skip ends at %d, checkValue at %d", b, skip(b, start), end)
		}
		got, err := json.Marshal(tree(v))
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var theirs any
		if err := d.Decode(&theirs); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		want, err := json.Marshal(theirs)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%q: read as\n%s, by encoding/json as\n%s", b, got, want)
		}
		for _, max := range []int{1, 5, 64} {
			if s := v.short(max); len(s) > max || !utf8.ValidString(s) {
				t.Fatalf("%q: short(%d) is %q", b, max, s)
			}
		}
	})
}

// FuzzLines: however a stream is cut into reads, the lines are those of a split at newlines, up to the first that is too
// long.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), uint8(3))
	f.Add([]byte("\n\n"), uint8(0))
	f.Add([]byte("aaaa\nb\n"), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, limit uint8) {
		max := int(limit) + 1
		for _, r := range []io.Reader{bytes.NewReader(b), iotest.OneByteReader(bytes.NewReader(b)), iotest.DataErrReader(bytes.NewReader(b))} {
			ctx, cancel := context.WithCancel(context.Background())
			in := newLines(ctx, r, max)
			rest := string(b)
			for {
				got, err := in.next(0)
				want, tail, found := strings.Cut(rest, "\n")
				if len(want) > max {
					if err == nil || err == io.EOF {
						t.Fatalf("%q, at most %d: a line of %d bytes gives %q, %v", b, max, len(want), got, err)
					}
					break
				}
				if !found && want == "" {
					if err != io.EOF {
						t.Fatalf("%q: the end gives %q, %v", b, got, err)
					}
					break
				}
				if err != nil || string(got) != want {
					t.Fatalf("%q: %q, %v instead of %q", b, got, err, want)
				}
				rest = tail
			}
			cancel()
		}
	})
}

// FuzzLine feeds single lines to everything that reads one: nothing panics, what comes out is bounded and valid UTF-8.
func FuzzLine(f *testing.F) {
	names, err := wire.Names()
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, "/B2") && !strings.HasSuffix(name, "/E") && !strings.HasSuffix(name, "/F") && !strings.HasSuffix(name, "/L") {
			continue
		}
		messages, err := wire.Load(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, m := range messages {
			if len(m.Raw) < 4096 {
				f.Add(m.Raw)
			}
		}
	}
	for _, s := range awkward {
		f.Add([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + s + `}}`))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := parse(line)
		if m.kind == noise {
			return
		}
		for _, u := range decodeUpdate("s", m.params.get("update"), m.params.get("_meta")) {
			checkUpdate(t, u, len(line))
		}
		for _, kind := range []string{EventUsage, EventToolDone, EventSubagentDone, EventWorkspaceChanged} {
			if u, ok := decodeEvent(kind, m.params); ok {
				checkUpdate(t, u, len(line))
			}
		}
		q := decodePermission(m.params)
		if q.Interactive != (len(q.Marks) > 0) || len(q.Options) > maxList || len(q.Marks) > 5 {
			t.Fatalf("%q: %+v", line, q)
		}
		_, _ = decodeSession(m.result)
		_, _ = decodeTurn(m.result)
		_, _ = decodeAgent(m.result)
		_ = decodeError("x", m.fault).Error()
	})
}

func checkUpdate(t *testing.T, u Update, size int) {
	total := len(u.Text)
	texts := []string{u.Text, u.MessageID, u.Subagent, u.Value, u.Call.ID, u.Call.Title, u.Call.Kind, u.Call.Status, u.Call.Command, u.Call.Dir,
		u.Event.Call, u.Event.Name, u.Event.Model, u.Event.Path, u.Cost.Currency}
	for _, o := range u.Call.Outputs {
		texts = append(texts, o.Part, o.Text)
		total += len(o.Text)
	}
	for _, s := range append(texts, u.Call.Paths...) {
		if !utf8.ValidString(s) {
			t.Fatalf("invalid UTF-8: %q", s)
		}
	}
	if u.Kind < Message || u.Kind > Reported || total > 3*size || len(u.Call.Outputs) > maxParts+1 || len(u.Call.Paths) > maxPaths {
		t.Fatalf("out of bounds: %+v", u)
	}
}

package denials

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestQuick(t *testing.T) {
	for _, f := range strings.Fields(os.Getenv("QUICK")) {
		data, _ := os.ReadFile(f)
		for _, ln := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			var r struct {
				ID, Tool, Cmd, Output string
				RC                    *int
				Wants                 any
			}
			if err := json.Unmarshal([]byte(ln), &r); err != nil {
				t.Fatal(err)
			}
			c := NewCollector(Options{})
			c.Observe(Call{ID: "1", Kind: Execute, Command: r.Cmd, Pieces: []Piece{{Text: r.Output}}, Exit: r.RC, Done: true})
			ws, _ := c.Wants()
			var got []string
			for _, w := range ws {
				got = append(got, w.Kind.String()[:1]+":"+w.Subject)
			}
			want := []string{}
			switch v := r.Wants.(type) {
			case []any:
				for _, x := range v {
					switch y := x.(type) {
					case string:
						want = append(want, y)
					case map[string]any:
						want = append(want, y["subject"].(string))
					}
				}
			default:
				want = append(want, "?")
			}
			g := ""
			for _, w := range ws {
				g += w.Subject + "\x00"
			}
			w := ""
			for _, x := range want {
				w += x + "\x00"
			}
			if g != w {
				t.Logf("%s %s rc=%v\n got %q\nwant %q\n%.300s", r.ID, r.Tool, r.RC, got, want, r.Output)
			}
		}
	}
}

package commands

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	doc := "# Plan\n\nThe **flag** is `--dry-run`, see [docs](https://x.example/a).\n\n1. One thing\n2. Another thing\n\n" +
		"```go\nfunc a() {\n\n}\n```\n\nRepeat me.\n\nMiddle.\n\nRepeat me.\n\nLast \\* line\nwraps here.\n"
	tests := []struct {
		name, quote string
		lines       string // the spans, "" for none
		loose       bool
	}{
		{"word for word", "The **flag** is `--dry-run`", "3-3", false},
		{"as copied from the page", "The flag is --dry-run, see docs.", "3-3", true},
		{"another case", "the FLAG is --dry-run", "3-3", true},
		{"a list without its marks", "One thing\nAnother thing", "5-6", true},
		{"a fence with a blank line is one paragraph", "func a() {", "8-12", false},
		{"all of a fence", "```go\nfunc a() {\n\n}\n```", "8-12", false},
		{"an escape", "Last * line wraps here.", "20-21", true},
		{"across two paragraphs", "Repeat me.\n\nMiddle.", "14-16,16-18", false},
		{"ambiguous", "Repeat me.", "14-14,18-18", false},
		{"nowhere", "No such thing", "", true},
		{"empty", " \n ", "", false},
		{"only marks", "**", "3-3", false},
		{"only marks that are nowhere", "> # _", "", true},
		{"too far apart", "# Plan\n\nLast \\* line", "", true},
		{"far too long", strings.Repeat("x\n\n", maxNeedles+1), "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := locate(doc, tt.quote)
			var got []string
			for _, s := range f.spans {
				got = append(got, strings.TrimPrefix(strings.ReplaceAll(s.lines(), " to ", "-"), "lines "))
			}
			text := strings.ReplaceAll(strings.Join(got, ","), "line ", "")
			want := tt.lines
			for _, same := range []string{"3-3", "14-14", "18-18"} {
				want = strings.ReplaceAll(want, same, same[:strings.IndexByte(same, '-')])
			}
			if text != want || (len(f.spans) > 0 && f.loose != tt.loose) {
				t.Errorf("found at %q loose %v (%s), want %q loose %v", text, f.loose, f.words(), want, tt.loose)
			}
		})
	}
}

func TestFilePlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	write("a\n")
	f := File{Path: path}
	if d, err := f.Document(t.Context()); err != nil || d.Body != "a\n" || d.None {
		t.Fatalf("%+v, %v", d, err)
	}
	if err := f.Replace(t.Context(), "a\n", "b\n"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.Replace(t.Context(), "a\n", "c\n"); !errors.Is(err, ErrMoved) {
		t.Errorf("replacing what is no longer there: %v", err)
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := (File{Path: link}).Replace(t.Context(), "b\n", "d\n"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "d\n" {
		t.Errorf("through the link: %q, %v", data, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	for text, says := range map[string]string{"a\xff": "UTF-8", "a\x00": "UTF-8", strings.Repeat("a", maxDocument+1): "more than"} {
		write(text)
		if _, err := f.Document(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.10q: %v, want %q", text, err, says)
		}
	}
	if _, err := (File{Path: dir}).Document(t.Context()); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a directory: %v", err)
	}
	if d, err := (File{}).Document(t.Context()); err != nil || !d.None {
		t.Errorf("none: %+v, %v", d, err)
	}
}

func TestLikeBefore(t *testing.T) {
	tests := []struct{ before, edited, want string }{
		{"a\n", "b\n", "b\n"}, {"a", "b\n", "b"}, {"a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"}, {"a\r\nb", "a\nc\n", "a\r\nc"},
		{"a\r\nb\n", "c\nd\n", "c\nd\n"}, {"", "a\n", "a"},
	}
	for _, tt := range tests {
		if got := likeBefore(tt.before, tt.edited); got != tt.want {
			t.Errorf("%q edited to %q is written as %q, want %q", tt.before, tt.edited, got, tt.want)
		}
	}
}

func TestReadable(t *testing.T) {
	long := strings.Repeat("é", maxDocumentRunes+1)
	tests := []struct {
		name, before, after string
		ok                  bool
	}{
		{"text", "a", "b", true}, {"F-55 empty", "a", "", false}, {"white", "a", " \n\t\u200b", false}, {"binary", "a", "a\x00", false},
		{"not UTF-8", "a", "a\xff", false}, {"F-27 too long", "a", long, false}, {"as long as before", long, long, true},
	}
	for _, tt := range tests {
		if why := readable(tt.before, []byte(tt.after)); (why == "") != tt.ok {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
}

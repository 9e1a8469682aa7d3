package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with the file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; -update writes it anew\ngot:\n%s", path, got)
	}
}

// inputs are the .in files of a folder of golden pairs. A Go-quoted line in one stands for its bytes.
func inputs(t testing.TB, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.in"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs in testdata/%s: %v", folder, err)
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(f, ".in")] = string(b)
	}
	return texts
}

// TestProseGolden: hostile and ordinary texts (S7, F-25, H2-*). The files keep-* are ordinary answers and pass unchanged.
func TestProseGolden(t *testing.T) {
	for name, in := range inputs(t, "prose") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			in := escapes.Replace(in)
			got := Prose(in)
			if strings.HasPrefix(filepath.Base(name), "keep-") {
				if got != in {
					t.Errorf("an ordinary answer was changed:\n%s", got)
				}
			} else {
				golden(t, name+".out", got)
			}
			if found := faults(got); found != nil {
				t.Errorf("%q\nin:\n%s", found, got)
			}
			if again := Prose(got); again != got {
				t.Errorf("not idempotent:\n%s\n%s", got, again)
			}
			for _, line := range []string{"> ", "  "} { // inside our quote block, and shifted
				if found := faults(line + strings.ReplaceAll(strings.TrimSuffix(got, "\n"), "\n", "\n"+line) + "\n"); found != nil && line == "> " {
					t.Errorf("quoted: %q", found)
				}
			}
		})
	}
}

// escapes lets a golden input show characters that no editor shows.
var escapes = strings.NewReplacer(`\x1b`, "\x1b", `\x07`, "\x07", `\r`, "\r", `\u200b`, "\u200b", `\u200d`, "\u200d", `\u202e`, "\u202e",
	`\u202c`, "\u202c", `\u00ad`, "\u00ad", `\u2060`, "\u2060", `\ufe0f`, "\ufe0f", `\u2028`, "\u2028", `\u0085`, "\u0085",
	`\U000e006c`, "\U000e006c", `\U000e0065`, "\U000e0065", `\U000e0061`, "\U000e0061", `\U000e006b`, "\U000e006b", `\U0001f468`, "\U0001f468",
	`\U0001f469`, "\U0001f469")

func FuzzProse(f *testing.F) {
	for _, in := range inputs(f, "prose") {
		f.Add(escapes.Replace(in))
	}
	for _, in := range []string{"&amp;amp;#64;a", "``@a``@b", "`@a ``", "[a](b`c)", "- ```\n  x", "> ```\n> x\ny", "a\n  ==", "\t\t- \t```\n", "![[a](b)](c)",
		"[![a](b)](c)", "$a$`b`$$", "\\\\@a", "\\`@a`", "~~~\n```", "1. > - ***", "<!--\n`@a`\n-->", "<a\n@b\n>", "[a]: <b> 'c'\n\n[a][] ![a]",
		"x@y.z`", "`x`www.a", "&#x26;#64;b", "a\rb", "# \n#", "``` `\n```", "|a|\n|-|\n|`@b`\\|<br>|", "* a\n\n\t```\n\tb\n",
		"https://github.com/0/0`%0X0`", "[a https://github.com/0/0#A#0", "X0!@0.0", "🙂\u200d", "\xff\u200d\xff", "a b*@0.0", "|a|\n|-|\n|b|c\\|d|`e|",
		"`a\n\t# b`", "- `a\n  \t---\n  \tb`"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Prose(in)
		if again := Prose(out); again != out {
			t.Fatalf("not idempotent\nin    %q\nonce  %q\ntwice %q", in, out, again)
		}
		if len(out) > 8*len(in)+256 {
			t.Fatalf("%d bytes became %d", len(in), len(out))
		}
		if found := faults(out); found != nil {
			t.Fatalf("%q\nin  %q\nout %q", found, in, out)
		}
		if found := faults(quote(out)); found != nil {
			t.Fatalf("quoted: %q\nin  %q\nout %q", found, in, out)
		}
	})
}

package render

import (
	"bytes"
	"context"
	"html"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafehtml "github.com/yuin/goldmark/renderer/html"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// copied is what a reader copies from the code blocks in the shell's language, out of the page that a browser shows.
func copied(t testing.TB, markdown string) (blocks []string) {
	t.Helper()
	var page bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(unsafehtml.WithUnsafe()))
	if err := md.Convert([]byte(markdown), &page); err != nil {
		t.Fatal(err)
	}
	for _, code := range shellBlock.FindAllStringSubmatch(page.String(), -1) {
		blocks = append(blocks, html.UnescapeString(code[1]))
	}
	return blocks
}

var shellBlock = regexp.MustCompile(`(?s)<pre><code class="language-sh">(.*?)</code></pre>`)

// bench is a server's repository, a clone of a person's, and what is in it.
type bench struct {
	t                   *testing.T
	dir, origin, person string
	env                 []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	testsupport.Tools(t, "git", "sh")
	dir := t.TempDir()
	b := &bench{t: t, dir: dir, origin: filepath.Join(dir, "origin.git"), person: filepath.Join(dir, "person")}
	bin := filepath.Join(dir, "bin")
	b.env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@x", "GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@x"}
	b.write(bin, map[string]string{"gh": "#!/bin/sh\n[ \"$*\" = 'pr checkout 57' ] && git fetch -q origin && exec git switch -q ai/12-x\n"})
	if err := os.Chmod(filepath.Join(bin, "gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.git(dir, "init", "-q", "--bare", "-b", "main", b.origin)
	b.git(b.origin, "config", "uploadpack.allowAnySHA1InWant", "true")
	b.git(dir, "clone", "-q", b.origin, b.person)
	return b
}

func (b *bench) run(dir, stdin, name string, args ...string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, b.env, strings.NewReader(stdin)
	cmd.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderr.Bytes())
	}
	return string(out)
}

func (b *bench) git(dir string, args ...string) string {
	b.t.Helper()
	return b.run(dir, "", "git", args...)
}

func (b *bench) write(dir string, files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// commit makes a commit of exactly these files and returns its id.
func (b *bench) commit(files map[string]string) string {
	b.t.Helper()
	b.git(b.person, "rm", "-rqf", "--ignore-unmatch", ".")
	b.write(b.person, files)
	b.git(b.person, "add", "-A")
	b.git(b.person, "commit", "-q", "--allow-empty", "-m", "x")
	return strings.TrimSpace(b.git(b.person, "rev-parse", "HEAD"))
}

// patchBetween is made with the flags of package git.
func (b *bench) patchBetween(from, to string) []byte {
	b.t.Helper()
	return []byte(b.git(b.person, "diff-tree", "-r", "--no-renames", "--full-index", "-p", "--binary", "--src-prefix=a/", "--dst-prefix=b/", from, to, "--"))
}

// trees are pairs of what was and what is to be, each as hostile as the bytes of a file can be and still be shown.
var trees = map[string][2]map[string]string{
	"fences":    {{"w.yml": "a\n```\nb\n\n"}, {"w.yml": "a\n```\n```sh\n~~~\n" + strings.Repeat("`", 40) + "\nb\n\n"}},
	"ends":      {{"w.yml": "one\n"}, {"w.yml": "PATCH\nEOF\nAI_FLOW_\none\n</code></pre></details>\n-->\n"}},
	"shell":     {{"w.yml": "one\n"}, {"w.yml": "$(touch pwned) `touch pwned` \\ ' \" $HOME !! \\\n'\n"}},
	"runner":    {{"w.yml": "one\n"}, {"w.yml": "::error::x\n##[error]y\n@octocat closes #1\n![x](https://evil.example/i.png)\n<!-- x -->\n<!--\n"}},
	"spaces":    {{"w.yml": "one\n\ttwo\n\n \nthree  \n"}, {"w.yml": "one\n\ttwo\n\n \nthree \n\t\n    four\n \t x\n"}},
	"last line": {{"w.yml": "one\ntwo\n\n"}, {"w.yml": "zero\none\ntwo\n\n"}},
	"no end":    {{"w.yml": "one\ntwo"}, {"w.yml": "one\nthree"}},
	"binary":    {{"w.bin": "\x00\x01\xff", "x": "y\n"}, {"w.bin": "\x00\x02\xfe\r\n", "x": "z\n"}},
	"names":     {{"a b.yml": "x\n", "c`.yml": "x\n", "old": "x\n"}, {"a b.yml": "y\n", "c`.yml": "y\n", "'q'\t\".yml": "z\n"}},
	"letters":   {{"w.yml": "ü\n"}, {"w.yml": "ü 🙂 ❤️ 日本 &amp; &lt; \\@ é\n> quoted\n- item\n# head\n/build\n"}},
	"empty":     {{"w.yml": "x\n"}, {"v.yml": ""}},
}

// TestPastedPatch: what a person copies from the comment and pastes gives exactly the tree, by a real shell and a real git, on
// the branch that it belongs to, and is pushed (F-20, F-21, F-22, S6, S7).
func TestPastedPatch(t *testing.T) {
	shells := []string{"sh"}
	for _, more := range []string{"bash", "zsh"} {
		if _, err := exec.LookPath(more); err == nil {
			shells = append(shells, more)
		}
	}
	kinds := []string{"pull", "opened", "alone", "rescue"}
	for k, name := range slices.Sorted(maps.Keys(trees)) {
		tree, shell := trees[name], shells[k%len(shells)]
		t.Run(name+" in "+shell, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			base := b.commit(tree[0])
			b.git(b.person, "push", "-q", "origin", "HEAD:main", "HEAD:ai/12-x")
			whole := b.commit(tree[1])
			patch := b.patchBetween(base, whole)
			b.git(b.person, "reset", "-q", "--hard", base)
			pull := &Pull{57, "x", "https://github.com/acme/app/pull/57"}
			for kind, r := range map[string]Result{
				"pull":   {Patches: []Patch{{Kind: PatchWorkflows, Bytes: patch, Base: base, Pull: pull}}},
				"opened": {Patches: []Patch{{Kind: PatchWorkflows, Bytes: patch, Base: base}}, Landings: []Landing{{Branch: "ai/12-x", Opened: true}}},
				"alone":  {Patches: []Patch{{Kind: PatchWorkflows, Bytes: patch, Base: base}}},
				"rescue": {Patches: []Patch{{Kind: PatchRescued, Bytes: patch, Base: base, Pull: pull}}},
			} {
				if name != "fences" && kind != kinds[k%len(kinds)] {
					continue
				}
				r.Outcome, r.Command = Done, "/build"
				blocks := copied(t, Comment(r))
				if len(blocks) != 1 {
					t.Fatalf("%s: %d blocks in %s", kind, len(blocks), Comment(r))
				}
				b.git(b.origin, "update-ref", "refs/heads/ai/12-x", base)
				clone := filepath.Join(b.dir, kind)
				b.git(b.dir, "clone", "-q", b.origin, clone)
				below := filepath.Join(clone, "below")
				b.write(below, map[string]string{"untracked": ""})
				b.run(below, blocks[0], shell, "-s")
				branch := "ai/12-x"
				if kind == "alone" {
					branch = strings.TrimSpace(b.git(clone, "branch", "--show-current"))
				}
				got := b.git(b.origin, "rev-parse", "refs/heads/"+branch+"^{tree}")
				if want := b.git(b.person, "rev-parse", whole+"^{tree}"); got != want {
					t.Errorf("%s: tree %s, want %s, after\n%s", kind, got, want, blocks[0])
				}
				if left, err := filepath.Glob(filepath.Join(clone, "*pwned")); err != nil || len(left) > 0 {
					t.Errorf("%s: %v %v", kind, left, err)
				}
			}
		})
	}
}

// TestPastedPatchIsAlone: what a person had staged is not committed along with it, and is what he is told of.
func TestPastedPatchIsAlone(t *testing.T) {
	b := newBench(t)
	base := b.commit(map[string]string{"w.yml": "one\n", "mine": "x\n"})
	b.git(b.person, "push", "-q", "origin", "HEAD:main")
	whole := b.commit(map[string]string{"w.yml": "two\n", "mine": "x\n"})
	patch := b.patchBetween(base, whole)
	b.git(b.person, "reset", "-q", "--hard", base)
	b.write(b.person, map[string]string{"mine": "half done\n"})
	b.git(b.person, "add", "mine")
	for _, r := range []Result{{Patches: []Patch{{Kind: PatchWorkflows, Bytes: patch, Base: base}}}, {Patches: []Patch{{Kind: PatchWorkflows, Bytes: patch}}}} {
		r.Outcome, r.Command = Done, "/build"
		told := b.run(filepath.Join(b.person, ".git", ".."), copied(t, Comment(r))[0]+"true\n", "sh", "-s")
		if head, branch := b.git(b.person, "rev-parse", "HEAD"), b.git(b.person, "branch", "--show-current"); strings.TrimSpace(head) != base || branch != "main\n" {
			t.Errorf("head %s of %s, want %s", head, branch, base)
		}
		if status := b.git(b.person, "status", "--porcelain"); status != "M  mine\n" || !strings.Contains(told, "mine | 2 +-") {
			t.Errorf("status %q, told %q", status, told)
		}
	}
}

// TestPatchNotShown: what would not arrive, or not be seen, is not pasted but named (F-20, S7).
func TestPatchNotShown(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "CR": "+a\r\n", "lone CR": "+a\rb\n", "NUL": "+a\x00\n", "escape": "+\x1b[31mred\n", "Latin-1": "+\xfc\n", "bidi": "+a\u202eb\n",
		"zero width": "+a\u200bb\n", "tag": "+a\U000e0041\n", "line separator": "+a\u2028b\n", "NEL": "+a\u0085b\n", "soft hyphen": "+a\u00adb\n",
		"BOM": "+\ufeffa\n", "no end": "+a", "large": "+" + strings.Repeat("x", 200<<10) + "\n", "marks": "+e" + strings.Repeat("\u0301", 20) + "\n",
		"end mark": "+<!-- ai-flow:end -->\n", "place": "+" + place(1) + "\n", "mark in capitals": "+<!--AI-FLOW\n", "back-ticks": "+" + strings.Repeat("`", 30_000) + "\n",
	} {
		r := Result{Outcome: Done, Command: "/build", RunURL: runURL, Patches: []Patch{{Kind: PatchWorkflows, Bytes: []byte(text), Base: commitID, File: "workflows.patch"}}}
		onPage := name == "end mark" || name == "place" || name == "mark in capitals" || name == "back-ticks"
		for where, md := range map[string]string{"comment": Comment(r), "summary": Summary(r)} {
			if shown := len(copied(t, md)); shown != 0 && (where == "comment" || !onPage) {
				t.Errorf("%s: shown in the %s: %.300s", name, where, md)
			} else if shown == 0 && !strings.Contains(md, "The file `workflows.patch` in the artifact of the [run]("+runURL+") holds it, for this repository at commit `9f31c2e`.") {
				t.Errorf("%s: not named in the %s: %.300s", name, where, md)
			} else if shown == 0 && where == "summary" && onPage {
				t.Errorf("%s: the summary can show it: %.300s", name, md)
			}
		}
		check(t, r)
	}
}

// TestPatchRoom: what has no room is named, and what has no room for its name either is left out; nothing is cut (S7).
func TestPatchRoom(t *testing.T) {
	patch := workflowPatch + strings.Repeat(" line\n", 1000)
	r := results()["opened"]
	r.Patches = repeat(Patch{Kind: PatchWorkflows, Bytes: []byte(patch), Base: commitID, File: "workflows.patch"}, 3)
	seen := map[int]bool{}
	for room := maxComment; room > 500; room -= max(60, room/20) {
		p := InPlace(r, room)
		if size := sizeOf(p); room >= tightRoom && size > room {
			t.Errorf("room %d: %d bytes", room, size)
		}
		blocks := copied(t, quote(p.Segments[0]))
		seen[len(blocks)] = true
		for _, block := range blocks {
			if !strings.Contains(block, "\n"+patch+"AI_FLOW_") {
				t.Errorf("room %d: cut: %.300q", room, block)
			}
		}
	}
	if !seen[0] || !seen[3] {
		t.Errorf("the rooms showed %v", seen)
	}
	r.Patches = repeat(r.Patches[0], 40)
	if got := Comment(r); !strings.Contains(got, "And 24 more, in files beside `report.json`.") || len(got) > 65536 {
		t.Errorf("%d bytes: %.2000s", len(got), got)
	}
}

// TestDelimiter: it is the patch's own, and longer where the patch holds it.
func TestDelimiter(t *testing.T) {
	first := delimiter([]byte("+a\n"))
	if again := delimiter([]byte("+a\n")); again != first || delimiter([]byte("+b\n")) == first || len(first) != len("AI_FLOW_12345678") {
		t.Errorf("%q, %q", first, again)
	}
	for _, patch := range []string{"", "+AI_FLOW_\n", "AI_FLOW_0123456789\n"} {
		if end := delimiter([]byte(patch)); end == "" || strings.Contains(patch, end) {
			t.Errorf("%q: %q", patch, end)
		}
	}
}

// TestPatchSteps: nothing foreign gets into the command but what means itself.
func TestPatchSteps(t *testing.T) {
	for _, s := range []string{"x; touch pwned", "-f", "$(x)", "a\nb", "../x", "a b", "'", ""} {
		r := Result{Outcome: Done, Command: "/build", Landings: []Landing{{Branch: s, Opened: true}}, Patches: []Patch{{Kind: PatchWorkflows, Repo: "", Bytes: []byte("+a\n"), Base: s,
			Pull: &Pull{Number: -1, Title: s, URL: s}, Files: []string{s}}, {Kind: PatchRescued, Repo: s + "x", Bytes: []byte("+a\n"), Base: s}}}
		for _, block := range copied(t, Comment(r)) {
			for line := range strings.Lines(block) {
				switch line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), " &&"); {
				case line == `cd "$(git rev-parse --show-toplevel)"`, line == "git --no-pager diff --cached --stat --exit-code", line == "+a", line == "git push", strings.HasPrefix(line, "AI_FLOW_"), strings.HasPrefix(line, "git apply "),
					strings.HasPrefix(line, "git commit -m 'Apply the "):
				default:
					t.Errorf("%q: %q", s, line)
				}
			}
		}
	}
}

// FuzzPatch: a block that is shown brings every byte of the patch to the reader, quoted as it stands on a thread; else the
// file is named.
func FuzzPatch(f *testing.F) {
	for _, s := range []string{workflowPatch, "+a\r\n", "+\u200b\n", "<!-- ai-flow:end -->\n", "```\n~~~\n", "\n\n\n", " \n\t\n", "</details>\n", "+&amp;lt;\n", "AI_FLOW_\n", "\\\n", "> x\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		if len(patch) > 8000 {
			return
		}
		r := Result{Outcome: Done, Command: "/build", Patches: []Patch{{Kind: PatchRescued, Bytes: patch, Base: commitID, File: "rescued.patch"}}}
		comment := Comment(r)
		checkPart(t, "reply", comment)
		blocks := copied(t, comment)
		if len(blocks) == 0 {
			if !strings.Contains(comment, "The file `rescued.patch`") {
				t.Fatalf("neither shown nor named: %q", comment)
			}
			return
		}
		end := delimiter(patch)
		before, rest, ok := strings.Cut(blocks[0], "<<'"+end+"' &&\n")
		body, after, ended := strings.Cut(rest, end+"\n")
		if len(blocks) != 1 || !ok || !ended || body != string(patch) || strings.Count(before, "\n") != 4 || after != "git commit -m 'Apply the work of ai-flow' &&\ngit push -u origin HEAD\n" {
			t.Fatalf("%q came out as %q", patch, blocks)
		}
		if bytes.Contains(patch, []byte(end)) {
			t.Fatalf("%q ends the patch", end)
		}
	})
}

// BenchmarkPatch is a comment with as large a patch as it takes.
func BenchmarkPatch(b *testing.B) {
	r := results()["opened"]
	r.Patches = []Patch{{Kind: PatchWorkflows, Bytes: []byte(workflowPatch + strings.Repeat(" line\n", 4000)), Base: commitID, File: "x"}}
	for b.Loop() {
		if !strings.Contains(Comment(r), "AI_FLOW_") {
			b.Fatal("not shown")
		}
	}
}

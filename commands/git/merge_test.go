package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What two people make of the same files comes together as git brings it together, or is named (F-37).
func TestMerge(t *testing.T) {
	const start = `seq 1 30 >f; mkdir d; seq 1 30 >d/g; printf '#!/bin/sh\n' >run; ln -s f link; head -c 3000 /dev/urandom >bin; echo CHANGES >log; `
	for name, c := range map[string]struct {
		base, ours, theirs string
		want               string // "mode path" of the tree, or the contents that check prints
		check              string
		conflicts          []string
	}{
		"other files":              {"", "echo n >n", "echo m >m", "n\nm", "git show $t:n; git show $t:m", nil},
		"other lines":              {"", "sed -i 1s/1/ours/ f", "sed -i 30s/30/theirs/ f", "ours\ntheirs", "git show $t:f | grep -E 'ours|theirs'", nil},
		"the same change":          {"", "sed -i 1s/1/same/ f", "sed -i 1s/1/same/ f", "same", "git show $t:f | head -1", nil},
		"nothing of ours":          {"", "true", "echo m >m", "m", "git show $t:m", nil},
		"nothing of theirs":        {"", "echo n >n", "true", "n", "git show $t:n", nil},
		"nothing at all":           {"", "true", "true", "CHANGES", "git show $t:log", nil},
		"the same line":            {"", "sed -i 1s/1/ours/ f", "sed -i 1s/1/theirs/ f", "", "", []string{"f"}},
		"renamed and edited":       {"", "sed -i 1s/1/ours/ f", "git mv f elsewhere", "ours", "git show $t:elsewhere | head -1; git ls-tree $t f", nil},
		"edited and renamed":       {"", "git mv f elsewhere", "sed -i 1s/1/theirs/ f", "theirs", "git show $t:elsewhere | head -1; git ls-tree $t f", nil},
		"renamed twice":            {"", "git mv f one", "git mv f other", "", "", []string{"f", "one", "other"}},
		"a directory renamed":      {"", "echo n >d/new", "git mv d e", "", "", []string{"e/new"}}, // git does not guess where new belongs
		"deleted and edited":       {"", "git rm -q f", "sed -i 1s/1/theirs/ f", "", "", []string{"f"}},
		"edited and deleted":       {"", "sed -i 1s/1/ours/ f", "git rm -q f", "", "", []string{"f"}},
		"both deleted":             {"", "git rm -q f", "git rm -q f; echo m >m", "m", "git show $t:m", nil},
		"both made it":             {"", "echo ours >n", "echo theirs >n", "", "", []string{"n"}},
		"a mode":                   {"", "chmod +x run", "echo theirs >>run", "100755\ntheirs", "git ls-tree --format='%(objectmode)' $t run; git show $t:run | tail -1", nil},
		"two modes":                {"", "chmod +x run", "chmod +x run; echo m >m", "100755", "git ls-tree --format='%(objectmode)' $t run", nil},
		"binary":                   {"", "printf '\\0ours' >bin", "printf '\\0theirs' >bin", "", "", []string{"bin"}},
		"one binary":               {"", "printf '\\0ours' >bin", "echo m >m", "ours", "git show $t:bin | tr -d '\\0'", nil},
		"links":                    {"", "ln -sf bin link", "ln -sf log link", "", "", []string{"link"}},
		"a link for a file":        {"", "rm f; ln -s log f", "sed -i 1s/1/theirs/ f", "", "", []string{"f", "f~"}},
		"a directory for a file":   {"", "rm f; mkdir f; echo n >f/n", "sed -i 1s/1/theirs/ f", "", "", []string{"f~"}},
		"odd names":                {"", `for n in $'a\nb' 'q"' -rf $'\xff' ':(top)x'; do echo ours >./"$n"; done`, `for n in $'a\nb' 'q"' -rf $'\xff' ':(top)x'; do echo theirs >./"$n"; done`, "", "", []string{"-rf", ":(top)x", "a\nb", "q\"", "\xff"}},
		"many":                     {"", "for i in $(seq -w 1 50); do echo ours >n$i; done", "for i in $(seq -w 1 50); do echo theirs >n$i; done", "", "", numbered(20)},
		"attributes":               {"printf '* merge=evil\\nlog merge=ours\\nd/* -merge\\nf binary\\n' >.gitattributes; ", "sed -i 1s/1/ours/ f d/g", "sed -i 30s/30/theirs/ f d/g; echo theirs >>log", "ours\nours", "git show $t:f | grep ours; git show $t:d/g | grep ours", nil},
		"attributes of theirs":     {"", "sed -i 1s/1/ours/ f", "sed -i 30s/30/theirs/ f; echo '* merge=evil filter=evil text eol=crlf ident' >.gitattributes", "ours", "git show $t:f | grep -a ours", nil},
		"union is not done":        {"echo 'log merge=union' >.gitattributes; ", "echo ours >>log", "echo theirs >>log", "", "", []string{"log"}},
		"a driver of ours":         {"echo 'log merge=text' >.gitattributes; ", "sed -i 1s/1/ours/ f; echo 'f merge=evil' >.gitattributes", "sed -i 1s/1/theirs/ f", "", "", []string{"f"}},
		"submodules":               {submodules, "echo n >n", "git update-index --cacheinfo 160000,$two,sm", "160000 $two", "git ls-tree --format='%(objectmode) %(objectname)' $t sm", nil},
		"submodules, both":         {submodules, "git update-index --cacheinfo 160000,$one,sm", "git update-index --cacheinfo 160000,$two,sm", "", "", []string{"sm"}},
		"a submodule and a file":   {submodules, "git update-index --force-remove sm; rm -rf sm; echo f >sm; git add sm", "git update-index --cacheinfo 160000,$two,sm", "", "", []string{"sm", "sm~"}},
		"a submodule in our place": {submodules + "mkdir objects.git; git update-index --add --cacheinfo 160000,$zero,objects.git; ", "git update-index --cacheinfo 160000,$one,objects.git", "git update-index --cacheinfo 160000,$two,objects.git", "", "", []string{"objects.git"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const names = "zero=1111111111111111111111111111111111111111 one=2222222222222222222222222222222222222222 two=3333333333333333333333333333333333333333; "
			dir := checkout(t, names+start+c.base)
			side := func(branch, script string) {
				sh(t, dir, names+"git checkout -qf -b "+branch+" main; "+script+"; git -c core.safecrlf=false add -A -- ':!sm' ':!objects.git' 2>/dev/null || git add -A; git commit -qm "+branch+" --allow-empty")
			}
			side("ours", c.ours)
			side("theirs", c.theirs)
			sh(t, dir, "git config merge.evil.driver false; git config merge.default evil; git config merge.renames false; git checkout -q main")
			r := open(t, dir)
			ids := strings.Fields(sh(t, dir, "git rev-parse main ours^{tree} theirs"))
			tree, conflicts, err := r.Merge(t.Context(), OID(ids[0]), OID(ids[1]), OID(ids[2]))
			if err != nil {
				t.Fatal(err)
			}
			for i, path := range conflicts { // git makes a name of what cannot stand at its own, with the commit's in it
				if at := strings.IndexByte(path, '~'); at >= 0 {
					conflicts[i] = path[:at+1]
				}
			}
			if slices.Sort(conflicts); !slices.Equal(conflicts, c.conflicts) || (tree == "") != (c.conflicts != nil) {
				t.Errorf("%q, %q", tree, conflicts)
			}
			if tree == "" {
				return
			}
			want := strings.NewReplacer("$two", strings.Repeat("3", 40)).Replace(c.want)
			if got := sh(t, r.gitDir, "export GIT_DIR=.; t="+string(tree)+"; "+c.check); got != want {
				t.Errorf("the tree has %q, not %q", got, want)
			}
			if got := sh(t, r.private, "ls; cd objects.git; git --git-dir=. for-each-ref; ls info 2>/dev/null || true"); got != "objects.git" {
				t.Errorf("left behind: %s", got)
			}
		})
	}
}

const submodules = "git update-index --add --cacheinfo 160000,$zero,sm; mkdir sm; "

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("n%02d", i+1))
	}
	return names
}

// The base is the one that is given, whatever the histories have in common: here theirs has taken in what ours was made of,
// and git by itself would find another base and lose a line in silence.
func TestMergeOnTheGivenBase(t *testing.T) {
	dir := checkout(t, "seq 1 20 >f; git add f; git commit -qm old; sed -i 1s/1/base/ f")
	sh(t, dir, "git branch theirs main~1; git checkout -qb ours; sed -i 20s/20/ours/ f; git commit -qam ours; git checkout -q theirs; sed -i 10s/10/theirs/ f; git commit -qam theirs")
	s := serve(t, dir, "")
	r := s.fetched(t, s.remote(), s.rev(t, "ours"))
	if err := r.add(t.Context(), s.remote(), s.rev(t, "theirs"), quick()); err != nil {
		t.Fatal(err)
	}
	tree, conflicts, err := r.Merge(t.Context(), s.rev(t, "main"), s.rev(t, "ours"), s.rev(t, "theirs"))
	if err != nil || tree == "" {
		t.Fatalf("%q, %v", conflicts, err)
	}
	// From main, theirs has taken "base" back; that counts as theirs.
	if got := sh(t, r.gitDir, "git --git-dir=. show "+string(tree)+":f | sed -n '1p;10p;20p'"); got != "1\ntheirs\nours" {
		t.Errorf("got %q", got)
	}
	again, _, err := r.Merge(t.Context(), s.rev(t, "main"), s.rev(t, "ours"), s.rev(t, "theirs"))
	if again != tree || err != nil {
		t.Errorf("again: %q, %v", again, err)
	}
}

func TestMergeRefuses(t *testing.T) {
	s := serve(t, checkout(t, "echo a >a"), "")
	c := s.rev(t, "HEAD")
	r := s.fetched(t, s.remote(), c)
	unknown := OID(strings.Repeat("1", 40))
	for name, ids := range map[string][3]OID{
		"nothing": {"", c, c}, "a name": {c, "HEAD", c}, "an option": {c, c, "--help"}, "unknown base": {unknown, c, c}, "unknown": {c, c, unknown}, "a blob": {c, s.rev(t, "HEAD:a"), c},
	} {
		if tree, conflicts, err := r.Merge(t.Context(), ids[0], ids[1], ids[2]); err == nil || tree != "" || conflicts != nil {
			t.Errorf("%s: %q, %q, %v", name, tree, conflicts, err)
		}
	}
	t.Run("an old git", func(t *testing.T) {
		old := filepath.Join(t.TempDir(), "git")
		if err := os.WriteFile(old, []byte("#!/bin/sh\necho git version 2.37.4\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		r.bin = old
		if err := r.checkVersion(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Merge(t.Context(), c, c, c); err == nil || !strings.Contains(err.Error(), "is version 2.37; this needs git 2.38 or newer") {
			t.Errorf("got %v", err)
		}
	})
}

func TestReadMerged(t *testing.T) {
	id := strings.Repeat("1", 40)
	for _, c := range []struct {
		out       string
		clean     bool
		tree      OID
		conflicts []string
		fails     bool
	}{
		{id + "\x00", true, OID(id), nil, false},
		{id + "\x00", false, "", []string{}, false}, // about a directory as a whole
		{id + "\x00a\x00b\nc\x00", false, "", []string{"a", "b\nc"}, false},
		{id + "\x00a\x00cut", false, "", []string{"a"}, false},
		{"", true, "", nil, true}, {"x\x00", true, "", nil, true}, {id, true, "", nil, true}, {"", false, "", nil, true},
	} {
		tree, conflicts, err := readMerged(c.out, c.clean)
		if tree != c.tree || !slices.Equal(conflicts, c.conflicts) || (err != nil) != c.fails {
			t.Errorf("%q, %v: %q, %q, %v", c.out, c.clean, tree, conflicts, err)
		}
	}
}

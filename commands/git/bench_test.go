package git

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// shape of a repository made for a measurement.
type shape struct {
	name    string
	files   int // in the tree, of 200 to 6,000 bytes of words
	commits int // after the first; each rewrites one file and, if asset is set, one binary of that many bytes
	asset   int
}

// The cost of a hand-over follows the tree and not the history: run both, by hand, with
//
//	go test ./commands/git -run '^$' -bench Cost -benchtime 3x
//
// "small" is their shape in a size for every day. pack-MB is what went through the pipe, store-MB the checkout's whole
// object store, private-kB all that the dispatcher wrote.
func BenchmarkCost(b *testing.B) {
	for _, s := range []shape{
		{name: "small", files: 1000, commits: 100, asset: 10_000},
		{name: "50000files", files: 50_000, commits: 300},
		{name: "300MBhistory", files: 2000, commits: 3000, asset: 100_000},
	} {
		b.Run(s.name, func(b *testing.B) {
			dir := s.make(b)
			b.Run("HandOver", func(b *testing.B) {
				for b.Loop() {
					w := handOver(b, sameUser(b), dir)
					c := w.tree.Cost()
					b.ReportMetric(float64(c.PackBytes)/1e6, "pack-MB")
					b.ReportMetric(float64(size(b, filepath.Join(dir, "objects")))/1e6, "store-MB")
					b.ReportMetric(float64(size(b, w.repo.private))/1e3, "private-kB")
				}
			})
			w := handOver(b, sameUser(b), dir)
			w.agent(b, "for i in 0 1 2 3 4 5 6 7 8 9; do echo changed >>d$i/e0/f$i.txt; done")
			b.Run("TakeBack", func(b *testing.B) {
				for b.Loop() {
					if taken := w.take(b, Limits{}); len(taken.Changes) != 10 {
						b.Fatalf("%s", show(taken))
					}
				}
			})
		})
	}
}

// What a fetch costs over a local server, with and without a checkout to borrow from that is five commits old, and with one
// that has it all: run it by hand with
//
//	go test ./commands/git -run '^$' -bench Fetch -benchtime 3x
func BenchmarkFetch(b *testing.B) {
	for _, s := range []shape{
		{name: "small", files: 1000, commits: 100, asset: 10_000},
		{name: "50000files", files: 50_000, commits: 300},
		{name: "300MBhistory", files: 2000, commits: 3000, asset: 100_000},
	} {
		b.Run(s.name, func(b *testing.B) {
			dir := s.make(b)
			sh(b, dir, "git branch old main~5; umask 022; git clone -q --bare --single-branch -b old file://$PWD ../five; git clone -q --bare --depth 1 --single-branch -b old file://$PWD ../shallow; git clone -q --bare file://$PWD ../all")
			from := serve(b, dir, canaryToken)
			for _, borrow := range []string{"", "shallow", "five", "all"} {
				remote := from.remote()
				if remote.Borrow = ""; borrow != "" {
					remote.Borrow = filepath.Join(filepath.Dir(dir), borrow)
				}
				b.Run("borrow="+borrow, func(b *testing.B) {
					from.seen()
					for b.Loop() {
						from.fetched(b, remote, from.rev(b, "main"))
					}
					_, sent := from.seen()
					b.ReportMetric(float64(sent)/float64(b.N)/1e6, "sent-MB")
				})
			}
		})
	}
}

func size(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// make builds the same repository each time.
func (s shape) make(b *testing.B) string {
	dir := filepath.Join(b.TempDir(), s.name+".git")
	sh(b, filepath.Dir(dir), "git init -q --bare -b main "+dir)
	cmd := exec.Command("git", "--git-dir="+dir, "fast-import", "--quiet")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(stdin)
	s.write(out, rand.New(rand.NewPCG(7, 7)))
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	sh(b, dir, "git repack -adq --window=1")
	return dir
}

func (s shape) write(w io.Writer, r *rand.Rand) {
	at := time.Unix(1700000000, 0)
	file := func(i int) {
		text := words(r, 200+r.IntN(5800))
		fmt.Fprintf(w, "M 100644 inline d%d/e%d/f%d.txt\ndata %d\n%s\n", i%50, i/50%20, i, len(text), text)
	}
	for c := range s.commits + 1 {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter a <a@example.org> %d +0000\ndata 1\nc\n", at.Unix()+int64(c))
		if c > 0 {
			file(r.IntN(s.files))
			if s.asset > 0 {
				fmt.Fprintf(w, "M 100644 inline bin/a%d.dat\ndata %d\n%s\n", c%20, s.asset, noise(r, s.asset))
			}
			continue
		}
		for i := range s.files {
			file(i)
		}
	}
}

func words(r *rand.Rand, n int) []byte {
	text := make([]byte, n)
	for i := range text {
		text[i] = "eeeettttaaaoooiinnsshhrrdlucmfwygpbvk      \n"[r.IntN(44)]
	}
	return text
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

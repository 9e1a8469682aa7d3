package pinned

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
)

// entry is one member of an archive that a test makes; edit changes its raw header, before the checksum is put in.
type entry struct {
	name, body string
	edit       func(h []byte)
	sum        string // instead of the right checksum
	padding    string // instead of zeros
	declared   int    // size in the header, instead of the body's; -1 for 0
}

func (e entry) bytes() []byte {
	h := make([]byte, blockSize)
	mode, size := "000644 ", len(e.body)
	if strings.HasSuffix(e.name, "/agent") {
		mode = "000755 "
	}
	switch {
	case e.declared > 0:
		size = e.declared
	case e.declared < 0:
		size = 0
	}
	copy(h, e.name)
	copy(h[100:], mode)
	copy(h[124:], fmt.Sprintf("%010o ", size))
	copy(h[136:], "3560116604 ")
	h[156] = '0'
	copy(h[257:], "ustar\x0000")
	copy(h[329:], "000000 \x00000000 ")
	if e.edit != nil {
		e.edit(h)
	}
	copy(h[148:156], "        ")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:156], fmt.Sprintf("%06o \x00", sum))
	if e.sum != "" {
		copy(h[148:156], e.sum)
	}
	padding := make([]byte, (blockSize-len(e.body)%blockSize)%blockSize)
	copy(padding, e.padding)
	return append(append(h, e.body...), padding...)
}

const (
	agentBody   = "#!/bin/true\nthe bytes of the agent"
	packageBody = `{"name":"@acme/agent-linux-x64","version":"1.2.3"}`
)

// good is what npm packs.
func good() []entry {
	return []entry{{name: "package/agent", body: agentBody}, {name: "package/package.json", body: packageBody},
		{name: "package/LICENSE.md", body: strings.Repeat("free ", 200)}, {name: "package/README.md"}}
}

func tarOf(end int, entries ...entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.Write(e.bytes())
	}
	b.Write(make([]byte, end))
	return b.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func goodLayout() layout { return npmLayout("agent", int64(len(agentBody))) }

func TestAdmitTakesWhatNpmPacks(t *testing.T) {
	var exe bytes.Buffer
	document, err := admit(bytes.NewReader(gzipOf(t, tarOf(1024, good()...))), goodLayout(), &exe)
	if err != nil || exe.String() != agentBody || string(document) != packageBody {
		t.Errorf("got %q, %q, error %v", exe.String(), document, err)
	}
}

// TestAdmitRefuses is A2-8: one row for each rule, and each row differs from what is admitted in that one thing.
func TestAdmitRefuses(t *testing.T) {
	kind := func(k byte) func([]byte) { return func(h []byte) { h[156] = k } }
	put := func(at int, text string) func([]byte) { return func(h []byte) { copy(h[at:], text) } }
	for _, c := range []struct {
		name    string
		entries []entry // before the good ones; one of a name that they have stands for that one
		says    string
	}{
		{"traversal", []entry{{name: "package/../../etc/cron.d/x"}}, "not one of the members"},
		{"absolute path", []entry{{name: "/etc/passwd"}}, "not one of the members"},
		{"a path that only cleans to the right one", []entry{{name: "package/./agent"}}, "not one of the members"},
		{"another case", []entry{{name: "package/Agent"}}, "not one of the members"},
		{"an unexpected member", []entry{{name: "package/index.js", body: "evil()"}}, "not one of the members"},
		{"an unexpected name by prefix", []entry{{name: "x", edit: put(345, "package")}}, `"package/x" is not one of`},
		{"a name with no name", []entry{{name: ""}}, "not one of the members"},
		{"bytes behind the NUL of a name", []entry{{name: "package/agent", body: agentBody, edit: put(14, "x")}}, "goes on behind its end"},
		{"bytes behind the NUL of a prefix", []entry{{name: "agent", body: agentBody, edit: put(345, "package\x00x")}}, "goes on behind its end"},
		{"hard link", []entry{{name: "package/agent", edit: kind('1')}}, "a hard link"},
		{"symbolic link", []entry{{name: "package/agent", edit: kind('2')}}, "a symbolic link"},
		{"character device", []entry{{name: "package/agent", edit: kind('3')}}, "a character device"},
		{"block device", []entry{{name: "package/agent", edit: kind('4')}}, "a block device"},
		{"directory", []entry{{name: "package", edit: kind('5')}}, "a directory"},
		{"FIFO", []entry{{name: "package/agent", edit: kind('6')}}, "a FIFO"},
		{"contiguous file", []entry{{name: "package/agent", edit: kind('7')}}, "a reserved kind"},
		{"old format", []entry{{name: "package/agent", body: agentBody, edit: kind(0)}}, "the old format"},
		{"PAX override", []entry{{name: "package/PaxHeader", body: "20 path=package/x\n", edit: kind('x')}}, "a PAX override"},
		{"global PAX override", []entry{{name: "pax_global_header", body: "20 path=package/x\n", edit: kind('g')}}, "a global PAX override"},
		{"GNU long name", []entry{{name: "././@LongLink", body: "package/agent\x00", edit: kind('L')}}, "a GNU long name"},
		{"GNU long link", []entry{{name: "././@LongLink", body: "/etc/passwd\x00", edit: kind('K')}}, "a GNU long link"},
		{"sparse file", []entry{{name: "package/agent", body: agentBody, edit: kind('S')}}, "a sparse file"},
		{"unknown kind", []entry{{name: "package/agent", edit: kind('Z')}}, "unknown kind"},
		{"GNU format", []entry{{name: "package/agent", body: agentBody, edit: put(257, "ustar  \x00")}}, "another format"},
		{"v7 format", []entry{{name: "package/agent", body: agentBody, edit: put(257, "\x00\x00\x00\x00\x00\x00\x00\x00")}}, "another format"},
		{"a file with a link target", []entry{{name: "package/agent", body: agentBody, edit: put(157, "/etc/passwd")}}, "a link target"},
		{"bytes behind the header", []entry{{name: "package/agent", body: agentBody, edit: put(500, "x")}}, "bytes after its header"},
		{"device number", []entry{{name: "package/agent", body: agentBody, edit: put(329, "000001 ")}}, "a device number"},
		{"twice", []entry{good()[0], good()[0]}, "is there twice"},
		{"bad checksum", []entry{{name: "package/agent", body: agentBody, sum: "000001 \x00"}}, "checksum is wrong"},
		{"no checksum", []entry{{name: "package/agent", body: agentBody, sum: "\x00\x00\x00\x00\x00\x00\x00\x00"}}, "the checksum of a header"},
		{"setuid", []entry{{name: "package/agent", body: agentBody, edit: put(100, "004755 ")}}, "the mode 4755"},
		{"writable by all", []entry{{name: "package/README.md", edit: put(100, "000666 ")}}, "the mode 0666"},
		{"an executable that is none", []entry{{name: "package/agent", body: agentBody, edit: put(100, "000644 ")}}, "the mode 0644"},
		{"a negative size", []entry{{name: "package/agent", edit: put(124, "-000000001 ")}}, "no octal number"},
		{"a size in base-256", []entry{{name: "package/agent", edit: put(124, "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01")}}, "no octal number"},
		{"a size with digits behind its end", []entry{{name: "package/agent", body: agentBody, edit: put(124, "0000000041 7")}}, "no octal number"},
		{"an owner in base-256", []entry{{name: "package/agent", body: agentBody, edit: put(108, "\x80")}}, "the owner of"},
		{"an executable of another size", []entry{{name: "package/agent", body: agentBody + "!"}}, "the pinned one has"},
		{"a document that is too large", []entry{{name: "package/README.md", declared: maxDocument + 1}}, "more than"},
		{"more declared than there is", []entry{{name: "package/README.md", declared: 1 << 19}}, "unexpected EOF"},
		{"bytes in the padding", []entry{{name: "package/agent", body: agentBody, padding: "hidden"}}, "hidden behind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries := c.entries
			replaced := map[string]bool{}
			for _, e := range entries {
				replaced[e.name] = true
			}
			for _, e := range good() {
				if !replaced[e.name] {
					entries = append(entries, e)
				}
			}
			mustRefuse(t, gzipOf(t, tarOf(1024, entries...)), c.says)
		})
	}
}

// TestAdmitRefusesEnds is the rest of A2-8: what is missing, cut, or added at an end.
func TestAdmitRefusesEnds(t *testing.T) {
	whole := tarOf(1024, good()...)
	zipped := gzipOf(t, whole)
	for _, c := range []struct {
		name string
		data []byte
		says string
	}{
		{"nothing", nil, "EOF"},
		{"no gzip", whole, "invalid header"},
		{"no members", gzipOf(t, make([]byte, 1024)), "is missing"},
		{"a member is missing", gzipOf(t, tarOf(1024, good()[:3]...)), `"package/README.md" is missing`},
		{"no end", gzipOf(t, tarOf(0, good()...)), "ends without an end"},
		{"one block of zeros", gzipOf(t, tarOf(512, good()...)), "its end is cut"},
		{"an end that is no whole block", gzipOf(t, tarOf(1025, good()...)), "its end is cut"},
		{"a member behind the end", gzipOf(t, append(bytes.Clone(whole), tarOf(1024, entry{name: "package/x"})...)), "bytes behind the last member"},
		{"zeros without an end", gzipOf(t, tarOf(1<<20, good()...)), "zeros at its end"},
		{"cut inside of a member", gzipOf(t, whole[:600]), "unexpected EOF"},
		{"cut gzip", zipped[:len(zipped)-9], "EOF"},
		{"a wrong checksum of gzip", flipped(zipped, len(zipped)-6), "invalid checksum"},
		{"bytes behind the gzip", append(bytes.Clone(zipped), 'x'), "bytes behind its end"},
		{"a second gzip stream", append(bytes.Clone(zipped), zipped...), "bytes behind its end"},
	} {
		t.Run(c.name, func(t *testing.T) { mustRefuse(t, c.data, c.says) })
	}
}

func mustRefuse(t *testing.T, archive []byte, says string) {
	t.Helper()
	_, err := admit(bytes.NewReader(archive), goodLayout(), io.Discard)
	if err == nil {
		t.Fatal("it was admitted")
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want %q", err, says)
	}
}

func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// TestAdmitIsBounded: a small archive that unpacks to much is given up at the first header that says so, or at the first bytes
// that are too many.
func TestAdmitIsBounded(t *testing.T) {
	for name, want := range map[string]layout{"of a known size": goodLayout(), "of an unknown size": npmLayout("agent", 0)} {
		huge := entry{name: "package/agent", declared: maxExecutable + 1}
		r := &counter{r: io.MultiReader(bytes.NewReader(huge.bytes()), zeros{})}
		if _, err := admitTar(r, want, io.Discard); err == nil || r.n > 1<<20 {
			t.Errorf("%s: error %v after %d bytes", name, err, r.n)
		}
	}
	r := &counter{r: io.MultiReader(bytes.NewReader(tarOf(0, good()...)), zeros{})}
	if _, err := admitTar(r, goodLayout(), io.Discard); err == nil || r.n > 1<<20 {
		t.Errorf("error %v after %d bytes of an archive without an end", err, r.n)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// FuzzAdmit holds the admission against another reader of the format: whatever is admitted, archive/tar reads as the same
// members with the same bytes, regular files all of them, and no others.
func FuzzAdmit(f *testing.F) {
	f.Add(tarOf(1024, good()...))
	f.Add(tarOf(1024, append([]entry{{name: "package/PaxHeader", body: "20 path=package/x\n", edit: func(h []byte) { h[156] = 'x' }}}, good()...)...))
	f.Add(tarOf(10240, good()[2], good()[1], good()[0], good()[3]))
	f.Add(tarOf(1024, entry{name: "agent", body: agentBody, edit: func(h []byte) { copy(h[345:], "package"); copy(h[100:], "000755 ") }}, good()[1], good()[2], good()[3]))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = summed(data)
		var exe bytes.Buffer
		document, err := admitTar(bytes.NewReader(data), npmLayout("agent", 0), &exe)
		if err != nil {
			return
		}
		got := map[string]string{}
		for r := tar.NewReader(bytes.NewReader(data)); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("admitted, and archive/tar says %v", err)
			}
			body, err := io.ReadAll(r)
			if err != nil || h.Typeflag != tar.TypeReg || got[h.Name] != "" {
				t.Fatalf("admitted, and archive/tar sees %+v, error %v", h, err)
			}
			got[h.Name] = string(body)
		}
		want := map[string]bool{}
		for _, n := range npmLayout("agent", 0).names() {
			want[n] = true
		}
		for n := range maps.Keys(got) {
			if !want[n] {
				t.Fatalf("admitted with the member %q", n)
			}
		}
		if len(got) != len(want) || got["package/agent"] != exe.String() || got["package/package.json"] != string(document) {
			t.Fatalf("admitted, and archive/tar reads something else: %q", got)
		}
	})
}

// summed puts the right checksum into whatever may be a header: without that the fuzzer never comes past it.
func summed(data []byte) []byte {
	data = bytes.Clone(data)
	for h := data; len(h) >= blockSize; h = h[blockSize:] {
		if string(h[257:262]) != "ustar" {
			continue
		}
		copy(h[148:156], "        ")
		sum := 0
		for _, b := range h[:blockSize] {
			sum += int(b)
		}
		copy(h[148:156], fmt.Sprintf("%06o \x00", sum))
	}
	return data
}

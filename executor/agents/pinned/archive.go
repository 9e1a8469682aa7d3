package pinned

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// layout is what an archive must hold: these members, each once, in any order, and nothing else.
type layout struct {
	folder     string // npm's is "package"
	executable string
	documents  []string
	size       int64 // of the executable, bytes; 0 when it is not known
}

// The bounds of an archive, in bytes.
const (
	maxArchive    = 512 << 20 // compressed, of a version that is not pinned
	maxExecutable = 768 << 20
	maxDocument   = 1 << 20
	maxZeros      = 10 << 10 // at the end: tar's own blocking factor of 20
)

// packageFile is the document that says which package and version the archive is of.
const packageFile = "package.json"

func npmLayout(executable string, size int64) layout {
	return layout{folder: "package", executable: executable, documents: []string{packageFile, "LICENSE.md", "README.md"}, size: size}
}

// admit reads a whole gzipped tar archive and writes its executable to exe. Nothing else of it is written anywhere: the
// documents are read and dropped, but for package.json, which is returned. Whatever was written counts for nothing when
// there is an error.
func admit(archive io.Reader, want layout, exe io.Writer) (packageJSON []byte, err error) {
	raw := bufio.NewReaderSize(archive, 1<<16)
	zipped, err := gzip.NewReader(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	zipped.Multistream(false) // a second stream would be a trailer that not every reader sees
	if packageJSON, err = admitTar(zipped, want, exe); err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	switch _, err := raw.ReadByte(); err {
	case io.EOF:
		return packageJSON, nil
	case nil:
		return nil, errors.New("reading the archive: there are bytes behind its end")
	default:
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
}

func admitTar(r io.Reader, want layout, exe io.Writer) (packageJSON []byte, err error) {
	block := make([]byte, blockSize)
	seen := map[string]bool{}
	for {
		if _, err := io.ReadFull(r, block); err != nil {
			return nil, fmt.Errorf("it ends without an end: %w", unexpected(err))
		}
		if isZero(block) {
			break
		}
		m, err := parseHeader(block)
		if err == nil {
			err = want.fits(m, seen)
		}
		if err != nil {
			return nil, err
		}
		var document bytes.Buffer
		var to io.Writer = &document
		if m.name == want.path(want.executable) {
			to = exe
		}
		if err := copyMember(to, r, m); err != nil {
			return nil, err
		}
		if m.name == want.path(packageFile) {
			packageJSON = document.Bytes()
		}
	}
	for _, name := range want.names() {
		if !seen[name] {
			return nil, fmt.Errorf("%q is missing", name)
		}
	}
	return packageJSON, readEnd(r)
}

// fits decides on one member and notes that it was seen. A name is compared as a whole: there is nothing to clean or to
// resolve, so no traversal.
func (l layout) fits(m member, seen map[string]bool) error {
	most, exact := int64(maxDocument), int64(0)
	modes := []int64{0o644, 0o755}
	if m.name == l.path(l.executable) {
		most, exact, modes = maxExecutable, l.size, modes[1:]
	}
	switch {
	case !l.expects(m.name):
		return fmt.Errorf("%s is not one of the members that are expected", quoted(m.name))
	case seen[m.name]:
		return fmt.Errorf("%q is there twice", m.name)
	case m.mode != modes[0] && m.mode != modes[len(modes)-1]:
		return fmt.Errorf("%q has the mode %04o", m.name, m.mode)
	case m.size > most:
		return fmt.Errorf("%q has %d bytes, more than %d", m.name, m.size, most)
	case exact > 0 && m.size != exact:
		return fmt.Errorf("%q has %d bytes, and the pinned one has %d", m.name, m.size, exact)
	}
	seen[m.name] = true
	return nil
}

func (l layout) path(name string) string { return l.folder + "/" + name }

func (l layout) names() []string {
	names := []string{l.path(l.executable)}
	for _, d := range l.documents {
		names = append(names, l.path(d))
	}
	return names
}

func (l layout) expects(name string) bool {
	for _, n := range l.names() {
		if n == name {
			return true
		}
	}
	return false
}

// copyMember takes a member's bytes and the padding after them, which hides nothing.
func copyMember(to io.Writer, r io.Reader, m member) error {
	if _, err := io.CopyN(to, r, m.size); err != nil {
		return fmt.Errorf("taking %q out: %w", m.name, unexpected(err))
	}
	padding := make([]byte, (blockSize-m.size%blockSize)%blockSize)
	if _, err := io.ReadFull(r, padding); err != nil {
		return fmt.Errorf("taking %q out: %w", m.name, unexpected(err))
	}
	if !isZero(padding) {
		return fmt.Errorf("there are bytes hidden behind %q", m.name)
	}
	return nil
}

// readEnd reads what follows the first block of zeros: at least one more, and nothing but zeros up to the end.
func readEnd(r io.Reader) error {
	rest, err := io.ReadAll(io.LimitReader(r, maxZeros+1))
	switch {
	case err != nil:
		return err
	case !isZero(rest):
		return errors.New("there are bytes behind the last member")
	case len(rest) > maxZeros:
		return fmt.Errorf("more than %d zeros at its end", maxZeros)
	case len(rest) < blockSize || len(rest)%blockSize != 0:
		return errors.New("its end is cut")
	}
	return nil
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// unexpected is the error of a reader that ended too soon.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

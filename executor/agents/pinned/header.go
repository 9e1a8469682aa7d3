package pinned

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// blockSize is what a tar archive is made of.
const blockSize = 512

// member is what one header says.
type member struct {
	name string
	mode int64
	size int64 // bytes
}

// parseHeader reads one header block of the POSIX ustar format, and refuses whatever npm does not write. archive/tar was
// rejected for this: it follows PAX records and GNU long names before one sees the name, takes base-256 numbers and signed
// checksums, and reads over what it does not know, so that what it shows need not be what another reader would unpack.
func parseHeader(h []byte) (member, error) {
	if err := checkSum(h); err != nil {
		return member{}, err
	}
	if magic := h[257:265]; string(magic) != "ustar\x0000" {
		return member{}, fmt.Errorf("a header in another format than ustar (%q)", magic)
	}
	name, err := headerName(h)
	if err != nil {
		return member{}, err
	}
	if kind := h[156]; kind != '0' {
		return member{}, fmt.Errorf("%s is %s, and only regular files are admitted", quoted(name), kindName(kind))
	}
	for _, f := range []struct {
		what     string
		from, to int
	}{{"a link target", 157, 257}, {"bytes after its header", 500, blockSize}} {
		if len(bytes.Trim(h[f.from:f.to], "\x00")) > 0 {
			return member{}, fmt.Errorf("%s has %s", quoted(name), f.what)
		}
	}
	return headerNumbers(h, name)
}

// headerNumbers reads the numbers that matter, and checks the form of those that do not: a value which another reader takes
// for something else has no place in any field.
func headerNumbers(h []byte, name string) (member, error) {
	m := member{name: name}
	var ignored int64
	for _, f := range []struct {
		what     string
		from, to int
		blank    bool // may be left empty
		into     *int64
	}{
		{"mode", 100, 108, false, &m.mode}, {"size", 124, 136, false, &m.size}, {"time", 136, 148, true, &ignored},
		{"owner", 108, 116, true, &ignored}, {"group", 116, 124, true, &ignored},
	} {
		n, err := octal(h[f.from:f.to], f.blank)
		if err != nil {
			return m, fmt.Errorf("the %s of %s: %w", f.what, quoted(name), err)
		}
		*f.into = n
	}
	for _, at := range []int{329, 337} {
		if n, err := octal(h[at:at+8], true); err != nil || n != 0 {
			return m, fmt.Errorf("%s has a device number", quoted(name))
		}
	}
	return m, nil
}

func checkSum(h []byte) error {
	want, err := octal(h[148:156], false)
	if err != nil {
		return fmt.Errorf("the checksum of a header: %w", err)
	}
	var sum int64
	for i, b := range h {
		if i >= 148 && i < 156 {
			b = ' '
		}
		sum += int64(b)
	}
	if sum != want {
		return fmt.Errorf("a header's checksum is wrong (%d, and it says %d)", sum, want)
	}
	return nil
}

// headerName joins prefix and name. What stands behind the NUL of a name is hidden from most readers, so there may be nothing.
func headerName(h []byte) (string, error) {
	var parts []string
	for _, field := range [][]byte{h[345:500], h[:100]} {
		part, rest, _ := bytes.Cut(field, []byte{0})
		if len(bytes.Trim(rest, "\x00")) > 0 {
			return "", fmt.Errorf("the name %s goes on behind its end", quoted(string(part)))
		}
		if len(part) > 0 {
			parts = append(parts, string(part))
		}
	}
	return strings.Join(parts, "/"), nil
}

// octal reads a number of a header: digits, then only spaces and NULs. A sign, base-256 and digits behind the end are
// refused.
func octal(field []byte, blank bool) (int64, error) {
	text := string(bytes.TrimRight(field, " \x00"))
	if text == "" && blank {
		return 0, nil
	}
	if text == "" || strings.Trim(text, "01234567") != "" {
		return 0, fmt.Errorf("%q is no octal number", field)
	}
	n, err := strconv.ParseInt(text, 8, 63)
	if err != nil {
		return 0, errors.New("a number that is too large")
	}
	return n, nil
}

func kindName(kind byte) string {
	names := map[byte]string{0: "a file of the old format", '1': "a hard link", '2': "a symbolic link", '3': "a character device",
		'4': "a block device", '5': "a directory", '6': "a FIFO", '7': "a reserved kind", 'x': "a PAX override", 'g': "a global PAX override",
		'L': "a GNU long name", 'K': "a GNU long link", 'S': "a sparse file", 'X': "a PAX override of Solaris", 'V': "a volume label"}
	if name, ok := names[kind]; ok {
		return name
	}
	return fmt.Sprintf("of the unknown kind %q", kind)
}

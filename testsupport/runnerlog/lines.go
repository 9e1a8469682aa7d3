package runnerlog

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// lines are what StreamReader.ReadLine makes of a stream (ProcessInvoker.StartReadStream): a line ends at LF, CR or both, of
// whatever length it is; a last one need not end; bytes that are no UTF-8 are U+FFFD; a mark of the byte order counts at the
// very beginning, and may say that all is UTF-16. NEL, U+2028, U+2029, VT and FF end no line there; to the cautious they do,
// since pages and shells take them for ends.
func lines(stream []byte, cautious bool) []string {
	text := decode(stream)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	if cautious {
		text = strings.NewReplacer("\u0085", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n").Replace(text)
	}
	all := strings.Split(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

func decode(stream []byte) string {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(stream, []byte("\xEF\xBB\xBF")):
		stream = stream[3:]
	case bytes.HasPrefix(stream, []byte("\xFF\xFE")):
		order = binary.LittleEndian
	case bytes.HasPrefix(stream, []byte("\xFE\xFF")):
		order = binary.BigEndian
	}
	if order == nil {
		return strings.ToValidUTF8(string(stream), "\uFFFD")
	}
	var units []uint16
	for i := 2; i+1 < len(stream); i += 2 {
		units = append(units, order.Uint16(stream[i:]))
	}
	return string(utf16.Decode(units))
}

package fakegithub

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// update is what a push asks of one reference; an id that is "" says that there is none.
type update struct{ old, new, ref string }

// noObject stands in the protocol for an object that is not there.
var noObject = strings.Repeat("0", 40)

// updates reads the commands at the beginning of a push, and what follows them: a pack, or nothing when all are deletions.
func updates(body []byte) (all []update, pack []byte, err error) {
	for {
		line, rest, err := packet(body)
		if err != nil {
			return nil, nil, err
		}
		if body = rest; line == nil {
			return all, body, nil
		}
		command, _, _ := bytes.Cut(line, []byte{0}) // the first is followed by what the client can do
		f := strings.Fields(string(command))
		switch {
		case len(f) == 2 && f[0] == "shallow": // where the client's history ends, which says nothing of the server's
		case len(f) == 3:
			all = append(all, update{present40(f[0]), present40(f[1]), f[2]})
		default:
			return nil, nil, fmt.Errorf("%.100q is no command of a push", line)
		}
	}
}

func present40(oid string) string {
	if oid == noObject {
		return ""
	}
	return oid
}

// packet reads one pkt-line; nil: the end of a list.
func packet(data []byte) (line, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errors.New("a push ends within its commands")
	}
	n, err := strconv.ParseUint(string(data[:4]), 16, 16)
	switch {
	case err != nil || n > uint64(len(data)) || n > 0 && n < 4:
		return nil, nil, fmt.Errorf("%.20q begins no pkt-line", data)
	case n == 0:
		return nil, data[4:], nil
	}
	return data[4:n], data[n:], nil
}

func pkt(data string) string { return fmt.Sprintf("%04x%s", len(data)+4, data) }

// refusal is how GitHub refuses a push: what git shows after "remote:", and the word behind "remote rejected".
type refusal struct{ says, reason string }

// write answers a push of which nothing is taken, in the way of report-status over side-band-64k, which git always asks for.
func (f *refusal) write(w http.ResponseWriter, all []update) {
	report := pkt("unpack ok\n")
	for _, u := range all {
		report += pkt("ng " + u.ref + " " + f.reason + "\n")
	}
	var b strings.Builder
	if f.says != "" {
		b.WriteString(pkt("\x02" + f.says))
	}
	b.WriteString(pkt("\x01"+report+"0000") + "0000")
	w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write([]byte(b.String())) // a client that is gone needs no answer
}

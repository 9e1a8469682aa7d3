package doctor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const minSecret = 8 // bytes; anything shorter is found everywhere

// shapes are what keys look like, whoever they belong to. The base64 ones are "-----BEGIN " and "x-access-token:".
var shapes = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----|LS0tLS1CRUdJTi`), "a private key"},
	{regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20}|\bgithub_pat_[A-Za-z0-9_]{20}|eC1hY2Nlc3MtdG9rZW46`), "a token of GitHub's"},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.`), "a signed token (JWT)"},
	{regexp.MustCompile(`\bsk-(ant-|proj-)?[A-Za-z0-9_-]{32}|\bAKIA[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_-]{35}`), "a key of a provider's"},
}

// seeker finds secrets in text.
type seeker [][]byte

// seek prepares known secrets in the forms in which they are handed around: as they are, in base64 and in hex. Of a text of
// several lines each line is one, since a key in a variable often has other line ends.
func seek(secrets []string) (s seeker) {
	for _, secret := range secrets {
		parts := []string{strings.TrimSpace(secret)}
		if lines := strings.Fields(strings.ReplaceAll(secret, `\n`, "\n")); len(lines) > 1 {
			for _, l := range lines {
				if len(l) >= 24 && !strings.HasPrefix(l, "-----") {
					parts = append(parts, l)
				}
			}
		}
		for _, p := range parts {
			if len(p) >= minSecret {
				s = append(s, forms(p)...)
			}
		}
	}
	return s
}

func forms(secret string) [][]byte {
	list := [][]byte{[]byte(secret), []byte(hex.EncodeToString([]byte(secret))), []byte(strings.ToUpper(hex.EncodeToString([]byte(secret))))}
	// In base64 a text looks different by where it stands in the whole. What is the same whatever stands around it is in the
	// middle.
	for before := range 3 {
		text := append(make([]byte, before), secret...)
		whole := len(text) / 3 * 3
		from := (before*8 + 5) / 6
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			list = append(list, []byte(e.EncodeToString(text[:whole])[from:]))
		}
	}
	return list
}

// in says what text holds, "" for nothing. It never tells the value.
func (s seeker) in(text []byte) string {
	if own := s.own(text); own != "" {
		return own
	}
	for _, shape := range shapes {
		if shape.form.Match(text) {
			return shape.name
		}
	}
	return ""
}

// own says whether text holds a secret of ours, "" when it does not.
func (s seeker) own(text []byte) string {
	for _, n := range s {
		if bytes.Contains(text, n) {
			return "a known secret"
		}
	}
	return ""
}

// scanParts is in how many answers the processes of a host come, since one answer is bounded.
const scanParts = 8

func judgeScan(h host, _ []attempt, got []outcome) verdict {
	holds := seek(h.Secrets).in
	if h.Short { // somebody else's key in the arguments of some process is no reason to stop a run
		holds = seek(h.Secrets).own
	}
	var found []string
	looked, cut := 0, false
	for _, o := range got {
		if !o.Done {
			return unknown("the processes could not be listed: "+o.Error, "")
		}
		var list []ran
		if err := json.Unmarshal(o.Data, &list); err != nil {
			return unknown("the list of processes cannot be read", "")
		}
		for _, p := range list {
			found = append(found, p.shows(holds)...)
		}
		looked, cut = looked+len(list), cut || o.Cut
	}
	switch {
	case len(found) > 0:
		return fail(strings.Join(found[:min(len(found), 5)], "; "),
			"end these processes, make the key or token a new one, and hand it over by a file or by standard input; arguments are open to all (or mount /proc with hidepid=2)")
	case cut:
		return unknown("the processes of this host have more arguments than could be looked through", "")
	}
	return pass(fmt.Sprintf("%d processes show arguments or an environment, and no secret in them", looked))
}

// shows says which secrets a process shows.
func (p ran) shows(holds func([]byte) string) (found []string) {
	if what := holds(p.Environ); what != "" {
		found = append(found, fmt.Sprintf("%s in the environment of process %d (%.40q)", what, p.PID, p.Name))
	}
	if what := holds(p.Args); what != "" {
		found = append(found, fmt.Sprintf("%s in the arguments of process %d (%.40q)", what, p.PID, p.Name))
	}
	return found
}

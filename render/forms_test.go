package render

import (
	"strings"
	"testing"

	sing "github.com/d3mlabs/ai-flow/testsupport/canary"
)

// passes are the forms that are known to pass, and why each is let pass. Whoever can compute can always write one more form; the
// boundary keeps secrets away, this net catches what an agent does that only repeats what it read.
var passes = map[sing.Form]string{
	sing.Packed:      "compressed text has no form of its own: every packer writes another one",
	sing.Base64Twice: "each encoding of each encoding would have to be known, and a third one follows",
}

// TestForms: a secret in each of the forms is taken out of what is told, and refused in what is to be committed (S5), but for
// those that are known to pass.
func TestForms(t *testing.T) {
	for name, secret := range map[string]string{"token": "ghs_9f86d081884c7d659a2feaa0c55ad015a3bf", "key": "sk-ant-T0p/Secret+Value=x7Q9ZbLmWkRt",
		"password": "correct7horse9battery"} {
		var s Secrets
		s.Add(secret)
		var set sing.Set
		set.Add(name, secret)
		for _, form := range sing.Forms() {
			text := "before " + sing.Write(form, secret) + " after"
			redacted, shown := len(set.Find([]byte(s.Redact(Terminal(text))))) == 0, s.Shows(text)
			if _, known := passes[form]; redacted == known || shown == known {
				t.Errorf("%s as %s: redacted %v, refused %v; known to pass %v: %.100q", name, form, redacted, shown, known, s.Redact(Terminal(text)))
			}
		}
	}
}

// TestFormsLeave: text that only looks like one of the forms is left as it is.
func TestFormsLeave(t *testing.T) {
	var s Secrets
	for _, secret := range []string{"ghs_9f86d081884c7d659a2feaa0c55ad015a3bf", "postgres", "MIIEpAIBAAKCAQEA7vO3kPq9sX2mW0aB"} {
		s.Add(secret)
	}
	for _, text := range []string{`a \u00e9 \x41 \101 b`, "de ad be ef, ca:fe", "a b c d e f g h", "post gres", "POSTGRES", "cbfgterf", strings.Repeat("word ", 2000), "SGVsbG8gd29ybGQ="} {
		if got := s.Redact(text); got != text {
			t.Errorf("%.60q became %.60q", text, got)
		}
		if s.Shows(text) {
			t.Errorf("%.60q is taken for a secret", text)
		}
	}
}

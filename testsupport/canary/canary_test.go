package canary

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	token    = "ghs_9f86d081884c7d659a2feaa0c55ad015a3bf"
	key      = "sk-ant-T0p/Secret+Value=x7Q9ZbLmWkRt"
	password = "hunter22-hunt"
	pem      = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7vO3kPq9sX2mW0aBcDeFgHiJkLmNoPqRsTuVwXyZ012345678\n9abcdefABCDEFqwertzuiopasdfghjklyxcvbnmQWERTZUIOPASDFGHJKLYXCVBN\n-----END RSA PRIVATE KEY-----\n"
)

func set(t testing.TB) *Set {
	s := &Set{}
	for name, value := range map[string]string{"token": token, "key": key, "password": password, "pem": pem} {
		if !s.Add(name, value) {
			t.Fatalf("%s is not added", name)
		}
	}
	return s
}

// TestFind: what is written in any form is found, wherever it stands, and by its name.
func TestFind(t *testing.T) {
	s := set(t)
	for _, form := range Forms() {
		for name, value := range map[string]string{"token": token, "key": key, "pem": strings.Split(pem, "\n")[1]} {
			for _, around := range []string{"%", "before % after", "a\n\"x\": \"%\",\n", "> %\n> more", strings.Repeat("words of 100 lines ", 500) + "%x"} {
				text := strings.Replace(around, "%", Write(form, value), 1)
				found := false
				for _, h := range s.Find([]byte(text)) {
					found = found || h.Name == name
				}
				if !found {
					t.Errorf("%s of %s is not found in %.60q", form, name, text)
				}
			}
		}
	}
}

// TestFindShort: a short value is found whole in the usual forms.
func TestFindShort(t *testing.T) {
	s := set(t)
	for _, form := range []Form{Plain, Base64, Base64At1, Hex, HexColons, Reversed, Percent, JSON, UTF16LE, ROT13} {
		if len(s.Find([]byte("x "+Write(form, password)+" y"))) == 0 {
			t.Errorf("%s is not found", form)
		}
	}
}

// TestFindInside: forms in forms, as results carry them.
func TestFindInside(t *testing.T) {
	s := set(t)
	asJSON, err := json.Marshal(Write(JSON, key) + Write(Plain, `a"b\`+key))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"JSON in JSON":            string(asJSON),
		"escaped Markdown":        strings.NewReplacer("_", `\_`, "-", `\-`, "=", `\=`).Replace(token + key),
		"entities":                strings.ReplaceAll(key, "/", "&#x2F;"),
		"packed twice":            Write(Packed, Write(Packed, token)),
		"packed and wrapped":      strings.Join(chunks(Write(Packed, token), 16), "\n"),
		"packed and cut off":      Write(Packed, strings.Repeat(token+"\n", 400))[:120],
		"raw gzip":                "x" + string(pack([]byte(token))) + "y",
		"other hexadecimal":       "0x" + strings.Join(chunks(Write(Hex, token), 2), ", 0x"),
		"chunks with other words": token[:9] + " and then " + token[9:20] + ", </b> " + token[20:],
	} {
		if len(s.Find([]byte(text))) == 0 {
			t.Errorf("%s: nothing is found in %.80q", what, text)
		}
	}
}

// TestFindNothing: what is no secret is none.
func TestFindNothing(t *testing.T) {
	s := set(t)
	for _, text := range []string{"", token[:9], token[len(token)-8:], "-----BEGIN RSA PRIVATE KEY-----", "ghs_ sk-ant- hunter2", strings.Repeat("H4sIAAAAAAAA/", 9),
		strings.Repeat("0123456789abcdef", 999), strings.Repeat("ordinary text, of a run: 100% of it\n", 999), "ghs_‹masked›3bf", strings.Repeat("ghs_9", 50)} {
		if hits := s.Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%.40q: %v", text, hits)
		}
	}
	if (&Set{}).Add("x", "short\nlines\n-----BEGIN X-----") {
		t.Error("what cannot be told from chance is added")
	}
	if h := (Hit{"token", Hex, 3, "data"}).String(); strings.Contains(h, token[4:12]) || h != "token, hex, at 3 of the data" {
		t.Errorf("%q", h)
	}
}

// TestExpand: an agent's script is filled in where it runs, and stays JSON.
func TestExpand(t *testing.T) {
	env := func(name string) string { return map[string]string{"KEY": key, "PIN": "1234"}[name] }
	for _, form := range Forms() {
		text := Expand([]byte(`{"Say": "a `+Place(form, "KEY")+` b", "Think": "`+Place(form, "PIN")+Place(form, "NONE")+`"}`), env)
		var got struct{ Say, Think string }
		if err := json.Unmarshal(text, &got); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		want := "a " + Write(form, key) + " b"
		if got.Say != want || got.Think != "unsetunset" {
			t.Errorf("%s: %q, %q", form, got.Say, got.Think)
		}
	}
	if got := string(Expand([]byte("{{canary x}} {{session}} {{canary plain key}}"), env)); got != "{{canary x}} {{session}} {{canary plain key}}" {
		t.Errorf("%q", got)
	}
}

func BenchmarkFind(b *testing.B) {
	s := set(b)
	data := []byte(strings.Repeat("ordinary output of a build, line after line, with numbers 123456789\n", 15_000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		s.Find(data)
	}
}

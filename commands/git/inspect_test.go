package git

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

// pem makes what looks like a private key without being one: a scanner of this repository finds none here.
func pem(kind, end string, seed byte) string {
	body := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{seed, seed + 1, seed + 2}, 100))
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "PRIVATE " + "KEY-----" + end)
	for line := range slices.Chunk([]byte(body), 64) {
		b.WriteString(string(line) + end)
	}
	return b.String() + "-----END " + kind + "PRIVATE " + "KEY-----" + end
}

// put writes a file in the agent's tree, as the agent.
func (w *world) put(t testing.TB, name, text string) {
	t.Helper()
	if err := w.room.WriteFile(t.Context(), filepath.Join(w.tree.Dir(), name), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// S5, F-43: what must not leave is refused by the name of the file, in whatever form it is written, and never quoted.
func TestCheckRefusesSecrets(t *testing.T) {
	const secret = "s3cr3t-Value/of+the+run=0123456789"
	var known render.Secrets
	known.Add(secret)
	check := func(_ string, window []byte) string {
		if text := string(window); known.Redact(text) != text {
			return "holds a secret of the run"
		}
		return ""
	}
	reversed := []byte(secret)
	slices.Reverse(reversed)
	inside := func(at int, text string) string { return strings.Repeat("x", at) + text + strings.Repeat("y", 200_000) }
	cases := []struct{ name, text string }{
		{"plain", "key = " + secret + "\n"},
		{"base64", base64.StdEncoding.EncodeToString([]byte("prefix " + secret + " suffix"))},
		{"hex", hex.EncodeToString([]byte(secret))},
		{"reversed", string(reversed)},
		{"the last bytes", strings.Repeat("z", 3<<20) + secret},
		{"in a binary file", "\x00\xff" + secret + "\x00"},
	}
	for _, border := range []int{4 << 10, 32 << 10, 64 << 10, checkWindow, 2*checkWindow - CheckOverlap, 3*checkWindow - 2*CheckOverlap} {
		for _, before := range []int{1, 17, len(secret) - 1} {
			cases = append(cases, struct{ name, text string }{fmt.Sprintf("%d bytes before %d", before, border), inside(border-before, secret)})
		}
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		w := handOver(t, room, checkout(t, "echo a >a; echo '"+secret+"' >theirs; cp theirs moved"))
		for _, c := range cases {
			w.put(t, "new/file", c.text)
			taken := w.take(t, Limits{Check: check})
			if got := show(taken); got != `refused "new/file": holds a secret of the run` || taken.Tree != "" {
				t.Errorf("%s: %.300q", c.name, got)
			}
		}
		// What the base has is the repository's own, under whatever name; what is fine comes back.
		w.agent(t, "rm -r new; mv theirs renamed; chmod +x moved; ln -s a link")
		w.put(t, "fine", strings.Repeat("no secret ", 50_000))
		if taken := w.take(t, Limits{Check: check}); len(taken.Refused) > 0 || len(taken.Changes) != 5 {
			t.Errorf("%s", show(taken))
		}
		// The same contents twice are refused twice; a link and a name may hold a secret too, and the name is not shown.
		w.put(t, "one", secret)
		w.agent(t, "cp one two; ln -s '"+strings.ReplaceAll(secret, "/", "_")+"' out; mkdir d; touch 'd/"+strings.ReplaceAll(secret, "/", "_")+"'")
		got := show(w.take(t, Limits{Check: check}))
		if got != `refused "": the name of a new file holds a secret of the run` || strings.Contains(got, secret[:12]) {
			t.Errorf("got %q", got)
		}
		w.agent(t, "rm -r d")
		want := `refused "one": holds a secret of the run, refused "out": holds a secret of the run, refused "two": holds a secret of the run`
		if got := show(w.take(t, Limits{Check: check})); got != want {
			t.Errorf("got %q", got)
		}
	})
}

// The check sees all bytes, in windows that overlap, however long the contents are, and holds no more than one of them.
func TestCheckSeesEverythingOnce(t *testing.T) {
	w := handOver(t, sameUser(t), checkout(t, "echo a >a"))
	const size = 60 << 20
	w.agent(t, fmt.Sprintf(`seq 1 9000000 | head -c %d >big; printf END >>big; cp big again`, size))
	want, err := os.ReadFile(filepath.Join(w.tree.Dir(), "big"))
	if err != nil {
		t.Fatal(err)
	}
	var at, windows int
	taken := w.take(t, Limits{Check: func(path string, window []byte) string {
		if path == string(window) {
			return ""
		}
		windows++
		from := max(0, at-CheckOverlap)
		if len(window) > checkWindow || from+len(window) > len(want) || !bytes.Equal(window, want[from:from+len(window)]) {
			t.Fatalf("window %d of %d bytes is not what stands at %d", windows, len(window), from)
		}
		at = from + len(window)
		return ""
	}})
	if at != len(want) || len(taken.Changes) != 2 {
		t.Errorf("saw %d of %d bytes in %d windows; %s", at, len(want), windows, show(taken))
	}
	taken = w.take(t, Limits{Check: func(_ string, window []byte) string {
		if bytes.HasSuffix(window, []byte("END")) {
			return "ends"
		}
		return ""
	}})
	if got := show(taken); got != `refused "again": ends, refused "big": ends` {
		t.Errorf("got %q", got)
	}
}

// F-43: private keys of the agent's are refused without being asked for; those of the repository are its own.
func TestPrivateKeysAreRefused(t *testing.T) {
	const refused = "holds a private key that was not there before"
	rsa := pem("RSA ", "\n", 'a')
	for name, text := range map[string]string{
		"plain": rsa, "PKCS 8": pem("", "\n", 'b'), "OpenSSH": pem("OPENSSH ", "\r\n", 'c'), "one line": "key: \"" + pem("EC ", `\n`, 'd') + "\"",
		"indented": "a: |\n    " + strings.ReplaceAll(rsa, "\n", "\n    "), "encrypted": strings.Replace(rsa, "-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n", 1),
		"in source": `k := "` + strings.ReplaceAll(pem("", "\n", 'e'), "\n", "\\n\" +\n\t\t\""), "late": strings.Repeat("x", checkWindow-500) + rsa, "at the border": strings.Repeat("x", checkWindow-30) + rsa,
		"at the very end": strings.Repeat("x", 100_000) + rsa[:len(rsa)/2],
	} {
		w := handOver(t, sameUser(t), checkout(t, "echo a >a; echo b >f"))
		w.put(t, "f", text)
		if got := show(w.take(t, Limits{})); got != `refused "f": `+refused {
			t.Errorf("%s: %.300q", name, got)
		}
	}
	dir := checkout(t, "echo a >a")
	if err := os.WriteFile(filepath.Join(dir, "test.key"), []byte(rsa+"one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sh(t, dir, "git add -A; git commit -qm key")
	for name, c := range map[string]struct{ script, text, want string }{
		"a line beside it":        {"", rsa + "two\n", "M 100644"},
		"it goes away":            {"", "none\n", "M 100644"},
		"it moves":                {"mv test.key moved.key", "", `A 100644 473 +10 -0 moved.key, D`},
		"another takes its place": {"", pem("RSA ", "\n", 'z'), `refused "test.key": ` + refused},
		"another beside it":       {"", rsa + pem("RSA ", "\n", 'z'), `refused "test.key": ` + refused},
		"the frame alone":         {"", "if strings.HasPrefix(s, \"-----BEGIN RSA PRIVATE " + "KEY-----\") {\n\treturn ErrEncryptedPrivateKeysAreNotSupportedHereAtAll\n", "M 100644"},
		"a public key":            {"", strings.ReplaceAll(rsa, "PRIVATE", "PUBLIC"), "M 100644"},
	} {
		w := handOver(t, sameUser(t), dir)
		if c.text != "" {
			w.put(t, "test.key", c.text)
			w.agent(t, "chmod 644 test.key")
		}
		w.agent(t, c.script+"\n:")
		if got := show(w.take(t, Limits{})); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.300q", name, got)
		}
	}
}

// BenchmarkTakeBack60MB is what the check costs: run with -bench TakeBack60MB -benchtime 3x.
func BenchmarkTakeBack60MB(b *testing.B) {
	w := handOver(b, sameUser(b), checkout(b, "echo a >a"))
	w.agent(b, `seq 1 9000000 | head -c 60000000 >big`)
	var known render.Secrets
	known.Add("s3cr3t-Value/of+the+run=0123456789")
	for name, check := range map[string]func(string, []byte) string{"unchecked": nil, "render": func(_ string, window []byte) string {
		if text := string(window); known.Redact(text) != text {
			return "holds a secret"
		}
		return ""
	}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(60_000_000)
			for b.Loop() {
				if taken := w.take(b, Limits{Check: check}); len(taken.Changes) != 1 {
					b.Fatal(show(taken))
				}
			}
		})
	}
}

// FuzzInspector: what is found does not depend on how the contents were cut.
func FuzzInspector(f *testing.F) {
	f.Add([]byte(pem("RSA ", "\n", 'a')), uint32(checkWindow-100), uint16(1000))
	f.Add([]byte("-----BEGIN "+pem("", `\n`, 'b')), uint32(checkWindow-keyReach), uint16(1))
	f.Fuzz(func(t *testing.T, text []byte, before uint32, cut uint16) {
		contents := append(bytes.Repeat([]byte{'\n'}, int(before%(3*checkWindow))), text...)
		if len(text) > checkWindow/2 {
			return
		}
		in, v := inspect("f", nil)
		for piece := range slices.Chunk(contents, int(cut)+1) {
			in.Write(piece)
		}
		in.end()
		whole := map[key]bool{}
		findKeys(contents, true, whole)
		if len(whole) != len(v.keys) {
			t.Errorf("%d keys in the whole, %d in pieces", len(whole), len(v.keys))
		}
	})
}

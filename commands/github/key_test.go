package github

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v4"
)

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// Keys are read as GitHub gives them and as people paste them.
func TestParseKey(t *testing.T) {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(testKey())
	if err != nil {
		t.Fatal(err)
	}
	one, eight := string(testPEM()), pemOf("PRIVATE KEY", pkcs8)
	for name, text := range map[string]string{
		"PKCS #1": one, "PKCS #8": eight, "CRLF": strings.ReplaceAll(one, "\n", "\r\n"), "white space": "\n  " + one + "\n\n",
		"one line":          strings.ReplaceAll(one, "\n", `\n`),
		"one line, PKCS #8": strings.ReplaceAll(eight, "\n", `\n`),
		"one line, CRLF":    strings.ReplaceAll(one, "\n", `\r\n`),
		"quoted":            `"` + strings.ReplaceAll(strings.TrimSpace(one), "\n", `\n`) + `"`,
		"no last line end":  strings.TrimSpace(one),
	} {
		if key, err := parseKey([]byte(text)); err != nil || !key.Equal(testKey()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is no key is refused with the next step and without a byte of it.
func TestParseKeyRefuses(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecDER, err := x509.MarshalPKCS8PrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	one := string(testPEM())
	lines := strings.Split(one, "\n")
	for name, test := range map[string]struct{ text, want string }{
		"cut":        {one[:len(one)/2], "no PEM"},
		"a password": {"correct horse battery staple", "no PEM"},
		"base64":     {strings.Join(lines[1:len(lines)-2], ""), "no PEM"},
		"a path":     {"/home/ann/app.private-key.pem", "no PEM"},
		"lines lost": {strings.ReplaceAll(one, "\n", " "), "no PEM"},
		"encrypted":  {pemOf("ENCRYPTED PRIVATE KEY", []byte("correct horse battery staple")), "encrypted"},
		"public":     {pemOf("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&testKey().PublicKey)), "something else"},
		"elliptic":   {pemOf("PRIVATE KEY", ecDER), "cannot be read as an RSA key"},
		"damaged":    {pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(testKey())[:700]), "cannot be read as an RSA key"},
		"nothing":    {pemOf("PRIVATE KEY", nil), "cannot be read as an RSA key"},
	} {
		_, err := parseKey([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := 0; i+8 <= len(test.text); i++ {
			if part := test.text[i : i+8]; !strings.Contains("PRIVATE KEY RSA private key -----BEGIN", part) && strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error holds %q: %v", name, part, err)
			}
		}
	}
}

func TestSignerRefusesOtherClaims(t *testing.T) {
	if _, err := newSigner(testKey(), nil, nil).Sign(jwt.MapClaims{}); err == nil {
		t.Error("signed claims whose times it cannot set")
	}
}

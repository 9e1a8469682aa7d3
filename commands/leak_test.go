package commands

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

// S5: whatever the form of a secret, the text that holds it is named, and nothing of it is said.
func TestLeaked(t *testing.T) {
	const secret = "ghs_Can4ry/Can4ry+Can4ry=Can4ry01"
	reversed := []byte(secret)
	slices.Reverse(reversed)
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 2) + "-----END RSA " + "PRIVATE KEY-----"
	for name, text := range map[string]string{
		"as it is":                  secret,
		"within a sentence":         "use " + secret + ", please",
		"half of it":                secret[:len(secret)/2],
		"its end":                   secret[len(secret)/2:],
		"reversed":                  string(reversed),
		"URL-encoded":               url.QueryEscape(secret),
		"path-encoded":              url.PathEscape(secret),
		"hex":                       hex.EncodeToString([]byte(secret)),
		"HEX":                       strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64":                    base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 at an offset":       base64.StdEncoding.EncodeToString([]byte("x" + secret + "y")),
		"base64 at another":         base64.StdEncoding.EncodeToString([]byte("xx" + secret)),
		"base64 for URLs":           base64.URLEncoding.EncodeToString([]byte("user:" + secret)),
		"over two lines":            secret[:10] + "\n" + secret[10:],
		"over quoted lines":         "> " + secret[:10] + "\n> " + secret[10:20] + "\r\n> " + secret[20:],
		"over many lines":           strings.Join(strings.Split(secret, ""), "\n"),
		"base64 over lines":         chunked(base64.StdEncoding.EncodeToString([]byte(secret)), 12),
		"parted by invisible signs": secret[:9] + "\u200b" + secret[9:20] + "\u202e" + secret[20:],
		"in references":             references(secret),
		"in emphasis":               "**" + secret[:7] + "**" + secret[7:],
		"a key":                     key,
		"a key in a quote":          "> " + strings.ReplaceAll(key, "\n", "\n> "),
		"a key on one line":         strings.ReplaceAll(key, "\n", `\n`),
		"a key of another kind":     strings.ReplaceAll(key, "RSA ", "OPENSSH "),
	} {
		for _, place := range []string{"the name of the branch", "the title of the pull request", "the message of the commit"} {
			r := &run{Flow: &Flow{Secrets: new(render.Secrets)}}
			r.Secrets.Add(secret)
			texts := map[string]string{"the description": "Retries are made with jitter.\n", place: "ai/7-retry " + text}
			if got := r.leaked(texts); got != place {
				t.Errorf("%s in %s: %q", name, place, got)
			}
			texts[place] = "ai/7-retry"
			if got := r.leaked(texts); got != "" {
				t.Errorf("%q leaks without a secret", got)
			}
		}
	}
}

func chunked(text string, size int) string {
	var lines []string
	for c := range slices.Chunk([]byte(text), size) {
		lines = append(lines, string(c))
	}
	return strings.Join(lines, "\n")
}

// Of several the first by name is told, however often it is asked. Keys are found by a run that knows no secret.
func TestLeakedOrder(t *testing.T) {
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 2)
	texts := map[string]string{"a": "fine", "b": key, "c": key, "d": key}
	for range 20 {
		if got := (&run{Flow: &Flow{}}).leaked(texts); got != "b" {
			t.Fatalf("%q", got)
		}
	}
	for _, harmless := range []string{"", "-----BEGIN " + "PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----\n" + strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 2)} {
		if got := (&run{Flow: &Flow{}}).leaked(map[string]string{"a": harmless}); got != "" {
			t.Errorf("%q leaks", harmless)
		}
	}
}

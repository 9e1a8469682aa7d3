package render

import (
	"bytes"
	"strings"
	"testing"
)

// S5: what is to be committed is searched for every known form, whole or cut to half, in windows that overlap.
func TestContains(t *testing.T) {
	for _, secret := range []string{canary, "p4ss/w0rd+x?=&%1é", "sk-ant-" + strings.Repeat("Zx9", 30)} {
		var s Secrets
		s.Add(secret)
		for way, text := range ways(secret) {
			if !s.Contains([]byte("before " + text + " after")) {
				t.Errorf("%s of %q is not found", way, secret)
			}
		}
		for i := range len(secret) / 2 {
			part := secret[i : i+part(len(secret))]
			if !s.Contains([]byte(part)) {
				t.Errorf("the part %q is not found", part)
			}
			window := bytes.Repeat([]byte("x"), 200)
			copy(window[100-i:], secret)
			if !s.Contains(window[:100]) && !s.Contains(window[100-63:]) {
				t.Errorf("cut at %d the secret is in neither window", i)
			}
		}
	}
}

// A file is not refused for a few letters in common with a secret, nor for the frame of a key, which is public.
func TestContainsLeaves(t *testing.T) {
	var none *Secrets
	if none.Contains([]byte(canary)) || none.Redact(canary) != canary {
		t.Error("nil knows a secret")
	}
	var s Secrets
	for _, secret := range []string{"password12", "12345678901234567890", "https://user:hunter22@db.example.com/main", "128000", "2026-11-30", "osxkeychain", "abc-12", "-----BEGIN CERTIFICATE-----\nMIIBAAAABBBBCCCC\n-----END CERTIFICATE-----"} {
		s.Add(secret)
	}
	for _, text := range []string{"", "x", "passwo", "assword12", "a password1", "https://user", "max_tokens: 128000", "since 2026-11-30", "helper = osxkeychain", "abc-12", ".example.com/main", "-----BEGIN CERTIFICATE-----"} {
		if s.Contains([]byte(text)) {
			t.Errorf("%q is taken for a secret", text)
		}
	}
	for _, text := range []string{"my password12.", "user:hunter22@db.example", "MIIBAAAABBBBCCCC", "12345678901234567890"} {
		if !s.Contains([]byte(text)) {
			t.Errorf("%q is not taken for a secret", text)
		}
	}
}

func FuzzContains(f *testing.F) {
	f.Add("a", "b")
	f.Fuzz(func(t *testing.T, before, after string) {
		var s Secrets
		s.Add(canary)
		if !s.Contains([]byte(before + canary + after)) {
			t.Fatalf("not found between %q and %q", before, after)
		}
		if got := s.Redact(before + canary + after); s.Contains([]byte(got)) {
			t.Fatalf("passed: %q", got)
		}
	})
}

func BenchmarkContains(b *testing.B) {
	var s Secrets
	for _, end := range []string{"a1", "b2", "c3", "d4", "e5"} {
		s.Add(end + canary + end)
	}
	in := []byte(strings.Repeat("ordinary output of a build, line after line, with numbers 123456789\n", 10_000))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		s.Contains(in)
	}
}

package agents_test

import (
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
)

func bodies(m *loopback.Server) (all []string) {
	for _, r := range m.Requests() {
		all = append(all, string(r.Body))
	}
	return all
}

// decoded is the longest base64 text in s, decoded: what a command printed so that nobody's redaction touched it.
func decoded(s string) string {
	longest := ""
	for _, m := range regexp.MustCompile(`[A-Za-z0-9+/]{40,}`).FindAllString(s, -1) {
		if len(m) > len(longest) {
			longest = m
		}
	}
	longest = longest[:len(longest)/4*4]
	raw, err := base64.StdEncoding.DecodeString(strings.TrimRight(longest, "="))
	if err != nil {
		return "undecodable: " + err.Error()
	}
	return string(raw)
}

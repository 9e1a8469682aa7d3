package runnerlog

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// masks hide values in the log, and the forms in which they often stand (HostContext.Initialize, ValueEncoders). The forms for
// the command lines of Windows and PowerShell are left out.
type masks struct{ values []string }

func (m *masks) add(value string) {
	if value == "" {
		return
	}
	raw := []byte(value)
	all := []string{value, strings.ReplaceAll(value, "'", "''"), url.QueryEscape(value), jsonEscaped(value), strings.Trim(value, `"`),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(value)}
	for shift := range 3 {
		if len(raw) > shift {
			all = append(all, base64.StdEncoding.EncodeToString(raw[shift:]))
		}
	}
	for _, form := range all {
		if form != "" && !slices.Contains(m.values, form) {
			m.values = append(m.values, form)
		}
	}
	slices.SortStableFunc(m.values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

func jsonEscaped(value string) string {
	quoted, err := json.Marshal(value)
	if err != nil {
		panic(err) // a string always can
	}
	return string(quoted[1 : len(quoted)-1])
}

// hide puts "***" in the place of every value (SecretMasker.MaskSecrets).
func (m *masks) hide(text string) string {
	for _, v := range m.values {
		text = strings.ReplaceAll(text, v, "***")
	}
	return text
}

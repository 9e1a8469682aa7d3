package permission

import (
	"slices"
	"strings"
)

// Option is one offered answer. Kind values are the protocol's (allow_once, allow_always, reject_once, reject_always);
// others are never selected (H5-05).
type Option struct{ ID, Name, Kind string }

// allowOnce finds the request's one-time allow by its kind, wherever it stands (A1-26), or says why there is none.
//
// Two options of that kind are told apart by what they add to the plain answer: Qwen offers proceed_once beside
// proceed_once_and_switch_to_default (agents.md point 18). An id that announces a lasting effect is never selected, kind
// or not; a name that does is only passed over, because names quote commands. Two plain ones are the answers of a
// question in disguise (A1-20), and taking the first would be answering it. An id that an option of another kind has too
// says nothing: which of the two is taken by it is the agent's choice.
func allowOnce(options []Option) (id, why string) {
	var plain, wordy []string
	for _, o := range options {
		if o.Kind != "allow_once" || o.ID == "" || lasting(o.ID) || shared(o, options) {
			continue
		}
		if lasting(o.Name) {
			wordy = appendNew(wordy, o.ID)
		} else {
			plain = appendNew(plain, o.ID)
		}
	}
	if len(plain) == 0 {
		plain = wordy
	}
	switch len(plain) {
	case 0:
		return "", "no plain one-time allow was offered"
	case 1:
		return plain[0], ""
	}
	return "", "several one-time allows were offered, which is a question"
}

// shared reports whether an option of another kind has the same id.
func shared(o Option, options []Option) bool {
	return slices.ContainsFunc(options, func(other Option) bool { return other.ID == o.ID && other.Kind != o.Kind })
}

// lasting reports whether an option's id or name speaks of more than this one request.
func lasting(text string) bool {
	text = strings.ToLower(text)
	for _, word := range [...]string{
		"switch", "always", "session", "ask again", "remember", "permanent", "persist", "forever", "bypass", "yolo",
		"autopilot", "mode", "don't ask", "dont_ask", "dontask", "accept edits", "acceptedits", "accept_edits", "accept-edits", "auto-a", "auto_a",
		"autoa", "allow_all", "allow-all", "allow all", "approve_all", "approve-all", "approve all", "allowlist", "whitelist", "amendment",
	} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// rejectOnce finds a one-time refusal, the gentler when there are several: declining one action keeps the turn alive
// where cancelling may end it (H5-04).
func rejectOnce(options []Option) (id string, ok bool) {
	for _, o := range options {
		if o.Kind != "reject_once" || o.ID == "" || shared(o, options) {
			continue
		}
		if !harsh(o) {
			return o.ID, true
		}
		if !ok {
			id, ok = o.ID, true
		}
	}
	return id, ok
}

func harsh(o Option) bool {
	text := strings.ToLower(o.ID + " " + o.Name)
	for _, word := range [...]string{"cancel", "abort", "stop", "interrupt", "quit", "exit"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

package acpclient

import (
	"math"
	"strconv"
	"strings"
)

// exitCode finds the exit code of a call in the places where agents put it, numbers before text, and says which place it
// was; nil when it is nowhere or null.
func (f fields) exitCode(outputs []Output) (code *int, at string) {
	for _, place := range []struct {
		name string
		val  value
	}{
		{"rawOutput.exit_code", f.output.get("exit_code")},
		{"rawOutput.exitCode", f.output.get("exitCode")},
		{"rawOutput.metadata.exit", f.output.at("metadata", "exit")},
		{"rawOutput.metadata.exit_code", f.output.at("metadata", "exit_code")},
		{"rawOutput.metadata.exitCode", f.output.at("metadata", "exitCode")},
		{"rawOutput.contents[].exitCode", f.shellExit()},
		{"_meta.terminal_exit.exit_code", f.meta.at("terminal_exit", "exit_code")},
		{"_meta.terminal_exit.exitCode", f.meta.at("terminal_exit", "exitCode")},
	} {
		if code := exitNumber(place.val); code != nil {
			return code, place.name
		}
	}
	failed := string(f.status) == `"failed"`
	for _, o := range outputs {
		if code := textExit(o.Text, failed); code != nil {
			return code, "text"
		}
	}
	return nil, ""
}

// exitNumber is an exit code, nil for what cannot be one.
func exitNumber(v value) *int {
	n, ok := v.integer()
	if !ok || n < math.MinInt32 || n > math.MaxInt32 {
		return nil
	}
	code := int(n)
	return &code
}

// shellExit is the last contents[].exitCode of a rawOutput.
func (f fields) shellExit() (code value) {
	for e := f.output.get("contents").elements(); e.next(); {
		if v := e.val.get("exitCode"); v.said() {
			code = v
		}
	}
	return code
}

// textExit reads the two ways to put the code into the text itself: a last line "<shellId: 0 completed with exit code 1>",
// and, of a failed call only, since any command may print these words, a first line "Exit code 1".
func textExit(text string, failed bool) *int {
	text = strings.TrimSpace(text)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if rest, ok := strings.CutPrefix(last, "<shellId: "); ok {
		if _, number, ok := strings.Cut(rest, " completed with exit code "); ok {
			return atoi(strings.TrimSuffix(number, ">"))
		}
	}
	if rest, ok := strings.CutPrefix(text, "Exit code "); ok && failed {
		number, _, _ := strings.Cut(rest, "\n")
		return atoi(strings.TrimSpace(number))
	}
	return nil
}

func atoi(s string) *int {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return nil
	}
	code := int(n)
	return &code
}

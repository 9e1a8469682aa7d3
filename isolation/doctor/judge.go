package doctor

import (
	"encoding/json"
	"fmt"
	"strings"
)

func pass(why string) verdict         { return verdict{Pass, why, ""} }
func fail(why, fix string) verdict    { return verdict{Fail, why, fix} }
func unknown(why, fix string) verdict { return verdict{Unknown, why, fix} }

// refused reports whether the kernel said no. Nothing there is a no as well.
func (o outcome) refused() bool {
	switch o.Error {
	case "EACCES", "EPERM", "ENOENT", "ESRCH", "EROFS", "ENOTDIR", "ELOOP":
		return !o.Done
	}
	return false
}

// allRefused is the judge of most checks: each attempt has to be refused. Fix is for the attempts that came through.
func allRefused(fix func(h host, through []attempt) string) func(host, []attempt, []outcome) verdict {
	return func(h host, tries []attempt, got []outcome) verdict {
		var through []attempt
		var odd, left []string
		for i, o := range got {
			switch {
			case o.Done:
				through = append(through, tries[i])
				if tries[i].Deed == deedCreate {
					left = append(left, o.Names...)
				}
			case !o.refused():
				odd = append(odd, tries[i].String()+": "+o.Error)
			}
		}
		switch {
		case len(through) > 0:
			why := "the agent can " + listed(through)
			if len(left) > 0 {
				why += "; it could not remove what it made: " + excerpt(strings.Join(left, ", "))
			}
			return fail(why, fix(h, through))
		case len(odd) > 0:
			return unknown("neither done nor refused: "+strings.Join(odd[:min(len(odd), 3)], "; "), "")
		}
		return pass(fmt.Sprintf("%d attempts refused", len(got)))
	}
}

// listed names at most three.
func listed(tries []attempt) string {
	var names []string
	for _, a := range tries[:min(len(tries), 3)] {
		names = append(names, a.String())
	}
	text := strings.Join(names, ", ")
	if more := len(tries) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// field is a value of a status file of the kernel's: "Name:\tvalue".
func field(status, name string) string {
	for line := range strings.Lines(status) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// told reads what a process told of itself.
func told(o outcome) (s self, trouble string) {
	if !o.Done {
		return s, "it could not be asked: " + o.Error
	}
	if err := json.Unmarshal(o.Data, &s); err != nil {
		return s, "what it told of itself cannot be read"
	}
	return s, ""
}

// shellWord quotes text for a command line that a person copies.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=:,+@%", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

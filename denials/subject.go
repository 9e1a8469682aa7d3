package denials

import (
	"path"
	"strings"
)

// A frame is what a run's paths are told by.
type frame struct{ workspace, home string }

// locate returns how a path is shown and the key by which two spellings of it are the same. Dir is where a relative path
// starts, "" for the workspace.
func (f frame) locate(p, dir string) (shown, key string) {
	shown = strings.TrimPrefix(strings.TrimPrefix(p, "file://"), "unix://")
	abs := f.absolute(shown, dir)
	if abs == "" {
		return shown, "p:" + shown
	}
	if rel, ok := below(abs, f.workspace); ok {
		return rel, "p:" + abs
	}
	if len(shown) > 1 {
		shown = strings.TrimRight(shown, "/ ")
	}
	if shown == "" {
		shown = "/"
	}
	return shown, "p:" + abs
}

// absolute cleans p, and makes it absolute where what it is relative to is known.
func (f frame) absolute(p, dir string) string {
	for _, home := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(p, home); ok && f.home != "" {
			return path.Join(f.home, rest)
		}
	}
	if isAddress(p) {
		return p
	}
	if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "$") {
		if dir == "" || !strings.HasPrefix(dir, "/") {
			dir = path.Join(f.workspace, dir)
		}
		p = path.Join(dir, p)
	}
	return path.Clean(p)
}

// below returns p relative to dir.
func below(p, dir string) (string, bool) {
	if dir == "" || dir == "/" {
		return "", false
	}
	dir = path.Clean(dir)
	if p == dir {
		return ".", true
	}
	return strings.CutPrefix(p, dir+"/")
}

// ours reports whether a path is the agent's to change: relative without climbing, in the workspace, its home or /tmp.
func (f frame) ours(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return !strings.HasPrefix(p, "..")
	}
	for _, dir := range []string{f.workspace, f.home, "/tmp"} {
		if _, ok := below(path.Clean(p), dir); ok {
			return true
		}
	}
	return false
}

// spoken returns the keys of a subject in an agent's or a request's own words, and its kind. "read access to `/etc/x`" and
// "/etc/x (read)" are about /etc/x; one word may be a file's or a tool's name.
func (f frame) spoken(subject string) (shown string, keys []string, kind Kind) {
	bare := subject
	if open := strings.LastIndex(bare, " ("); open > 0 && strings.HasSuffix(bare, ")") {
		bare = bare[:open]
	}
	for _, verb := range accessWords {
		if len(bare) > len(verb) && equalFold(bare[:len(verb)], verb) {
			bare = bare[len(verb):]
		}
	}
	bare = strings.Trim(bare, "`'\" ")
	words := "w:" + strings.ToLower(subject)
	switch {
	case isPathStart(bare) || strings.Contains(bare, "/") && !strings.Contains(bare, " ") && !strings.Contains(bare, "://") || isAddress(bare):
		shown, key := f.locate(bare, "")
		if bare != subject {
			return subject, []string{key}, Access
		}
		return shown, []string{key}, Access
	case isWord(bare):
		_, key := f.locate(bare, "")
		return subject, []string{"t:" + bare, key, "w:" + strings.ToLower(bare)}, Capability
	}
	return subject, []string{words}, Capability
}

// accessWords may stand in front of a path in an agent's words; longer ones first.
var accessWords = []string{
	"permission to ", "read access to ", "write access to ", "read/write access to ", "access to ", "read from ", "write to ", "read ", "write ",
	"execute ", "access ", "edit ", "create ", "delete ", "reading ", "writing ", "open ",
}

package git

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxPath  = 4095 // bytes; Linux opens no longer one
	maxDepth = 128  // directories
	maxLink  = 4096 // bytes of a link's target
)

// pathProblem says why a path may not come back; "" is fine. Odd bytes are fine (H8-05).
func pathProblem(path string, link bool) string {
	parts := strings.Split(path, "/")
	switch {
	case len(path) > maxPath:
		return fmt.Sprintf("the path is longer than %d bytes", maxPath)
	case len(parts) > maxDepth:
		return fmt.Sprintf("the path is deeper than %d directories", maxDepth)
	}
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return "the path is not a plain one"
		}
		if likeDotGit(part) {
			return "a name that some systems take for .git"
		}
		if name := specialName(part); name != "" && (link || name != part) {
			return "a link or a disguise of " + name
		}
	}
	return ""
}

// likeDotGit reports whether some file system takes a name for .git: without regard to case; on NTFS also git~1, trailing
// dots and spaces, a stream after a colon, and what follows a backslash; on HFS+ with ignored code points anywhere.
func likeDotGit(name string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		if folded := fold(part); folded == ".git" || folded == "git~1" {
			return true
		}
	}
	return false
}

// specialName is the name of a file that git itself reads, which name is or is a disguise of.
func specialName(name string) string {
	folded := fold(name)
	for _, special := range [...]string{".gitmodules", ".gitattributes", ".gitignore", ".mailmap"} {
		if folded == special {
			return special
		}
	}
	// The short name that NTFS makes of .gitmodules.
	if short, ok := strings.CutPrefix(folded, "gitmod~"); ok && len(short) == 1 && short >= "1" && short <= "4" {
		return ".gitmodules"
	}
	if strings.HasPrefix(folded, "gi7eba~") {
		return ".gitmodules"
	}
	return ""
}

// fold is what all spellings have in common that some file system takes for the same name. Upper case comes first because
// two capitals have a second small letter (\u017f is an S as well), which APFS knows.
func fold(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(c rune) rune {
		if ignoredByHFS(c) {
			return -1
		}
		return c
	}, name)
	return strings.ToLower(strings.ToUpper(strings.TrimRight(name, ". ")))
}

// isAnyOf reports whether some file system takes path for one of paths, which are spelled plainly and in small letters.
func isAnyOf(paths []string, path string) bool {
	return len(paths) > 0 && slices.Contains(paths, foldPath(path))
}

// ignoredByHFS is the list in git's utf8.c.
func ignoredByHFS(c rune) bool {
	return c >= 0x200c && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x206a && c <= 0x206f || c == 0xfeff
}

// linkProblem says why a link may not come back. Its target is read as bytes, never followed. Ascending is allowed at the
// start only: what follows a name may be a link itself, and its parent is then anywhere (p/link/../x).
func linkProblem(path, target string) string {
	up, started := 0, false
	switch {
	case target == "" || len(target) > maxLink:
		return "a link without a proper target"
	case strings.HasPrefix(target, "/"):
		return "a link with an absolute target"
	}
	for part := range strings.SplitSeq(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && started:
			return "a link that descends and ascends again"
		case part == "..":
			up++
		case likeDotGit(part):
			return "a link into .git"
		default:
			started = true
		}
	}
	if up > strings.Count(path, "/") {
		return "a link out of the tree"
	}
	return ""
}

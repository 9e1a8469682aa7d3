package git

import (
	"maps"
	"strings"
)

// The parts by which a directory is a git directory: a HEAD, and either a pointer to where the rest is or the rest itself.
// git only asks whether it may enter objects and refs, so that links count, and on some systems files do. A configuration
// is not among them: it may be anywhere that commondir points to.
const (
	partObjects = 1 << iota
	partRefs
	partCommon
)

var bareParts = map[string]int{"objects": partObjects, "refs": partRefs, "commondir": partCommon}

// bareProblems refuses changes inside a directory that git takes for a bare repository: whoever steps into it after a
// checkout runs what its configuration says (experiment 8). The tree is the base's without what was removed and with what
// is there now; changed are the paths to be judged. Names are judged as the file systems that fold them would; what
// the base has counts as a part, so that the agent cannot bring along only the missing one. What links and commondir
// lead to is not looked at: a directory of that shape is refused for its shape.
func bareProblems(base map[string]entry, removed, now, changed []string) (refused []Refused) {
	final := make(map[string]entry, len(base)+len(now))
	maps.Copy(final, base)
	for _, path := range removed {
		delete(final, path)
	}
	for _, path := range now {
		final[path] = entry{}
	}
	has := gitDirectories(final)
	if len(has) == 0 {
		return nil
	}
	for _, path := range changed {
		for dir, ok := foldedDir(foldPath(path)); ok; dir, ok = foldedDir(dir) {
			if has[dir] {
				at := beginning(path, dir)
				refused = append(refused, Refused{at, "a directory that git takes for a bare repository"})
				break
			}
		}
	}
	return refused
}

// gitDirectories finds the directories, folded, that have the parts of a git directory.
func gitDirectories(final map[string]entry) map[string]bool {
	has := map[string]int{} // folded directory with a HEAD -> its other parts
	for path := range final {
		// git opens HEAD and reads it, so a directory of that name is none. Most trees have no HEAD at all, and no more to do.
		if fold(path[strings.LastIndexAny(path, `/\`)+1:]) == "head" {
			dir, _ := foldedDir(foldPath(path))
			has[dir] = 0
		}
	}
	if len(has) == 0 {
		return nil
	}
	for path := range final {
		at := foldPath(path)
		for dir, ok := foldedDir(at); ok; dir, ok = foldedDir(at) {
			if part := bareParts[strings.TrimPrefix(at[len(dir):], "/")]; part != 0 && isKey(has, dir) {
				has[dir] |= part
			}
			at = dir
		}
	}
	whole := map[string]bool{}
	for dir, parts := range has {
		if parts&partCommon != 0 || parts&partObjects != 0 && parts&partRefs != 0 {
			whole[dir] = true
		}
	}
	return whole
}

func isKey(m map[string]int, key string) bool {
	_, ok := m[key]
	return ok
}

// Fold is what all spellings of a path have in common that some file system takes for the same: case, characters that are not
// seen, dots and blanks at the end of a name. A backslash parts names too: on Windows it does.
func Fold(path string) string { return foldPath(path) }

func foldPath(path string) string {
	names := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	for i, name := range names {
		names[i] = fold(name)
	}
	return strings.Join(names, "/")
}

// foldedDir is the directory of a folded path, "" for the top, which is in none. It copies nothing: a hostile tree has many
// and deep paths.
func foldedDir(path string) (dir string, ok bool) {
	return path[:max(strings.LastIndexByte(path, '/'), 0)], path != ""
}

// beginning is as much of a path as there is in its folded directory.
func beginning(path, dir string) string {
	if dir == "" {
		return ""
	}
	end := 0
	for range strings.Count(dir, "/") + 1 {
		end += strings.IndexAny(path[end:], `/\`) + 1
	}
	return path[:end-1]
}

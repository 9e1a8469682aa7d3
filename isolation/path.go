package isolation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SharedPath is the part of a dispatcher's PATH that an agent user can use too: absolute directories that any user may
// enter and that only their owner may change, in order, each once, with the usual system directories at the end. Without
// it every toolchain outside of these (/usr/local/go/bin, a hosted runner's tool cache) would be reported as missing.
// Directories below a home that is closed fall out by themselves; a directory that anybody may write, or that does not
// exist, is left out.
func SharedPath(path string) string {
	var dirs []string
	for _, dir := range append(strings.Split(path, ":"), strings.Split(defaultPath, ":")...) {
		if !filepath.IsAbs(dir) || slices.Contains(dirs, filepath.Clean(dir)) {
			continue
		}
		if system := slices.Contains(strings.Split(defaultPath, ":"), dir); system || open(filepath.Clean(dir)) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return strings.Join(dirs, ":")
}

// open reports whether everybody may enter the directory, by whichever name it is reached, and nobody but owners may
// change what is in it.
func open(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for _, chain := range []string{dir, real} {
		for at := chain; ; at = filepath.Dir(at) {
			info, err := os.Stat(at)
			if err != nil || !info.IsDir() || info.Mode().Perm()&0o001 == 0 {
				return false
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	info, err := os.Stat(real)
	return err == nil && info.Mode().Perm()&0o002 == 0
}

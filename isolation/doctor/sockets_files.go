package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	maxSocketWalk  = 20_000 // entries looked at for sockets
	maxSocketDepth = 5      // directories below the place where a walk begins
)

// socketFiles are the sockets that lie in the file system, whoever listens: below run, on mount points, and where variables of the
// dispatcher's say that a container engine is. The kernel's list has only those of our own network namespace, and the socket of
// the engine outside that a container was given is of another one.
func socketFiles(run, mounts string, environ []string) (paths []string) {
	budget := maxSocketWalk
	// A walk that ends early leaves out what it did not come to; errors are directories that are closed to us.
	_ = filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if budget--; budget < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return nil
		case d.IsDir() && strings.Count(strings.TrimPrefix(path, run), "/") > maxSocketDepth:
			return fs.SkipDir
		case d.Type() == fs.ModeSocket:
			paths = append(paths, path)
		}
		return nil
	})
	for line := range strings.Lines(mounts) {
		if words := strings.Fields(line); len(words) > 1 {
			paths = appendSocket(paths, unescaped(words[1]))
		}
	}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if path, ok := strings.CutPrefix(value, "unix://"); ok && strings.HasSuffix(name, "_HOST") {
			paths = appendSocket(paths, path)
		}
	}
	return paths
}

func appendSocket(paths []string, path string) []string {
	if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		return append(paths, path)
	}
	return paths
}

// unescaped is a mount point as it is called: the kernel writes white space and backslashes as three octal digits.
func unescaped(point string) string {
	parts := strings.Split(point, `\`)
	for i, p := range parts[1:] {
		if len(p) < 3 {
			continue
		}
		if n, err := strconv.ParseUint(p[:3], 8, 8); err == nil {
			parts[i+1] = string([]byte{byte(n)}) + p[3:]
		}
	}
	return strings.Join(parts, "")
}

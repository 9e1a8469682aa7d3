package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// filesChecks are about files of the dispatcher's and of other runs.
func filesChecks() []check {
	return []check{
		{
			id: "dispatcher-home", says: "The agent cannot enter the home of the user that ai-flow runs as.", short: true,
			attempts: func(h host) ([]attempt, string) { return h.closed([]string{h.home}) },
			judge:    judgeClosed,
		},
		{
			id: "dispatcher-files", says: "The agent cannot enter the state, temporary and git directories of ai-flow.", short: true,
			attempts: func(h host) ([]attempt, string) { return h.closed(h.Closed) },
			judge:    judgeClosed,
		},
		{
			// Not for the short form: who can make a directory in /tmp could stop all runs by its name.
			id: "other-runs", says: "The agent finds no directory of another run that it can read.",
			attempts: otherRuns, judge: judgeOtherRuns,
		},
	}
}

// closed are the attempts on places that have to be closed.
func (h host) closed(places []string) (tries []attempt, unknown string) {
	for _, path := range places {
		info, err := os.Stat(path)
		switch {
		case !filepath.IsAbs(path):
			return nil, fmt.Sprintf("%q is not an absolute path", path)
		case os.IsNotExist(err):
			continue
		case err != nil:
			return nil, fmt.Sprintf("%q cannot be looked at", path)
		case !info.IsDir():
			tries = append(tries, attempt{Deed: deedRead, Path: path, Max: 1}, attempt{Deed: deedWrite, Path: path})
			continue
		}
		tries = append(tries, attempt{Deed: deedList, Path: path}, attempt{Deed: deedCreate, Path: path})
		if at := h.canaryIn(path); at >= 0 {
			tries = append(tries, attempt{Deed: deedRead, Path: h.canaries[at].path, Max: len(h.canaries[at].text)})
		}
	}
	if len(tries) == 0 {
		return nil, "no such place is there"
	}
	return tries, ""
}

// canaryIn finds the canary in a directory, -1 where none could be made.
func (h host) canaryIn(dir string) int {
	return slices.IndexFunc(h.canaries, func(c canary) bool { return c.dir == dir })
}

func judgeClosed(h host, tries []attempt, got []outcome) verdict {
	v := allRefused(func(h host, through []attempt) string {
		var paths []string
		for _, a := range through {
			path := a.Path
			if at := slices.IndexFunc(h.canaries, func(c canary) bool { return c.path == path }); at >= 0 {
				path = h.canaries[at].dir
			}
			paths = append(paths, path)
		}
		return chmod("go-rwx", paths)
	})(h, tries, got)
	for _, a := range tries {
		if v.status == Pass && a.Deed == deedList && h.canaryIn(a.Path) < 0 {
			return unknown(fmt.Sprintf("no canary could be made in %q, so whether it can be entered by who knows a name is not seen", a.Path), "")
		}
	}
	return v
}

// chmod is a command line for paths, as root where they are not ours. An access list gives way to it as well: its mask is what
// chmod takes for the group. Places that all share are left as they are: to close those would break the host.
func chmod(mode string, paths []string) string {
	slices.Sort(paths)
	var words, shared []string
	line := "chmod " + mode
	for _, p := range slices.Compact(paths) {
		if slices.Contains([]string{"/", "/bin", "/dev", "/dev/shm", "/etc", "/home", "/lib", "/mnt", "/opt", "/run", "/srv", "/tmp", "/usr", "/usr/local", "/var", "/var/lib", "/var/tmp"}, p) {
			shared = append(shared, p)
			continue
		}
		words = append(words, shellWord(p))
		if info, err := os.Stat(p); err == nil && os.Geteuid() != 0 {
			if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
				line = "sudo chmod " + mode
			}
		}
	}
	fix := line + " -- " + strings.Join(words, " ")
	if len(shared) > 0 {
		fix = "name a directory of ai-flow's own instead of " + strings.Join(shared, ", ") // never a chmod beside it, to be copied with it
	}
	return fix
}

// otherRuns looks at what other dispatchers and killed ones keep in the places that all share, and beside our own room.
func otherRuns(h host) (tries []attempt, unknown string) {
	if beside := filepath.Dir(h.room); filepath.Base(beside) == ".ai-flow" {
		tries = append(tries, attempt{Deed: deedList, Path: beside})
	}
	for _, place := range []string{"/tmp", "/var/tmp"} {
		entries, err := os.ReadDir(place)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if path := filepath.Join(place, e.Name()); e.Type() == fs.ModeDir && runName.MatchString(e.Name()) && path != h.room && len(tries) < 200 {
				tries = append(tries, attempt{Deed: deedList, Path: path})
			}
		}
	}
	return tries, ""
}

// runName is what a room is called. No other name is taken from whoever makes one: it ends on a command line of root's.
var runName = regexp.MustCompile(`^ai-flow-run-[A-Za-z0-9-]{1,80}$`)

func judgeOtherRuns(h host, tries []attempt, got []outcome) verdict {
	var found []string
	for i, a := range tries {
		switch {
		case !got[i].Done:
		case filepath.Base(a.Path) != ".ai-flow":
			found = append(found, a.Path)
		default:
			for _, name := range got[i].Names {
				if path := filepath.Join(a.Path, name); runName.MatchString(name) && path != h.room {
					found = append(found, path)
				}
			}
		}
	}
	if len(found) == 0 {
		return pass(fmt.Sprintf("%d places looked at", len(tries)))
	}
	found = found[:min(len(found), 5)]
	words := make([]string, len(found))
	for i, path := range found {
		words[i] = shellWord(path)
	}
	return fail("the agent can reach "+excerpt(strings.Join(found, ", ")),
		"when no run is going on: sudo rm -rf -- "+strings.Join(words, " ")+"; then "+h.setup()+", so that runs wait for each other")
}

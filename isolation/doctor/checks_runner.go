package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	looseFew  = 2_000  // entries looked at below one place in the short form
	looseMany = 50_000 // and else
	looseMost = 300    // attempts for one place
)

// runnerChecks are about files that later steps of the job obey, and what the runner itself keeps.
func runnerChecks() []check {
	closedToWrites := func(id, says string, place func(host) string) check {
		return check{id: id, says: says, short: true,
			attempts: func(h host) ([]attempt, string) { return h.loose(place(h)) },
			judge:    judgeWrites}
	}
	return []check{
		{
			id: "command-files", says: "The agent cannot read or write the files by which a step sets variables, paths and outputs of later steps.", short: true,
			attempts: commandFiles, judge: judgeClosed,
		},
		closedToWrites("actions", "The agent cannot change the actions that the job runs (_work/_actions).", func(h host) string { return h.runner.actions }),
		closedToWrites("workspace", "The agent cannot change the job's workspace.", func(h host) string { return h.runner.workspace }),
		// GitHub's own runners leave it open to all users. What dispatch runs does not come from there, so it stops no run.
		atLeisure(closedToWrites("tool-cache", "The agent cannot change the tool cache, whose programs later steps run.", func(h host) string { return h.runner.tools })),
		{
			id: "runner-temp", says: "The agent cannot enter the job's temporary directory, which holds the scripts and the credentials of steps.", short: true,
			attempts: func(h host) ([]attempt, string) {
				if h.runner.temp == "" {
					return nil, noJob
				}
				return h.closed([]string{h.runner.temp})
			},
			judge: judgeClosed,
		},
		{
			id: "workspace-credentials", says: "No token that the agent can read is in the git configuration of the workspace.", short: true,
			attempts: func(h host) ([]attempt, string) {
				if h.runner.workspace == "" {
					return nil, noJob
				}
				return []attempt{{Deed: deedRead, Path: filepath.Join(h.runner.workspace, ".git", "config"), Max: 256 << 10}}, ""
			},
			judge: judgeCredentials,
		},
		{
			id: "runner-credentials", says: "The agent can neither read the credentials of the self-hosted runner nor change the runner.", short: true,
			attempts: runnerRoot, judge: judgeRunnerRoot,
		},
	}
}

const noJob = "this is no job of a workflow: the variables of the runner are not set"

// commandFiles are tried with the directory that they are in, where they could be replaced.
func commandFiles(h host) (tries []attempt, unknown string) {
	dirs := map[string]bool{}
	for _, path := range h.runner.commandFiles {
		tries = append(tries, attempt{Deed: deedWrite, Path: path}, attempt{Deed: deedRead, Path: path, Max: 1})
		if dir := filepath.Dir(path); !dirs[dir] {
			dirs[dir] = true
			tries = append(tries, attempt{Deed: deedCreate, Path: dir})
		}
	}
	if len(tries) == 0 {
		return nil, noJob
	}
	return tries, ""
}

// loose are attempts to write: at a place and at all below it that the agent's user owns, or whose mode lets others or a group
// write. What can be written by an access list has such a mode too.
func (h host) loose(root string) (tries []attempt, unknown string) {
	if root == "" {
		return nil, noJob
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Sprintf("it cannot be looked at: %v", err)
	}
	budget := looseMany
	if h.Short {
		budget = looseFew
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if budget--; budget < 0 || len(tries) >= looseMost {
			return fs.SkipAll
		}
		if err != nil {
			return fs.SkipDir // closed to us, or gone
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		switch open := info.Mode().Perm()&0o022 != 0 || owner(info) == h.uid; {
		case d.IsDir() && (open || path == root):
			tries = append(tries, attempt{Deed: deedCreate, Path: path})
		case d.Type().IsRegular() && open:
			tries = append(tries, attempt{Deed: deedWrite, Path: path})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Sprintf("%q cannot be looked through", root)
	}
	return tries, ""
}

func judgeWrites(h host, tries []attempt, got []outcome) verdict {
	var owned []string
	for _, a := range tries {
		if ownedBy(a.Path, h.uid) {
			owned = append(owned, a.Path)
		}
	}
	if len(owned) > 0 { // whoever owns a file opens it at will, whatever came of the attempt
		return fail("the agent's user owns "+some(owned), fmt.Sprintf("sudo chown -hR --from=%d %s -- %s", h.uid, shellWord(h.dispatcher), shellWord(tries[0].Path)))
	}
	return allRefused(func(h host, through []attempt) string {
		return strings.Replace(chmod("go-w", []string{tries[0].Path}), "chmod ", "chmod -R ", 1)
	})(h, tries, got)
}

func judgeCredentials(h host, tries []attempt, got []outcome) verdict {
	switch what := seek(h.Secrets).in(got[0].Data); {
	case got[0].Done && what != "":
		return fail(fmt.Sprintf("the agent can read %s in %q", what, tries[0].Path),
			chmod("go-rwx", []string{filepath.Dir(tries[0].Path)})+"; and set persist-credentials: false in the step of actions/checkout")
	case got[0].Done:
		return pass("it can be read, and no credential is in it")
	}
	return allRefused(otherUser)(h, tries, got)
}

// runnerRoot is the place of a self-hosted runner: its key, and what it reads when it starts.
func runnerRoot(h host) (tries []attempt, unknown string) {
	if h.runner.root == "" {
		return nil, "no self-hosted runner is found above the workspace"
	}
	at := func(name string) string { return filepath.Join(h.runner.root, name) }
	tries = []attempt{{Deed: deedCreate, Path: h.runner.root}}
	for _, name := range []string{".credentials", ".credentials_rsaparams", ".runner", ".env", ".path", "run.sh", "runsvc.sh", "bin/Runner.Listener", "bin/Runner.Worker"} {
		if _, err := os.Stat(at(name)); err != nil {
			continue
		}
		tries = append(tries, attempt{Deed: deedWrite, Path: at(name)})
		if strings.HasPrefix(name, ".credentials") {
			tries = append(tries, attempt{Deed: deedRead, Path: at(name), Max: 1})
		}
	}
	return tries, ""
}

func judgeRunnerRoot(h host, tries []attempt, got []outcome) verdict {
	return allRefused(func(h host, through []attempt) string { // to enter it is no harm, so it need not be closed
		var read, write []string
		for _, a := range through {
			if a.Deed == deedRead {
				read = append(read, a.Path)
			} else {
				write = append(write, a.Path)
			}
		}
		var lines []string
		if len(read) > 0 {
			lines = append(lines, chmod("go-rwx", read))
		}
		if len(write) > 0 {
			lines = append(lines, chmod("go-w", write))
		}
		return strings.Join(lines, " && ")
	})(h, tries, got)
}

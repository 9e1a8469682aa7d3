package fakegithub

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// commit is a commit as git knows it.
type commit struct {
	oid, tree string
	parents   []string
	author    signature
	committer signature
	message   string
}

type signature struct {
	name, email string
	at          time.Time
}

// gitEnvironment is all that git sees: no configuration of the machine, nobody's home, one identity, one moment.
func gitEnvironment(at time.Time) []string {
	date := fmt.Sprintf("%d +0000", at.Unix())
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com", "GIT_COMMITTER_DATE=" + date,
	}
}

// git runs git on the bare repository.
func (r *Repo) git(stdin string, args ...string) ([]byte, error) {
	return r.gitWith(nil, stdin, args...)
}

// gitWith runs git with more in its environment.
func (r *Repo) gitWith(env []string, stdin string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"--git-dir=" + r.dir}, args...)...)
	cmd.Env, cmd.Stdin = append(gitEnvironment(r.s.now), env...), strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %q: %w: %s", args, err, stderr.Bytes())
	}
	return out, nil
}

// object is the type ("commit", "tree", "blob", "tag") and the content of whatever rev ("HEAD:path", an oid) names; kind
// is "" when it names nothing.
func (r *Repo) object(rev string) (kind string, content []byte) {
	if strings.ContainsAny(rev, "\n\x00") {
		return "", nil
	}
	out, err := r.git(rev+"\n", "cat-file", "--batch")
	if err != nil {
		r.s.t.Errorf("fake GitHub: %v", err)
		return "", nil
	}
	header, rest, _ := bytes.Cut(out, []byte("\n"))
	fields := strings.Fields(string(header))
	if len(fields) != 3 {
		return "", nil // "HEAD:x missing"
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size > len(rest) {
		return "", nil
	}
	return fields[1], rest[:size]
}

// commit reads a commit; nil: there is none.
func (r *Repo) commit(rev string) *commit {
	if strings.ContainsAny(rev, "\n\x00") {
		return nil
	}
	if c := r.commits[rev]; c != nil {
		return c
	}
	if found, err := r.log("-1", "--end-of-options", rev, "--"); err == nil && len(found) == 1 {
		return found[0]
	}
	return nil
}

// history is a commit and all before it, the newest first, each before its parents.
func (r *Repo) history(oid string) []*commit {
	all, err := r.log("--topo-order", "--end-of-options", oid, "--")
	r.s.must(err)
	return all
}

// log reads commits, and keeps them, since they do not change.
func (r *Repo) log(args ...string) (all []*commit, err error) {
	out, err := r.git("", append([]string{"log", "-z", "--no-show-signature", "--format=tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"}, args...)...)
	if err != nil {
		return nil, err
	}
	for f := range slices.Chunk(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), 10) {
		if len(f) != 10 {
			break
		}
		c := &commit{f[0], f[1], strings.Fields(f[2]), signature{f[3], f[4], unix(f[5])}, signature{f[6], f[7], unix(f[8])}, strings.TrimRight(f[9], "\n")}
		r.commits[c.oid] = c
		all = append(all, c)
	}
	return all, nil
}

func unix(seconds string) time.Time {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// entry is an entry of a tree.
type entry struct {
	kind, oid, path string // kind: "file", "dir", "symlink", "submodule"
	size            int
}

// tree lists what is in a directory of a commit, or gives the one entry that is at path; dir says which.
func (r *Repo) tree(commit, path string) (found []entry, dir bool) {
	path = strings.Trim(path, "/")
	if kind, _ := r.object(commit + ":" + path); kind == "tree" {
		return r.list(commit + ":" + path), true
	}
	for _, e := range r.list(commit, "--", path) {
		if e.path == path {
			found = append(found, e)
		}
	}
	return found, false
}

func (r *Repo) list(args ...string) (found []entry) {
	out, err := r.git("", append([]string{"--literal-pathspecs", "ls-tree", "-l", "-z", "--full-tree"}, args...)...)
	if err != nil {
		r.s.t.Errorf("fake GitHub: %v", err)
	}
	_, base, _ := strings.Cut(args[0], ":")
	for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		head, name, isEntry := strings.Cut(record, "\t")
		f := strings.Fields(head)
		if !isEntry || len(f) != 4 {
			continue
		}
		if base != "" {
			name = base + "/" + name
		}
		size, _ := strconv.Atoi(f[3]) // "-" for what has none
		found = append(found, entry{kindOf(f[0]), f[2], name, size})
	}
	return found
}

func kindOf(mode string) string {
	switch mode {
	case "120000":
		return "symlink"
	case "040000":
		return "dir"
	case "160000":
		return "submodule"
	}
	return "file"
}

package fakegithub

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// config of a bare repository: what GitHub serves, that is also commits by their id.
const config = `[core]
	repositoryformatversion = 0
	bare = true
	fsync = none
[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[receive]
	denyDeleteCurrent = true
[http]
	receivepack = true
[gc]
	auto = 0
`

// initialise makes the bare repository, by hand since starting git takes longer than all the rest. A fork shares the
// objects of its parent, as on GitHub, where the commits of forks can be had from the parent too.
func (r *Repo) initialise(parent *Repo) error {
	if err := os.MkdirAll(path.Join(r.dir, "refs/heads"), 0o755); err != nil {
		return err
	}
	if err := r.share(parent); err != nil {
		return err
	}
	if err := os.WriteFile(path.Join(r.dir, "HEAD"), []byte("ref: refs/heads/"+r.defaultBranch+"\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path.Join(r.dir, "config"), []byte(config), 0o644)
}

func (r *Repo) share(parent *Repo) error {
	objects := path.Join(r.dir, "objects")
	if parent == nil {
		return os.MkdirAll(path.Join(objects, "pack"), 0o755)
	}
	if err := os.Symlink(path.Join(parent.dir, "objects"), objects); err != nil {
		return err
	}
	return r.setRef("refs/heads/"+r.defaultBranch, parent.ref("refs/heads/"+r.defaultBranch))
}

// commitFiles is commitAs by Ann.
func (r *Repo) commitFiles(ref, from, message string, files map[string]string) {
	r.commitAs("ann@example.com", ref, from, message, files)
}

// commitAs writes a commit with files on top of ref, or of from when that is given or ref is not there yet.
func (r *Repo) commitAs(email, ref, from, message string, files map[string]string) {
	if old := r.ref(ref); old != "" && (from == "" || strings.HasPrefix(from, "refs/")) {
		from = old
	}
	var b strings.Builder
	name, _, _ := strings.Cut(email, "@")
	if email == "ann@example.com" {
		name = "Ann"
	}
	fmt.Fprintf(&b, "commit %s\ncommitter %s <%s> %d +0000\ndata %d\n%s\n", ref, name, email, r.s.tick().Unix(), len(message), message)
	if from != "" {
		fmt.Fprintf(&b, "from %s^0\n", from)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name] == Deleted {
			fmt.Fprintf(&b, "D %s\n", name)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
	}
	_, err := r.git(b.String()+"\ndone\n", "fast-import", "--quiet", "--force", "--done")
	r.s.must(err)
}

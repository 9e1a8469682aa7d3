package fakegithub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ref is the object that a full reference ("refs/heads/main") points to; "": there is none. Files are read, not git asked,
// since this is asked for with each request.
func (r *Repo) ref(name string) string {
	if !filepath.IsLocal(name) || filepath.Clean(name) != name || !strings.HasPrefix(name, "refs/") {
		return ""
	}
	loose, err := os.ReadFile(filepath.Join(r.dir, name))
	if err == nil {
		return strings.TrimSpace(string(loose))
	}
	packed, err := os.ReadFile(filepath.Join(r.dir, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.s.t.Errorf("fake GitHub: %v", err)
	}
	for line := range strings.Lines(string(packed)) {
		if oid, at, _ := strings.Cut(strings.TrimSpace(line), " "); at == name {
			return oid
		}
	}
	return ""
}

// setRef writes a reference at once, since git may be reading it.
func (r *Repo) setRef(name, oid string) error {
	at := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(at+".new", []byte(oid+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(at+".new", at)
}

// refresh brings a pull request up to date with the branches that it is about, as GitHub does after each push: its
// headOID, refs/pull/N/head, and the moment of the head's first check suite, which is now when git was used directly. One that
// is closed stays as it was.
func (r *Repo) refresh(t *thread) {
	p := t.pull
	if p == nil || t.closed || p.head == nil {
		return
	}
	oid := p.head.ref("refs/heads/" + p.headBranch)
	if oid == "" || oid == p.headOID {
		return
	}
	if err := r.setRef(fmt.Sprintf("refs/pull/%d/head", t.number), oid); err != nil {
		r.s.t.Errorf("fake GitHub: %v", err)
		return
	}
	now := r.s.tick()
	if _, seen := r.checked[oid]; !seen {
		r.checked[oid] = now
	}
	if p.headOID != "" && !r.contains(oid, p.headOID) {
		p.forced = now
	}
	p.headOID, t.body.updated = oid, now
}

// contains reports whether old is an ancestor of oid: else the branch was pushed with force.
func (r *Repo) contains(oid, old string) bool {
	_, err := r.git("", "merge-base", "--is-ancestor", old, oid)
	return err == nil
}

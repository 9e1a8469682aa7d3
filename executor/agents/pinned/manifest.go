package pinned

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	manifestName   = "manifest.json"
	manifestSchema = 1
	maxManifest    = 64 << 10 // bytes
	maxVersions    = 100      // that are looked at, of one agent in one directory
	oldDraft       = 24 * time.Hour
	draftPrefix    = ".draft-"
)

// manifest says where a copy came from. Of a pinned version nothing in it is believed: the table says what is right.
type manifest struct {
	Schema      int       `json:"schema"`
	Agent       string    `json:"agent"`
	Version     string    `json:"version"`
	Platform    string    `json:"platform"`
	Package     string    `json:"package"`
	Pinned      bool      `json:"pinned"`
	Registry    string    `json:"registry"`  // its host
	Integrity   string    `json:"integrity"` // of the archive
	ArchiveSize int64     `json:"archive_size"`
	Executable  string    `json:"executable"`
	SHA256      string    `json:"sha256"` // of the executable
	Size        int64     `json:"size"`
	Installed   time.Time `json:"installed"`
}

func (m manifest) write(dir string) error {
	_, err := writeFile(filepath.Join(dir, manifestName), 0o644, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(m)
	})
	return err
}

// Find returns the copy of an agent that a launch is to use: the best pinned version in the first directory that has one,
// else the unpinned one that was installed last; nil when there is none. It reads no executable: [Copy.Open] does. A copy that
// is there and cannot be used is an error, never a reason to look further: what is altered would silently be replaced by
// something that nobody checks.
func Find(dirs []string, agent string) (*Copy, error) { return find(dirs, agent, Pins()) }

func find(dirs []string, agent string, pins []Pin) (*Copy, error) {
	for _, dir := range dirs {
		for _, p := range pins {
			if p.Agent != agent || p.Platform != platform() {
				continue
			}
			if c, err := load(filepath.Join(dir, agent, p.Version), agent, pins); c != nil || err != nil {
				return c, err
			}
		}
	}
	for _, dir := range dirs {
		if c, err := newest(filepath.Join(dir, agent), agent, pins); c != nil || err != nil {
			return c, err
		}
	}
	return nil, nil
}

// All lists every copy of an agent in the directories, for verifying. An error is of one that cannot be used, beside the others.
func All(dirs []string, agent string) (copies []*Copy, err error) {
	for _, dir := range dirs {
		names, failed := versions(filepath.Join(dir, agent))
		err = errors.Join(err, failed)
		for _, name := range names {
			c, failed := load(filepath.Join(dir, agent, name), agent, Pins())
			err = errors.Join(err, failed)
			if c != nil {
				copies = append(copies, c)
			}
		}
	}
	return copies, err
}

func newest(dir, agent string, pins []Pin) (*Copy, error) {
	names, err := versions(dir)
	if err != nil {
		return nil, err
	}
	var best *Copy
	var when time.Time
	for _, name := range names {
		m, err := readManifest(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		c, err := load(filepath.Join(dir, name), agent, pins)
		if err != nil {
			return nil, err
		}
		if best == nil || m.Installed.After(when) {
			best, when = c, m.Installed
		}
	}
	return best, nil
}

// listable is the next step where versions cannot.
const listable = "make it a directory that you may read, or move it away"

// versions lists the names of installed versions.
func versions(dir string) (names []string, err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{Err: err, Problem: fmt.Sprintf("the installed agents cannot be listed: %v", err), Fix: listable}
	}
	defer f.Close()
	all, err := f.Readdirnames(maxVersions)
	if err != nil && err != io.EOF {
		return nil, &Error{Err: err, Problem: fmt.Sprintf("the installed agents in %q cannot be listed: %v", dir, err), Fix: listable}
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(name string) bool { return !versionName.MatchString(name) }), nil
}

// load reads what lies in a version's directory; nil when there is no such directory.
func load(place, agent string, pins []Pin) (*Copy, error) {
	if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	version := filepath.Base(place)
	for _, p := range pins {
		if p.Agent == agent && p.Version == version && p.Platform == platform() {
			return &Copy{Agent: agent, Version: version, Pinned: true, Driven: p.Driven, Path: filepath.Join(place, p.Executable), SHA256: p.SHA256, Size: p.Size}, nil
		}
	}
	m, err := readManifest(place)
	if err != nil {
		return nil, err
	}
	digest, err := hex.DecodeString(m.SHA256)
	if err != nil || len(digest) != 32 || m.Schema != manifestSchema || m.Agent != agent || m.Version != version || m.Platform != platform() ||
		m.Executable != filepath.Base(m.Executable) || !filepath.IsLocal(m.Executable) || m.Size <= 0 || m.Size > maxExecutable {
		return nil, unreadable(place, errors.New("it is of something else"))
	}
	if m.Pinned {
		return nil, unreadable(place, errors.New("it says that the version is pinned, and this ai-flow has no pin for it"))
	}
	return m.copy(place), nil
}

func (m manifest) copy(place string) *Copy {
	return &Copy{Agent: m.Agent, Version: m.Version, Path: filepath.Join(place, m.Executable), SHA256: m.SHA256, Size: m.Size}
}

func readManifest(place string) (m manifest, err error) {
	f, err := openOwn(filepath.Join(place, manifestName))
	if err != nil {
		return m, unreadable(place, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("it has more than %d bytes", maxManifest)
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, unreadable(place, err)
	}
	return m, nil
}

// unreadable is of a copy without a pin: where there is one, no manifest is read.
func unreadable(place string, err error) *Error {
	return &Error{Err: err, Problem: fmt.Sprintf("the manifest of the installed copy in %q cannot be used: %v", place, err),
		Fix: reinstall(place, filepath.Base(filepath.Dir(place)), filepath.Base(place), false)}
}

// writeFile makes a file that is on the disk when it returns.
func writeFile(path string, mode fs.FileMode, fill func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := fill(f); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), errors.Join(f.Chmod(mode), f.Sync())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// dropDrafts removes what killed installs left long ago. One that cannot be removed is in nobody's way. The directory is read:
// to filepath.Glob its own name would be a pattern.
func dropDrafts(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), draftPrefix) && time.Since(info.ModTime()) > oldDraft {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

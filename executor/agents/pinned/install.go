package pinned

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Options of Install.
type Options struct {
	Dir            string // absolute; copies lie in AGENT/VERSION below it, and it is made when missing
	Agent, Version string // "" for the best that is pinned for this machine
	Unpinned       bool   // take a version that is not in the table, on the registry's word
	Registry       Registry
	Say            func(format string, args ...any) // told what is done; may be nil
}

// versionName is what a version may look like: it becomes a part of a path and of a URL.
var versionName = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6}){2}(-[0-9A-Za-z][0-9A-Za-z.-]{0,39})?$`)

// Scope is the scope of the agent's package, "" when no package of it is known for this machine.
func Scope(agent string) string {
	for _, p := range Pins() {
		if scope, _, found := strings.Cut(p.Package, "/"); found && p.Agent == agent {
			return scope
		}
	}
	return ""
}

// Install fetches a version, checks all of it, and puts it in its place as a whole. A version that is there already and is
// right is left alone; one that was altered is an error. Nothing is run. The error is an *Error or the end of ctx, which bounds the whole.
func Install(ctx context.Context, o Options) (*Copy, error) {
	return install(ctx, o, Pins())
}

func install(ctx context.Context, o Options, pins []Pin) (*Copy, error) {
	pin, pinned, err := choose(o, pins)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(o.Dir, pin.Agent, pin.Version)
	present, err := load(place, pin.Agent, pins)
	if err == nil && present != nil {
		err = present.Verify(ctx)
	}
	switch {
	case err != nil:
		return nil, err // nothing is repaired: that it was altered is for a person to know
	case present != nil:
		o.say("%s %s is there already, and its bytes are right", pin.Agent, pin.Version)
		return present, nil
	}
	return (&installation{o: o, pin: pin, pins: pins, pinned: pinned, place: place, client: newClient(o.Registry)}).run(ctx)
}

// choose finds the pin, or makes what is known beforehand of a version without one.
func choose(o Options, pins []Pin) (pin Pin, pinned bool, err error) {
	var ours []string
	var model Pin
	for _, p := range pins {
		if p.Agent != o.Agent || p.Platform != platform() {
			continue
		}
		if p.Version == o.Version || o.Version == "" {
			return p, true, nil
		}
		ours, model = append(ours, p.Version), p
	}
	switch {
	case len(ours) == 0:
		return pin, false, &Error{Problem: fmt.Sprintf("no executable of %s is known for %s", quoted(o.Agent), platform()), Fix: ownMeans}
	case !versionName.MatchString(o.Version):
		return pin, false, &Error{Problem: quoted(o.Version) + " is no version of an npm package", Fix: "write it in full: " + ours[0]}
	case !o.Unpinned:
		return pin, false, &Error{Problem: fmt.Sprintf("%s %s is not pinned: what its bytes should be is not known here", o.Agent, o.Version),
			Fix: fmt.Sprintf("install a pinned version (%s), or take it on the registry's word: --unpinned", strings.Join(ours, ", "))}
	}
	return Pin{Agent: model.Agent, Version: o.Version, Platform: model.Platform, Package: model.Package, Executable: model.Executable}, false, nil
}

func (o Options) say(format string, args ...any) {
	if o.Say != nil {
		o.Say(format, args...)
	}
}

// installation is one run of Install.
type installation struct {
	o      Options
	pin    Pin // without sizes and digests when it is not pinned
	pins   []Pin
	pinned bool
	place  string
	client *client
	draft  string // the directory that becomes place
}

// run works in a directory beside the place, which gets its name when all is done.
func (i *installation) run(ctx context.Context) (_ *Copy, err error) {
	above := filepath.Dir(i.place)
	if err := makePlace(above); err != nil {
		return nil, i.local("making the directory", err)
	}
	dropDrafts(above)
	if i.draft, err = os.MkdirTemp(above, draftPrefix); err != nil { // mode 0700
		return nil, i.local("making the directory", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(i.draft)) }()
	archive := filepath.Join(i.draft, "archive.tgz")
	if err := i.fetch(ctx, archive); err != nil {
		return nil, err
	}
	m, err := i.unpack(archive)
	if err != nil {
		return nil, err
	}
	return i.settle(ctx, m, archive)
}

// fetch brings the archive into a file, and its bytes are those that the integrity is of.
func (i *installation) fetch(ctx context.Context, archive string) error {
	if !i.pinned && !i.o.Registry.private() {
		return &Error{Problem: fmt.Sprintf("%s %s is not pinned, and %s is asked without TLS: its word would be that of whoever is on the way", i.pin.Agent, i.pin.Version, i.o.Registry.Host()),
			Fix: "name a registry that begins with https, or install a pinned version"}
	}
	said, err := i.client.describe(ctx, i.pin.Package, i.pin.Version)
	var status errStatus
	if i.pinned && errors.As(err, &status) && status == 404 {
		err = nil // some registries know whole packages only, and the integrity is ours
	}
	if err != nil {
		return err
	}
	if i.pinned && said.Dist.Integrity != "" && said.Dist.Integrity != i.pin.Integrity {
		i.o.say("%s tells of another archive of %s %s than the pinned one; its bytes will show", i.o.Registry.Host(), i.pin.Package, i.pin.Version)
	}
	if !i.pinned {
		i.pin.Integrity, i.pin.ArchiveSize = said.Dist.Integrity, maxArchive
	}
	want, err := decodeIntegrity(i.pin.Integrity)
	if err != nil {
		return err
	}
	place, err := i.client.tarball(said, i.pin.Package, i.pin.Version)
	if err != nil {
		return err
	}
	i.o.say("fetching %s %s from %s", i.pin.Package, i.pin.Version, i.o.Registry.Host())
	body, err := i.client.get(ctx, place, i.pin.ArchiveSize)
	if err != nil {
		return err
	}
	defer body.Close()
	return i.receive(body, archive, want)
}

func (i *installation) receive(body io.Reader, archive string, want []byte) error {
	sum := sha512.New()
	size, err := writeFile(archive, 0o600, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, sum), body)
		return err
	})
	if err != nil {
		return i.notReceived(err)
	}
	if subtle.ConstantTimeCompare(sum.Sum(nil), want) != 1 {
		return &Error{Problem: fmt.Sprintf("the archive of %s %s that %s sent is another one than the one that is expected: its %d bytes have the integrity sha512-%s",
			i.pin.Package, i.pin.Version, i.o.Registry.Host(), size, base64.StdEncoding.EncodeToString(sum.Sum(nil))),
			Fix: suspectFix}
	}
	i.pin.ArchiveSize = size
	return nil
}

// unpack takes the executable out of the archive and checks it.
func (i *installation) unpack(archive string) (manifest, error) {
	f, err := os.Open(archive)
	if err != nil {
		return manifest{}, i.local("reading the archive", err)
	}
	defer f.Close()
	sum := sha256.New()
	var packageJSON []byte
	size, err := writeFile(filepath.Join(i.draft, i.pin.Executable), 0o755, func(w io.Writer) error {
		packageJSON, err = admit(f, npmLayout(i.pin.Executable, i.pin.Size), io.MultiWriter(w, sum))
		return err
	})
	if err != nil {
		return manifest{}, i.notAdmitted(err)
	}
	var of struct{ Name, Version string }
	if err := json.Unmarshal(packageJSON, &of); err != nil || of.Name != i.pin.Package || of.Version != i.pin.Version {
		return manifest{}, &Error{Err: err, Problem: fmt.Sprintf("the archive of %s %s says that it is %s %s", i.pin.Package, i.pin.Version, quoted(of.Name), quoted(of.Version)), Fix: suspectFix}
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	if i.pinned && digest != i.pin.SHA256 {
		return manifest{}, &Error{Problem: fmt.Sprintf("the executable of %s %s has the SHA-256 %s, and %s is pinned", i.pin.Agent, i.pin.Version, digest, i.pin.SHA256), Fix: suspectFix}
	}
	return i.manifest(digest, size), nil
}

// settle writes the manifest, drops the archive, and gives the directory its name. What stands there is never written into, so
// that a program which runs from it keeps its bytes. What is there in the end is read once more: it may be another's.
func (i *installation) settle(ctx context.Context, m manifest, archive string) (*Copy, error) {
	if err := m.write(i.draft); err != nil {
		return nil, i.local("writing the manifest", err)
	}
	if err := os.Remove(archive); err != nil {
		return nil, i.local("removing the archive", err)
	}
	if err := os.Chmod(i.draft, 0o755); err != nil {
		return nil, i.local("opening the directory", err)
	}
	if err := syncDir(i.draft); err != nil {
		return nil, i.local("writing the copy", err)
	}
	if err := os.Rename(i.draft, i.place); err != nil && !errors.Is(err, fs.ErrExist) { // another install was faster
		return nil, i.local("putting the copy in its place", err)
	}
	if err := syncDir(filepath.Dir(i.place)); err != nil {
		return nil, i.local("writing the copy", err)
	}
	c, err := load(i.place, i.pin.Agent, i.pins)
	if err == nil && c == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, i.local("looking at the copy", err)
	}
	return c, c.Verify(ctx)
}

func (i *installation) manifest(digest string, size int64) manifest {
	return manifest{Schema: manifestSchema, Agent: i.pin.Agent, Version: i.pin.Version, Platform: i.pin.Platform, Package: i.pin.Package, Pinned: i.pinned,
		Registry: i.o.Registry.Host(), Integrity: i.pin.Integrity, ArchiveSize: i.pin.ArchiveSize, Executable: i.pin.Executable, SHA256: digest, Size: size,
		Installed: time.Now().UTC().Truncate(time.Second)}
}

// decodeIntegrity takes npm's own form of one SHA-512. Weaker digests beside it, or in its place, are refused.
func decodeIntegrity(s string) ([]byte, error) {
	coded, found := strings.CutPrefix(s, "sha512-")
	sum, err := base64.StdEncoding.Strict().DecodeString(coded)
	if !found || err != nil || len(sum) != sha512.Size {
		return nil, &Error{Problem: fmt.Sprintf("the registry gives no SHA-512 of the archive (%s)", quoted(s)), Fix: "install a pinned version, or name a registry that gives one: npm config set registry URL"}
	}
	return sum, nil
}

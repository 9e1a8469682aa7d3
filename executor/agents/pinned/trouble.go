package pinned

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"syscall"
)

// maxForeign is how much of an error is shown that a peer may have written, in bytes.
const maxForeign = 300

// word is a path as one word of a command that somebody pastes.
func word(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// What a person can do where something was sent that is not what it should be, and where an agent cannot be installed by us.
const (
	suspectFix = "nothing of it was kept; do not use this registry before it is known why"
	ownMeans   = "install it by its own means, and name its binary in AI_FLOW_AGENT_BIN"
)

// reinstall is the next step for a copy that is of no use, in the directory of its version.
func reinstall(dir, agent, version string, pinned bool) string {
	again := "ai-flow agents install"
	if !pinned {
		again += " --unpinned"
	}
	return fmt.Sprintf("remove it (rm -r %s), and install it again: %s --version %s %s", word(dir), again, version, agent)
}

// local is an error of our own disk. What knows its own words and next step keeps them.
func (i *installation) local(doing string, err error) *Error {
	e := &Error{Err: err, Problem: fmt.Sprintf("%s for %s %s: %v", doing, i.pin.Agent, i.pin.Version, err), Fix: "name a directory that you may write: --dir DIR"}
	var known *Error
	switch {
	case errors.As(err, &known):
		e.Fix = known.Fix
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		e.Fix = "make room there (an archive and what is in it need some 300 MB), or name another directory: --dir DIR"
	}
	return e
}

// isLocal reports whether an error is of a file of ours: neither the network nor an archive makes such.
func isLocal(err error) bool {
	var of *fs.PathError
	return errors.As(err, &of)
}

func (i *installation) notReceived(err error) *Error {
	if isLocal(err) {
		return i.local("writing the archive", err)
	}
	return i.client.failed(fmt.Sprintf("fetching %s %s", i.pin.Package, i.pin.Version), err)
}

func (i *installation) notAdmitted(err error) *Error {
	if isLocal(err) {
		return i.local("writing the executable", err)
	}
	return &Error{Err: err, Problem: fmt.Sprintf("the archive of %s %s is not admitted: %v", i.pin.Package, i.pin.Version, err), Fix: suspectFix}
}

// failed is an error of the network. Its URL is left out: it may hold a name and a password.
func (c *client) failed(doing string, err error) *Error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	said := err.Error()
	if len(said) > maxForeign {
		said = strings.ToValidUTF8(said[:maxForeign], "") + "…"
	}
	return &Error{Err: err, Problem: fmt.Sprintf("%s: %s", doing, said),
		Fix: "try again; proxies are those of npm's settings or of HTTPS_PROXY, certificates those of its cafile or of SSL_CERT_FILE"}
}

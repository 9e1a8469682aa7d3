package isolation

import (
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// userStands reports whether a user that we made is as we make it, as far as we may look: a run that was killed may have
// left the account without its directories, and an undo one that is expired.
func (h HostSetup) userStands(agent *user.User) bool {
	uid, gid, err := fit(agent)
	if err != nil || agent.HomeDir != h.home() {
		return false
	}
	if g, err := user.LookupGroupId(agent.Gid); err != nil || g.Name != h.Agent {
		return false
	}
	return noLogin(passwdField("/etc/passwd", h.Agent, 6)) && h.shadowStands() &&
		isDir(h.home(), 0, gid, 0o710) && (isDir(h.home()+"/.ai-flow", uid, gid, 0o700) || os.Geteuid() != 0)
}

// shadowStands reports whether the account is locked and not expired: sudo refuses an expired one.
func (h HostSetup) shadowStands() bool {
	if os.Geteuid() != 0 {
		return true // what root alone can see
	}
	return strings.HasPrefix(passwdField("/etc/shadow", h.Agent, 1), "!") && passwdField("/etc/shadow", h.Agent, 7) == ""
}

func isDir(path string, uid, gid int, mode os.FileMode) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode() == os.ModeDir|mode && int(st.Uid) == uid && int(st.Gid) == gid
}

// lockStands reports whether the lock is there and as it has to be.
func (h HostSetup) lockStands(agent *user.User) bool {
	if agent == nil {
		return false
	}
	gid, err := strconv.Atoi(agent.Gid)
	if err != nil {
		return false
	}
	f, err := openShared(sharedLocks, Identity{name: h.Agent, gid: gid})
	return err == nil && f != nil && f.Close() == nil
}

// ruleStands reports whether the rule is there, as sudo will have it, and whether that could be seen: the file is closed to all
// but root.
func (h HostSetup) ruleStands() (stands, seen bool) {
	text, err := os.ReadFile(h.rulePath())
	if os.IsPermission(err) {
		return false, false
	}
	info, err2 := os.Lstat(h.rulePath())
	return err == nil && err2 == nil && strings.TrimSpace(string(text)) == h.rule() && info.Mode() == 0o440 && owner(info) == 0, true
}

// owner is the user number of a file's owner, -1 where that is not known.
func owner(info os.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

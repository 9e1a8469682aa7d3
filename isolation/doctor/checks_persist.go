package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// persistChecks are about what of the agent's would run, or be read, when its run is over.
func persistChecks() []check {
	return []check{
		{
			id: "cron", says: "The agent cannot leave jobs for cron or at.",
			attempts: func(host) ([]attempt, string) {
				return []attempt{
					{Deed: deedRun, Argv: []string{"/bin/sh", "-c", "crontab - || exit 1; crontab -r || echo " + tableLeft}, Input: "# ai-flow doctor\n"},
					{Deed: deedRun, Argv: []string{"/bin/sh", "-c", "at -l"}},
				}, ""
			},
			judge: judgeCron,
		},
		{
			id: "jobs-left", says: "No job of the agent's user waits for cron, at or systemd, and systemd starts nothing for it.", short: true,
			judge: func(h host, _ []attempt, _ []outcome) verdict {
				return judgeJobs(h, append(waiting(h.Identity.Name(), ""), atJobs(h.uid, "")...))
			},
		},
		{
			id: "user-services", says: "The agent has no systemd of its own to leave services with.",
			attempts: func(h host) ([]attempt, string) {
				at := fmt.Sprintf("/run/user/%d/", h.uid)
				return []attempt{{Deed: deedConnect, Path: at + "systemd/private"}, {Deed: deedConnect, Path: at + "bus"}}, ""
			},
			judge: allRefused(func(h host, _ []attempt) string {
				return fmt.Sprintf("sudo loginctl disable-linger %s && sudo loginctl terminate-user %[1]s", shellWord(h.Identity.Name()))
			}),
		},
		{
			id: "account-home", says: "The agent cannot write into its account's home, which lies above the directories of later runs.",
			attempts: func(h host) ([]attempt, string) {
				return []attempt{{Deed: deedCreate, Path: h.Identity.Home()}}, ""
			},
			judge: allRefused(func(h host, _ []attempt) string {
				return fmt.Sprintf("sudo chown 0 %s && sudo chmod 0710 %[1]s; an account that ai-flow setup makes is so", shellWord(h.Identity.Home()))
			}),
		},
		{
			id: "temp-left", says: "Nothing of the agent's user is in the temporary directories that all users share: each run could read what the one before left.",
			attempts: func(host) (tries []attempt, _ string) {
				for _, dir := range sharedDirs {
					if _, err := os.Lstat(dir); err == nil {
						tries = append(tries, attempt{Deed: deedList, Path: dir})
					}
				}
				return tries, ""
			},
			judge: judgeTemp,
		},
	}
}

// tableLeft is said when a table without a job was taken and could not be removed again.
const tableLeft = "the table is left"

// sharedDirs are writable for all users.
var sharedDirs = []string{"/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"}

func judgeCron(h host, _ []attempt, got []outcome) verdict {
	deny := func(file string) string {
		return fmt.Sprintf("echo %s | sudo tee -a %s", shellWord(h.Identity.Name()), file)
	}
	took := func(o outcome) bool { return o.Done && o.Code == 0 }
	switch {
	case took(got[0]) && strings.Contains(string(got[0].Data), tableLeft):
		return fail("crontab takes its jobs; an empty table was left there", deny("/etc/cron.deny")+" && sudo crontab -r -u "+shellWord(h.Identity.Name()))
	case took(got[0]):
		return fail("crontab takes its jobs", deny("/etc/cron.deny"))
	case took(got[1]):
		return fail("at takes its jobs", deny("/etc/at.deny"))
	case !got[0].Done || !got[1].Done:
		return unknown("they could not be tried: "+excerpt(got[0].Error+" "+got[1].Error), "")
	}
	return pass("neither takes any, or is not there")
}

// waiting are the files by which something of a user's would be started, below root, which is "" but in tests. What cannot be
// looked at, since we are not root, is not among them.
func waiting(user, root string) (files []string) {
	for _, name := range []string{"/var/spool/cron/crontabs/" + user, "/var/spool/cron/" + user, "/var/spool/cron/tabs/" + user, "/var/lib/systemd/linger/" + user} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			files = append(files, name)
		}
	}
	return files
}

// atJobs are the jobs of at below root, which are files of whoever they are for.
func atJobs(uid int, root string) (files []string) {
	for _, dir := range []string{"/var/spool/cron/atjobs", "/var/spool/at"} {
		entries, _ := os.ReadDir(filepath.Join(root, dir)) // it is not there, or only root may look
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && ownedBy(filepath.Join(root, path), uid) {
				files = append(files, path)
			}
		}
	}
	return files
}

func judgeJobs(h host, files []string) verdict {
	if len(files) == 0 {
		return pass("none that can be seen from here")
	}
	name := shellWord(h.Identity.Name())
	var fix []string
	for _, f := range files {
		switch dir := filepath.Dir(f); {
		case strings.Contains(f, "/linger/"):
			fix = append(fix, "sudo loginctl disable-linger "+name)
		case dir == "/var/spool/cron/atjobs" || dir == "/var/spool/at":
			fix = append(fix, fmt.Sprintf("sudo find %s -maxdepth 1 -type f -user %s -delete", dir, name))
		default:
			fix = append(fix, "sudo crontab -r -u "+name)
		}
	}
	return fail("there is "+some(files), strings.Join(slices.Compact(fix), " && "))
}

// judgeTemp looks at the files itself: their owner is the file system's word, and not the agent's.
func judgeTemp(h host, tries []attempt, got []outcome) verdict {
	var left, dirs []string
	for i, o := range got {
		found := false
		paths := append(inShared(tries[i].Path), under(tries[i].Path, o.Names)...)
		slices.Sort(paths)
		for _, path := range slices.Compact(paths) {
			if path != h.room && ownedBy(path, h.uid) {
				left, found = append(left, path), true
			}
		}
		if found {
			dirs = append(dirs, tries[i].Path)
		}
	}
	if len(left) == 0 {
		return pass("nothing of user " + fmt.Sprint(h.uid))
	}
	return fail("there is "+some(left), fmt.Sprintf("sudo find %s -xdev -mindepth 1 -uid %d -delete", strings.Join(dirs, " "), h.uid))
}

// inShared are the paths that we see ourselves in a directory that all share, and in those in it that all may write to, such as
// /tmp/.X11-unix: an answer of the agent's side holds a thousand names, and another user can make that many to hide one.
func inShared(dir string) (paths []string) {
	room := maxShared
	list := func(dir string) []string {
		// Whoever swaps the directory for a link or a FIFO leads nobody astray and holds nobody.
		f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil
		}
		defer f.Close()
		names, _ := f.Readdirnames(room) // what came before an error counts
		room -= len(names)
		return under(dir, names)
	}
	paths = list(dir)
	for _, path := range paths[:len(paths):len(paths)] {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && info.Mode().Perm()&0o002 != 0 && room > 0 {
			paths = append(paths, list(path)...)
		}
	}
	return paths
}

const maxShared = 100_000 // names that are looked at in one directory and those in it

func under(dir string, names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, filepath.Base(name)))
	}
	return paths
}

func ownedBy(path string, uid int) bool {
	info, err := os.Lstat(path)
	return err == nil && owner(info) == uid
}

// owner is the user number of a file's owner, -1 where that is not known.
func owner(info os.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}

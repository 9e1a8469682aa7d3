package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// giveToOwner gives what Branch made to the owner of the repository, when we are root and the owner is not: a branch in
// their own checkout that they can neither move nor delete would be a poor gift. It works inside an os.Root: the
// directories are the owner's, and root follows none of their links.
func (r *Repo) giveToOwner(made []string) error {
	uid, err := owner(r.at.common)
	if err != nil || os.Geteuid() != 0 || uid == 0 {
		return err
	}
	root, err := os.OpenRoot(r.at.common)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range made {
		err := giveOne(root, name, int(uid))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("giving %q to the owner of the checkout: %w", name, err)
		}
	}
	return nil
}

func packFiles(pack string) (made []string) {
	for _, ending := range []string{".pack", ".idx", ".rev"} {
		made = append(made, "objects/pack/pack-"+pack+ending)
	}
	return made
}

// refFiles are a branch, its log and the directories above them.
func refFiles(branch string) []string {
	made := []string{"logs", "logs/refs"}
	for _, top := range []string{"refs/heads", "logs/refs/heads"} {
		for name := path.Join(top, branch); strings.HasPrefix(name, top); name = path.Dir(name) {
			made = append(made, name)
		}
	}
	return made
}

// giveOne changes the owner of what root owns; what others own was there before.
func giveOne(root *os.Root, name string, uid int) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Uid != 0 {
		return nil
	}
	return root.Lchown(name, uid, -1)
}

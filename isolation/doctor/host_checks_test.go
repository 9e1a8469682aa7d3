package doctor

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

func TestListeningPaths(t *testing.T) {
	table := `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 19203 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 19204 /run/connected
0000000000000000: 00000002 00000000 00010000 0001 01 19205 @abstract name
0000000000000000: 00000002 00000000 00010000 0005 01   204 /run/udev/control
0000000000000000: 00000002 00000000 00010000 0001 01 19206
0000000000000000: 00000002 00000000 00010000 0001 01 19203 /run/docker.sock
0000000000000000: 00000002 00000000 nonsense 0001 01 19207 /run/x
`
	if got := listeningPaths(table); !slices.Equal(got, []string{"/run/docker.sock", "/run/udev/control", "@abstract name"}) {
		t.Errorf("%q", got)
	}
	many := listeningPaths(table)
	for i := range 2 * maxSockets {
		many = append(many, fmt.Sprintf("/run/dbus/%d", i))
	}
	many = append(many, "/x/podman.sock")
	tries := connects(many)
	if len(tries) != maxSockets || tries[0].Path != "/run/docker.sock" || tries[1].Path != "/x/podman.sock" || tries[2].Path != "@abstract name" {
		t.Errorf("%d: %+v", len(tries), tries[:3])
	}
}

// S1: a socket that somebody else listens on, outside of the network namespace that we are in, is in no list of the kernel's: that of
// a container engine, which a container was given.
func TestSocketFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"run/deep/docker.sock", "mount point", "by-variable"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		socket, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
	}
	put(t, dir+"/run/file", "x", 0o644)
	at := func(name string) string { return filepath.Join(dir, name) }
	mounts := "tmpfs " + strings.ReplaceAll(at("mount point"), " ", `\040`) + " tmpfs rw 0 0\nproc /proc proc rw 0 0\nshort\nx /no\\04 x x\n"
	got := socketFiles(at("run"), mounts, []string{"DOCKER_HOST=unix://" + at("by-variable"), "OTHER_HOST=tcp://x", "A_HOST=unix://" + at("run/file")})
	if want := []string{at("run/deep/docker.sock"), at("mount point"), at("by-variable")}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestWeightOfSockets(t *testing.T) {
	for socket, want := range map[string]int{
		"/run/docker.sock": 0, "/var/run/docker.sock": 0, "/run/user/1000/podman/podman.sock": 0, "/run/containerd/containerd.sock": 0, "@/containerd-shim/x.sock@": 0,
		"/tmp/ssh-abc/agent.12": 0, "/run/user/0/gnupg/S.gpg-agent": 0, "/tmp/tmux-0/default": 0, "/var/lib/incus/unix.socket": 0, "/run/user/0/systemd/private": 0,
		"/run/dbus/system_bus_socket": 2, "/var/run/dbus/system_bus_socket": 2, "/run/systemd/journal/stdout": 2, "@/tmp/dbus-x": 1, "/run/snapd.socket": 2, "/nix/var/nix/daemon-socket/socket": 2,
		"/tmp/app.sock": 1, "@x": 1, "/srv/agent.sock": 1, "/run/systemd/private": 2,
	} {
		if got := weight(socket); got != want {
			t.Errorf("%s: %d, want %d", socket, got, want)
		}
	}
}

func TestListeningPorts(t *testing.T) {
	table := `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0947 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
   1: 0100007F:0948 0100007F:0001 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
   3: 0500000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0
   4: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1 1 0
   5: 0000000000000000FFFF00000100007F:0001 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  7        0 1 1 0
   6: zz:0001 00000000:0000 0A 00000000:00000000 00:00000000 00000000  7        0 1 1 0
`
	want := []listening{{1, 7, true}, {22, 0, false}, {2375, 0, true}, {8080, 1001, true}}
	got := listeningPorts(table)
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if tries := dials(got); len(tries) != 3 || tries[1].Path != "127.0.0.1:2375" {
		t.Errorf("%+v", tries)
	}
}

// What the judges of this host's configuration make of what they see.
func TestJudgesOfTheHost(t *testing.T) {
	yes, no, absent := outcome{Done: true}, outcome{Error: "EACCES"}, outcome{Error: "ENOENT"}
	h := host{}
	at := func(paths ...string) (tries []attempt) {
		for _, p := range paths {
			tries = append(tries, attempt{Deed: deedConnect, Path: p, Pid: 7})
		}
		return tries
	}
	self := func(nnp string) outcome {
		return outcome{Done: true, Data: []byte(`{"Status":"NoNewPrivs:\t` + nnp + `\n"}`)}
	}
	walked := outcome{Done: true, Names: []string{"setuid 0 /no such/su"}}
	for name, c := range map[string]struct {
		got   verdict
		want  Status
		names string
	}{
		"docker":                     {judgeSockets(h, at("/run/x", "/no/docker.sock"), []outcome{yes, yes}), Fail, "docker.sock"},
		"one that nobody knows":      {judgeSockets(h, at("/run/x", "/run/docker.sock"), []outcome{yes, no}), Unknown, "/run/x"},
		"those of all":               {judgeSockets(h, at("/run/dbus/x", "/run/docker.sock"), []outcome{yes, absent}), Pass, "1 of them"},
		"an abstract shim":           {judgeSockets(h, at("@/containerd-shim/x"), []outcome{yes}), Fail, "containerd-shim"},
		"no sockets":                 {judgeSockets(h, nil, nil), Pass, "0 sockets"},
		"docker's port":              {judgeServices(h, at("127.0.0.1:2375"), []outcome{yes}), Fail, "Docker"},
		"docker's port, closed":      {judgeServices(h, at("127.0.0.1:2375"), []outcome{no}), Pass, "1 services"},
		"some port":                  {judgeServices(h, at("127.0.0.1:9"), []outcome{yes}), Unknown, "user 7"},
		"metadata":                   {judgeMetadata(h, at("[fd00:ec2::254]:80"), []outcome{yes}), Fail, "fd00"},
		"metadata of two clouds":     {judgeMetadata(h, at("169.254.169.254:80", "100.100.100.200:80"), []outcome{yes, yes}), Fail, "100.100.100.200"},
		"no metadata":                {judgeMetadata(h, at("169.254.169.254:80"), []outcome{{Error: "ETIMEDOUT"}}), Pass, "none of 1"},
		"crontab":                    {judgeCron(h, nil, []outcome{yes, {Done: true, Code: 127}}), Fail, "crontab"},
		"crontab, and it stays":      {judgeCron(h, nil, []outcome{{Done: true, Data: []byte(tableLeft)}, {Done: true, Code: 1}}), Fail, "was left"},
		"at":                         {judgeCron(h, nil, []outcome{{Done: true, Code: 1}, yes}), Fail, "at takes"},
		"neither":                    {judgeCron(h, nil, []outcome{{Done: true, Code: 1}, {Done: true, Code: 127}}), Pass, "neither"},
		"not tried":                  {judgeCron(h, nil, []outcome{{Error: "EAGAIN"}, {Done: true, Code: 1}}), Unknown, "EAGAIN"},
		"a crontab of before":        {judgeJobs(h, []string{"/var/spool/cron/crontabs/a"}), Fail, "crontabs"},
		"lingering":                  {judgeJobs(h, []string{"/var/lib/systemd/linger/a"}), Fail, "linger"},
		"setuid, without":            {judgeMighty(h, nil, []outcome{self("0"), walked}), Fail, "no_new_privs"},
		"setuid, with":               {judgeMighty(h, nil, []outcome{self("1"), walked}), Pass, "1, of no use"},
		"setuid, not all looked at":  {judgeMighty(h, nil, []outcome{self("1"), {Done: true, Cut: true}}), Unknown, "not all"},
		"setuid, a closed tree":      {judgeMighty(h, nil, []outcome{self("1"), {Error: "ETIMEDOUT"}}), Unknown, "not all"},
		"setuid, a device's name":    {judgeMighty(h, nil, []outcome{self("1"), {Done: true, Names: []string{"setuid 0 /dev/null"}}}), Pass, "1, of no use"},
		"setuid, a link's name":      {judgeMighty(h, nil, []outcome{self("1"), {Done: true, Names: []string{"setuid 0 /proc/self/exe", "setuid 0"}}}), Pass, "2, of no use"},
		"no answer":                  {judgeMighty(h, nil, []outcome{no, walked}), Unknown, "EACCES"},
		"a core handler":             {judgePattern("|/usr/share/apport/apport %p", nil), Unknown, "apport"},
		"a core handler, odd":        {judgePattern("|", nil), Unknown, "?"},
		"a core file":                {judgePattern("core", nil), Pass, "limit"},
		"no pattern":                 {judgePattern("", os.ErrPermission), Unknown, "cannot be read"},
		"namespaces":                 {judgeUserns(h, nil, []outcome{yes}), Unknown, "it can"},
		"no namespaces":              {judgeUserns(h, nil, []outcome{{Error: "EPERM"}}), Pass, "refused"},
		"namespaces, no program":     {judgeUserns(h, nil, []outcome{{Error: "ENOENT"}}), Unknown, "ENOENT"},
		"namespaces, too slow":       {judgeUserns(h, nil, []outcome{{Error: "ETIMEDOUT"}}), Unknown, "ETIMEDOUT"},
		"another disk":               {judgeDisk(h, 1, 2, ""), Pass, "another file system"},
		"one disk":                   {judgeDisk(h, 1, 1, "rw,relatime"), Unknown, "same file system"},
		"one disk with quotas":       {judgeDisk(h, 1, 1, "rw,usrquota"), Pass, "quotas"},
		"a disk that nobody can see": {judgeDisk(h, 0, 1, ""), Unknown, "not be looked at"},
	} {
		if c.got.status != c.want || !strings.Contains(c.got.why, c.names) || c.want == Fail && c.got.fix == "" {
			t.Errorf("%s: %+v", name, c.got)
		}
	}
}

func TestSharedDirectories(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"tmp", "dev/shm", "proc/sys/fs"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set := func(name, value string) { put(t, filepath.Join(root, "proc/sys", name), value+"\n", 0o644) }
	expect := func(want Status, names string) {
		t.Helper()
		if v := judgeShared(root); v.status != want || !strings.Contains(v.why, names) {
			t.Errorf("%+v, want %v with %s", v, want, names)
		}
	}
	mode(t, filepath.Join(root, "tmp"), 0o777|os.ModeSticky)
	mode(t, filepath.Join(root, "dev/shm"), 0o777|os.ModeSticky)
	expect(Unknown, "fs.protected_symlinks")
	for _, p := range protections {
		set(p.name, "1")
	}
	expect(Pass, "sticky")
	set("fs/protected_regular", "2")
	expect(Pass, "sticky")
	set("fs/protected_fifos", "0")
	expect(Fail, "fs.protected_fifos is 0")
	mode(t, filepath.Join(root, "dev/shm"), 0o777)
	expect(Fail, "/dev/shm")
}

func TestMountOptions(t *testing.T) {
	table := "/dev/a / ext4 rw 0 0\n/dev/b /home ext4 rw,usrquota 0 0\n/dev/c /home/x ext4 ro 0 0\nshort\n"
	for path, want := range map[string]string{"/home": "rw,usrquota", "/home/a": "rw,usrquota", "/homeless": "rw", "/home/x/y": "ro"} {
		if got := optionsOf(table, path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if device("/no such/place/at all") != device("/") || device("") != 0 {
		t.Error("the device of what is above")
	}
}

func TestWaitingJobs(t *testing.T) {
	root := t.TempDir()
	put(t, root+"/var/spool/cron/atjobs/a00001", "", 0o700)
	put(t, root+"/var/spool/at/a00002", "", 0o700)
	jobs := atJobs(os.Getuid(), root)
	if len(jobs) != 2 || len(atJobs(1<<30, root)) != 0 {
		t.Errorf("%q", jobs)
	}
	if v := judgeJobs(host{}, jobs); v.status != Fail || strings.Contains(v.fix, "crontab -r") || !strings.Contains(v.fix, "find /var/spool/at ") {
		t.Errorf("%+v", v)
	}
	put(t, root+"/var/spool/cron/crontabs/aift-x", "", 0o600)
	put(t, root+"/var/lib/systemd/linger/aift-x", "", 0o600)
	if got := waiting("aift-x", root); len(got) != 2 || len(waiting("aift-y", root)) != 0 {
		t.Errorf("%q", got)
	}
}

// S1, S3: doors of a host, opened for real, are found; and closed by what the finding says where that is one command.
func TestDoorsOfTheHost(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		root := place(t)
		socket, err := net.Listen("unix", root+"/docker.sock")
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		mode(t, root+"/docker.sock", 0o666)
		cloud, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer cloud.Close()
		if os.Getuid() == 0 { // a new user gets the number of one that is gone, and with it what that one left
			gone := exec.Command("find", "/tmp", "/var/tmp", "/dev/shm", "-xdev", "-mindepth", "1", "-maxdepth", "2", "-uid", strconv.Itoa(p.Agent.UID), "-exec", "rm", "-rf", "{}", "+")
			if out, err := gone.CombinedOutput(); err != nil {
				t.Logf("%v: %s", err, out) // what runs beside may take a file away first
			}
		}
		left := filepath.Join("/var/tmp", "aift-left-"+p.Agent.Name)
		if out, err := exec.Command("install", "-o", p.Agent.Name, "-m", "0600", "/dev/null", left).CombinedOutput(); os.Getuid() == 0 && err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		defer os.Remove(left)
		o.Metadata = []string{cloud.Addr().String()}

		found := examine(t, runner, o, "sockets", "local-services", "metadata", "temp-left")
		for id, names := range map[string]string{"sockets": root + "/docker.sock", "metadata": cloud.Addr().String(), "temp-left": left} {
			if id == "temp-left" && os.Getuid() != 0 {
				continue // an ordinary user cannot leave a file for another one
			}
			if f := found[id]; f.Status != Fail || !strings.Contains(f.Why, names) || f.Fix == "" {
				t.Errorf("%s: %+v", id, f)
			}
		}
		if f := found["local-services"]; f.Status == Pass || !strings.Contains(f.Why, "127.0.0.1:") {
			t.Errorf("a service that listens: %+v", f)
		}
		follow(t, found["sockets"].Fix)
		if os.Getuid() == 0 { // find complains of what others remove meanwhile; whether it did its work is seen below
			_ = exec.Command("/bin/sh", "-c", found["temp-left"].Fix).Run()
		}
		o.Metadata = []string{"127.0.0.1:1"}
		for id, f := range examine(t, runner, o, "sockets", "metadata", "temp-left") {
			ours := id == "metadata" || strings.Contains(f.Why, root) || strings.Contains(f.Why, left)
			if f.Status == Fail && ours {
				t.Errorf("%s: not closed: %+v", id, f)
			}
		}
	})
}

// S2: a file of the agent's is found among more names than an answer can hold, and in a directory that all may write to.
func TestWhatIsLeftAmongMany(t *testing.T) {
	dir := t.TempDir()
	for i := range maxNames + 10 {
		put(t, filepath.Join(dir, fmt.Sprint("other-", i)), "", 0o600)
	}
	put(t, dir+"/.X11-unix/left", "", 0o600)
	put(t, dir+"/left", "", 0o600)
	mode(t, dir+"/.X11-unix", 0o1777|os.ModeSticky)
	list := inShared(dir)
	for _, path := range []string{dir + "/left", dir + "/.X11-unix/left", fmt.Sprint(dir, "/other-", maxNames+9)} {
		if !slices.Contains(list, path) {
			t.Errorf("%s is not seen", path)
		}
	}
	v := judgeTemp(host{uid: os.Getuid()}, []attempt{{Deed: deedList, Path: dir}}, []outcome{{Done: true, Cut: true}})
	if v.status != Fail {
		t.Errorf("%+v", v)
	}
}

// A program with another's rights that anybody may write is found wherever users can put one.
func TestDoorOfPrograms(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if os.Getuid() != 0 {
			return // the kernel takes the bit away when another writes, and the mode is only root's to prove
		}
		program := filepath.Join(place(t), "helper")
		put(t, program, "x", 0o755)
		mode(t, program, 0o757|os.ModeSetuid)
		list := []check{checkOf(t, "setuid-programs")}
		list[0].attempts = func(host) ([]attempt, string) { // the other trees of a host take seconds, and another test walks them
			return []attempt{{Deed: deedSelf}, {Deed: deedWalk, Path: filepath.Dir(program)}}, ""
		}
		find := func(want Status) Finding {
			rep, err := run(t.Context(), runner, options(t, p), list)
			if err != nil || rep.Findings[0].Status != want {
				t.Fatalf("%+v, %v", rep, err)
			}
			return rep.Findings[0]
		}
		f := find(Fail)
		if !strings.Contains(f.Why, program) {
			t.Errorf("it says %s", f.Why)
		}
		follow(t, f.Fix)
		find(Pass)
	})
}

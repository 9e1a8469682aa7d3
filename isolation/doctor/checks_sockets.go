package doctor

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// socketsChecks are about services that the agent can talk to: what listens in the file system and on the network of this host,
// and what gives credentials of the cloud to whoever asks.
func socketsChecks() []check {
	return []check{
		{
			id: "sockets", says: "The agent can connect to no socket by which it would be root, or somebody else.",
			attempts: func(h host) ([]attempt, string) {
				text, err := kernelFile("/proc/net/unix")
				if err != nil {
					return nil, fmt.Sprintf("the sockets of this host cannot be listed: %v", err)
				}
				mounts, _ := kernelFile("/proc/self/mounts") // without it fewer are tried
				paths := append(listeningPaths(text), socketFiles("/run", mounts, h.Environ)...)
				slices.Sort(paths)
				return connects(slices.Compact(paths)), ""
			},
			judge: judgeSockets,
		},
		{
			id: "local-services", says: "No service that only this host is to reach lets the agent in.",
			attempts: func(host) ([]attempt, string) { return dials(listeningPorts(tables())), "" },
			judge:    judgeServices,
		},
		{
			id: "metadata", says: "The agent cannot ask the cloud for the credentials of this machine.",
			attempts: func(h host) (tries []attempt, _ string) {
				addresses := h.Metadata
				if addresses == nil {
					addresses = metadata
				}
				for _, a := range addresses {
					tries = append(tries, attempt{Deed: deedDial, Path: a})
				}
				return tries, ""
			},
			judge: judgeMetadata,
		},
	}
}

// metadata are the addresses of the clouds' metadata services: most use the first; AWS has the second too, Alibaba the third.
var metadata = []string{"169.254.169.254:80", "[fd00:ec2::254]:80", "100.100.100.200:80"}

const (
	maxKernelFile = 4 << 20 // bytes
	maxSockets    = 200     // that are tried
)

func kernelFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKernelFile))
	return string(data), err
}

// listeningPaths are the names of stream sockets that accept connections, as /proc/net/unix has them: "@" begins one that is not in
// the file system, which no mode protects.
func listeningPaths(table string) (paths []string) {
	const accepts = 0x10000 // __SO_ACCEPTCON
	for line := range strings.Lines(table) {
		words := strings.SplitN(strings.TrimRight(line, "\n"), " ", 8)
		if len(words) < 8 {
			continue
		}
		flags, err := strconv.ParseUint(words[3], 16, 32)
		if name := strings.TrimLeft(words[7], " 0123456789"); err == nil && flags&accepts != 0 && name != "" {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// connects puts what matters first, since there may be more than are tried.
func connects(paths []string) (tries []attempt) {
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(weight(a), weight(b)) })
	for _, p := range paths[:min(len(paths), maxSockets)] {
		tries = append(tries, attempt{Deed: deedConnect, Path: p})
	}
	return tries
}

// weight is 0 for a socket that gives rights away, 2 for one that all may use, 1 for all others.
func weight(socket string) int {
	switch {
	case mightySocket(socket):
		return 0
	case publicSocket(socket):
		return 2
	}
	return 1
}

// mightySocket reports whether whoever may speak at a socket runs programs as another user, or signs with another's keys.
func mightySocket(socket string) bool {
	name := path.Base(strings.TrimPrefix(socket, "@"))
	mighty := []string{"docker.sock", "dockerd.sock", "podman.sock", "containerd.sock", "containerd.sock.ttrpc", "crio.sock", "buildkitd.sock",
		"libvirt-sock", "virtqemud-sock", "unix.socket", "incus.socket"}
	if slices.Contains(mighty, name) {
		return true
	}
	return strings.Contains(socket, "containerd-shim") || strings.HasPrefix(name, "agent.") && strings.Contains(socket, "/ssh-") ||
		strings.HasPrefix(name, "S.gpg-agent") || strings.Contains(socket, "/tmux-") || strings.HasSuffix(socket, "/systemd/private") && strings.HasPrefix(socket, "/run/user/")
}

// publicSocket reports whether a socket is made for all users of a host, and asks who somebody is before it does anything.
func publicSocket(socket string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(socket, "@"), "/var"), "/run/")
	for _, public := range []string{"dbus/", "systemd/journal/", "systemd/notify", "systemd/userdb/", "systemd/io.", "systemd/resolve", "systemd/oom", "systemd/machine", "systemd/private", "systemd/fsck",
		"nscd/", "avahi-daemon/", "cups/", "uuidd/", "udev/", "lvm/", "multipathd", "chrony/", "acpid", "rpcbind", "gssproxy", "sssd/", "snapd.socket", "snapd-snap.socket", "apport", "dbus-"} {
		if strings.HasPrefix(name, public) {
			return true
		}
	}
	return socket == "/nix/var/nix/daemon-socket/socket"
}

func judgeSockets(_ host, tries []attempt, got []outcome) verdict {
	var mighty, others []string
	public := 0
	for i, o := range got {
		switch w := weight(tries[i].Path); {
		case !o.Done:
		case w == 0:
			mighty = append(mighty, tries[i].Path)
		case w == 1:
			others = append(others, tries[i].Path)
		default:
			public++
		}
	}
	switch {
	case len(mighty) > 0:
		return fail("it can connect to "+some(mighty), closeSockets(mighty))
	case len(others) > 0:
		return unknown("it can connect to "+some(others)+", and nobody here knows what they do for it", "look at who listens (ss -xlp), and close what is not for all users: chmod o-rwx on the socket")
	}
	return pass(fmt.Sprintf("%d sockets tried, %d of them are for all users", len(got), public))
}

// closeSockets is one command where the sockets are files; of others only their service can say no.
func closeSockets(sockets []string) string {
	var files []string
	for _, s := range sockets {
		if strings.HasPrefix(s, "/") {
			files = append(files, s)
		}
	}
	if len(files) == 0 {
		return "stop the service, or start it with a socket in a directory that is closed to the agent's user"
	}
	return chmod("o-rwx", files) + "; and take the agent's user out of the sockets' group"
}

// some names at most three, quoted.
func some(names []string) string {
	var quoted []string
	for _, n := range names[:min(len(names), 3)] {
		quoted = append(quoted, fmt.Sprintf("%.200q", n))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - len(quoted); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tables are the kernel's lists of TCP sockets; one that is not there is empty.
func tables() string {
	four, _ := kernelFile("/proc/net/tcp") // a host without IPv4 or IPv6 has one of them
	six, _ := kernelFile("/proc/net/tcp6")
	return four + six
}

// listening is a TCP port that accepts connections from this host.
type listening struct {
	port uint16
	uid  int  // whose it is
	only bool // only this host can reach it
}

// listeningPorts reads /proc/net/tcp and tcp6, whose addresses are hexadecimal words in the order of a little-endian machine.
func listeningPorts(table string) (ports []listening) {
	const listens = "0A" // TCP_LISTEN
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 8 || words[3] != listens {
			continue
		}
		address, port, _ := strings.Cut(words[1], ":")
		n, err1 := strconv.ParseUint(port, 16, 16)
		uid, err2 := strconv.Atoi(words[7])
		ip, ok := addressOf(address)
		if err1 != nil || err2 != nil || !ok || !(ip.IsLoopback() || ip.IsUnspecified()) {
			continue
		}
		ports = append(ports, listening{port: uint16(n), uid: uid, only: ip.IsLoopback()})
	}
	slices.SortFunc(ports, func(a, b listening) int { return cmp.Compare(a.port, b.port) })
	return slices.CompactFunc(ports, func(a, b listening) bool { return a.port == b.port })
}

func addressOf(word string) (netip.Addr, bool) {
	raw, err := hex.DecodeString(word)
	if err != nil || len(raw)%4 != 0 {
		return netip.Addr{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		slices.Reverse(raw[i : i+4])
	}
	ip, ok := netip.AddrFromSlice(raw)
	return ip.Unmap(), ok
}

func dials(ports []listening) (tries []attempt) {
	for _, p := range ports[:min(len(ports), maxSockets)] {
		if p.only {
			tries = append(tries, attempt{Deed: deedDial, Path: fmt.Sprintf("127.0.0.1:%d", p.port), Pid: p.uid})
		}
	}
	return tries
}

// mightyPorts are those of services that run programs for whoever connects, or give away what others store, where nobody
// configured them otherwise.
var mightyPorts = map[string]string{"2375": "Docker", "2376": "Docker", "10250": "the kubelet", "10255": "the kubelet", "8001": "kubectl proxy", "8080": "Kubernetes' insecure port, or another service",
	"2379": "etcd", "6443": "Kubernetes", "9229": "a debugger of node", "5858": "a debugger of node", "5005": "a debugger of Java", "6379": "Redis", "11211": "memcached", "8888": "Jupyter", "4444": "Selenium", "9222": "a debugger of Chromium"}

func judgeServices(h host, tries []attempt, got []outcome) verdict {
	var mighty, others []string
	for i, o := range got {
		_, port, _ := strings.Cut(tries[i].Path, ":")
		switch what, known := mightyPorts[port]; {
		case !o.Done:
		case known:
			mighty = append(mighty, fmt.Sprintf("%s (%s, of user %d)", tries[i].Path, what, tries[i].Pid))
		default:
			others = append(others, fmt.Sprintf("%s (of user %d)", tries[i].Path, tries[i].Pid))
		}
	}
	fix := "stop the service, give it a password, or keep the agent's user from it: sudo iptables -I OUTPUT -o lo -p tcp --dport PORT -m owner --uid-owner " + shellWord(h.Identity.Name()) + " -j REJECT"
	switch {
	case len(mighty) > 0:
		return fail("it can connect to "+strings.Join(mighty[:min(len(mighty), 5)], ", "), fix)
	case len(others) > 0:
		return unknown(fmt.Sprintf("it can connect to %s (%d in all), and nobody here knows what they do for it", strings.Join(others[:min(len(others), 5)], ", "), len(others)), fix)
	}
	return pass(fmt.Sprintf("%d services tried", len(got)))
}

// judgeMetadata names a rule for each address that answers: one alone would leave the others open.
func judgeMetadata(h host, tries []attempt, got []outcome) verdict {
	var open, fix []string
	for i, o := range got {
		if !o.Done {
			continue
		}
		address := strings.Trim(tries[i].Path[:strings.LastIndexByte(tries[i].Path, ':')], "[]")
		table := "iptables"
		if strings.Contains(address, ":") {
			table = "ip6tables"
		}
		open = append(open, tries[i].Path)
		fix = append(fix, fmt.Sprintf("sudo %s -I OUTPUT -d %s -m owner --uid-owner %s -j REJECT", table, address, shellWord(h.Identity.Name())))
	}
	if len(open) > 0 {
		return fail("it can connect to "+some(open), strings.Join(fix, " && "))
	}
	return pass(fmt.Sprintf("none of %d addresses answers", len(got)))
}

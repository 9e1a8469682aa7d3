package isolation

import (
	"strings"
	"testing"
)

func TestParseStatus(t *testing.T) {
	const full = "Name:\tsleep\nState:\tS (sleeping)\nPPid:\t7\nUid:\t1\t2\t3\t4\nThreads:\t1\n"
	if p, ok := parseStatus(full, 9); !ok || p.pid != 9 || p.parent != 7 || p.name != "sleep" || p.uids != [4]int{1, 2, 3, 4} {
		t.Errorf("%+v, %v", p, ok)
	}
	for name, tt := range map[string]struct {
		text string
		ok   bool
	}{
		"zombie":                           {strings.Replace(full, "S (sleeping)", "Z (zombie)", 1), false},
		"dead":                             {strings.Replace(full, "S (sleeping)", "X (dead)", 1), false},
		"main thread gone, others alive":   {strings.NewReplacer("S (sleeping)", "Z (zombie)", "Threads:\t1", "Threads:\t3").Replace(full), true},
		"stopped":                          {strings.Replace(full, "S (sleeping)", "T (stopped)", 1), true},
		"a name that looks like a line":    {strings.Replace(full, "sleep", `x\nUid:\t0`, 1), true},
		"nothing":                          {"", false},
		"no owner":                         {"Name:\tx\nState:\tS\n", false},
		"more owners than the kernel says": {full + "Uid:\t1\t1\t1\t1\t1\t1\n", true},
	} {
		if _, ok := parseStatus(tt.text, 9); ok != tt.ok {
			t.Errorf("%s: %v", name, ok)
		}
	}
}

// What waits in the kernel is not to be ended by anybody's kill, and is told apart.
func TestSurvivorsInTheKernelGetAnotherFix(t *testing.T) {
	const status = "Name:\tcat\nState:\tD (disk sleep)\nPPid:\t7\nUid:\t1\t1\t1\t1\nThreads:\t1\n"
	stuck, _ := parseStatus(status, 9)
	awake, _ := parseStatus(strings.Replace(status, "D (disk", "S (", 1), 10)
	id := Identity{name: "aift-x"}
	refused(t, survived(id, named([]proc{stuck})), BadUser, `9 "cat" (waits in the kernel)`, "/sys/fs/fuse/connections")
	refused(t, survived(id, named([]proc{awake})), BadUser, `10 "cat"`, "kill")
	if err := survived(id, nil); err != nil {
		t.Error(err)
	}
}

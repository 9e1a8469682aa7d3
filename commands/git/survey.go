package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// maxSurvey bounds the listing of a tree; at the default of 100,000 paths that is 640 bytes each.
const maxSurvey = 64 << 20

// survey is what the agent's side says about the tree: claims, each checked again where it matters.
type survey struct {
	special    map[string]bool // pipes, sockets, devices
	big        map[string]bool // files over the limit
	unreadable map[string]bool // directories end in a slash
	repos      []string        // .git below the top
	long       map[string]bool // too long to be opened
	others     []string        // neither tracked nor ignored; a repository ends in a slash
	diffs      []difference    // of tracked paths
}

// difference is a tracked path that is not what the base has.
type difference struct {
	path, mode string
	deleted    bool
}

// Exit statuses of the scripts.
const (
	exitTreeGone = 40
	exitBlocked  = 41
)

// errTooMany is a survey that is too long to be listed.
var errTooMany = errors.New("too many paths to list")

func (t *Tree) survey(ctx context.Context, l Limits) (survey, error) {
	args := append(t.scriptArgs(), fmt.Sprint(l.MaxFile))
	out, err := asAgent(ctx, t.room, "survey", job{stdin: t.indexInfo(), max: t.most}, preludeScript+surveyScript, args...)
	var failed *Error
	switch {
	case errors.Is(err, process.ErrTooMuchOutput):
		return survey{}, errTooMany
	case errors.As(err, &failed) && failed.Code == exitTreeGone:
		return survey{}, fmt.Errorf("the agent removed or replaced its tree %q", t.dir)
	case errors.As(err, &failed) && failed.Code == exitBlocked:
		// Only the first list is there, and that is the reason.
		return readSurvey(append(out, 0, 0, 0, 0, 0, 0))
	case err != nil:
		return survey{}, err
	}
	return readSurvey(out)
}

func (t *Tree) scriptArgs() []string {
	return []string{t.repo.bin, t.room.Path(), t.dir, t.repo.format}
}

// indexInfo is the base as index entries. Submodules are left out: they are never the agent's to change.
func (t *Tree) indexInfo() *bytes.Buffer {
	var b bytes.Buffer
	for path, e := range t.base {
		if e.mode != modeSubmodule {
			fmt.Fprintf(&b, "%s %s\t%s\x00", e.mode, e.id, path)
		}
	}
	return &b
}

func readSurvey(out []byte) (s survey, err error) {
	lists, err := splitLists(out, 7)
	if err != nil {
		return s, err
	}
	s.special, s.big, s.unreadable = set(lists[0]), set(lists[1]), set(lists[2])
	for _, p := range lists[3] {
		s.repos = append(s.repos, strings.TrimPrefix(p, "./"))
	}
	s.long, s.others = set(lists[4]), lists[5]
	s.diffs, err = readDifferences(lists[6])
	return s, err
}

// splitLists reads exactly n lists of NUL-terminated records, each ended by an empty record. Anything else, such as the
// half of an output, is an error: a short list must never look like fewer changes.
func splitLists(out []byte, n int) ([][]string, error) {
	lists := make([][]string, 1, n+1)
	for len(out) > 0 {
		record, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, fmt.Errorf("a listing breaks off in %.200q", record)
		}
		out = rest
		if len(record) == 0 {
			lists = append(lists, nil)
			continue
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], string(record))
	}
	if len(lists) != n+1 || lists[n] != nil {
		return nil, fmt.Errorf("a listing has %d parts in the place of %d", len(lists)-1, n)
	}
	return lists[:n], nil
}

func set(paths []string) map[string]bool {
	m := make(map[string]bool, len(paths))
	for _, p := range paths {
		m[strings.TrimPrefix(p, "./")] = true
	}
	return m
}

// readDifferences reads pairs of ":oldmode newmode oldid newid status" and path.
func readDifferences(records []string) ([]difference, error) {
	if len(records)%2 != 0 {
		return nil, errors.New("a difference has no path")
	}
	var all []difference
	for i := 0; i < len(records); i += 2 {
		f := strings.Fields(records[i])
		if len(f) != 5 || f[0] == "" || f[0][0] != ':' {
			return nil, fmt.Errorf("a difference reads %.200q", records[i])
		}
		all = append(all, difference{path: records[i+1], mode: f[1], deleted: f[4] == "D"})
	}
	return all, nil
}

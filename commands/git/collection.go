package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// update is a path with its new mode and contents.
type update struct {
	path string
	entry
}

// collection is what came back, while and after it comes.
type collection struct {
	base    map[string]entry
	removed []string
	limits  Limits
	entries []update
	ids     []OID // distinct, in order
	sizes   map[OID]int64
	refused []Refused

	verdicts map[OID]*verdict // on contents that the base has nowhere
}

// errRefused ends a transfer whose rest is not wanted; the reasons are in the collection.
var errRefused = errors.New("refused")

// news are the entries that differ from the base; links always come.
func (c *collection) news() []update {
	var all []update
	for _, u := range c.entries {
		if c.base[u.path] != u.entry {
			all = append(all, u)
		}
	}
	return all
}

// readEntries reads the index of the agent's side: exactly the paths that were asked for, as files and links.
func (c *collection) readEntries(in *bufio.Reader, paths []string) error {
	distinct := map[OID]bool{}
	for {
		record, err := readUntil(in, 0, maxPath+256)
		if err != nil {
			return err
		}
		if record == "" {
			break
		}
		u, err := parseEntry(record)
		if err != nil {
			return err
		}
		if _, asked := slices.BinarySearch(paths, u.path); !asked {
			return fmt.Errorf("%.200q came without having been asked for", u.path)
		}
		switch u.mode {
		case modeFile, modeExecutable, modeLink:
		case modeSubmodule:
			c.refused = append(c.refused, Refused{u.path, "a git repository inside the tree"})
		default:
			return fmt.Errorf("%.200q has mode %.20q", u.path, u.mode)
		}
		if problem := nameProblem(c.base, u.path, u.mode); problem != "" {
			c.refused = append(c.refused, Refused{u.path, problem})
		}
		c.checkName(u.path)
		if distinct[u.id] = true; len(c.entries) == len(paths) {
			return fmt.Errorf("more than the %d paths that were asked for came", len(paths))
		}
		c.entries = append(c.entries, u)
	}
	c.noteMissing(paths)
	c.checkPlaces()
	for id := range distinct {
		c.ids = append(c.ids, id)
	}
	slices.Sort(c.ids)
	return c.stopIfRefused()
}

// checkName refuses a new path that is itself what must not leave. It is not named: that would be the leak.
func (c *collection) checkName(path string) {
	if _, tracked := c.base[path]; tracked || c.limits.Check == nil {
		return
	}
	if reason := c.limits.Check(path, []byte(path)); reason != "" {
		c.refused = append(c.refused, Refused{"", "the name of a new file " + reason})
	}
}

// noteMissing names what was asked for and did not come: git passes over names that it refuses.
func (c *collection) noteMissing(paths []string) {
	came := make(map[string]bool, len(c.entries))
	for _, u := range c.entries {
		came[u.path] = true
	}
	for _, path := range paths {
		if !came[path] {
			c.refused = append(c.refused, Refused{path, "a name, or a link of a name, that git refuses"})
		}
	}
}

// checkPlaces judges, now that it is known which links did change, what stands where only a directory may, and what is in a
// bare repository.
func (c *collection) checkPlaces() {
	var now, changed []string
	for _, u := range c.entries {
		now = append(now, u.path)
		if c.base[u.path] == u.entry {
			continue
		}
		changed = append(changed, u.path)
		if isAnyOf(c.limits.Directories, u.path) {
			c.refused = append(c.refused, Refused{u.path, "only a directory may have this name"})
		}
	}
	c.refused = append(c.refused, bareProblems(c.base, c.removed, now, changed)...)
}

func parseEntry(record string) (update, error) {
	meta, path, ok := strings.Cut(record, "\t")
	f := strings.Fields(meta)
	if !ok || len(f) != 3 || !OID(f[1]).valid() || f[2] != "0" {
		return update{}, fmt.Errorf("an index entry reads %.200q", record)
	}
	return update{path, entry{mode: f[0], id: OID(f[1])}}, nil
}

// readSizes reads a size for each id and judges them all, so that what is too large is named before any of it crosses.
func (c *collection) readSizes(in *bufio.Reader) error {
	c.sizes = make(map[OID]int64, len(c.ids))
	for _, id := range c.ids {
		n, err := readSize(in)
		if err != nil {
			return err
		}
		c.sizes[id] = n
	}
	if end, err := readUntil(in, '\n', 64); err != nil || end != "" {
		return fmt.Errorf("sizes end in %.64q, %w", end, err)
	}
	left := c.limits.MaxTotal
	for _, u := range c.entries {
		switch n := c.sizes[u.id]; {
		case u.mode == modeLink && n > maxLink:
			c.refused = append(c.refused, Refused{u.path, "a link without a proper target"})
		case n > c.limits.MaxFile:
			c.refused = append(c.refused, Refused{u.path, fmt.Sprintf("larger than %d bytes", c.limits.MaxFile)})
		case c.base[u.path] != u.entry:
			left -= min(n, left+1)
		}
	}
	if left < 0 {
		c.refused = append(c.refused, Refused{"", fmt.Sprintf("all changed files together are larger than %d bytes", c.limits.MaxTotal)})
	}
	return c.stopIfRefused()
}

func (c *collection) stopIfRefused() error {
	if len(c.refused) > 0 {
		return errRefused
	}
	return nil
}

func readSize(in *bufio.Reader) (int64, error) {
	text, err := readUntil(in, '\n', 64)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("a size reads %.64q", text)
	}
	return n, nil
}

// readUntil reads a record of at most limit bytes, without its end.
func readUntil(in *bufio.Reader, end byte, limit int) (string, error) {
	var record []byte
	for {
		c, err := in.ReadByte()
		if err != nil {
			return "", noEOF(err)
		}
		if c == end {
			return string(record), nil
		}
		if len(record) == limit {
			return "", fmt.Errorf("a record is longer than %d bytes: %.100q", limit, record)
		}
		record = append(record, c)
	}
}

func noEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

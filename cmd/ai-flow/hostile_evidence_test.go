package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	suite "github.com/d3mlabs/ai-flow/testsupport/hostile"
)

// trace is what a file of the dispatcher's is known by.
type trace struct {
	mode     fs.FileMode
	changed  time.Time
	read     time.Time
	contents string
}

// alive are the processes of the agent's user, after a moment for those that init has yet to collect.
func (s *stage) alive() (alive []string) {
	for range 20 {
		if alive = processesOf(strconv.Itoa(s.pair.Agent.UID)); len(alive) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return alive
}

// evidence looks at everything, after the run.
func (th *theatre) evidence() suite.Run {
	a := th.first()
	r := suite.Run{Local: a.Where == suite.Try, Wanted: strings.Join(a.Outcomes, "|"), AgentUID: strconv.Itoa(th.s.pair.Agent.UID), Alive: th.s.alive(),
		AliveAtPush: th.atPush, Changed: th.changes(), Strangers: th.people, Log: th.log.String(), Outputs: th.read("job/output"), Loot: map[string]string{},
		Left: map[string]string{"the outputs": th.read("job/output"), "the log": withoutMasks(th.log.String())}}
	r.Rooms = th.rooms()
	if r.Traps = strings.Split(strings.TrimSpace(th.read("ran")), "\n"); r.Traps[0] == "" {
		r.Traps = nil
	}
	th.walk("loot", func(name, text string) { r.Loot[name] = text })
	for _, dir := range []string{"job/temp/ai-flow", "job/out"} {
		th.walk(dir, func(name, text string) { r.Left[name] = text })
	}
	r.Left["the page"] = th.read("job/summary.md")
	if prompt, ran := r.Loot["loot/prompt"]; ran {
		r.Ran, r.Prompts = true, []string{prompt}
	}
	if th.server == nil {
		r.Outcome = th.inReport("outcome")
		th.pages(&r)
	} else {
		_, after, _ := strings.Cut(r.Outputs, "outcome<<")
		r.Outcome = strings.Split(after+"\n\n", "\n")[1]
		th.hub(&r)
	}
	r.Secrets = th.allSecrets()
	return r
}

// rooms are those of this launch that are still there. What a killed run leaves is removed by the next one that starts an agent.
func (th *theatre) rooms() (left []string) {
	started := slices.Compact(strings.Fields(th.read("loot/room")))
	for i, tree := range started {
		if _, err := os.Lstat(filepath.Dir(tree)); !os.IsNotExist(err) && !(th.killed.Load() && i == len(started)-1 && th.first().Again && len(started) == 1) {
			left = append(left, filepath.Dir(tree))
		}
	}
	return left
}

// read is a file of the launch, "" when it is not there.
func (th *theatre) read(name string) string {
	data, err := os.ReadFile(th.path(name))
	if err != nil && !os.IsNotExist(err) {
		th.t.Error(err)
	}
	return string(data)
}

func (th *theatre) walk(dir string, f func(name, text string)) {
	th.must(filepath.WalkDir(th.path(dir), func(p string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(th.dir, p)
		f(rel, th.read(rel))
		return err
	}))
}

// withoutMasks is a log without the lines by which the runner learns what to hide.
func withoutMasks(log string) string {
	var kept []string
	for line := range strings.Lines(log) {
		if !strings.HasPrefix(line, "::add-mask::") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func (th *theatre) allSecrets() []suite.Secret {
	all := slices.Clone(th.secrets)
	if th.server == nil {
		return all
	}
	for _, kind := range []string{"app", "static", "agent"} {
		for i, value := range th.server.Minted(kind) {
			all = append(all, suite.Secret{Name: fmt.Sprintf("token %d of kind %s", i+1, kind), Value: value, Agents: kind == "agent"})
		}
	}
	return all
}

// watch looks at all that is the dispatcher's. The last look at a file is set back, so that one from now on is seen.
func (th *theatre) watch() map[string]trace {
	seen := map[string]trace{}
	for _, dir := range []string{"home", "job"} {
		th.must(filepath.WalkDir(th.path(dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(th.dir, p)
			if err != nil || th.mayChange(rel) {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			t := trace{mode: info.Mode(), changed: info.ModTime()}
			if info.Mode().IsRegular() {
				t.read = lastRead(info)
				data, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				t.contents = fmt.Sprintf("%x", sha256.Sum256(data))
				if th.watched == nil {
					t.read = info.ModTime().Add(-time.Hour)
				}
				if err := os.Chtimes(p, t.read, t.changed); err != nil {
					return err
				}
			} else if info.IsDir() {
				t.changed = time.Time{} // it says no more than its entries
			}
			seen[rel] = t
			return nil
		}))
	}
	return seen
}

// mayChange are the files by which a job reports, and the checkout's own branches.
func (th *theatre) mayChange(rel string) bool {
	for _, own := range []string{"job/summary.md", "job/output", "job/event.json", "job/temp/ai-flow", "job/out", "job/checkout/.git"} {
		if rel == own || strings.HasPrefix(rel, own+"/") {
			return true
		}
	}
	return false
}

func (th *theatre) changes() (all []string) {
	now := th.watch()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		before, found := th.watched[name]
		switch after := now[name]; {
		case !found:
			all = append(all, name+" is new")
		case before.mode != after.mode || before.contents != after.contents || !before.changed.Equal(after.changed):
			all = append(all, name+" was changed")
		case !before.read.Equal(after.read) && !strings.HasPrefix(name, "job/checkout"):
			all = append(all, name+" was read")
		}
	}
	for name := range th.watched {
		if _, found := now[name]; !found {
			all = append(all, name+" is gone")
		}
	}
	return all
}

// pages are what a person who tries it out reads.
func (th *theatre) pages(r *suite.Run) {
	if text := th.read("job/out/comment.md"); text != "" {
		r.Posts = append(r.Posts, suite.Post{Where: "comment.md", Text: text, Kind: suite.Ours, Limit: 65_536})
	}
}

// hub is what stands on GitHub.
func (th *theatre) hub(r *suite.Run) {
	const most = 65_536
	r.Gone = !slices.ContainsFunc(th.repo.Thread(th.number), func(c fakegithub.Posted) bool { return c.ID == th.command.ID })
	for _, c := range th.repo.Thread(th.number) {
		where := fmt.Sprintf("%s %d by %s", c.Kind, c.ID, c.Author)
		r.Left[where] = c.Body
		bot := strings.HasSuffix(c.Author, "[bot]")
		switch marked := strings.Contains(c.Body, "<!-- ai-flow:"); {
		case bot && !marked:
			r.Foreign = append(r.Foreign, where+": "+c.Body)
		case bot:
			r.Posts = append(r.Posts, suite.Post{Where: where, Text: c.Body, Kind: suite.Ours, Of: th.command.ID, Limit: most})
		case marked && c.ID == th.command.ID:
			r.Posts = append(r.Posts, suite.Post{Where: where, Text: c.Body, Kind: suite.Shared, Of: th.command.ID, Limit: most})
		}
	}
	if page := th.read("job/summary.md"); page != "" {
		r.Posts = append(r.Posts, suite.Post{Where: "the page of the run", Text: page, Kind: suite.Page, Limit: 1 << 20})
	}
	r.Left["the description"] = th.repo.Body(th.number)
	r.Posts = append(r.Posts, suite.Post{Where: "the description", Text: th.repo.Body(th.number), Kind: suite.Document, Limit: most})
	opened := 0
	for _, p := range th.repo.Pulls() {
		if !strings.HasSuffix(p.Author, "[bot]") {
			continue
		}
		where := fmt.Sprintf("pull request %d", p.Number)
		r.Left[where] = p.Title + "\n" + p.Head + "\n" + p.Body
		r.Posts = append(r.Posts, suite.Post{Where: where, Text: p.Body, Kind: suite.Ours, Limit: most},
			suite.Post{Where: where + "'s title", Text: p.Title, Kind: suite.Title, Limit: 1024})
		if opened++; opened > 1 || p.Base != "main" || th.first().Where != suite.Issue {
			r.Foreign = append(r.Foreign, where+" to "+p.Base)
		}
	}
	th.branches(r)
}

func (th *theatre) allRefs() map[string]string {
	all := map[string]string{}
	if th.server == nil {
		return all
	}
	for name, repo := range map[string]*fakegithub.Repo{"acme/app ": th.repo, "acme/lib ": th.other} {
		for ref, oid := range repo.Refs() {
			all[name+ref] = oid
		}
	}
	return all
}

// branches are what was pushed: where to, over what, and what it holds.
func (th *theatre) branches(r *suite.Run) {
	allowed := map[suite.Place]string{suite.Issue: "acme/app refs/heads/ai/1-", suite.Pull: "acme/app refs/heads/topic"}[th.first().Where]
	now := th.allRefs()
	for ref, oid := range now {
		old := th.refs[ref]
		if oid == old {
			continue
		}
		if allowed == "" || !strings.HasPrefix(ref, allowed) {
			r.Moved = append(r.Moved, fmt.Sprintf("%s moved from %q to %s", ref, old, oid))
		}
		if !strings.HasPrefix(ref, "acme/app ") {
			continue // that it moved says it all
		}
		r.Left["the name of a branch"] += ref + "\n"
		th.commits(r, ref, firstOf(old, th.refs["acme/app refs/heads/main"]), oid)
	}
	for ref := range th.refs {
		if _, found := now[ref]; !found {
			r.Moved = append(r.Moved, ref+" is gone")
		}
	}
	for _, p := range th.server.Pushes() {
		if p.Landed && p.Old != "" {
			err := exec.Command("git", "--git-dir="+th.repo.GitDir(), "merge-base", "--is-ancestor", p.Old, p.New).Run()
			r.Pushes = append(r.Pushes, suite.Push{Repo: p.Repo, Ref: p.Ref, Forced: err != nil})
		}
	}
}

// commits are those that a branch has now and had not.
func (th *theatre) commits(r *suite.Run, ref, old, tip string) {
	blobs := map[string]string{} // thousands of files may be one
	blob := func(oid string) string {
		if _, read := blobs[oid]; !read {
			blobs[oid] = th.git("cat-file", "blob", oid)
		}
		return blobs[oid]
	}
	for _, oid := range strings.Fields(th.git("rev-list", tip, "^"+old)) {
		c := suite.Commit{Ref: ref, Message: th.git("log", "-1", "--format=%B", oid), Author: th.git("log", "-1", "--format=%an <%ae>", oid)}
		for _, line := range strings.Split(strings.TrimRight(th.git("diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", oid), "\x00"), "\x00:") {
			head, path, _ := strings.Cut(strings.TrimPrefix(line, ":"), "\x00")
			if f := strings.Fields(head); len(f) == 5 {
				e := suite.Entry{Mode: strings.TrimLeft(f[1], "0"), Path: path}
				if e.Mode == "" {
					e.Mode = "0" // deleted
				}
				if e.Mode == "120000" {
					e.Target = blob(f[3])
				}
				if e.Mode != "0" && e.Mode != "160000" {
					r.Left["commit of "+ref+": "+path] = path + "\n" + blob(f[3])
				}
				c.Entries = append(c.Entries, e)
			}
		}
		r.Left["a commit of "+ref] += c.Message + c.Author
		r.Commits = append(r.Commits, c)
	}
}

func (th *theatre) git(args ...string) string {
	out, err := exec.Command("git", append([]string{"--git-dir=" + th.repo.GitDir()}, args...)...).Output()
	if err != nil {
		th.t.Errorf("git %v: %v", args, err)
	}
	return string(out)
}

// seen is what people see of the result.
func (th *theatre) seen() string {
	if th.server == nil {
		return th.read("job/out/comment.md") + withoutMasks(th.log.String())
	}
	var b strings.Builder
	for _, c := range th.repo.Thread(th.number) {
		fmt.Fprintf(&b, "== %s by %s\n%s\n", c.Kind, c.Author, c.Body)
	}
	for _, p := range th.repo.Pulls() {
		fmt.Fprintf(&b, "== pull request %d: %s\n%s\n%s\n", p.Number, p.Head, p.Title, p.Body)
	}
	for ref := range th.repo.Refs() {
		fmt.Fprintf(&b, "== ref %s\n", ref)
	}
	return b.String() + "== page\n" + th.read("job/summary.md") + "== description\n" + th.repo.Body(th.number) + "\n== log\n" + withoutMasks(th.log.String())
}

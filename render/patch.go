package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// PatchKind is why a change comes back as a patch.
type PatchKind uint8

// The kinds.
const (
	PatchWorkflows PatchKind = iota + 1 // files that runners obey, which are never committed
	PatchRescued                        // the whole work, which could not be pushed
)

// Patch is a change for a person to apply, in the exact bytes that git takes (F-20, F-21, F-22).
type Patch struct {
	Kind  PatchKind
	Repo  string // owner/name; "" for the repository of the thread
	Bytes []byte // nil: it may be shown nowhere but in File
	Base  string // object id of the commit that it applies to
	Pull  *Pull  // on whose head it goes; nil for none, and not looked at when a Landing opens one
	File  string // ours: the file beside report.json that holds it too; "" for none
	Files []string
}

// The bounds of patches: how many are shown, and the bytes of all of them in a summary.
const (
	maxPatches     = 16
	maxPatchesPage = 128 << 10
)

// patches are the blocks for a person to paste, in at most limit bytes of a quote, and what they leave of room.
func (c *writer) patches(limit, room int) (blocks string, left int) {
	shown := c.r.Patches[:min(len(c.r.Patches), maxPatches)]
	var all []string
	for i, p := range shown {
		block := c.patch(p)
		text := within(limit/(len(shown)-i)-gap, block)
		if text == "" {
			continue
		}
		all = append(all, text)
		limit, room = limit-quoted(text)-gap, room-quoted(text)-gap
	}
	more := fmt.Sprintf("And %d more, in files beside `report.json`.", len(c.r.Patches)-len(shown))
	if len(c.r.Patches) > len(shown) && quoted(more)+gap <= limit {
		all, room = append(all, more), room-quoted(more)-gap
	}
	return paragraphs(all...), room
}

// patchSection is the summary's part on patches.
func (c *writer) patchSection() string {
	blocks, _ := c.patches(maxPatchesPage, maxPatchesPage)
	if blocks == "" {
		return ""
	}
	return "### For a person to apply\n\n" + blocks
}

// patch returns a function that gives the block of a patch in at most limit bytes: a command to paste, or where the patch is
// when it has no room, or when a comment would not bring every byte of it to the reader, or not to his eyes.
func (c *writer) patch(p Patch) func(limit int) string {
	why, command := c.unshown(p), ""
	if why == "" {
		command = c.command(p)
	}
	if command != "" {
		fence := fenceFor(command)
		command = details(p.head(), paragraphs(p.why()+" Read it first. To apply it, paste this into a shell (sh, bash, zsh) in a clone of "+p.repo()+", with nothing staged:",
			fence+"sh\n"+command+fence))
	}
	elsewhere := func(why string) string { return details(p.head(), p.why()+" "+why+" "+c.patchFile(p)) }
	return func(limit int) string {
		if command != "" && len(command) <= limit {
			return command
		}
		text := elsewhere(why)
		if why == "" {
			text = elsewhere("It has no room here (" + bytesOf(len(p.Bytes)) + ").")
		}
		if len(text) > limit {
			return ""
		}
		return text
	}
}

// unshown says why a patch is not shown, "" when it is: what a reader copies from the page must be what git wrote, and what
// he sees must be all of it. A line that package thread would take for a mark of its own would be changed on the way.
func (c *writer) unshown(p Patch) string {
	text := string(p.Bytes)
	switch {
	case text == "":
		return "It is not shown here."
	case len(text) > maxPatchesPage:
		return "It is too large to be shown here (" + bytesOf(len(text)) + ")."
	case !strings.HasSuffix(text, "\n"), visible(text) != text: // bytes that are no UTF-8 among them
		return "It holds bytes that a comment would not keep, or that nobody would see in it."
	case c.thread && unmark(text) != text:
		return "It holds a mark like those that ai-flow puts into comments."
	}
	return ""
}

// head names the block.
func (p Patch) head() string {
	head := "A patch of workflow files, for a person to apply"
	if p.Kind == PatchRescued {
		head = "The work, as a patch for a person to apply"
	}
	if n := len(p.Files); n > 0 {
		head += " (" + plural(n, "file") + ")"
	}
	return head
}

// why says why there is a patch, and what it changes.
func (p Patch) why() string {
	why := "ai-flow never commits files that runners obey, such as those under `.github/workflows/`; a person may."
	if p.Kind == PatchRescued {
		why = "This was not pushed."
	}
	if len(p.Files) > 0 {
		why += " The patch changes " + listed(p.Files, maxPaths) + "."
	}
	return why
}

func (p Patch) repo() string {
	if p.Repo == "" {
		return "this repository"
	}
	return code(p.Repo, maxName)
}

// patchFile says where a patch is that is not shown.
func (c *writer) patchFile(p Patch) string {
	if p.File == "" {
		return "No file holds it."
	}
	where := " beside `report.json`"
	if run := c.link("run", c.r.RunURL); run != "" {
		where = " in the artifact of the " + run
	}
	text := "The file " + code(p.File, maxName) + where + " holds it, for " + p.repo()
	if objectID.MatchString(p.Base) {
		text += " at commit " + code(cutRune(p.Base, maxTree), maxTree)
	}
	return text + "."
}

// plainBranch is a name that means itself to every shell and to git.
var plainBranch = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$`)

// command is what a person pastes: it goes to where the patch applies, applies it, commits and pushes under that person's
// name. Nothing in the heredoc is expanded, and the patch cannot end it. Each step waits for the one before. "" when no
// delimiter can be found.
func (c *writer) command(p Patch) string {
	end := delimiter(p.Bytes)
	if end == "" {
		return ""
	}
	digest := sha256.Sum256(p.Bytes)
	name := "ai-flow-" + hex.EncodeToString(digest[:4])
	before, after := c.steps(p, name)
	// From a folder below the top git would leave out, without a word, what is not below it.
	// What somebody has staged would get into the commit; the list that is printed says why nothing more happens.
	before = append([]string{`cd "$(git rev-parse --show-toplevel)"`, "git --no-pager diff --cached --stat --exit-code"}, before...)
	const and = " &&\n"
	return strings.Join(before, and) + and + "git apply --index --whitespace=nowarn <<'" + end + "'" + and + string(p.Bytes) + end + "\n" +
		strings.Join(after, and) + "\n"
}

// steps are what goes before and after the patch. Nothing foreign is in them but what was found to be plain. A pull request
// that the build opens has no number in the result that is written ahead of it, so its branch is named (see FillPulls).
func (c *writer) steps(p Patch, name string) (before, after []string) {
	commit := "git commit -m 'Apply the workflow files that ai-flow proposed'"
	if p.Kind == PatchRescued {
		commit = "git commit -m 'Apply the work of ai-flow'"
	}
	after = []string{commit, "git push"}
	checkout := ""
	if p.Pull != nil && p.Pull.Number > 0 {
		checkout = "gh pr checkout " + strconv.Itoa(p.Pull.Number)
	}
	for _, l := range c.r.Landings {
		if l.Repo != p.Repo || !l.Opened {
			continue
		}
		if checkout = ""; plainBranch.MatchString(l.Branch) {
			checkout = "git fetch origin " + l.Branch + " && git switch " + l.Branch
		}
	}
	switch based := objectID.MatchString(p.Base); {
	case based && (p.Kind == PatchRescued || checkout == ""):
		before = []string{"git fetch origin " + p.Base, "git switch -c " + name + " " + p.Base}
		if checkout == "" {
			return before, []string{commit, "git push -u origin HEAD"}
		}
		return before, []string{commit, checkout, "git merge " + name, "git push"}
	case checkout != "":
		before = []string{checkout}
	case !based:
		after = after[:1] // a checkout of one's own, which need not have a remote
	}
	return before, after
}

// delimiter ends the heredoc of a patch: the same one for the same patch, and in none of its lines; "" when there is none.
func delimiter(patch []byte) string {
	sum := sha256.Sum256(patch)
	digest := hex.EncodeToString(sum[:])
	for n := 8; n <= len(digest); n++ {
		if end := "AI_FLOW_" + digest[:n]; !strings.Contains(string(patch), end) {
			return end
		}
	}
	return ""
}

package dispatch

import (
	"slices"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
)

// read finds the commands of a comment as package thread looks for them again. A refused comment has those that were found.
func (j *Job) read(body string) (found []thread.Anchor, foot int) {
	comment, _ := commands.Parse(body, j.Prefix) // a refusal is about the meaning, and here only the places count
	if foot = comment.Foot; foot == 0 {
		foot = len(body)
	}
	for _, s := range comment.Segments {
		found = append(found, thread.Anchor{End: s.End, Text: body[s.Start:s.End]})
	}
	return found, foot
}

// sameCommands reports whether a comment, as it stands now, still holds the commands as they were given. Other text of it
// may have changed: a person may add to it what they like.
func (j *Job) sameCommands(body string) bool {
	now, _ := commands.Parse(thread.Strip(body, j.Event.Comment.ID), j.Prefix)
	return slices.EqualFunc(j.Comment.Segments, now.Segments, func(a, b commands.Segment) bool {
		return a.Command == b.Command && a.Quoted == b.Quoted && a.Quote == b.Quote && a.Instruction == b.Instruction
	})
}

// lone reports whether the comment is one question alone, which is answered by a reply.
func (j *Job) lone() bool {
	s := j.Comment.Segments
	return j.Refusal == nil && len(s) == 1 && s[0].Command == commands.Ask
}

func (j *Job) thread(facts github.Facts) *thread.Thread {
	t := &thread.Thread{API: j.GitHub, Event: j.Event, Viewer: facts.Viewer, Read: j.read, Lone: j.lone(), Redact: j.Redact}
	t.Asked, _ = j.read(j.Event.Comment.Body)
	if t.Viewer == "" {
		t.Viewer = j.Bot
	}
	return t
}

// surfaces are the same places in the words of package commands.
var surfaces = map[github.Surface]commands.Surface{
	github.OnIssue: commands.Issue, github.OnPull: commands.PullRequest,
	github.OnLine: commands.ReviewThread, github.OnReview: commands.Review,
}

package render

// Lost is the closed set of ways in which a command is left without a result of its own, so that another job has to say
// what became of it.
type Lost uint8

// The ways. The zero Lost is told like LostRun.
const (
	LostRun         Lost = iota + 1 // the run began and ended without a word: its runner was lost, or it was killed
	LostCancelled                   // it was cancelled while it ran
	LostQueue                       // it never began: a newer command took its place in the queue, where only one may wait
	LostStart                       // it never began: no runner took it, or its job failed before ai-flow ran
	LostReport                      // the description was changed, and the report of it is lost
	LostEdit                        // it cannot be told whether the description was changed
	LostBuild                       // its work was pushed, and the report of it is lost
	LostPush                        // it cannot be told whether its work was pushed
	LostOverwritten                 // it was carried out and told, and somebody wrote an older version of the comment over that
)

// LostResult is what a thread is told of a command that was left without a result. command is the heaviest of the comment;
// runURL is ours, "" when not known. A description that was changed is never said to be unchanged, nor the other way round
// (F-47, F-56).
func LostResult(l Lost, command, runURL string) Result {
	r := Result{Outcome: Failed, Command: command, RunURL: runURL, NextStep: "Give the command again in a new comment."}
	switch l {
	case LostCancelled:
		r.Outcome, r.Headline = Cancelled, "was cancelled while it ran."
	case LostQueue:
		r.Outcome, r.Headline = Cancelled, "was dropped before it began: a newer command took its place in the queue, where only one can wait, or somebody cancelled its run."
	case LostStart:
		r.Headline = "did not begin: no runner took its job, or the job failed before ai-flow could start."
	case LostReport:
		r.Outcome, r.Headline = Done, "changed the description. The run ended before it could say more."
		r.NextStep = "The description’s history shows the change."
	case LostEdit:
		r.Headline = "stopped: the run ended while it was writing the description, so the change may or may not be there."
		r.NextStep = "Look at the description’s history before you give the command again in a new comment."
	case LostBuild:
		r.Outcome, r.Headline = Done, "The run ended before it could say more."
		r.NextStep = "The commit shows the change."
	case LostPush:
		r.Headline = "stopped: the run ended while it was pushing, and it cannot be told whether its work is there."
		r.NextStep = "Look at the branches before you give the command again in a new comment."
	case LostOverwritten:
		r.Headline = "was carried out, and its result here was overwritten by an older version of this comment."
		r.NextStep = "The run’s page has the result. To do it again, give the command in a new comment."
	default:
		r.Headline = "stopped: the run ended before it could report. Its runner was lost, or its job was killed."
	}
	return r
}

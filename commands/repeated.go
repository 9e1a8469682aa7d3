package commands

import "time"

// Repeated is the outcome of a command that an earlier attempt of the run has carried out already. why is a sentence of ours.
func Repeated(q Request, why string) Outcome {
	r := &run{Flow: &Flow{Policy: DefaultPolicy()}, Request: q, began: time.Now(), command: Heaviest(q.Comment.Segments)}
	r.nothing(sentence(why))
	return r.outcome()
}

package executor

import (
	"bytes"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/isolation"
)

// What is kept of a gate's output, in bytes: its two ends. What fails says so first or last.
const (
	maxGateHead = 256 << 10
	maxGateTail = 768 << 10
	maxGateLine = 8 << 10 // of a line that has no end yet, when it goes to the log
)

// gateOutput takes in what a gate prints, as much as it likes: the log and memory get the ends, and all of it is read for
// denials.
type gateOutput struct {
	log    Log
	prefix string
	wants  *denials.Collector
	call   denials.Call
	logged int // bytes of head that the log has

	head, tail []byte // tail is at most twice maxGateTail, so that moving is rare
	omitted    int64
}

func (a *Agent) capture(room *isolation.Room, dir string, g Gate) *gateOutput {
	onWant := func(w denials.Want) {
		w.Channel = denials.Gated
		a.tell(Event{Kind: EventWant, Want: &w})
	}
	return &gateOutput{log: a.Log, prefix: "[gate " + g.Name + "] ",
		wants: denials.NewCollector(denials.Options{Workspace: dir, Home: room.Home(), Source: g.Name, OnWant: onWant}),
		call:  denials.Call{ID: "gate", Kind: denials.Execute, Command: g.Run, Dir: dir}}
}

// Write never fails.
func (o *gateOutput) Write(p []byte) (int, error) {
	o.call.Pieces = []denials.Piece{{Text: string(p), Append: true}}
	o.wants.Observe(o.call)
	n := min(len(p), maxGateHead-len(o.head))
	o.head = append(o.head, p[:n]...)
	o.tell(false)
	if rest := p[n:]; len(rest) > 0 {
		o.keep(rest)
	}
	return len(p), nil
}

func (o *gateOutput) keep(p []byte) {
	if cut := len(o.tail) + len(p) - 2*maxGateTail; cut > 0 {
		o.omitted += int64(max(0, len(o.tail)-maxGateTail))
		o.tail = append(o.tail[:0], o.tail[max(0, len(o.tail)-maxGateTail):]...)
	}
	if cut := len(p) - maxGateTail; cut > 0 {
		o.omitted += int64(cut + len(o.tail))
		o.tail, p = o.tail[:0], p[cut:]
	}
	o.tail = append(o.tail, p...)
}

// tell brings the log up to date, in whole lines while more may come.
func (o *gateOutput) tell(all bool) {
	fresh := o.head[o.logged:]
	if end := bytes.LastIndexByte(fresh, '\n') + 1; !all && (end > 0 || len(fresh) < maxGateLine) {
		fresh = fresh[:end]
	}
	if len(fresh) > 0 {
		o.log.Output(o.prefix, string(fresh))
		o.logged += len(fresh)
	}
}

// finish fills the report: nothing more comes.
func (o *gateOutput) finish(r *GateReport) {
	if over := len(o.tail) - maxGateTail; over > 0 {
		o.omitted += int64(over)
		o.tail = o.tail[over:]
	}
	o.tell(true)
	if o.omitted > 0 {
		o.log.Say("%s… %d bytes are left out here", o.prefix, o.omitted)
	}
	if len(o.tail) > 0 {
		o.log.Output(o.prefix, string(o.tail))
	}
	o.call.Pieces, o.call.Done, o.call.Failed = nil, true, r.End != GatePassed
	if r.End == GatePassed || r.End == GateFailed {
		o.call.Exit = &r.Exit
	}
	o.wants.Observe(o.call)
	r.Wants, r.MoreWants = o.wants.Wants()
	for i := range r.Wants {
		r.Wants[i].Channel = denials.Gated
	}
	r.Head, r.Tail, r.Omitted = string(o.head), string(o.tail), o.omitted
	o.log.Say("gate %s: %s", r.Name, r.words())
}

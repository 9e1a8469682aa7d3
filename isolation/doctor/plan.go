package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// plan is the attempts of all checks in one list, and which of them are whose.
type plan struct {
	rows  []row
	tries []attempt
}

// row is a check with its place in the plan.
type row struct {
	check
	from, to int
	unknown  string // why there is nothing to judge
}

func onlyShort(list []check) []check {
	return slices.DeleteFunc(slices.Clone(list), func(c check) bool { return !c.short })
}

// makePlan asks each check for its attempts. One that waits for a file system that does not answer is left behind when ctx ends.
func makePlan(ctx context.Context, h host, list []check) plan {
	var p plan
	for _, c := range list {
		r := row{check: c, from: len(p.tries)}
		tries, unknown := c.proposeWithin(ctx, h)
		if r.unknown = unknown; unknown == "" {
			p.tries = append(p.tries, tries...)
		}
		r.to = len(p.tries)
		p.rows = append(p.rows, r)
	}
	return p
}

func (c check) proposeWithin(ctx context.Context, h host) ([]attempt, string) {
	type proposal struct {
		tries   []attempt
		unknown string
	}
	made := make(chan proposal, 1)
	go func() {
		tries, unknown := c.propose(h)
		made <- proposal{tries, unknown}
	}()
	select {
	case p := <-made:
		return p.tries, p.unknown
	case <-ctx.Done():
		return nil, fmt.Sprintf("nothing could be tried: %v", context.Cause(ctx))
	}
}

// propose asks a check for its attempts. A check that breaks down takes no other with it.
func (c check) propose(h host) (tries []attempt, unknown string) {
	defer func() {
		if p := recover(); p != nil {
			tries, unknown = nil, fmt.Sprintf("the check broke down: %.200v", p)
		}
	}()
	if c.attempts == nil {
		return nil, ""
	}
	return c.attempts(h)
}

func (p plan) judge(h host, got map[int]outcome, trouble error) []Finding {
	var found []Finding
	for _, r := range p.rows {
		v := r.verdict(h, p.tries, got, trouble)
		f := Finding{ID: r.id, Says: r.says, Status: v.status, Why: v.why, Fix: v.fix}
		if f.Status == Pass {
			f.Fix = ""
		}
		found = append(found, f)
	}
	return found
}

func (r row) verdict(h host, tries []attempt, got map[int]outcome, trouble error) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = unknown(fmt.Sprintf("the check broke down: %.200v", p), "")
		}
	}()
	if r.unknown != "" {
		return unknown(r.unknown, "")
	}
	var mine []outcome
	missing := ""
	for n := r.from; n < r.to; n++ {
		o, ok := got[n]
		if !ok {
			o.Error = "no answer"
			missing = cmp.Or(missing, tries[n].String())
		}
		mine = append(mine, o)
	}
	v = r.check.judge(h, tries[r.from:r.to], mine)
	if missing != "" && v.status != Fail { // what came through did so, whatever else is not known
		return unknown(fmt.Sprintf("no answer to %s%s", missing, because(trouble)), "")
	}
	return v
}

func because(trouble error) string {
	if trouble == nil {
		return ""
	}
	return ": " + trouble.Error()
}

// noBoundary is the report of a host where the agent is the dispatcher.
func noBoundary(list []check) []Finding {
	var found []Finding
	for _, c := range list {
		found = append(found, Finding{ID: c.id, Says: c.says, Status: Fail, Why: "there is no boundary: the agent runs as the user that ai-flow itself runs as",
			Fix: "switch isolation on: AI_FLOW_ISOLATION=user, after sudo ai-flow setup"})
	}
	return found
}

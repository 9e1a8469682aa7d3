package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/isolation/doctor"
	"github.com/d3mlabs/ai-flow/render"
)

// crossBoundary tries to cross the boundary of the room that the agent is about to be started in. A door that is open stops the
// run, and whoever looks after the runner reads which one on the run's page. What could not be tried stops nothing, also when it
// is all of it: the boundary stands by how the agent is started, and a slow host is no open door.
func (r *run) crossBoundary(ctx context.Context) {
	if r.Doctor == nil || !r.room.Identity().Isolated() {
		return
	}
	report, err := r.Doctor(ctx, r.room)
	r.weigh(ctx, report, err)
}

// weigh judges what was found also where not all went well: who is let through must not get round that by a trouble.
func (r *run) weigh(ctx context.Context, report doctor.Report, err error) {
	if err != nil {
		r.unchecked(err)
	}
	if err == nil || len(report.Findings) > 0 { // what was found open is open, also when the checks could not clear up
		r.judgeBoundary(ctx, report)
	}
}

func (r *run) unchecked(err error) {
	r.say("boundary: it could not be checked: %v", err)
	r.note("The boundary could not be checked before the agent was started: see the run's log.")
}

func (r *run) judgeBoundary(ctx context.Context, report doctor.Report) {
	r.boundary = &report
	r.say("boundary: %s", summed(report, r.Policy.Accept))
	for _, f := range report.Failed(nil) {
		d := render.Door{ID: f.ID, Says: f.Says, Why: f.Why, Fix: f.Fix, Waived: r.waiver(f.ID)}
		r.doors = append(r.doors, d)
		r.say("boundary: %s: %s; fix: %s", strings.TrimSuffix(d.ID+", "+d.Waived, ", "), d.Why, either(d.Fix, "none is known"))
	}
	if slices.ContainsFunc(r.doors, func(d render.Door) bool { return d.Waived == "" }) {
		r.fail(ctx, failure{class: "boundary", phase: "start", message: "the boundary of this runner is not sound, so no agent was started",
			next: "An operator is needed: the run's page says which door is open, and how to close it.", err: r.openDoors()})
	}
}

// waiver says why a failed check stops nothing; "" when it does.
func (r *run) waiver(id string) string {
	switch {
	case slices.Contains(r.Policy.Accept, id):
		return "accepted by the policy file"
	case r.DoctorWarns:
		return "a warning only"
	}
	return ""
}

// openDoors is for the log and the end of the program.
func (r *run) openDoors() error {
	var ids []string
	for _, d := range r.doors {
		if d.Waived == "" {
			ids = append(ids, d.ID)
		}
	}
	return fmt.Errorf("the agent user can cross the boundary: %s", strings.Join(ids, ", "))
}

// summed is a report on one line: "18 checks passed, 1 unknown (use-pty)".
func summed(report doctor.Report, accepted []string) string {
	var passed int
	var failed, waived, unknown []string
	for _, f := range report.Findings {
		switch {
		case f.Status == doctor.Pass:
			passed++
		case f.Status == doctor.Fail && slices.Contains(accepted, f.ID):
			waived = append(waived, f.ID)
		case f.Status == doctor.Fail:
			failed = append(failed, f.ID)
		default:
			unknown = append(unknown, f.ID)
		}
	}
	text := fmt.Sprintf("%d checks passed", passed)
	if passed == 1 {
		text = "1 check passed"
	}
	for _, part := range []struct {
		what string
		ids  []string
	}{{"failed", failed}, {"accepted", waived}, {"unknown", unknown}} {
		if len(part.ids) > 0 {
			text += fmt.Sprintf(", %d %s (%s)", len(part.ids), part.what, strings.Join(part.ids, ", "))
		}
	}
	return text
}

// reportedBoundary is what report.json says of the checks; nil when none were made.
func (r *run) reportedBoundary() *reportBoundary {
	if r.boundary == nil {
		return nil
	}
	b := &reportBoundary{Millis: r.boundary.Took.Milliseconds(), Unknown: []string{}, Doors: []reportDoor{}}
	for _, f := range r.boundary.Findings {
		switch f.Status {
		case doctor.Pass:
			b.Passed++
		case doctor.Unknown:
			b.Unknown = append(b.Unknown, f.ID)
		}
	}
	for _, d := range r.doors {
		b.Doors = append(b.Doors, reportDoor{d.ID, short(d.Why), short(d.Fix), d.Waived})
	}
	return b
}

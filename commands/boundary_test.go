package commands

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
	"github.com/d3mlabs/ai-flow/render"
)

func examination() doctor.Report {
	return doctor.Report{Findings: []doctor.Finding{
		{ID: "sudo", Status: doctor.Pass, Why: "refused"},
		{ID: "sockets", Says: "No socket.", Status: doctor.Fail, Why: "it can connect to \"/run/docker.sock\"", Fix: "chmod 0660 /run/docker.sock"},
		{ID: "disk", Status: doctor.Unknown, Why: "no quota"},
	}}
}

// What is found open stops a run, unless it is accepted or only to be warned of; what is not known stops none.
func TestOpenDoorsStopTheRun(t *testing.T) {
	for _, tt := range []struct {
		name, line, waived string
		accept             []string
		warns              bool
	}{
		{"stops", "boundary: 1 check passed, 1 failed (sockets), 1 unknown (disk)", "", []string{"sudo"}, false},
		{"accepted", "boundary: 1 check passed, 1 accepted (sockets), 1 unknown (disk)", "accepted by the policy file", []string{"sockets"}, false},
		{"warned", "boundary: 1 check passed, 1 failed (sockets), 1 unknown (disk)", "a warning only", nil, true},
	} {
		log := &sayings{}
		r := &run{Flow: &Flow{Log: log, DoctorWarns: tt.warns, Policy: Policy{Accept: tt.accept}}}
		r.judgeBoundary(t.Context(), examination())
		if said := log.String(); !strings.HasPrefix(said, tt.line+"\n") || !strings.Contains(said, "chmod 0660") {
			t.Errorf("%s: the log says %q", tt.name, said)
		}
		want := render.Door{ID: "sockets", Says: "No socket.", Why: "it can connect to \"/run/docker.sock\"", Fix: "chmod 0660 /run/docker.sock", Waived: tt.waived}
		if len(r.doors) != 1 || r.doors[0] != want {
			t.Errorf("%s: %+v", tt.name, r.doors)
		}
		if stopped := r.over(); stopped != (tt.waived == "") {
			t.Fatalf("%s: stopped %v", tt.name, stopped)
		}
		if !r.over() {
			continue
		}
		// A thread is read by strangers: neither door nor fix is told there.
		if told := r.headline + r.next; r.status != render.Failed || r.failure.class != "boundary" || strings.Contains(told, "sockets") || strings.Contains(told, "docker") {
			t.Errorf("%s: %v %s: %s", tt.name, r.status, r.failure.class, told)
		}
		if !strings.Contains(r.failure.err.Error(), "sockets") {
			t.Errorf("the log's error is %v", r.failure.err)
		}
		b := r.reportedBoundary()
		if b.Passed != 1 || len(b.Unknown) != 1 || len(b.Doors) != 1 || b.Doors[0].ID != "sockets" {
			t.Errorf("reported %+v", b)
		}
	}
}

// Checks that could not be made are said, and stop nothing; without any there is nothing to say.
func TestABoundaryThatCannotBeChecked(t *testing.T) {
	log := &sayings{}
	r := &run{Flow: &Flow{Log: log}}
	r.unchecked(errors.New("it took too long"))
	if r.over() || len(r.notes) != 1 || !strings.Contains(log.String(), "it took too long") || strings.Contains(r.notes[0], "too long") {
		t.Errorf("%v, %q, %q", r.over(), r.notes, log)
	}
	if b := (&run{Flow: &Flow{}}).reportedBoundary(); b != nil {
		t.Errorf("reported %+v", b)
	}
}

// An open door stops the run also when something went wrong beside it: whoever came through could see to that.
func TestOpenDoorsStopTheRunInSpiteOfTrouble(t *testing.T) {
	r := &run{Flow: &Flow{Log: &sayings{}}}
	r.weigh(t.Context(), examination(), errors.New("a process of the checks cannot be ended"))
	if !r.over() || r.status != render.Failed || len(r.doors) != 1 || len(r.notes) != 1 {
		t.Errorf("%v, %v, %+v", r.over(), r.status, r.doors)
	}
	r = &run{Flow: &Flow{Log: &sayings{}}}
	r.weigh(t.Context(), doctor.Report{}, errors.New("there is no room"))
	if r.over() || r.boundary != nil || len(r.notes) != 1 {
		t.Errorf("%v, %+v, %q", r.over(), r.boundary, r.notes)
	}
}

// Without isolation nothing is tried: the agent is ourselves, and that is announced elsewhere.
func TestNoBoundaryIsNotCrossed(t *testing.T) {
	s := newStage(t, "")
	s.flow.Doctor = func(context.Context, *isolation.Room) (doctor.Report, error) {
		t.Error("was asked")
		return doctor.Report{}, nil
	}
	s.agent.say = []string{"It is."}
	if o := s.run(t.Context(), "/ask is it?"); o.Result.Outcome != render.Done {
		t.Errorf("%v: %v", o.Result.Outcome, o.Err)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
)

// doctorReport is what doctor --json prints: its names are kept, and version counts what breaks a reader. Foreign strings are
// safe for a terminal.
type doctorReport struct {
	Version  int             `json:"version"`
	User     string          `json:"user"`
	Isolated bool            `json:"isolated"`
	When     time.Time       `json:"when"` // UTC, the beginning
	Platform string          `json:"platform"`
	AIFlow   string          `json:"ai_flow"`
	Millis   int64           `json:"took_ms"`
	Passed   int             `json:"passed"`
	Failed   int             `json:"failed"` // that are not accepted
	Accepted int             `json:"accepted"`
	Unknown  int             `json:"unknown"`
	Findings []doctorFinding `json:"findings"` // in the order of the checks
}

type doctorFinding struct {
	ID       string `json:"id"`
	Status   string `json:"status"`   // PASS, FAIL, UNKNOWN
	Accepted bool   `json:"accepted"` // it failed, and the caller lets it
	Says     string `json:"says"`
	Why      string `json:"why"`
	Fix      string `json:"fix"` // empty where there is nothing to mend
}

// maxDoctorText bounds what is shown of one text, in characters.
const maxDoctorText = 1000

func (p *program) doctorReport(id isolation.Identity, when time.Time, report doctor.Report, accepted []string) doctorReport {
	text := func(s string) string { return cut(p.say.clean(s), maxDoctorText) }
	r := doctorReport{Version: 1, User: report.User, Isolated: id.Isolated(), When: when.UTC().Truncate(time.Second), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		AIFlow: moduleVersion(), Millis: report.Took.Milliseconds(), Findings: []doctorFinding{}}
	for _, f := range report.Findings {
		told := doctorFinding{ID: f.ID, Status: f.Status.String(), Says: text(f.Says), Why: text(f.Why), Fix: text(f.Fix)}
		switch {
		case f.Status == doctor.Pass:
			r.Passed++
		case f.Status == doctor.Fail && slices.Contains(accepted, f.ID):
			r.Accepted++
			told.Accepted = true
		case f.Status == doctor.Fail:
			r.Failed++
		default:
			r.Unknown++
		}
		r.Findings = append(r.Findings, told)
	}
	return r
}

// showDoctor prints the report. What the agent's side said in it gives no order to a runner.
func (p *program) showDoctor(o doctorOptions, r doctorReport) error {
	told := muteRunner(p.out.secrets.Redact(r.table(p.env.columns)))
	if o.json {
		raw, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		told = muteJSON(p.out.secrets.Redact(string(raw))) + "\n"
	}
	if _, err := fmt.Fprint(p.out, told); err != nil {
		return fmt.Errorf("writing what was found: %w", err)
	}
	return p.out.flush()
}

// table is the report as people read it. What failed stands first, then what could not be tried.
func (r doctorReport) table(width int) string {
	t := &paragraphs{width: max(width, minWidth)}
	user := "as " + r.User
	if !r.Isolated {
		user = "as yourself, without a boundary"
	}
	took := time.Duration(r.Millis) * time.Millisecond
	t.paragraph("", strings.Join([]string{"boundary", user, r.When.Format("2006-01-02 15:04 MST"), r.Platform, "ai-flow " + r.AIFlow, fmt.Sprintf("%.1f s", took.Seconds())}, " · "))
	t.WriteString("\n")
	column := 0
	for _, f := range r.Findings {
		column = max(column, len(f.ID))
	}
	for _, group := range []func(doctorFinding) bool{
		func(f doctorFinding) bool { return f.Status == doctor.Fail.String() && !f.Accepted },
		func(f doctorFinding) bool { return f.Accepted },
		func(f doctorFinding) bool { return f.Status == doctor.Unknown.String() },
		func(f doctorFinding) bool { return f.Status == doctor.Pass.String() },
	} {
		for _, f := range r.Findings {
			if group(f) {
				t.finding(f, column)
			}
		}
	}
	t.WriteString("\n")
	t.paragraph("", doctorSum(r.Passed, r.Failed, r.Accepted, r.Unknown)+".")
	return t.String()
}

// finding is the row of a check, with what was seen and the fix below it when it did not pass.
func (t *paragraphs) finding(f doctorFinding, column int) {
	const statuses = len("UNKNOWN")
	t.paragraph("  "+pad(f.Status, statuses)+"  "+pad(f.ID, column)+"  ", f.Says)
	if f.Status == doctor.Pass.String() {
		return
	}
	below := strings.Repeat(" ", statuses+column+6)
	t.paragraph(below+"– ", f.Why)
	if f.Fix != "" {
		t.paragraph(below+"  fix: ", f.Fix)
	}
	if f.Accepted {
		t.paragraph(below+"  ", "accepted")
	}
}

// doctorSum is "18 checks passed, 1 failed, 2 unknown"; what there is none of is left out.
func doctorSum(passed, failed, accepted, unknown int) string {
	sum := count(passed, "check", "checks") + " passed"
	for _, n := range []struct {
		of   int
		what string
	}{{failed, "failed"}, {accepted, "failed and accepted"}, {unknown, "unknown"}} {
		if n.of > 0 {
			sum += fmt.Sprintf(", %d %s", n.of, n.what)
		}
	}
	return sum
}

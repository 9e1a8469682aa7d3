package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
)

// examination is a report with one finding of each sort, and words of a hostile agent's.
func examination() doctor.Report {
	return doctor.Report{User: "ai-agent", Took: 1234 * time.Millisecond, Findings: []doctor.Finding{
		{ID: "sudo", Says: "The agent cannot become another user by sudo.", Status: doctor.Pass, Why: "2 attempts refused"},
		{ID: "sockets", Says: "The agent can connect to no socket by which it would be root, or somebody else.", Status: doctor.Fail,
			Why: "the agent can connect \"/run/docker.sock\x1b[31m\u202e\"\n::set-output name=outcome::done", Fix: "sudo chmod 0660 /run/docker.sock"},
		{ID: "disk", Says: "The agent cannot fill the disk that ai-flow writes to.", Status: doctor.Unknown, Why: "no quota", Fix: "man setquota"},
		{ID: "groups", Says: "The agent's user is in no group but its own.", Status: doctor.Fail, Why: "it is in \"users\"", Fix: "sudo gpasswd --delete ai-agent users"},
	}}
}

func quietProgram(t *testing.T) *program {
	t.Helper()
	c := Command{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}, Environ: []string{"HOME=" + t.TempDir()}}
	env, err := parseEnvironment(c.Environ)
	if err != nil {
		t.Fatal(err)
	}
	known := newSecrets([]string{"hush-hush-value"})
	return &program{Command: c, env: env, say: newVoice(c.Stderr, env, known), out: newGuard(c.Stdout, known)}
}

// What failed stands first, what was accepted behind it, and nothing of the agent's gives an order to a terminal or a runner.
func TestDoctorTable(t *testing.T) {
	p := quietProgram(t)
	when := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := p.doctorReport(isolation.Identity{}, when, examination(), []string{"groups"})
	r.Isolated, r.AIFlow, r.Platform = true, "v1", "linux/amd64"
	got := r.table(80)
	golden := "testdata/doctor/table.txt"
	if os.Getenv("AIFT_UPDATE") == "1" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v, got\n%s", err, got)
	}
	if r.Passed != 1 || r.Failed != 1 || r.Accepted != 1 || r.Unknown != 1 {
		t.Errorf("counted %+v", r)
	}
}

// S6: neither form prints what the agent's side said as an order, and the JSON has all of it under its names.
func TestDoctorPrintsNothingThatActs(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		p := quietProgram(t)
		report := examination()
		report.Findings[1].Why += " hush-hush-value"
		if err := p.showDoctor(doctorOptions{json: asJSON}, p.doctorReport(isolation.Identity{}, time.Now(), report, nil)); err != nil {
			t.Fatal(err)
		}
		text := p.Stdout.(*strings.Builder).String()
		for _, bad := range []string{"\x1b", "\u202e", "hush-hush-value", "\n::"} {
			if strings.Contains(text, bad) {
				t.Errorf("printed %q in\n%s", bad, text)
			}
		}
		if !asJSON {
			continue
		}
		var read struct {
			Version, Passed, Failed, Unknown int
			Findings                         []doctorFinding
		}
		if err := json.Unmarshal([]byte(text), &read); err != nil || read.Version != 1 || read.Passed != 1 || read.Failed != 2 || read.Unknown != 1 || len(read.Findings) != 4 ||
			read.Findings[1].Fix != "sudo chmod 0660 /run/docker.sock" {
			t.Errorf("%v: %+v", err, read)
		}
	}
}

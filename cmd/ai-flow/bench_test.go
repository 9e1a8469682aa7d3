package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// BenchmarkCommentWithoutCommand is the whole of `ai-flow dispatch` for the comment that most comments are: the program is
// started, finds no command, and asks GitHub nothing. It reports the processor's time in all threads of the process.
func BenchmarkCommentWithoutCommand(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "ai-flow")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, webhooks.Examples(b, "issue_comment", "created")[0], 0o600); err != nil {
		b.Fatal(err)
	}
	var cpu time.Duration
	for b.Loop() {
		cmd := exec.Command(program, "dispatch")
		cmd.Env = []string{"HOME=" + dir, "GITHUB_EVENT_NAME=issue_comment", "GITHUB_EVENT_PATH=" + event, "GITHUB_REPOSITORY=Codertocat/Hello-World",
			"GITHUB_OUTPUT=" + filepath.Join(dir, "output"), "RUNNER_TEMP=" + filepath.Join(dir, "temp")}
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("ai-flow dispatch: %v\n%s", err, out)
		}
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

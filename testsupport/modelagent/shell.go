package modelagent

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

// bash runs a command. One in the background is left to itself, and told of when it has ended.
func (w *worker) bash(ctx context.Context, c agentside.Call, args arguments) (string, error) {
	if allowed, err := w.announce(ctx, c, false); err != nil || !allowed {
		return refused, err
	}
	if !args.Background {
		text, exit, err := w.agent.command(ctx, w.turn.Cwd, args.Command)
		if err != nil {
			return "", err
		}
		return text, w.update(w.ended(c.ID, text, exit))
	}
	work, stop := context.WithCancel(w.agent.life) // ends with the turn's context, but not before it was asked to
	detach := context.AfterFunc(ctx, func() {
		if ctx.Err() != nil && !w.agent.faults[EndsTurnEarly] {
			stop()
		}
	})
	w.background.Go(func() {
		defer stop()
		defer detach()
		text, exit, err := w.agent.command(work, w.turn.Cwd, args.Command)
		if err != nil {
			return
		}
		end := w.ended(c.ID, text, exit)
		end.Status = ""   // it was completed when it had been started
		_ = w.update(end) // the client has gone: the end of the input tells
	})
	text := "started in the background"
	return text, w.update(agentside.Call{ID: c.ID, Status: "completed", Text: text})
}

// ended is the last update of a command.
func (w *worker) ended(id, text string, exit int) agentside.Call {
	f := w.agent.faults
	end := agentside.Call{ID: id, Status: "completed", Text: text, RawOutput: map[string]any{"exitCode": exit}}
	if exit != 0 && !f[CompletedWhateverExit] {
		end.Status = "failed"
	}
	if f[NoExitCode] {
		end.RawOutput = nil
	}
	if f[DropsOutputMiddle] && len(text) > 4000 {
		end.Text = text[:2000] + "\n[...]\n" + text[len(text)-2000:]
	}
	if f[SwallowsDenials] && exit != 0 {
		end.Status, end.Text = "completed", "done"
	}
	return end
}

// command runs a command and returns both of its streams, merged. It ends with ctx, as does all that it left in its process
// group. The error says that it could not be run, or that ctx ended.
func (a *agent) command(ctx context.Context, dir, command string) (string, int, error) {
	a.commands.Add(1)
	defer a.commands.Done()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, a.environ, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 200 * time.Millisecond // for what it left behind with our pipe
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	err := cmd.Wait()
	if !a.faults[LeavesChild] {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nobody there is the usual answer
	}
	var failed *exec.ExitError
	if ctx.Err() != nil {
		return "", 0, ctx.Err()
	}
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, exec.ErrWaitDelay) {
		return "", 0, err
	}
	return out.String(), cmd.ProcessState.ExitCode(), nil
}

// leaveChild leaves a process in a session of its own.
func leaveChild() error {
	p, err := os.StartProcess("/bin/sleep", []string{"sleep", "60"}, &os.ProcAttr{Env: []string{}, Files: []*os.File{nil, nil, nil}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return err
	}
	return p.Release()
}

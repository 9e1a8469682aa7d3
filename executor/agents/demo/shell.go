package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
	"github.com/d3mlabs/ai-flow/executor/process"
)

const (
	commandTime   = 30 * time.Second
	commandOutput = 256 << 10
)

// ran is how a command ended. Exit is -1 when it did not end by itself.
type ran struct {
	allowed bool
	output  string
	exit    int
}

// shell runs a command line as a tool call of the kind execute. A refusal is no error: the agent goes on without.
func (w *worker) shell(ctx context.Context, command, why string) (ran, error) {
	c := agentside.Call{ID: w.nextID(), Title: command, Kind: "execute", Status: "pending", RawInput: map[string]any{"command": command, "description": why}}
	if err := w.turn.Start(c); err != nil {
		return ran{}, err
	}
	if allowed, err := w.permitted(ctx, c); err != nil || !allowed {
		return ran{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	// Both streams as one, as on a terminal; eval keeps the words of the shell's own errors as they would be there.
	res, err := process.Run(ctx, process.Command{Argv: []string{"/bin/sh", "-c", `exec 2>&1; eval "$1"`, "sh", command},
		Env: w.environ, Dir: w.turn.Cwd, MaxOutput: commandOutput})
	r := ran{allowed: true, output: string(res.Stdout), exit: res.Code}
	switch {
	case errors.Is(err, process.ErrTooMuchOutput):
		r.output += "\n(cut: more output than the demo agent reads)"
	case err != nil:
		r.output, r.exit = strings.TrimSpace(r.output+"\n"+err.Error()), -1
	}
	end := agentside.Call{ID: c.ID, Status: "completed", Text: r.output, RawOutput: map[string]any{"exitCode": r.exit}}
	if r.exit != 0 {
		end.Status = "failed"
	}
	return r, w.turn.Update(end)
}

// permitted asks, unless the mode says that nobody is asked. A refused call is closed and noted.
func (w *worker) permitted(ctx context.Context, c agentside.Call) (bool, error) {
	if w.turn.Mode == modeFullAccess {
		return true, nil
	}
	allowed, err := w.turn.Ask(ctx, c)
	if err != nil || allowed {
		return allowed, err
	}
	return false, w.turn.Update(agentside.Call{ID: c.ID, Status: "failed", RawOutput: map[string]any{"message": "the request was rejected"}})
}

// change writes a file as a tool call of the kind edit, through write.
func (w *worker) change(ctx context.Context, path string, write func() error) (allowed bool, err error) {
	c := agentside.Call{ID: w.nextID(), Title: "Write " + path, Kind: "edit", Status: "pending", Paths: []string{w.absolute(path)}}
	if err := w.turn.Start(c); err != nil {
		return false, err
	}
	if allowed, err = w.permitted(ctx, c); err != nil || !allowed {
		return allowed, err
	}
	end := agentside.Call{ID: c.ID, Status: "completed", Text: "written"}
	if err = write(); err != nil {
		end.Status, end.Text = "failed", err.Error()
		w.wanted(path, "to write what was asked for")
	}
	return err == nil, w.turn.Update(end)
}

func (w *worker) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.turn.Cwd, path)
}

// installed looks for a program on the PATH that commands get.
func (w *worker) installed(program string) bool {
	for _, dir := range filepath.SplitList(w.path()) {
		info, err := os.Stat(filepath.Join(dir, program))
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

func (w *worker) path() string {
	for i := len(w.environ) - 1; i >= 0; i-- {
		if p, ok := strings.CutPrefix(w.environ[i], "PATH="); ok {
			return p
		}
	}
	return "/usr/local/bin:/usr/bin:/bin" // what sh itself assumes, nearly
}

// outcome says in words how a command ended.
func (r ran) outcome() string {
	switch {
	case !r.allowed:
		return "was not allowed"
	case r.exit == 0:
		return "succeeded"
	case r.exit < 0:
		return "was ended before it had finished"
	}
	return fmt.Sprintf("ended with exit status %d", r.exit)
}

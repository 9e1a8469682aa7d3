package executor

import (
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// Witness sees a launch from inside: for whoever judges an agent, and not the work that it did. It decides nothing, and the
// launch waits for it. Frame is called from two goroutines; the other three are called one at a time.
type Witness interface {
	Frame(acpclient.Frame)
	Opened(acpclient.Session)
	Update(acpclient.Update)
	Asked(acpclient.PermissionRequest, permission.Decision)
}

// Exit is how the agent's process ended.
type Exit struct {
	Ran    bool           // it was started; the rest is zero otherwise
	Code   int            // exit status; -1 when a signal ended it, or nothing could
	Signal syscall.Signal // what ended it, or 0
	Asked  syscall.Signal // the strongest signal that we sent; 0 when it ended by the end of its input, or by itself
	Took   time.Duration  // since we began to end it
}

package acpclient

import (
	"slices"
	"time"
)

// copilot names GitHub Copilot's extension of the protocol: what it may send is asked for under this key of the client's
// capabilities (A2-22). Nothing says whether it was agreed to; an agent that does not know it sends nothing.
const copilot = "github.com/copilot"

const copilotEvent = copilot + "/sessionEvent"

// maxSubscribed is how many types Copilot takes at most (A2-23).
const maxSubscribed = 128

// The types of event that are understood; all others are ignored, also when they were asked for.
const (
	EventUsage            = "assistant.usage"                // tokens of one request; its cost is a multiplier and no money, and is not read (A2-32)
	EventToolDone         = "tool.execution_complete"        // Exit of a shell call
	EventSubagentStarted  = "subagent.started"               // Call, Name, Model
	EventSubagentDone     = "subagent.completed"             // and Took, Usage.Total
	EventSubagentFailed   = "subagent.failed"                // the same
	EventWorkspaceChanged = "session.workspace_file_changed" // Path; never seen on a wire, so its fields are only documented (A2-34)
)

// Event is one event of Copilot's extension: the declared fields of it alone, each bounded (A2-25). It is for display and
// for counting. It never ends a turn, answers a request or allows anything (A2-27, A2-28), and there is neither an id nor a
// replay: one that was dropped is missing (A2-23).
type Event struct {
	Type  string    // one of the types above
	At    time.Time // as the agent stamped it; zero when it did not
	Call  string    // id of the tool call, "" when there is none
	Name  string    // of the subagent
	Model string
	Took  time.Duration
	Exit  *int
	// Path is below the provider's own storage of the session, which is not the tree and must never be joined to it
	// (A2-30): what it says is no evidence of any change.
	Path string
	// Omitted is set when the provider left the data out, for its size.
	Omitted bool
}

// event delivers one event of a session that was opened here and whose turn is running; an event of any other session or
// time belongs to nothing of ours (A2-24). One that cannot be read is counted.
func (c *Conn) event(params value) {
	kind, ok := params.get("type").text()
	if ok && !slices.Contains(c.cfg.Events, kind) {
		return
	}
	name, named := params.get("sessionId").text()
	var running bool
	c.with(func(s *state) {
		if known := s.sessions[name]; named && known != nil {
			name, running = known.id, known.prompting
		}
	})
	switch {
	case !ok || !named:
		c.with(func(s *state) { s.malformed++ })
	case running:
		u, understood := decodeEvent(kind, params)
		if !understood {
			c.with(func(s *state) { s.malformed++ })
			return
		}
		u.Session = name
		c.cfg.Handler.Update(u)
	}
}

// Malformed is how many events could not be read and were ignored.
func (c *Conn) Malformed() (n int) {
	c.with(func(s *state) { n = s.malformed })
	return n
}

// decodeEvent reads the declared fields. An event that lacks what makes it one is not understood.
func decodeEvent(kind string, params value) (u Update, ok bool) {
	data := params.get("data")
	e := Event{Type: kind, At: stamp(params.get("timestamp")), Omitted: omitted(params, data)}
	u = Update{Kind: Reported, Subagent: params.get("agentId").short(maxShort)}
	if !e.Omitted && !data.is('{') {
		return u, false
	}
	if !e.Omitted {
		e.Call, e.Model = data.get("toolCallId").short(maxShort), data.get("model").short(maxShort)
	}
	switch kind {
	case EventUsage:
		u.Usage, e.Took = decodeUsage(data), milliseconds(data.get("duration"))
		ok = u.Usage != (Usage{})
	case EventToolDone:
		e.Exit, ok = exitNumber(data.at("shellExecution", "exitCode")), e.Call != ""
	case EventSubagentStarted, EventSubagentDone, EventSubagentFailed:
		e.Name, ok = data.get("agentDisplayName").short(maxShort), e.Call != "" || u.Subagent != ""
		if e.Name == "" {
			e.Name = data.get("agentName").short(maxShort)
		}
		e.Took, u.Usage.Total = milliseconds(data.get("durationMs")), data.get("totalTokens").tokens()
	case EventWorkspaceChanged:
		e.Path = data.get("path").short(maxShort)
		ok = e.Path != ""
	}
	u.Event = e
	return u, ok || e.Omitted
}

// omitted reports whether the provider replaced data that was over its own limit, 32 KiB (A2-23).
func omitted(params, data value) bool {
	return params.get("dataOmitted").said() && string(params.get("dataOmitted")) != "false" || string(data.get("omitted")) == `"too-large"`
}

func stamp(v value) time.Time {
	at, err := time.Parse(time.RFC3339, v.short(64))
	if err != nil {
		return time.Time{}
	}
	return at
}

// milliseconds is a duration of at most a day, else 0.
func milliseconds(v value) time.Duration {
	if n := v.count(); n <= int64(24*time.Hour/time.Millisecond) {
		return time.Duration(n) * time.Millisecond
	}
	return 0
}

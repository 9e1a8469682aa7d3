// Package acpclient speaks the Agent Client Protocol (ACP, version 1) as a client over a reader and a writer.
package acpclient

import (
	"context"
	"encoding/json"
	"io"
)

// Config says what a connection runs over.
type Config struct {
	Reader  io.Reader // required: the agent's standard output
	Writer  io.Writer // required: the agent's standard input; never closed here, the owner of the process does that
	Handler Handler   // required
	MaxLine int       // bytes of the longest line accepted; 0 means 64 MiB
	// Noise, when not nil, gets each line that is not a message of the protocol, cut to a bounded excerpt.
	Noise func(excerpt []byte)
}

// Handler receives what the agent says on its own account. Update is called from one goroutine, in order of arrival;
// while it runs nothing more is read (back-pressure). Permission is called on a goroutine of its own for each request,
// so several may be open at once; its context ends with the connection.
type Handler interface {
	Update(Update)
	Permission(context.Context, PermissionRequest) PermissionAnswer
}

// Conn is one connection to one agent. Its methods may be called from several goroutines.
type Conn struct{}

// Open starts reading. The connection ends when the reader does, when ctx ends, or at the first breach of a bound.
func Open(ctx context.Context, c Config) (*Conn, error) { panic("unbuilt") }

// Initialize performs the handshake; fs and terminal capabilities are declined.
func (c *Conn) Initialize(ctx context.Context) (Agent, error) { panic("unbuilt") }

// NewSession opens a session in the absolute directory cwd, without MCP servers.
func (c *Conn) NewSession(ctx context.Context, cwd string) (Session, error) { panic("unbuilt") }

// SetMode, SetModel and SetOption choose a mode, a model, and the value of a configuration option.
func (c *Conn) SetMode(ctx context.Context, session, mode string) error   { panic("unbuilt") }
func (c *Conn) SetModel(ctx context.Context, session, model string) error { panic("unbuilt") }
func (c *Conn) SetOption(ctx context.Context, session, option, value string) (Session, error) {
	panic("unbuilt")
}

// Prompt runs one turn. When it returns, each update that the agent had sent before its answer, and any that stood in
// the same read behind it, has been handed to the Handler.
func (c *Conn) Prompt(ctx context.Context, session, text string) (Turn, error) { panic("unbuilt") }

// Cancel sends session/cancel. The Prompt call in flight then returns the agent's own answer to it.
func (c *Conn) Cancel(session string) error { panic("unbuilt") }

// Done is closed when the connection has ended and the last update has been delivered; Err then says why (nil: the
// agent closed its output).
func (c *Conn) Done() <-chan struct{} { panic("unbuilt") }
func (c *Conn) Err() error            { panic("unbuilt") }

// Agent is what initialize answered.
type Agent struct {
	Name, Version string
	AuthMethods   []string
}

// Session is what session/new answered: everything advertised, nothing inferred.
type Session struct {
	ID           string
	Modes        []Choice // from modes, else from the configuration option of category or id "mode"
	CurrentMode  string
	ModeOption   string   // id of the configuration option that carries the mode, "" when only session/set_mode exists
	HasSetMode   bool     // modes were advertised, so session/set_mode applies
	Models       []Choice // from models, else from the configuration option of category or id "model"
	CurrentModel string
	ModelOption  string // id of the configuration option that carries the model, "" when only session/set_model exists
	Options      []Option
}

// Choice is one advertised mode, model or option value.
type Choice struct{ ID, Name, Description string }

// Option is one advertised session configuration option.
type Option struct {
	ID, Name, Category, Current string
	Choices                     []Choice
}

// Turn is the outcome of one prompt.
type Turn struct {
	StopReason string // as the agent said it: end_turn, cancelled, max_tokens, …
	Usage      Usage  // zero when the agent reported none
}

// Usage counts tokens; negative never, absent zero.
type Usage struct{ Input, Output, CachedRead, CachedWrite, Total int64 }

// UpdateKind is the closed set of updates we act on.
type UpdateKind uint8

// The kinds of update. Everything else the agent sends is ignored.
const (
	Message    UpdateKind = iota + 1 // a chunk of the agent's answer
	Thought                          // a chunk of its reasoning
	Call                             // a tool call announced or updated
	ModeChange                       // current_mode_update, or a configuration option update that moved the mode
	ModelChange
	UsageChange
)

// Update is one session/update, decoded and bounded.
type Update struct {
	Kind      UpdateKind
	Session   string
	Text      string // Message, Thought
	MessageID string // "" when the agent sends none
	Subagent  string // id of the subagent or parent tool call that this belongs to, when the agent says so
	Call      ToolCall
	Value     string // the new mode or model
	Usage     Usage
}

// ToolCall is what one update or one permission request says of a tool call. Agents announce calls late, twice or never,
// so each field is "what was said now": the zero value means "not said".
type ToolCall struct {
	ID       string
	Title    string
	Kind     string // as the agent declared it: read, edit, delete, move, search, execute, think, fetch, switch_mode, other, or unknown words
	Status   string // pending, in_progress, completed, failed, or unknown words
	Command  string // rawInput.command/cmd (string or argument list), "" when not said
	Dir      string // rawInput.cwd
	Paths    []string
	Outputs  []Output
	Exit     *int // exit code, wherever this agent puts it; nil when nowhere or null
	Subagent string
}

// Output is one piece of text that a call produced: content blocks, rawOutput in any shape, vendor _meta. Within a call,
// Part tells the streams apart ("content", "rawOutput.stderr", "_meta.terminal_output_delta", …).
type Output struct {
	Part   string
	Text   string
	Append bool // a delta that continues the part; otherwise the text replaces what the part held
}

// PermissionRequest is one session/request_permission.
type PermissionRequest struct {
	Session string
	Call    ToolCall
	Options []PermissionOption
	// Interactive is set when the request carries marks of a question, plan approval, trust prompt or other
	// interaction; Marks names them for the policy.
	Marks []string
	Raw   json.RawMessage // toolCall as sent, bounded; for rules that look at inputs
}

// PermissionOption is one offered answer.
type PermissionOption struct{ ID, Name, Kind string }

// PermissionAnswer selects an option; the zero value answers "cancelled".
type PermissionAnswer struct{ OptionID string }

// Error is an error answer of the agent's: its code and message, bounded and quoted.
type Error struct {
	Method  string
	Code    int
	Message string
	Data    json.RawMessage
}

func (e *Error) Error() string { panic("unbuilt") }

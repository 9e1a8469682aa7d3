package acpclient

import "encoding/json"

// Agent is what initialize answered.
type Agent struct {
	Name, Version string
	AuthMethods   []string // ids of the advertised ways to log in
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
	// Usage is zero when the agent reported none. It counts this prompt, or the session so far: agents differ, and the
	// numbers do not tell.
	Usage Usage
}

// Usage counts tokens; negative never, absent zero.
type Usage struct{ Input, Output, CachedRead, CachedWrite, Total int64 }

// Cost is money; the zero value is none that was reported.
type Cost struct {
	Amount   float64
	Currency string // three capital letters, as in ISO 4217
}

// UpdateKind is the closed set of updates we act on.
type UpdateKind uint8

// The kinds of update. Everything else the agent sends is ignored.
const (
	Message      UpdateKind = iota + 1 // a chunk of the agent's answer
	Thought                            // a chunk of its reasoning
	Call                               // a tool call announced or updated
	ModeChange                         // the mode as the agent now states it (current_mode_update, config_option_update); it may repeat the current one
	ModelChange                        // the model as the agent now states it; it may repeat the current one
	OptionChange                       // Name is an option of the session other than these two, Value what it now is
	UsageChange                        // Usage.Total is the size of the context now, not a number to add up; Cost is the session's so far
	Spent                              // Usage is that of one request to the model: to be added up, and part of what Turn.Usage counts
	Reported                           // Event, of a type that Config.Events asked for
)

// Update is one session/update, decoded and bounded.
type Update struct {
	Kind      UpdateKind
	Session   string
	Text      string // Message, Thought
	MessageID string // "" when the agent sends none
	Subagent  string // id of the subagent or parent tool call that this belongs to, when the agent says so
	Call      ToolCall
	Value     string // the new mode, model or value
	Name      string // OptionChange
	Usage     Usage
	Cost      Cost  // UsageChange
	Event     Event // Reported
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
	Cut      bool // Command or Paths are not all that was said: too long, too many, or no text
	Outputs  []Output
	Exit     *int   // exit code, wherever this agent puts it; nil when nowhere or null
	ExitAt   string // where it stood: the path of a member, such as "rawOutput.exit_code", or "text"
	Subagent string
}

// Output is one piece of text that a call produced: content blocks, rawOutput in any shape, vendor _meta. Within a call,
// Part tells the streams apart ("content", "rawOutput.stderr", "_meta.terminal_output_delta", …). A text that an update
// repeats in several places is given once.
type Output struct {
	Part   string
	Text   string
	Append bool // a delta that continues the part; otherwise the text replaces what the part held
}

// PermissionRequest is one session/request_permission.
type PermissionRequest struct {
	Session string
	Call    ToolCall // without Outputs: what is asked for has not run
	Options []PermissionOption
	// Interactive is set when the request carries marks of a question, plan approval, trust prompt or other
	// interaction; Marks names them for the policy: "question", "plan", "trust", "interactive", and "malformed" for a
	// request that cannot be read, or not to its end. Doubt makes a mark.
	Interactive bool
	Marks       []string
	Raw         json.RawMessage // toolCall as sent, for rules that look at inputs; nil when over 256 KiB
	Moment      any             // of Config.Moment, when the request arrived; nil without one
}

// PermissionOption is one offered answer.
type PermissionOption struct{ ID, Name, Kind string }

// PermissionAnswer selects an option; the zero value answers "cancelled".
type PermissionAnswer struct{ OptionID string }

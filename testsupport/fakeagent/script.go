package fakeagent

import (
	"encoding/json"
	"time"
)

// Script is what the agent does. The zero value is a well-behaved agent that answers each prompt with end_turn.
type Script struct {
	Lifetime time.Duration `json:",omitempty"` // the process ends itself after it; 0 means one minute

	Start      []Step `json:",omitempty"` // before anything is read: noise, stderr, an early death
	Initialize Reply
	NewSession Reply
	SetMode    Reply
	SetModel   Reply
	SetOption  Reply
	Turns      []Turn `json:",omitempty"` // one for each session/prompt, the last one repeated

	Name, Version string   // default "fake", "1.0.0"
	Modes         []string `json:",omitempty"` // advertised mode ids, the first current
	Models        []string `json:",omitempty"` // advertised model ids, the first current

	OnCancel   string    `json:",omitempty"` // stop reason after session/cancel: "" means cancelled, "-" that nobody reacts
	IDs        IDs       `json:",omitempty"`
	IgnoreEOF  bool      `json:",omitempty"` // lives on after its input has ended
	IgnoreTERM bool      `json:",omitempty"`
	Exit       int       `json:",omitempty"` // status after end of input
	Usage      *[3]int64 `json:",omitempty"` // input, output and total tokens in each prompt's answer
}

// Turn is what happens in answer to one prompt. Without an End step it is answered with end_turn when its steps are
// done; steps after an End run as late work.
type Turn []Step

// IDs is how the agent numbers its own requests.
type IDs string

// The ways of numbering: from 0 (as all real agents do), as strings, or null for each request (H5-14).
const (
	FromZero IDs = ""
	Strings  IDs = "strings"
	Null     IDs = "null"
)

// Reply is how a request of the client's is answered. The zero value is a good answer.
type Reply struct {
	Result        json.RawMessage `json:",omitempty"` // instead of the good answer
	Error         *Error          `json:",omitempty"` // instead of a result
	Never         bool            `json:",omitempty"` // no answer at all
	First         int             `json:",omitempty"` // Error is the answer to the first so many requests only; 0 means to all
	Twice         bool            `json:",omitempty"` // the same answer again (H5-14)
	Before, After []Step          `json:",omitempty"` // around the answer
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Step is one thing done. Exactly one field should be set; the first one set, in this order, is done.
type Step struct {
	Say      string         `json:",omitempty"` // one chunk of the answer
	Chunks   []string       `json:",omitempty"` // several chunks
	Bytewise string         `json:",omitempty"` // a chunk for each character of it: a cut at each place where text can be cut
	Answers  []string       `json:",omitempty"` // a chunk for each, below the line of the prompt that introduces the answer of that place
	Tell     string         `json:",omitempty"` // one chunk of the answer: what this command prints
	Think    string         `json:",omitempty"` // one chunk of reasoning
	Keep     string         `json:",omitempty"` // writes the prompt to this file, as everybody's to read
	Call     *Call          `json:",omitempty"` // a tool call
	Update   map[string]any `json:",omitempty"` // the update of a session/update as it is
	Mode     string         `json:",omitempty"` // current_mode_update: the agent switches by itself (A1-8)
	Raw      string         `json:",omitempty"` // a line as it is; {{session}}, {{prompt}} and {{cwd}} are filled in
	Request  string         `json:",omitempty"` // a request of this method to the client; waits for its answer and says it

	Sleep   time.Duration `json:",omitempty"`
	Flood   int           `json:",omitempty"` // so many message chunks "x", as fast as the pipe takes them
	Big     int           `json:",omitempty"` // a message chunk of so many bytes, in one line
	Endless int64         `json:",omitempty"` // so many bytes without a line end
	Burst   []Step        `json:",omitempty"` // these, in one single write (H5-08)
	AtOnce  []Step        `json:",omitempty"` // these, each on a goroutine of its own: several requests open at once

	Self   bool    `json:",omitempty"` // says a Self as one line of JSON
	Stderr string  `json:",omitempty"`
	Escape *Escape `json:",omitempty"` // leaves a process behind

	WaitCancel bool   `json:",omitempty"` // until session/cancel, or for ever
	End        string `json:",omitempty"` // answers the prompt with this stop reason
	EndError   *Error `json:",omitempty"` // answers the prompt with an error
	Die        *int   `json:",omitempty"` // exits with the status; a negative one is a signal to itself
}

// Call is one tool call, from its announcement to its end.
type Call struct {
	ID, Title, Kind string   `json:",omitempty"` // default: a fresh id, the command, execute
	Command         string   `json:",omitempty"` // rawInput.command
	Paths           []string `json:",omitempty"`
	Run             bool     `json:",omitempty"` // really run the command by sh -c; Text and Exit come from it
	Text            string   `json:",omitempty"`
	Exit            *int     `json:",omitempty"`
	Failed          bool     `json:",omitempty"` // status failed whatever the exit code; else completed, whatever it is
	Open            bool     `json:",omitempty"` // never closed
	Silent          bool     `json:",omitempty"` // not announced before it is asked for or closed
	Shape           Shape    `json:",omitempty"` // where the output stands

	Ask     bool            `json:",omitempty"` // request permission first
	Options []Option        `json:",omitempty"` // offered instead of allow_once, allow_always and reject_once
	Extra   json.RawMessage `json:",omitempty"` // members added to the toolCall of the request: marks, questions, plans
	Refused []Step          `json:",omitempty"` // instead of going on, when the answer is not an allow
	EndOnNo string          `json:",omitempty"` // a refusal ends the turn with this stop reason (agents.md point 19)
}

// Option is one offered answer to a permission request.
type Option struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Escape starts a process that leaves: two forks, a session of its own, TERM, HUP and INT ignored, the agent's standard
// output and error held open. It lives for Life (0 means half a minute); Touch, when set, is a file that it writes at
// the end of it, the late work of H5-02.
type Escape struct {
	Life  time.Duration `json:",omitempty"`
	Touch string        `json:",omitempty"`
}

// Self is what the agent sees of its own process.
type Self struct {
	UID, GID int
	Groups   []int
	Dir      string
	Umask    string
	Args     []string
	Env      []string // sorted
	Files    []string // open descriptors from 3 up, as "3 -> target"
	Session  string   // the directory the client opened the session in
}

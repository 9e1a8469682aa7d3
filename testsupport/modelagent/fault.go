package modelagent

// Fault is one way in which the agent is not what it should be: a word of its arguments.
type Fault string

// The faults.
const (
	ActsUnasked           Fault = "acts-unasked"             // never asks
	ActsAfterRejection    Fault = "acts-after-rejection"     // asks, and runs the refused command or writes the refused file
	EditsAfterRejection   Fault = "edits-after-rejection"    // asks, and makes the refused edit
	NoOnceOption          Fault = "no-once-option"           // offers to allow always, or not at all
	AlwaysFirst           Fault = "always-first"             // offers to allow always before once
	NoExitCode            Fault = "no-exit-code"             // does not say how a command ended
	CompletedWhateverExit Fault = "completed-whatever-exit"  // a command that failed is "completed"
	SwallowsDenials       Fault = "swallows-denials"         // of what failed, says neither that nor why
	IgnoresCancel         Fault = "ignores-cancel"           // goes on, and answers end_turn
	AnswersCancelLate     Fault = "answers-cancel-late"      // three seconds late
	CancelEndsTurn        Fault = "cancel-ends-turn"         // stops, and answers end_turn
	TellsEnvironment      Fault = "tells-environment"        // begins each turn with its whole environment
	IgnoresEOF            Fault = "ignores-eof"              // lives on after the end of its input
	IgnoresTerm           Fault = "ignores-term"             // and after TERM
	LeavesChild           Fault = "leaves-child"             // a process in a session of its own outlives each turn
	EndsTurnEarly         Fault = "ends-turn-early"          // does not wait for what runs in the background
	DropsOutputMiddle     Fault = "drops-output-middle"      // shows the two ends of a long output
	AsksUnattended        Fault = "asks-in-unattended-mode"  //
	IgnoresMode           Fault = "ignores-mode"             // answers success, and stays in its mode
	ModeDrifts            Fault = "mode-drifts"              // says in the turn that its mode is another one
	NoModes               Fault = "no-modes"                 // has none
	AcceptsBogusModel     Fault = "accepts-bogus-model"      // names no models, and takes any
	OtherModel            Fault = "other-model"              // asks its provider for another model than its own
	SmallerModel          Fault = "smaller-model"            // asks its provider for the smaller one of its catalogue
	NoUsage               Fault = "no-usage"                 //
	KeyInShells           Fault = "key-in-shells"            // commands see its key
	AsksForFiles          Fault = "asks-for-files"           // sends the client fs/write_text_file, which was declined
	LoginWanted           Fault = "login-wanted"             // opens no session without a login
	DiesInTurn            Fault = "dies-in-turn"             //
	Silent                Fault = "silent"                   // says nothing in a turn, which does not end
	Floods                Fault = "floods"                   // begins each turn with 20 MB of chunks
	HiddenCalls           Fault = "hidden-calls"             // sends no update of any call
	RemembersAllow        Fault = "remembers-allow"          // takes a one-time answer for all times
	ManyModelCalls        Fault = "many-model-calls"         // asks its provider for each answer a thousand times
	NoText                Fault = "no-text"                  // says nothing of what the model says
	WantedSwallowed       Fault = "wanted-swallowed"         // leaves out the lines by which something is declared
	UpdatesAfterEnd       Fault = "updates-after-end"        // sends a call and text behind the answer to a prompt
	EndsTurnOnRejection   Fault = "ends-turn-on-rejection"   // as Copilot does: no text, end_turn
	RejectionIsCancelled  Fault = "rejection-ends-cancelled" // as Codex does: no text, cancelled
)

// Faults are all of them.
func Faults() []Fault {
	return []Fault{ActsUnasked, ActsAfterRejection, EditsAfterRejection, NoOnceOption, AlwaysFirst, NoExitCode, CompletedWhateverExit,
		SwallowsDenials, IgnoresCancel, AnswersCancelLate, IgnoresEOF, IgnoresTerm, LeavesChild, EndsTurnEarly, DropsOutputMiddle,
		AsksUnattended, IgnoresMode, ModeDrifts, NoModes, AcceptsBogusModel, OtherModel, NoUsage, KeyInShells, AsksForFiles, LoginWanted,
		DiesInTurn, Silent, Floods, HiddenCalls, RemembersAllow, ManyModelCalls, NoText, WantedSwallowed, UpdatesAfterEnd,
		EndsTurnOnRejection, RejectionIsCancelled, CancelEndsTurn, TellsEnvironment, SmallerModel}
}

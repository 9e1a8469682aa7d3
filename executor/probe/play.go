package probe

import (
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// play is one launch of a scenario: what the model says, and what the agent may do.
type play struct {
	scenario Scenario
	name     string     // of one word; "" where a scenario has one launch only
	full     bool       // a pass with full access: what is asked for is allowed, once each time
	via      agents.Via // 0 is the profile's own, so that a pass is played as a run would play it
	model    string
	cancel   string              // file whose appearance in the tree ends the launch
	rounds   func(s site) rounds // what the model says
}

type rounds []loopback.Round

// site is what the plays may name: the tree, and what this agent needs.
type site struct {
	tree       string
	background map[string]any
}

func (s site) path(name string) string { return s.tree + "/" + name }

// The files of the tree, beside those that the plays make.
const (
	readme = "README.md"
	note   = "note.txt"   // holds "before"
	closed = "closed.txt" // has mode 0000

	setUp = "printf 'before\\n' >note.txt && printf 'secret\\n' >closed.txt && chmod 0000 closed.txt && ! cat closed.txt"
)

// What the model says at the end of each turn: words, and a line that declares a want.
const (
	done        = "All is done."
	goingOn     = "Going on without it."
	wanted      = "probe-thing"
	wantedLine  = "\nWANTED: " + wanted + " — to see that this line arrives"
	refusalText = "Your last request was refused" // in the prompt with which a launch goes on after a refusal
)

func say(text string) loopback.Round { return loopback.Round{Say: text + wantedLine} }

func call(deed loopback.Deed, c loopback.Call) loopback.Round {
	c.Deed = deed
	return loopback.Round{Calls: []loopback.Call{c}}
}

func shell(command string) loopback.Round {
	return call(loopback.Shell, loopback.Call{Command: command})
}

func (s site) read(name string) loopback.Round {
	return call(loopback.Read, loopback.Call{Path: s.path(name)})
}

func (s site) write(name, text string) loopback.Round {
	return call(loopback.Write, loopback.Call{Path: s.path(name), Text: text})
}

func (s site) edit() loopback.Round {
	return call(loopback.Edit, loopback.Call{Path: s.path(note), Old: "before", Text: "after"})
}

// The commands of the plays. What they make tells that they ran, whatever the agent says.
const (
	addLine   = "echo line >>lines.txt" // twice the same: is it asked for twice?
	showEnv   = "env >env.txt"
	tryClosed = "echo started >started.txt; cat closed.txt"
	marker    = "touch marker.txt"
	leave     = "setsid sleep 300 >/dev/null 2>&1 & echo started >started.txt"
	linger    = "echo started >started.txt; sleep 30; echo late >late.txt" // a loop with arithmetic would be refused by one agent, a bare sleep by two
	attached  = "echo started >started.txt; sleep 6; echo late >late.txt"
	flood     = "echo started >started.txt; yes '" + filler + "' | head -n 25000; cat closed.txt; yes '" + filler + "' | head -n 25000"
	filler    = "a hundred bytes of a line that nobody will ever read to its end, as most lines of most long outputs"
)

// noModel is a model that no provider has.
const noModel = "no-such-model-of-the-probe"

// plays are all launches in order.
func plays() []play {
	return []play{
		{scenario: ReadDenied, rounds: func(s site) rounds { return rounds{s.read(closed), say(done)} }},
		{scenario: ShellDenied, full: true, rounds: func(site) rounds { return rounds{shell(tryClosed), say(done)} }},
		{scenario: RejectWrite, name: "command", rounds: func(site) rounds { return rounds{shell(marker), say(goingOn)} }},
		{scenario: RejectWrite, name: "file", rounds: func(s site) rounds { return rounds{s.write("made.txt", "made\n"), say(goingOn)} }},
		{scenario: AllowWrite, full: true, rounds: func(s site) rounds {
			return rounds{shell(addLine), shell(addLine), s.write("made.txt", "made\n"), shell(showEnv), say(done)}
		}},
		{scenario: Edit, name: "allowed", full: true, rounds: func(s site) rounds { return rounds{s.read(note), s.edit(), say(done)} }},
		{scenario: Edit, name: "refused", rounds: func(s site) rounds { return rounds{s.read(note), s.edit(), say(goingOn)} }},
		{scenario: Cancel, full: true, cancel: "started.txt", rounds: func(site) rounds { return rounds{shell(linger), say(done)} }},
		{scenario: Exit, full: true, rounds: func(site) rounds { return rounds{shell(leave), say(done)} }},
		{scenario: AttachedShell, full: true, rounds: func(s site) rounds {
			return rounds{call(loopback.Shell, loopback.Call{Command: attached, Args: s.background}), say(done)}
		}},
		{scenario: LongOutput, full: true, rounds: func(site) rounds { return rounds{shell(flood), say(done)} }},
		{scenario: Modes, name: "model", model: noModel, rounds: func(site) rounds { return rounds{say(done)} }},
		{scenario: Modes, name: "unattended", full: true, via: agents.ByMode, rounds: func(site) rounds { return rounds{shell(marker), say(done)} }},
	}
}

// policy is that of a run whose content is all from writers: a read-only pass refuses what it is asked for, a full-access
// one allows it.
func (p play) policy(tree string) permission.Policy {
	policy := permission.Policy{Pass: permission.ReadOnly, FullAccessAllowed: true, Trusted: true, Workspace: tree}
	if p.full {
		policy.Pass = permission.FullAccess
	}
	return policy
}

// script is the whole of what the model says in the launch. A refusal ends the turn of some agents; the launch then goes on
// with a prompt of its own.
func (p play) script(s site) loopback.Script {
	return loopback.Script{Requests: maxRequests, Turns: []loopback.Turn{
		{Prompt: refusalText, Rounds: []loopback.Round{say(goingOn)}},
		{Prompt: prompt, Rounds: p.rounds(s)},
	}}
}

// prompt stands in each launch: an agent's own side requests do not have it.
const prompt = "This is a probe of ai-flow. Do what the model decides."

// title names a launch for people.
func (p play) title() string {
	if p.name == "" {
		return p.scenario.String()
	}
	return p.scenario.String() + ", " + p.name
}

// Package probe finds out what an agent really does: it drives the agent through the whole of Launch, as the agent user,
// against a scripted model on loopback, and says for each rule of the contract whether it holds.
//
// Each scenario is a launch or two in a room of its own, with an environment that holds nothing of ours but the PATH, so that
// no credential is inherited and nothing of one scenario is there in the next (A2-46). What the model says is fixed, so
// whatever differs between two runs is the agent's.
//
// Its one invariant: a probe ends. Calls of the model, each launch and the whole have a bound, the agent's processes are swept
// and its room is removed after each launch.
//
// It judges by what it saw: files in the tree, the wire, the requests that reached the model. It never concludes from a name, a
// label or the absence of a message, and what a run did not show is "not exercised" and not "holds". What it finds
// says nothing of real models, accounts, cost or another version (A2-3).
//
// It depends on nothing that a profile says of an agent's quirks: an agent that nobody has seen is probed in the same way.
package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
)

// Options say what is probed, and how far.
type Options struct {
	// Agent is the agent as it would be launched. Its Environ, AllowEnv, Extra, Limits, Progress and Witness are the probe's own:
	// of Environ only PATH is used.
	Agent executor.Agent
	// Variables point an agent whose profile cannot say it (agents.Profile.Loopback) to the model, by name. "{root}" in a value
	// is the base URL of the model, "{key}" the key.
	Variables map[string]string
	Scenarios []Scenario                      // nil means all
	Progress  func(s Scenario, launch string) // before each launch; may be nil
}

// Result is what a probe found out. All strings that are not of this package are foreign.
type Result struct {
	Agent, Version string // as it answered initialize
	Played         []Played
	Verdicts       []Verdict // one for each rule, in their order
	Requests       int       // that reached the model
	Took           time.Duration
}

// Played is a scenario as it was played.
type Played struct {
	Scenario   Scenario
	Launches   int
	Requests   int // that reached the model
	Took       time.Duration
	Failure    string // why a launch did not end as the scenario wants it to; "" when none
	Facts      []Fact // what was seen, in a fixed order
	Transcript []byte // the wire as JSON lines, at most 8 MiB; see type transcript for their members
}

// Fact is one thing that was seen.
type Fact struct {
	Launch string // of ours: the launch of the scenario, "" where it has one only
	Name   string // of ours: a few words
	Value  string // foreign, at most 600 bytes
}

// Run probes the agent. The error says why it was not probed to the end: no session could be opened (then it wraps a
// *executor.Failure), the agent cannot be pointed to the model, or ctx ended. The result is then what there was until that,
// without verdicts. What single scenarios met is in the result and no error.
func Run(ctx context.Context, o Options) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("the probe took longer than %s", probeLimit))
	defer cancel()
	p, err := begin(o)
	if err != nil {
		return Result{}, err
	}
	began := time.Now()
	var all []*seen
	var r Result
	for _, s := range chosen(o.Scenarios) {
		played, launches, err := p.scenario(ctx, s, o.Progress)
		all = append(all, launches...)
		r.Played = append(r.Played, played)
		r.Requests += played.Requests
		if err != nil {
			return r, fmt.Errorf("probing %s, %v: %w", p.agent.Profile.Title, s, err)
		}
	}
	for _, s := range all {
		r.Agent, r.Version = cmp.Or(r.Agent, s.report.AgentName), cmp.Or(r.Version, s.report.AgentVersion)
	}
	r.Verdicts, r.Took = judge(all), time.Since(began)
	return r, nil
}

// probing is one run of Run.
type probing struct {
	agent      executor.Agent
	variables  map[string]string
	key        string // that the agent is to authenticate with: of this probe alone
	path       string
	unattended string // id of a full-access mode that the agent advertised
	opened     bool   // it could be launched: a session was opened
	asked      bool   // a request reached the model
}

// errNoModel ends the probe of an agent that did not do what a model of ours said, whatever it did.
var errNoModel = errors.New("it ended a turn and had asked nothing of the model on loopback: it is pointed to another one, or has none")

func begin(o Options) (*probing, error) {
	p := &probing{agent: o.Agent, variables: o.Variables, key: "probe-" + rand.Text()}
	profile := o.Agent.Profile
	switch {
	case profile.Offline != "" && len(o.Variables) == 0:
		return nil, fmt.Errorf("%s cannot be probed: %s", profile.Title, profile.Offline)
	case profile.Loopback == nil && len(o.Variables) == 0:
		return nil, fmt.Errorf("nothing is known that points %s to a model on loopback", profile.Title)
	}
	for _, e := range o.Agent.Environ {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			p.path = v
		}
	}
	if p.agent.Log == nil {
		p.agent.Log = silent{}
	}
	p.agent.Progress, p.agent.Witness, p.agent.Extra, p.agent.AllowEnv = nil, nil, nil, nil
	p.agent.Environ = []string{"PATH=" + p.path}
	return p, nil
}

// environment is all that the agent's environment is made from: the search path, and what points it to the model. Nothing
// of the caller's own is among it.
func (p *probing) environment(root string) (environ, allow []string) {
	vars := map[string]string{}
	if p.agent.Profile.Loopback != nil {
		vars = p.agent.Profile.Loopback(root, p.key)
	}
	put := strings.NewReplacer("{root}", root, "{key}", p.key)
	for name, value := range p.variables {
		vars[name] = put.Replace(value)
	}
	environ = []string{"PATH=" + p.path}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		environ = append(environ, name+"="+vars[name])
		allow = append(allow, name)
	}
	return environ, allow
}

// scenario plays the launches of one scenario.
func (p *probing) scenario(ctx context.Context, s Scenario, progress func(Scenario, string)) (Played, []*seen, error) {
	played, began := Played{Scenario: s}, time.Now()
	var t transcript
	var launches []*seen
	for _, pl := range plays() {
		if pl.scenario != s {
			continue
		}
		if progress != nil {
			progress(s, pl.name)
		}
		one, err := p.launch(ctx, pl, &t)
		if one != nil {
			launches = append(launches, one)
			p.remember(one)
			played.add(one)
		}
		played.Took, played.Transcript = time.Since(began), t.bytes()
		switch {
		case err != nil:
			return played, launches, err
		case ctx.Err() != nil:
			return played, launches, context.Cause(ctx)
		case !p.opened:
			return played, launches, one.failure
		case !p.asked && one.failure == nil:
			return played, launches, errNoModel
		}
	}
	return played, launches, nil
}

// remember keeps that there was a session at all, and the first full-access mode that the agent advertised, for a profile
// that names none.
func (p *probing) remember(s *seen) {
	p.asked = p.asked || len(s.requests) > 0
	p.opened = p.opened || s.failure == nil || s.witness.session.ID != ""
	for _, m := range s.witness.session.Modes {
		if p.unattended == "" && agents.FullAccessMode(m.ID) {
			p.unattended = m.ID
		}
	}
}

func (p *Played) add(s *seen) {
	p.Launches++
	p.Requests += len(s.requests)
	ours := s.play.cancel != "" && s.failure != nil && s.failure.Class == executor.FailedCancelled
	if s.failure != nil && !ours && p.Failure == "" {
		p.Failure = oneLine(s.failure.Error())
	}
	p.Facts = append(p.Facts, s.facts()...)
}

func chosen(some []Scenario) []Scenario {
	if some == nil {
		return Scenarios()
	}
	return some
}

// silent is a log that nobody reads.
type silent struct{}

func (silent) Say(string, ...any)        {}
func (silent) Foreign(string, string)    {}
func (silent) Output(string, string)     {}
func (silent) Group(string) (end func()) { return func() {} }

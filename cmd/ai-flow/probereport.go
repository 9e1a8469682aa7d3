package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
	"github.com/d3mlabs/ai-flow/render"
)

// probeReport is probe.json: its names are kept, and version counts what breaks a reader. Foreign strings are safe for a terminal.
type probeReport struct {
	Version   int             `json:"version"`
	Agent     probeAgent      `json:"agent"`
	User      string          `json:"user"`
	Isolated  bool            `json:"isolated"`
	When      time.Time       `json:"when"` // UTC, the beginning
	Platform  string          `json:"platform"`
	AIFlow    string          `json:"ai_flow"`
	Millis    int64           `json:"took_ms"`
	Requests  int             `json:"model_requests"`
	Variables []string        `json:"variables,omitempty"` // names of --env
	Failure   string          `json:"failure,omitempty"`   // why there is nothing to judge
	Scenarios []probeScenario `json:"scenarios"`
	Rules     []probeRule     `json:"rules"`
	Limits    string          `json:"limits"`
}

type probeAgent struct {
	Name     string `json:"name"` // of ai-flow agents
	Status   string `json:"status"`
	Answered string `json:"answered_name"` // as it answered initialize
	Version  string `json:"answered_version"`
	Binary   string `json:"binary"`
	Origin   string `json:"origin"`
	SHA256   string `json:"sha256,omitempty"` // of an installed copy, checked at each launch
}

type probeScenario struct {
	Name       string      `json:"name"`
	Launches   int         `json:"launches"`
	Requests   int         `json:"model_requests"`
	Millis     int64       `json:"took_ms"`
	Failure    string      `json:"failure,omitempty"`
	Facts      []probeFact `json:"facts"`
	Transcript string      `json:"transcript,omitempty"` // a file beside this one
}

type probeFact struct {
	Launch string `json:"launch,omitempty"` // of the scenario, where it has several
	Name   string `json:"name"`
	Value  string `json:"value"`
}

type probeRule struct {
	ID        string   `json:"id"`
	Says      string   `json:"says"`
	Held      string   `json:"held"` // holds, does not, not exercised
	Why       string   `json:"why"`
	Scenarios []string `json:"scenarios"`
}

// probeLimits is what a probe does not say (A0-3).
const probeLimits = "Seen against a scripted model on this host: it says nothing of real models, accounts, cost or another version. An agent that knows that it is probed may behave meanwhile."

// maxProbeText bounds what is shown of one foreign text, in characters; the transcript has the rest.
const maxProbeText = 600

func (p *program) probeReport(a executor.Agent, when time.Time, result probe.Result, failure error) probeReport {
	text := func(s string) string { return cut(p.say.clean(s), maxProbeText) }
	r := probeReport{Version: 1, User: a.Identity.Name(), Isolated: a.Identity.Isolated(), When: when.UTC().Truncate(time.Second),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, AIFlow: moduleVersion(), Millis: result.Took.Milliseconds(), Requests: result.Requests,
		Agent: probeAgent{Name: a.Profile.Name, Status: statusText(a.Profile.Status), Answered: text(result.Agent), Version: text(result.Version),
			Binary: render.Terminal(a.Binary), Origin: p.origin(a.Pinned)},
		Scenarios: []probeScenario{}, Rules: []probeRule{}, Limits: probeLimits}
	if a.Pinned != nil {
		r.Agent.Binary, r.Agent.SHA256 = render.Terminal(a.Pinned.Path), a.Pinned.SHA256
	}
	if failure != nil {
		r.Failure = text(failure.Error())
	}
	for _, played := range result.Played {
		r.Scenarios = append(r.Scenarios, scenarioReport(played, text))
	}
	for _, v := range result.Verdicts {
		rule := probeRule{ID: v.Rule.ID, Says: v.Rule.Says, Held: v.Held.String(), Why: text(v.Why), Scenarios: []string{}}
		for _, s := range v.Rule.Of {
			rule.Scenarios = append(rule.Scenarios, s.String())
		}
		r.Rules = append(r.Rules, rule)
	}
	return r
}

func scenarioReport(played probe.Played, text func(string) string) probeScenario {
	s := probeScenario{Name: played.Scenario.String(), Launches: played.Launches, Requests: played.Requests, Millis: played.Took.Milliseconds(),
		Failure: text(played.Failure), Facts: []probeFact{}}
	for _, f := range played.Facts {
		s.Facts = append(s.Facts, probeFact{Launch: f.Launch, Name: f.Name, Value: text(f.Value)})
	}
	if len(played.Transcript) > 0 {
		s.Transcript = transcriptName(played.Scenario)
	}
	return s
}

func transcriptName(s probe.Scenario) string { return s.String() + ".jsonl" }

// probeDir is where a probe's files go: what the caller named, else a directory of our own, one for each agent.
func (p *program) probeDir(o probeOptions, profile agents.Profile) string {
	if o.out != "" {
		return p.path(o.out)
	}
	return filepath.Join(p.env.state, "probe", profile.Name)
}

// count is a number of things, in words: "1 launch", "2 launches".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

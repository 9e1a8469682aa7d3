package executor

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// turn is everything that is known of a running session: one state behind one lock. The connection calls Update in
// order and Permission on goroutines of their own.
type turn struct {
	label    string
	policy   permission.Policy
	profile  agents.Profile
	log      Log
	progress func(Event)
	witness  Witness
	wants    *denials.Collector
	began    time.Time

	mu        sync.Mutex
	mode      permission.ModeState
	chosen    string // the mode that we chose, "" when the session has none
	unasking  bool   // an option of the session was said to make the agent stop asking
	access    Access
	model     string   // that the agent named by itself since we last chose one
	models    []string // that ran in the turn before it
	prose     prose
	steps     steps
	receipts  []Receipt
	approved  int // receipts, those that are not kept too
	refusals  []Refusal
	account   account
	subagents []subagent
	stored    []string
	heard     time.Time // when the agent last said anything
	listening bool      // between a prompt and its answer; what comes outside belongs to no turn of ours
	refused   bool      // a request was rejected since the agent last said something of its own

	rejections int
	enough     chan struct{} // closed when the agent has been refused so often that it only probes

	told   sync.Mutex // serialises progress; taken after mu, never before it
	over   bool
	events int
	last   string // the last refusal told
}

// Update takes in one update. It runs on the connection's goroutine: nothing here waits for the agent.
func (t *turn) Update(u acpclient.Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = time.Now()
	if t.witness != nil {
		t.witness.Update(u)
	}
	switch u.Kind {
	case acpclient.ModeChange:
		t.mode = t.mode.Reported(u.Value)
	case acpclient.ModelChange:
		t.modelChanged(u.Value)
	case acpclient.OptionChange:
		t.option(u.Name, u.Value)
	case acpclient.UsageChange:
		t.account.price(u.Cost)
	case acpclient.Spent:
		if t.listening {
			t.account.request(u.Usage)
		}
	case acpclient.Reported:
		t.event(u)
	case acpclient.Message:
		t.message(u)
	case acpclient.Call:
		t.call(u.Call)
	}
}

// message takes a chunk of the answer. A subagent's text and the agent's own notices are not the answer.
func (t *turn) message(u acpclient.Update) {
	if !t.listening || u.Text == "" {
		return
	}
	if u.Subagent != "" || (t.profile.Noise != nil && t.profile.Noise(u.Text)) {
		t.log.Foreign(t.label+" notice: ", u.Text)
		return
	}
	t.refused = t.refused && notice(u.Text)
	t.prose.add(u.MessageID, u.Text)
	t.tell(Event{Kind: EventText, Text: u.Text})
}

// notice reports whether a chunk that follows a refusal only says that there was one: some agents close the turn with
// such a sentence of their own, in words that no list can hold. To be wrong costs one continuation.
func notice(text string) bool {
	if len(text) > 120 {
		return false
	}
	text = strings.ToLower(text)
	for _, word := range []string{"cancelled", "canceled", "rejected", "refused", "declined", "denied", "aborted"} {
		if strings.Contains(text, word+" by") || strings.HasPrefix(text, word) {
			return true
		}
	}
	return strings.TrimSpace(text) == ""
}

// call takes an update of a tool call.
func (t *turn) call(c acpclient.ToolCall) {
	if !t.listening {
		return
	}
	if c.ID != "" && !t.steps.known(c.ID) {
		t.prose.breakRound()
	}
	step, changed := t.steps.update(c, t.elapsed())
	t.wants.Observe(step.observed(c))
	if changed {
		t.tell(Event{Kind: EventStep, Step: step.public()})
	}
}

// Permission answers one request, at once: nobody is there to be asked. One that was withdrawn meanwhile leaves nothing: a
// receipt of it would be of what nobody was allowed.
func (t *turn) Permission(ctx context.Context, r acpclient.PermissionRequest) acpclient.PermissionAnswer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ctx.Err() != nil {
		return acpclient.PermissionAnswer{}
	}
	t.heard = time.Now()
	before := t.steps.said(r.Call.ID)
	step, _ := t.steps.update(r.Call, t.elapsed())
	req := t.request(r, step, before)
	policy, mode := t.full(r.Moment)
	d := permission.Decide(policy, mode, req)
	t.note(d, req)
	if t.witness != nil {
		t.witness.Asked(r, d)
	}
	switch d.Verdict {
	case permission.Allowed:
		t.allowed(d, req, step)
	default:
		t.rejected(d, req, step)
	}
	return acpclient.PermissionAnswer{OptionID: d.OptionID}
}

func (t *turn) allowed(d permission.Decision, req permission.Request, step *step) {
	step.allowed, step.approved = true, cut(req.Command, maxCommand)
	if d.Receipt {
		t.approved++
		t.receipts = append(t.receipts, Receipt{Kind: cut(req.Kind, maxWord), Title: plainly(req.Title), Command: plainly(req.Command), Paths: named(req.Paths),
			Mode: t.mode.Current(), Rule: d.Rule})
	}
}

func (t *turn) rejected(d permission.Decision, req permission.Request, step *step) {
	t.refused = true
	step.refused, step.allowed = true, false
	if len(t.refusals) < maxRecords {
		t.refusals = append(t.refusals, Refusal{Kind: cut(req.Kind, maxWord), Title: plainly(req.Title), Command: plainly(req.Command), Why: d.Why})
	}
	if t.rejections++; t.rejections == maxRejections {
		close(t.enough)
	}
	if d.Want {
		t.wants.Refuse(subject(req), refusalWhy(d, req))
	}
	t.tell(Event{Kind: EventRefused, Text: subject(req) + " (" + d.Why + ")"})
}

// maxRejections ends a turn: an agent that goes on asking for what is refused costs money and finds nothing. An honest
// one that was told once that refusals are policy asks a few times.
const maxRejections = 500

// maxRecords bounds receipts, refusals and steps kept of one launch, each.
const maxRecords = 5000

// request turns the protocol's request into the policy's values. What an earlier update said of the same call fills in
// what the request leaves out: some agents ask with a title only. What it said otherwise is judged too.
func (t *turn) request(r acpclient.PermissionRequest, s *step, before step) permission.Request {
	req := permission.Request{Kind: r.Call.Kind, Title: r.Call.Title, Command: r.Call.Command, Paths: r.Call.Paths, Marks: r.Marks}
	req.Kind, req.Title = either(req.Kind, s.kind), either(req.Title, s.title)
	cut := false
	if req.Command == "" {
		req.Command, cut = s.command, s.cutCommand
	}
	if len(req.Paths) == 0 {
		req.Paths, cut = s.paths, cut || s.cutPaths
	}
	if dir := either(r.Call.Dir, s.dir); dir != t.policy.Workspace {
		req.Paths = below(dir, req.Paths)
	}
	if cut && !slices.Contains(req.Marks, "malformed") {
		req.Marks = append(req.Marks, "malformed") // no rule can judge what was not kept
	}
	if before.command != "" && before.command != s.command || len(before.paths) > 0 && !slices.Equal(before.paths, s.paths) {
		b := permission.Request{Kind: req.Kind, Command: either(before.command, req.Command), Paths: before.paths}
		req.Before = &b
	}
	for _, o := range r.Options {
		req.Options = append(req.Options, permission.Option{ID: o.ID, Name: o.Name, Kind: o.Kind})
	}
	return req
}

// below adds to relative paths what they are from the directory of the call: agents differ in which of the two they mean.
func below(dir string, paths []string) []string {
	if dir == "" {
		return paths
	}
	all := slices.Clip(paths)
	for _, p := range paths {
		if !path.IsAbs(p) {
			all = append(all, path.Join(dir, p))
		}
	}
	return all
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// subject is what a request was about: the command, else the one path, else the title.
func subject(r permission.Request) string {
	switch {
	case r.Command != "":
		return r.Command
	case len(r.Paths) == 1:
		return r.Paths[0]
	default:
		return either(r.Title, r.Kind)
	}
}

// refusalWhy carries the request's title, by which the agent named the action (A3-7), behind our reason and in quotation marks:
// nothing that an agent says may pass for a rule.
func refusalWhy(d permission.Decision, r permission.Request) string {
	if r.Title == "" || r.Title == subject(r) {
		return d.Why
	}
	return d.Why + "; the agent calls it " + strconv.Quote(r.Title)
}

// observedWant tells of a new want while the turn still runs (A3-6). The collector calls it with the lock held.
func (t *turn) observedWant(w denials.Want) {
	t.log.Foreign(t.label+" ", "wanted ("+w.Channel.String()+"): "+w.Subject)
	t.tell(Event{Kind: EventWant, Want: &w})
}

func (t *turn) elapsed() time.Duration { return time.Since(t.began) }

// maxEvents bounds what is told of one launch; phases and wants, which are few, always are.
const maxEvents = 10_000

// tell passes an event on, one at a time, until the launch is over. The same refusal again is not news.
func (t *turn) tell(e Event) {
	t.told.Lock()
	defer t.told.Unlock()
	if t.progress == nil || t.over || (e.Kind == EventRefused && e.Text == t.last) {
		return
	}
	if e.Kind == EventRefused {
		t.last = e.Text
	}
	if t.events++; t.events > maxEvents && e.Kind != EventPhase && e.Kind != EventWant {
		return
	}
	e.At, e.Text = t.elapsed(), cut(e.Text, maxCommand)
	t.progress(e)
}

// hush ends the events: whoever listens may be gone when Launch has returned.
func (t *turn) hush() {
	t.told.Lock()
	defer t.told.Unlock()
	t.over = true
}

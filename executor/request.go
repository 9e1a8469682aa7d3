package executor

import (
	"context"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

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

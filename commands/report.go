package commands

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// ReportVersion is the version of the schema of report.json (report.schema.json beside this file). A field is never taken
// away or given another meaning under the same version; new ones may come.
const ReportVersion = 1

// Report is report.json: one run, for scripts and for the census of wants. It is written whatever the outcome. Strings
// that the agent or a stranger wrote are bounded, and nothing of the environment is in it.
type Report struct {
	Version  int            `json:"version"`
	Command  string         `json:"command"`  // the heaviest: ask, edit, build; "" for none
	Commands []string       `json:"commands"` // of each segment
	Surface  string         `json:"surface"`
	Number   int            `json:"number"` // of the issue or pull request; 0 for none
	Outcome  string         `json:"outcome"`
	Message  string         `json:"message"`
	Next     string         `json:"next"`
	Failure  *reportFailure `json:"failure"` // null unless failed or cancelled
	Started  time.Time      `json:"started"`
	Millis   int64          `json:"duration_ms"`

	Repository string        `json:"repository"` // owner/name; "" outside a workflow
	Requester  string        `json:"requester"`  // login; "" when not known
	Comment    reportComment `json:"comment"`
	RunURL     string        `json:"run_url"`
	Attempt    int           `json:"attempt"` // of the run, from 1; 0 outside a workflow
	Looked     string        `json:"looked_at"`
	TokenScope string        `json:"token_scope"` // what the agent's token may do, in words; "" when not known
	Denied     string        `json:"denied"`      // why the author may not command; "" for everybody else
	// ResultURL is where a person reads the result. Whoever put it there fills it in.
	ResultURL string `json:"result_url"`

	Agent     reportAgent     `json:"agent"`
	Model     reportModel     `json:"model"`
	Isolation reportIsolation `json:"isolation"`
	Boundary  *reportBoundary `json:"boundary"` // null when it was not tried to cross it

	Wants     []reportWant    `json:"wants"`
	WantCount int             `json:"want_count"` // distinct subjects, before any cap
	Receipts  []reportRequest `json:"receipts"`
	Approved  int             `json:"receipt_count"` // before any cap
	Refused   []reportRequest `json:"refused_requests"`
	Tools     map[string]int  `json:"tools"`            // calls by kind
	MoreSteps int             `json:"unlisted_updates"` // updates of calls beyond those counted in Tools
	Unasked   int             `json:"unasked_calls"`
	Usage     reportUsage     `json:"usage"`
	Phases    []reportPhase   `json:"phases"`

	Subagents     []reportSubagent `json:"subagents"`
	ProviderFiles []string         `json:"provider_files"` // that the agent says it keeps in storage of its own: no paths of the tree

	Gates        []reportGate   `json:"gates"` // of the last round in which gates ran
	Changes      []reportChange `json:"changes"`
	RefusedPaths []reportPath   `json:"refused_paths"`
	LeftPaths    []reportPath   `json:"left_paths"`
	AmbientPaths []string       `json:"ambient_paths"`
	Commits      []reportCommit `json:"commits"`
	PullRequest  string         `json:"pull_request"` // its URL, "" for none; of several the first
	Workflows    bool           `json:"workflow_patch"`
	Patches      []reportPatch  `json:"patches"`       // files beside this one
	Flagged      []string       `json:"flagged_paths"` // changed paths that runners or agents obey
	Restored     []string       `json:"restored_paths"`
	Threads      []string       `json:"review_threads"` // that were taken up: their URLs
	Notes        []string       `json:"notes"`
	PolicySource string         `json:"policy_source"`
}

// The parts of a Report.
type (
	reportComment struct {
		ID  int64  `json:"id"`
		URL string `json:"url"`
	}
	reportFailure struct {
		Class   string `json:"class"`
		Phase   string `json:"phase"`
		Message string `json:"message"`
	}
	reportAgent struct {
		Name       string `json:"name"`
		Version    string `json:"version"`
		Status     string `json:"status"`
		StopReason string `json:"stop_reason"`
		Mode       string `json:"mode"`
		// Via is how full access was given: callback, mode; "" when it was not. Unrecorded: some of it has no receipts.
		Via        string `json:"full_access_via"`
		Unrecorded bool   `json:"unrecorded_actions"`
		Asking     string `json:"asking"` // how far it is proven that the agent asks: verified, candidate, unproven; "" when nothing relies on it
	}
	reportModel struct {
		Asked     string `json:"asked"`
		Effective string `json:"effective"` // as the agent named it
		// Before are others that the agent named during its work.
		Before []string `json:"before"`
	}
	reportIsolation struct {
		Isolated bool   `json:"isolated"`
		User     string `json:"user"`
	}
	reportBoundary struct {
		Passed  int          `json:"passed"`
		Unknown []string     `json:"unknown"` // ids of checks
		Doors   []reportDoor `json:"open"`    // that were found open
		Millis  int64        `json:"duration_ms"`
	}
	reportDoor struct {
		ID     string `json:"id"`
		Why    string `json:"why"`
		Fix    string `json:"fix"`
		Waived string `json:"waived"` // why it did not stop the run; "" when it did
	}
	reportWant struct {
		Subject string `json:"subject"`
		Why     string `json:"why"`
		Channel string `json:"channel"`
		// Channels are all ways in which it became known, Channel first.
		Channels []string `json:"channels"`
		Kind     string   `json:"kind"`
		Source   string   `json:"source"`
		Count    int      `json:"count"`
		Triage   string   `json:"triage"` // where a person may meet it
	}
	reportRequest struct {
		Kind    string `json:"kind"`
		Title   string `json:"title"`
		Command string `json:"command"`
		// Paths are of a receipt: the first 8, and how many more there were.
		Paths []string `json:"paths,omitempty"`
		Mode  string   `json:"mode,omitempty"` // of a receipt
		Rule  string   `json:"rule,omitempty"` // of a receipt
		Why   string   `json:"why,omitempty"`  // of a refusal
	}
	reportPhase struct {
		Name   string `json:"name"`
		Millis int64  `json:"duration_ms"`
	}
	reportGate struct {
		Name    string   `json:"name"`
		Run     string   `json:"run"`
		Result  string   `json:"result"`
		Exit    *int     `json:"exit_status"` // null unless it ended with one
		Round   int      `json:"round"`
		Rounds  int      `json:"rounds"` // how many there could have been
		Tree    string   `json:"tree"`   // what it ran on
		Millis  int64    `json:"duration_ms"`
		Changed []string `json:"changed_paths"` // what it did to the tree, none of which is committed
		Output  string   `json:"output"`        // the end of what it printed, when it did not pass
	}
	reportChange struct {
		Path    string `json:"path"`
		Status  string `json:"status"`
		Added   int    `json:"added"`   // lines; -1 for binary
		Removed int    `json:"removed"` // lines; -1 for binary
	}
	reportPath struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
	}
	reportCommit struct {
		OID         string `json:"oid"`
		Branch      string `json:"branch"`
		Repository  string `json:"repository"`   // owner/name; "" for a local branch
		PullRequest string `json:"pull_request"` // its URL, "" for none
	}
	reportPatch struct {
		Kind       string `json:"kind"`
		File       string `json:"file"`
		Repository string `json:"repository"`
		Base       string `json:"base"` // object id of the commit that it applies to
	}
)

// JSON is the report as it is written, with a line break at its end.
func (r Report) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// The bounds of a report, so that a stranger cannot make it large.
const (
	maxReportString = 2000 // bytes of a string that stands alone
	maxItemString   = 600  // bytes of a string in an item of a list; those of a want are shorter
	maxReportList   = 1000 // items of a list; the counts beside it are of all
)

func (r *run) makeReport(result render.Result) Report {
	run := result.Run
	report := Report{
		Version: ReportVersion, Commands: []string{}, Surface: r.Surface.String(), Number: r.Number,
		Outcome: r.status.String(), Message: bounded(r.headline), Next: bounded(r.next),
		Started: r.began.UTC(), Millis: run.Duration.Milliseconds(),
		Repository: bounded(r.RepoName), Requester: bounded(r.Requester.Login), Comment: reportComment{r.CommentID, bounded(r.CommentURL)},
		RunURL: bounded(r.RunURL), Attempt: r.Attempt, Looked: string(r.base), TokenScope: tokenScope(r.Token),
		Agent: reportAgent{Name: run.Agent, Version: bounded(run.AgentVersion), Status: run.AgentStatus,
			StopReason: bounded(run.StopReason), Mode: bounded(r.report.Mode),
			Via: r.report.Access.Via.String(), Unrecorded: r.report.Access.Unrecorded, Asking: r.report.Access.Asking.String()},
		Model:     reportModel{bounded(run.ModelAsked), bounded(run.ModelEffective), bounds(run.ModelsBefore)},
		Isolation: reportIsolation{run.Isolated, run.User}, Boundary: r.reportedBoundary(),
		Approved: r.report.Approved, WantCount: len(r.report.Wants) + r.report.MoreWants, Unasked: r.report.Unasked,
		Tools: map[string]int{}, MoreSteps: r.report.MoreSteps, Usage: usageReported(r.report),
		Commits: r.reportCommits(), Workflows: slices.ContainsFunc(r.patches, func(p patch) bool { return p.Kind == render.PatchWorkflows }), Notes: bounds(r.notes), PolicySource: r.Policy.Source,
	}
	if r.subject != "" {
		report.Message = bounded(r.subject + " " + r.headline)
	}
	if r.command != 0 {
		report.Command = r.command.Name()
	}
	for _, s := range r.Comment.Segments[:min(len(r.Comment.Segments), maxSegments)] {
		report.Commands = append(report.Commands, s.Command.Name())
	}
	if r.failure != nil {
		report.Failure = &reportFailure{Class: r.failure.class, Phase: r.failure.phase, Message: bounded(r.failure.message)}
	}
	if len(report.Commits) > 0 {
		report.PullRequest = report.Commits[0].PullRequest
	}
	r.reportLaunch(&report, result.Wants)
	r.reportTree(&report)
	return report
}

// tokenScope is what the agent's token is good for, in words; "" when that is not known.
func tokenScope(t *render.Token) string {
	switch {
	case t == nil:
		return ""
	case len(t.Repos) == 0:
		return "none"
	}
	return bounded("read-only on " + strings.Join(t.Repos, ", "))
}

// reportLaunch adds what the agent did and met.
func (r *run) reportLaunch(report *Report, wants []render.Want) {
	from := r.report
	report.Wants = list(wants, func(w render.Want) reportWant {
		return reportWant{short(w.Subject), short(w.Why), w.Channel.String(), list(w.Channels(), denials.Channel.String), w.Kind.String(), short(w.Source), w.Count, w.Triage.Verdict.String()}
	})
	report.Receipts = list(from.Receipts, func(a executor.Receipt) reportRequest {
		return reportRequest{Kind: short(a.Kind), Title: short(a.Title), Command: short(a.Command), Paths: list(a.Paths, short), Mode: short(a.Mode), Rule: short(a.Rule)}
	})
	report.Refused = list(from.Refusals, func(a executor.Refusal) reportRequest {
		return reportRequest{Kind: short(a.Kind), Title: short(a.Title), Command: short(a.Command), Why: short(a.Why)}
	})
	report.Subagents, report.ProviderFiles = list(from.Subagents, subagentReported), list(from.ProviderFiles, short)
	report.Phases = list(from.Phases, func(p executor.Phase) reportPhase { return reportPhase{p.Name, p.Took.Milliseconds()} })
	for _, s := range from.Steps {
		kind := either(short(s.Kind), "other")
		if _, known := report.Tools[kind]; !known && len(report.Tools) >= 50 {
			kind = "other" // the kind is the agent's word, and so is how many it knows
		}
		report.Tools[kind]++
	}
}

func reported(p git.Refused) reportPath { return reportPath{short(p.Path), short(p.Reason)} }

// list is never null in JSON.
func list[From, To any](from []From, convert func(From) To) []To {
	to := make([]To, 0, min(len(from), maxReportList))
	for _, f := range from[:min(len(from), maxReportList)] {
		to = append(to, convert(f))
	}
	return to
}

func bounds(texts []string) []string { return list(texts, bounded) }

func bounded(text string) string { return upTo(maxReportString, text) }

func short(text string) string { return upTo(maxItemString, text) }

func upTo(limit int, text string) string {
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

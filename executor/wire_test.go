package executor

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

var updateUsage = flag.Bool("update-usage", false, "rewrite testdata/usage.golden")

// TestUsageOfTranscripts plays what real agents sent to a turn and holds what it adds up: tokens, cost, subagents. Two
// things are held beside the golden file. The scripted model reports 11 tokens in and 7 out for each request, so no other
// proportion can be right. And Claude's price, which it works out by itself, is that of the tokens that we count; but for
// claude/L, whose answer leaves out the requests that its subagent made in the background.
func TestUsageOfTranscripts(t *testing.T) {
	names, err := wire.Names()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, name := range names {
		tu := newPlay(t, name).run(name)
		tu.mu.Lock() // a request may still be answered to nobody
		a := tu.account
		if a.total.Input*7 != a.total.Output*11 || a.total.Input+a.total.Output != a.total.Total {
			t.Errorf("%s: no number of requests has %+v", name, a.total)
		}
		price := 3e-6*float64(a.total.Input) + 15e-6*float64(a.total.Output)
		if a.cost != (Cost{}) && math.Abs(a.cost.Amount-price) > 1e-9 && name != "claude/L" {
			t.Errorf("%s: %+v tokens, which cost %g and not %+v", name, a.total, price, a.cost)
		}
		fmt.Fprintf(&got, "%s: %d in, %d out, %d and %d cached, %d in all", name, a.total.Input, a.total.Output, a.total.CachedRead, a.total.CachedWrite, a.total.Total)
		if a.cost != (Cost{}) {
			fmt.Fprintf(&got, ", %g %s", a.cost.Amount, a.cost.Currency)
		}
		if a.model != "" {
			fmt.Fprintf(&got, ", by %s", a.model)
		}
		for _, s := range tu.subagents {
			fmt.Fprintf(&got, ", %s %s (%d tokens, %d ms)", s.Name, s.Status, s.Tokens, s.Took.Milliseconds())
		}
		for _, s := range tu.steps.list {
			if by := tu.by(s); by != "" {
				fmt.Fprintf(&got, ", %q by %s", s.title, by)
			}
			if s.told {
				fmt.Fprintf(&got, ", exit %d told", *s.exit)
			}
		}
		tu.mu.Unlock()
		got.WriteByte('\n')
	}
	const golden = "testdata/usage.golden"
	if *updateUsage {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

// quietLog is a Log that forgets.
type quietLog struct{}

func (quietLog) Say(string, ...any)     {}
func (quietLog) Foreign(string, string) {}
func (quietLog) Output(string, string)  {}
func (quietLog) Group(string) func()    { return func() {} }

// playing is the agent's side of a transcript, and the turn that it is played to.
type playing struct {
	t        *testing.T
	launch   *launch
	out      *os.File      // to our client
	sent     *bufio.Reader // what our client sends
	ids      map[string]json.RawMessage
	sessions map[string]bool
}

func newPlay(t *testing.T, name string) *playing {
	t.Helper()
	agent, _, _ := strings.Cut(name, "/")
	agent, _, _ = strings.Cut(agent, "-")
	profile, ok := agents.Find(agent)
	if !ok {
		t.Fatalf("no profile for %s", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	tu := &turn{label: "[" + name + "]", profile: profile, log: quietLog{}, policy: permission.Policy{Pass: permission.ReadOnly},
		began: time.Now(), wants: denials.NewCollector(denials.Options{}), enough: make(chan struct{})}
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: from, Writer: to, Handler: tu, Events: profile.Events})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		out.Close()
		<-conn.Done()
		for _, f := range []*os.File{from, in, to} {
			f.Close()
		}
	})
	return &playing{t: t, launch: &launch{agent: &Agent{Profile: profile, Log: quietLog{}}, turn: tu, conn: conn}, out: out, sent: bufio.NewReader(in), ids: map[string]json.RawMessage{}, sessions: map[string]bool{}}
}

type spoken struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Cwd, SessionID string
		Prompt         []struct{ Text string }
	}
	Result struct {
		SessionID string `json:"sessionId"`
	}
}

// run plays a transcript: each call of the recorded client's that we make too is made, and all that the agent sent is sent.
func (p *playing) run(name string) *turn {
	messages, err := wire.Load(name)
	if err != nil {
		p.t.Fatal(err)
	}
	waiting := map[string]chan struct{}{} // by recorded id, closed when our call has returned
	for _, m := range messages {
		var s spoken
		if m.Elided > 0 {
			continue
		}
		if err := json.Unmarshal(m.Raw, &s); err != nil {
			p.t.Fatal(err)
		}
		switch {
		case !m.FromAgent && s.Method != "":
			if do := p.does(s); do != nil {
				done := make(chan struct{})
				waiting[string(s.ID)] = done
				go func() { defer close(done); do() }()
				p.ids[string(s.ID)] = p.next(s.Method)
			}
		case m.FromAgent && s.Method != "":
			p.send(m.Raw)
		case m.FromAgent && waiting[string(s.ID)] != nil:
			if s.Result.SessionID != "" {
				p.sessions[s.Result.SessionID] = true
			}
			p.send(p.answer(m.Raw, s.ID))
			<-waiting[string(s.ID)]
		}
	}
	p.out.Close()
	<-p.launch.conn.Done()
	for _, done := range waiting {
		<-done
	}
	return p.launch.turn
}

// does is the call that was recorded, nil for one that a launch does not make.
func (p *playing) does(s spoken) func() {
	ctx, conn := context.Background(), p.launch.conn
	switch {
	case s.Method == "initialize":
		return func() { _, _ = conn.Initialize(ctx) }
	case s.Method == "session/new" && strings.HasPrefix(s.Params.Cwd, "/"):
		return func() { _, _ = conn.NewSession(ctx, s.Params.Cwd) }
	case s.Method == "session/prompt" && p.sessions[s.Params.SessionID]:
		return func() {
			answer, _ := p.launch.ask(ctx, s.Params.SessionID, s.Params.Prompt[0].Text)
			p.launch.turn.used(answer.Usage)
		}
	}
	return nil
}

// next reads what our client sends up to a call of the method, and returns its id.
func (p *playing) next(method string) json.RawMessage {
	for {
		line, err := p.sent.ReadBytes('\n')
		if err != nil {
			p.t.Fatalf("waiting for %s: %v", method, err)
		}
		var s spoken
		if json.Unmarshal(line, &s) == nil && s.Method == method {
			return s.ID
		}
	}
}

func (p *playing) answer(raw []byte, id json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		p.t.Fatal(err)
	}
	members["id"] = p.ids[string(id)]
	changed, err := json.Marshal(members)
	if err != nil {
		p.t.Fatal(err)
	}
	return changed
}

func (p *playing) send(raw []byte) {
	if _, err := p.out.Write(append(slices.Clip(raw), '\n')); err != nil {
		p.t.Fatal(err)
	}
}

// TestProfilesAskForWhatIsUnderstood holds that no event is asked for in vain (A2-34), and by whom (A2-22).
func TestProfilesAskForWhatIsUnderstood(t *testing.T) {
	understood := []string{acpclient.EventUsage, acpclient.EventToolDone, acpclient.EventSubagentStarted, acpclient.EventSubagentDone,
		acpclient.EventSubagentFailed, acpclient.EventWorkspaceChanged}
	for _, p := range agents.All() {
		if (len(p.Events) > 0) != (p.Name == "copilot") {
			t.Errorf("%s asks for %s", p.Name, strconv.Quote(strings.Join(p.Events, " ")))
		}
		for _, e := range p.Events {
			if !slices.Contains(understood, e) {
				t.Errorf("%s asks for %q, which nobody reads", p.Name, e)
			}
		}
	}
}

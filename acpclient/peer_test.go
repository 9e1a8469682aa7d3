package acpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport/acpschema"
)

// TestMain fails the run when a goroutine of the package is left at its end: each test closes its pipes, and that must be
// enough.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := leaked(); left != "" && code == 0 {
		os.Stderr.WriteString("goroutines left behind:\n" + left)
		code = 1
	}
	os.Exit(code)
}

func leaked() string {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		buf := make([]byte, 1<<20)
		all := string(buf[:runtime.Stack(buf, true)])
		var left []string
		for _, g := range strings.Split(all, "\n\n") {
			if strings.Contains(g, "/acpclient.(") || strings.Contains(g, "agentside.") {
				left = append(left, g)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
	}
}

// recorder is a Handler that keeps what it gets.
type recorder struct {
	mu      sync.Mutex
	updates []acpclient.Update
	asked   []acpclient.PermissionRequest
	noise   []string
	update  func(acpclient.Update)
	choose  func(context.Context, acpclient.PermissionRequest) acpclient.PermissionAnswer
}

func (r *recorder) Update(u acpclient.Update) {
	r.mu.Lock()
	r.updates = append(r.updates, u)
	r.mu.Unlock()
	if r.update != nil {
		r.update(u)
	}
}

func (r *recorder) Permission(ctx context.Context, q acpclient.PermissionRequest) acpclient.PermissionAnswer {
	r.mu.Lock()
	r.asked = append(r.asked, q)
	r.mu.Unlock()
	if r.choose == nil {
		return acpclient.PermissionAnswer{OptionID: "allow_once"}
	}
	return r.choose(ctx, q)
}

func (r *recorder) hear(excerpt []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.noise = append(r.noise, string(excerpt))
}

func (r *recorder) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, u := range r.updates {
		if u.Kind == acpclient.Message {
			b.WriteString(u.Text)
		}
	}
	return b.String()
}

var schema = sync.OnceValues(acpschema.Load)

// peer is the agent's end of a connection, played by a test with raw bytes. Each line that the client sends is validated.
type peer struct {
	t      testing.TB
	ctx    context.Context
	conn   *acpclient.Conn
	rec    *recorder
	out    *os.File // to the client
	in     *os.File // from the client
	lines  *bufio.Reader
	asked  map[string]string // methods of the agent's own requests by id
	closed sync.Once
}

func connect(t testing.TB, rec *recorder, config ...func(*acpclient.Config)) *peer {
	t.Helper()
	fromAgent, out := pipe(t)
	in, toAgent := pipe(t)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	c := acpclient.Config{Reader: fromAgent, Writer: toAgent, Handler: rec, Noise: rec.hear}
	for _, f := range config {
		f(&c)
	}
	conn, err := acpclient.Open(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, ctx: ctx, conn: conn, rec: rec, out: out, in: in, lines: bufio.NewReaderSize(in, 1<<20),
		asked: map[string]string{}}
	t.Cleanup(func() {
		p.close()
		<-conn.Done()
		cancel()
		in.Close()
		toAgent.Close()
		fromAgent.Close()
	})
	return p
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func (p *peer) close() { p.closed.Do(func() { p.out.Close() }) }

// send writes lines as one write.
func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		p.note(line)
	}
	if _, err := io.WriteString(p.out, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Errorf("the client does not read: %v", err)
	}
}

func (p *peer) note(line string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal([]byte(line), &m) == nil && m.Method != "" && m.ID != nil {
		p.asked[string(m.ID)] = m.Method
	}
}

type clientLine struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	raw string
}

// receive reads the client's next line and validates it.
func (p *peer) receive() clientLine {
	p.t.Helper()
	if err := p.in.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		p.t.Fatal(err)
	}
	raw, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("reading what the client sends: %v", err)
	}
	m := clientLine{raw: strings.TrimSuffix(raw, "\n")}
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		p.t.Fatalf("the client sent %q: %v", raw, err)
	}
	s, err := schema()
	if err != nil {
		p.t.Fatal(err)
	}
	err = s.Message(acpschema.Client, []byte(raw), p.asked[string(m.ID)])
	if errors.Is(err, acpschema.ErrUnknown) && m.Method == "session/set_model" {
		err = nil // not in the official schema, and said so at SetModel
	}
	if err != nil {
		p.t.Errorf("the client sent what the schema refuses: %s: %v", raw, err)
	}
	return m
}

func (p *peer) expect(method string) clientLine {
	p.t.Helper()
	m := p.receive()
	if m.Method != method {
		p.t.Fatalf("the client sent %s instead of %s", m.raw, method)
	}
	return m
}

func (p *peer) answer(m clientLine, result string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
}

// during runs f, which plays the agent, while call, which plays the user of the connection, waits for it.
func during[T any](p *peer, call func() (T, error), f func()) (T, error) {
	p.t.Helper()
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := call()
		done <- outcome{v, err}
	}()
	f()
	select {
	case o := <-done:
		return o.v, o.err
	case <-p.ctx.Done():
		panic("the call did not return") // so that the dump shows where everybody waits
	}
}

// open shakes hands and opens the session "s".
func (p *peer) open() acpclient.Session {
	p.t.Helper()
	_, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		p.answer(p.expect("initialize"), `{"protocolVersion":1,"agentInfo":{"name":"fake","version":"0"}}`)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		p.answer(p.expect("session/new"), `{"sessionId":"s"}`)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// prompt runs one turn, in which f plays the agent; f gets the request and must answer it.
func (p *peer) prompt(f func(m clientLine)) (acpclient.Turn, error) {
	p.t.Helper()
	return during(p, func() (acpclient.Turn, error) { return p.conn.Prompt(p.ctx, "s", "do it") }, func() {
		f(p.expect("session/prompt"))
	})
}

// turn runs one turn in which the agent sends lines and then ends it.
func (p *peer) turn(lines ...string) {
	p.t.Helper()
	turn, err := p.prompt(func(m clientLine) {
		if len(lines) > 0 {
			p.send(lines...)
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil || turn.StopReason != "end_turn" {
		p.t.Fatalf("turn: %+v, %v", turn, err)
	}
}

func update(body string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + body + `}}`
}

func say(text string) string {
	quoted, _ := json.Marshal(text)
	return update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(quoted) + `}}`)
}

func askFor(id, call string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"` + call +
		`","title":"touch x","kind":"execute"},"options":[{"optionId":"allow_once","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`
}

package loopback

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Every user of the host can connect. Who was not told the address is no agent of ours: it gets nothing, counts for
// nothing, and is not waited for.
func TestStrangersAreNotServed(t *testing.T) {
	s, err := Start(t.Context(), Script{Requests: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bare := "http://" + s.Addr.String()
	for range maxAtOnce + 1 { // each promises a body and sends none
		c, err := net.Dial("tcp", s.Addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
	}
	for _, url := range []string{bare + "/v1", bare + "/another/v1", bare + "//v1", strings.ToLower(s.URL())} {
		if status, body := post(t, url+"/chat/completions", request("", false, user)); status != 404 || strings.Contains(body, s.secret) {
			t.Errorf("%s: %d %s", url, status, body)
		}
	}
	if resp, err := http.Get(bare + "/v1/models"); err != nil || resp.StatusCode != 404 {
		t.Errorf("models: %v %v", resp, err)
	}
	if got := s.Requests(); len(got) != 0 {
		t.Errorf("kept %+v", got)
	}
	for range 2 {
		if status, _ := post(t, s.URL()+"/chat/completions", request("", false, user)); status != 200 {
			t.Errorf("the agent: %d", status)
		}
	}
	if got := s.Requests(); len(got) != 2 || got[0].Path != "/v1/chat/completions" {
		t.Errorf("kept %+v", got)
	}
}

// What net/http has to say of a client would go to standard error, past everything that makes text safe.
func TestServerPrintsNothing(t *testing.T) {
	if s := started(t); s.http.ErrorLog == nil || s.http.ErrorLog.Writer() != io.Discard {
		t.Error("it prints")
	}
}

// Connections that nobody uses would take all descriptors of the process.
func TestConnectionsAreBounded(t *testing.T) {
	s := started(t)
	for range maxOpen {
		c, err := net.Dial("tcp", s.Addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	extra, err := net.Dial("tcp", s.Addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	_ = extra.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, err := extra.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one more than %d is kept open: %v", maxOpen, err)
	}
}

// A request may be small and what it becomes large; what it says comes back in the answer.
func TestWhatARequestBecomesIsBounded(t *testing.T) {
	long := strings.Repeat("_", 4<<20)
	shell := Turn{Prompt: "GO", Rounds: []Round{{Calls: []Call{{Deed: Shell, Command: "touch x"}}}}}
	s := started(t, shell)
	for _, c := range []struct{ name, path, body string }{
		{"many values", "/v1/responses", `{"input":"x","tools":[` + strings.Repeat(`{},`, 1<<20) + `{}]}`},
		{"many in one text", "/v1/messages", `{"messages":[{"role":"user","content":[` + strings.Repeat(`{},`, 1<<20) + `{}]}]}`},
		{"a model", "/v1/chat/completions", `{"model":"` + long + `","stream":true}`},
		{"a tool", "/v1/chat/completions", request(offer("run"+long, nil, "command"), true, user)},
		{"a parameter", "/v1/chat/completions", request(offer("bash", nil, "command"+long), true, user)},
		{"what is required", "/v1/messages", `{"messages":[{"role":"user","content":"GO"}],"tools":[{"name":"bash","input_schema":{"properties":{"command":{},"` +
			long + `":{}},"required":["` + long + `"]}}]}`},
		{"a value to choose", "/v1/chat/completions", request(`{"function":{"name":"bash","parameters":{"properties":{"command":{},"a":{"enum":["`+long+`"]}},"required":["a"]}}}`, true, user)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		status, body := post(t, s.Root()+c.path, c.body)
		runtime.ReadMemStats(&after)
		if status != 400 || len(body) > 1000 {
			t.Errorf("%s: status %d, an answer of %d bytes", c.name, status, len(body))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
			t.Errorf("%s: %d MB for %d", c.name, grown>>20, len(c.body)>>20)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d are kept", n)
	}
	// A conversation with a long output is none of these, whatever stands in the output.
	text := strings.Repeat(`a,b:[{}] `, 1<<19)
	resp, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(request("", false, user, fmt.Sprintf(`{"role":"tool","content":%q}`, text))))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); resp.StatusCode != 200 || err != nil {
		t.Errorf("a long output: %d %s %v", resp.StatusCode, body, err)
	}
}

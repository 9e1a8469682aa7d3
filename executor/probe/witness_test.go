package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// What is kept of a hostile launch is bounded, however much each message holds and however many there are.
func TestWitnessIsBounded(t *testing.T) {
	const many = 600
	long := strings.Repeat("é", 2000)
	var r acpclient.PermissionRequest
	r.Call = acpclient.ToolCall{ID: long, Title: long, Kind: long, Command: strings.Repeat(long, 10), Paths: []string{long, long}}
	r.Raw = json.RawMessage(strings.Repeat(" ", 256<<10))
	for i := range 64 {
		r.Options = append(r.Options, acpclient.PermissionOption{ID: fmt.Sprint(i, long), Name: long, Kind: long})
	}
	var tr transcript
	w := newWitness(&tr)
	noise := []byte(strings.Repeat("x", 100<<10))
	for i := range many {
		w.Frame(acpclient.Frame{Kind: acpclient.FrameNoise, Line: noise})
		w.Frame(acpclient.Frame{Kind: acpclient.FrameRequest, Method: fmt.Sprint(i, long), Line: []byte(`{}`)})
		w.Frame(acpclient.Frame{Kind: acpclient.FrameNotification, Method: fmt.Sprint(i, long), Line: []byte(`{}`)})
		w.Update(acpclient.Update{Kind: acpclient.Call, Call: acpclient.ToolCall{ID: fmt.Sprint(i), Kind: fmt.Sprint(i, long), Status: fmt.Sprint(i, long), ExitAt: fmt.Sprint(i),
			Outputs: []acpclient.Output{{Part: fmt.Sprint(i, long)}}}})
		w.Update(acpclient.Update{Kind: acpclient.Call, Call: acpclient.ToolCall{ID: "0", Status: fmt.Sprint(i, long)}})
		w.Asked(r, permission.Decision{})
	}
	size := 0
	for _, a := range w.asked {
		c := a.request.Call
		size += len(c.ID) + len(c.Title) + len(c.Kind) + len(c.Command) + len(a.request.Raw)
		for _, o := range a.request.Options {
			size += len(o.ID) + len(o.Name) + len(o.Kind)
		}
		for _, p := range c.Paths {
			size += len(p)
		}
	}
	for _, states := range w.statuses {
		for _, s := range states {
			size += len(s)
		}
	}
	for _, list := range [][]string{w.exitAt, w.parts, w.unserved, w.ignored} {
		if len(list) == 0 || len(list) > 40 {
			t.Errorf("a list of %d words", len(list))
		}
	}
	if len(w.asked) == 0 || len(w.announced) == 0 || size > 40<<20 {
		t.Errorf("%d requests, %d calls, %d bytes are kept", len(w.asked), len(w.announced), size)
	}
	if w.noise != many || w.later != many {
		t.Errorf("counted %d lines of noise, %d notifications", w.noise, w.later)
	}
	raw := tr.bytes()
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	var last struct {
		Elided int `json:"elided_lines"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Elided == 0 || len(raw) > 8<<20+1000 {
		t.Errorf("a transcript of %d bytes that ends with %.100s, %v", len(raw), lines[len(lines)-1], err)
	}
	for _, f := range (&seen{witness: w}).facts() {
		if len(f.Value) > maxFact+len("…") {
			t.Errorf("%s has %d bytes", f.Name, len(f.Value))
		}
	}
}

// A transcript is JSON lines in valid text, whatever went over the wire.
func TestTranscriptIsJSON(t *testing.T) {
	var tr transcript
	tr.launch("read-denied")
	for _, f := range []acpclient.Frame{
		{Sent: true, Kind: acpclient.FrameRequest, Line: []byte(`{"id":1}`)},
		{Kind: acpclient.FrameAnswer, Line: []byte(`{"id":1,"result":{}}`)},
		{Kind: acpclient.FrameAnswer, Line: []byte(`{"id":1,"result":"` + strings.Repeat("y", 300<<10) + `"}`)},
		{Kind: acpclient.FrameNoise, Line: []byte("\x1b[1m\xff\xfe no\r")},
		{Kind: acpclient.FrameNotification, Line: []byte("{\"method\":\"\xff\xfe\"}")},
		{Kind: acpclient.FrameNoise, Line: nil},
		{Kind: acpclient.FrameNotification, Line: []byte("\x1b[2J> {\"method\":\"x\"}")}, // understood from its first brace on
	} {
		tr.add(f, 1500)
	}
	var got []string
	if !utf8.Valid(tr.bytes()) {
		t.Error("it holds bytes that are no text")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(tr.bytes())), "\n") {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		switch {
		case e["launch"] != nil:
			got = append(got, "launch")
		case e["msg"] != nil:
			got = append(got, fmt.Sprint(e["dir"], " msg"))
		case e["bytes"] != nil:
			got = append(got, fmt.Sprint(e["dir"], " head"))
		default:
			got = append(got, fmt.Sprint(e["dir"], " noise"))
		}
	}
	if want := "launch, c2a msg, a2c msg, a2c head, a2c noise, a2c msg, a2c noise, a2c noise"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

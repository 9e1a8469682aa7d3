// Package webhooks holds payloads of comment events as GitHub sent them, and the schema that such payloads keep to.
//
// It is what the fake GitHub's payloads are held to, and what reading a payload is tested with: issue_comment,
// pull_request_review and pull_request_review_comment. Its one invariant: a payload passes only by the definition of its
// own event and action; one that the schema does not define is an error, never valid.
//
// The schema is of 2024 and closed (a property that it does not name is a breach), so it judges what we make up, not what
// GitHub sends today. It refuses to fetch anything: both files are embedded (MIT, see NOTICE).
package webhooks

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema.json
var schema []byte

//go:embed examples.json
var examples []byte

// ErrUnknown says that the schema does not define that action of that event.
var ErrUnknown = errors.New("the schema does not define this action of this event")

// Examples returns the real payloads of an event's action, oldest first, as bytes of the caller's own; action "" means
// every action. The first of each event is older than some properties that the schema asks for. None is an error.
func Examples(t testing.TB, event, action string) [][]byte {
	t.Helper()
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(examples, &all); err != nil {
		t.Fatalf("reading the examples of webhooks: %v", err)
	}
	var found [][]byte
	for _, payload := range all[event] {
		var has struct {
			Action string `json:"action"`
		}
		if err := json.Unmarshal(payload, &has); err != nil {
			t.Fatalf("reading an example of %s: %v", event, err)
		}
		if action == "" || has.Action == action {
			found = append(found, payload)
		}
	}
	if len(found) == 0 {
		t.Fatalf("there is no example of %s %s", event, action)
	}
	return found
}

// Validate fails the test when a payload breaks the schema of its event and action.
func Validate(t testing.TB, event, action string, payload []byte) {
	t.Helper()
	if err := Check(event, action, payload); err != nil {
		t.Errorf("a payload of %s %s is not as GitHub sends it: %v", event, action, err)
	}
}

// Check judges a payload by the schema of its event and action. ErrUnknown when there is none.
func Check(event, action string, payload []byte) error {
	definitions, err := compiled()
	if err != nil {
		return err
	}
	definition := definitions[event+"$"+action]
	if definition == nil {
		return fmt.Errorf("%w: %s %s", ErrUnknown, event, action)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("the payload is no JSON: %w", err)
	}
	return definition.Validate(doc)
}

// compiled is the schema by event$action. It is compiled once, and only read afterwards: the fake GitHub judges hundreds.
var compiled = sync.OnceValues(compile)

func compile() (map[string]*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("reading the schema of webhooks: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: uriTemplate})
	if err := c.AddResource("webhooks.json", doc); err != nil {
		return nil, fmt.Errorf("reading the schema of webhooks: %w", err)
	}
	definitions := map[string]*jsonschema.Schema{}
	for name := range doc.(map[string]any)["definitions"].(map[string]any) {
		if !strings.Contains(name, "$") {
			continue
		}
		if definitions[name], err = c.Compile("webhooks.json#/definitions/" + name); err != nil {
			return nil, fmt.Errorf("compiling %s: %w", name, err)
		}
	}
	return definitions, nil
}

// uriTemplate replaces the library's own check, which cuts a template at each slash and so refuses the "{/sha}" that RFC
// 6570 allows and GitHub uses everywhere.
func uriTemplate(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	open := false
	for _, c := range s {
		if (c == '{') == open && (c == '{' || c == '}') {
			return errors.New("braces do not match")
		}
		switch c {
		case '{':
			open = true
		case '}':
			open = false
		}
	}
	if open || !strings.Contains(s, "://") {
		return errors.New("it is no template of an absolute address")
	}
	return nil
}

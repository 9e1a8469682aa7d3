// Package acpschema validates messages against the official schema of the Agent Client Protocol, version 1.
//
// The schema's root alone would accept almost anything, since each side may send extension methods; so a message is
// judged by the definition that belongs to its method and direction. Its one invariant: a method that the schema does not
// name is said to be unknown, never passed as valid. It refuses to judge extension methods, and to fetch anything: the
// schema is embedded.
package acpschema

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema.json
var source []byte

// ErrUnknown says that the schema has no such method in that direction.
var ErrUnknown = errors.New("the schema does not name this method")

// Sender is who sends a message.
type Sender string

// The two ends of a connection.
const (
	Client Sender = "client"
	Agent  Sender = "agent"
)

// Schema is the compiled schema. It may be used from several goroutines.
type Schema struct {
	root   *jsonschema.Schema
	params map[key]*jsonschema.Schema // by method and who handles it
	result map[key]*jsonschema.Schema
}

type key struct {
	handler Sender
	method  string
}

// Load compiles the embedded schema.
func Load() (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("reading the ACP schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("acp.json", doc); err != nil {
		return nil, fmt.Errorf("reading the ACP schema: %w", err)
	}
	s := &Schema{params: map[key]*jsonschema.Schema{}, result: map[key]*jsonschema.Schema{}}
	if s.root, err = c.Compile("acp.json"); err != nil {
		return nil, fmt.Errorf("compiling the ACP schema: %w", err)
	}
	defs := doc.(map[string]any)["$defs"].(map[string]any)
	for name, def := range defs {
		if err := s.add(c, name, def.(map[string]any)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add compiles the definition if it is the params or the result of a method.
func (s *Schema) add(c *jsonschema.Compiler, name string, def map[string]any) error {
	method, _ := def["x-method"].(string)
	side, _ := def["x-side"].(string)
	if method == "" {
		return nil
	}
	compiled, err := c.Compile("acp.json#/$defs/" + name)
	if err != nil {
		return fmt.Errorf("compiling %s: %w", name, err)
	}
	handlers := []Sender{Sender(side)}
	if side == "protocol" {
		handlers = []Sender{Client, Agent}
	}
	for _, handler := range handlers {
		if strings.HasSuffix(name, "Response") {
			s.result[key{handler, method}] = compiled
		} else {
			s.params[key{handler, method}] = compiled
		}
	}
	return nil
}

// Message validates one line that from sends. An answer is judged by the method that it answers, which the caller knows;
// for a call answered is "".
func (s *Schema) Message(from Sender, line []byte, answered string) error {
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("the line is no JSON object: %w", err)
	}
	if err := validate(s.root, line); err != nil {
		return err
	}
	switch {
	case m.Error != nil:
		return nil // the root knows errors
	case m.Method != "":
		return s.find(s.params, other(from), m.Method, m.Params)
	}
	return s.find(s.result, from, answered, m.Result)
}

func other(s Sender) Sender {
	if s == Client {
		return Agent
	}
	return Client
}

func (s *Schema) find(in map[key]*jsonschema.Schema, handler Sender, method string, body []byte) error {
	schema := in[key{handler, method}]
	if schema == nil {
		return fmt.Errorf("%w: %q", ErrUnknown, method)
	}
	return validate(schema, body)
}

func validate(schema *jsonschema.Schema, body []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

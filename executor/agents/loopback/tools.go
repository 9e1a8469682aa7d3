package loopback

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tool is one tool that a request offers.
type tool struct {
	name   string
	kind   toolKind
	schema schema
}

// toolKind is how a tool takes its arguments. Only OpenAI's responses know other kinds than functions.
type toolKind uint8

const (
	function   toolKind = iota // JSON by a schema
	custom                     // bare text, here the member "input"
	localShell                 // a list of words, here the member "command"
)

// schema is what is read of a tool's JSON schema.
type schema struct {
	Properties map[string]property
	Required   []string
}

// UnmarshalJSON takes a schema of another shape for one that says nothing: a tool that we do not understand is no reason
// to answer nothing at all.
func (s *schema) UnmarshalJSON(raw []byte) error {
	var object struct {
		Properties map[string]property
		Required   any
	}
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	s.Properties = object.Properties
	list, _ := object.Required.([]any)
	for _, v := range list {
		if name, ok := v.(string); ok {
			s.Required = append(s.Required, name)
		}
	}
	return nil
}

// property is one member of the arguments.
type property struct {
	Type any   // a word or a list of words; Gemini writes them in capitals
	Enum []any // the values that it may have; nil for any
}

// UnmarshalJSON lets a property be true or false, as JSON schema has it.
func (p *property) UnmarshalJSON(raw []byte) error {
	var object property
	type plain property // has no UnmarshalJSON
	if json.Unmarshal(raw, (*plain)(&object)) == nil {
		*p = object
	}
	return nil
}

// is reports whether a property's type is the word, or has it among others.
func (p property) is(word string) bool {
	switch t := p.Type.(type) {
	case string:
		return strings.EqualFold(t, word)
	case []any:
		return slices.ContainsFunc(t, func(v any) bool {
			s, ok := v.(string)
			return ok && strings.EqualFold(s, word)
		})
	}
	return false
}

// admits reports whether an enumeration, if there is one, has the value.
func (p property) admits(value any) bool {
	return p.Enum == nil || slices.ContainsFunc(p.Enum, func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(value) })
}

// resolve turns a call into the one that the agent expects, without an id; found is false when nothing that is offered
// fits its deed.
func (c Call) resolve(offered []tool) (call namedCall, found bool, err error) {
	var t tool
	var args map[string]any
	if c.Deed == Named {
		t, args = c.named(offered), c.Args
	} else {
		if t, args, found = c.find(offered); !found {
			return namedCall{}, false, nil
		}
		maps.Copy(args, t.schema.taken(c.Args))
	}
	call, err = t.call(args)
	return call, true, err
}

// named is the tool that the call names; one that is not offered is called all the same: agents must survive that.
func (c Call) named(offered []tool) tool {
	for _, t := range offered {
		if t.name == c.Tool {
			return t
		}
	}
	return tool{name: c.Tool}
}

// taken are the members that the schema lists, and whose value it admits.
func (s schema) taken(members map[string]any) map[string]any {
	taken := map[string]any{}
	for name, value := range members {
		if p, ok := s.Properties[name]; ok && p.admits(value) {
			taken[name] = value
		}
	}
	return taken
}

func (t tool) call(args map[string]any) (namedCall, error) {
	n := namedCall{name: t.name, kind: t.kind}
	if t.kind == custom {
		n.args, _ = args["input"].(string)
		return n, nil
	}
	if args == nil {
		args = map[string]any{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return n, fmt.Errorf("encoding the arguments of %s: %w", t.name, err)
	}
	n.args = string(raw)
	return n, nil
}

package ghschema

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// input judges a value that a client gave, in as far as the parser's own judgement is lax. What is absent or null was or
// will be judged by the parser.
func input(schema *ast.Schema, typ *ast.Type, v any, where string) error {
	if v == nil {
		return nil
	}
	if typ.Elem != nil {
		list, ok := v.([]any)
		if !ok { // GraphQL takes one value for a list of one
			return input(schema, typ.Elem, v, where)
		}
		for i, e := range list {
			if err := input(schema, typ.Elem, e, fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
		return nil
	}
	def := schema.Types[typ.NamedType]
	if def.Kind != ast.InputObject {
		if err := Leaf(def, v); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return nil
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: a value of type %s is an object, not %T", where, def.Name, v)
	}
	for _, f := range def.Fields {
		if err := input(schema, f.Type, fields[f.Name], where+"."+f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Leaf judges a value of a scalar or enum type: a Go string, bool, int, int64 or json.Number. An Int has 32 bits, which
// is where database ids of today overflow.
func Leaf(def *ast.Definition, v any) error {
	if def.Kind == ast.Enum {
		if s, ok := v.(string); !ok || def.EnumValues.ForName(s) == nil {
			return fmt.Errorf("%#v is no value of enum %s", v, def.Name)
		}
		return nil
	}
	if def.Kind != ast.Scalar {
		return fmt.Errorf("%#v stands where an object of type %s belongs", v, def.Name)
	}
	switch def.Name {
	case "Boolean":
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%#v is no Boolean", v)
		}
		return nil
	case "Int":
		n, ok := integer(v)
		if !ok || n < math.MinInt32 || n > math.MaxInt32 {
			return fmt.Errorf("%#v is no Int, which has 32 bits", v)
		}
		return nil
	case "Float":
		_, whole := integer(v)
		if _, ok := v.(json.Number); !ok && !whole {
			return fmt.Errorf("%#v is no Float", v)
		}
		return nil
	}
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%#v is no %s: JSON has a string for it", v, def.Name)
	}
	if !wellFormed(def.Name, s) {
		return fmt.Errorf("%.100q is no %s", s, def.Name)
	}
	return nil
}

func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	}
	return 0, false
}

var oid = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// wellFormed judges the text of a scalar. Those without a form (String, HTML, GitRefname) are all well formed.
func wellFormed(scalar, s string) bool {
	switch scalar {
	case "ID":
		return s != ""
	case "BigInt":
		_, err := strconv.ParseInt(s, 10, 64)
		return err == nil
	case "DateTime", "PreciseDateTime", "GitTimestamp":
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	case "Date":
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	case "GitObjectID":
		return oid.MatchString(s)
	case "URI":
		u, err := url.Parse(s)
		return err == nil && s != "" && (u.Host != "" || u.Path != "")
	}
	return true
}

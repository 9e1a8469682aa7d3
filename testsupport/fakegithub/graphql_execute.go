package fakegithub

import (
	"fmt"
	"slices"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/d3mlabs/ai-flow/testsupport/ghschema"
)

// asking is one query under way.
type asking struct {
	s      *Server
	by     *token
	q      *ghschema.Query
	errors []*queryError
}

// thing is a value of an object type: its fields by name, as nil, bool, string, number, time.Time, thing, []any, a
// *queryError, or a lazily of one of these. A field that is not there is not faked.
type thing struct {
	typ    string
	fields map[string]any
}

// lazily is a field that takes arguments, costs something, or would lead round in a circle.
type lazily func(args *arguments) any

// arguments of a field. What is given but never read by the field would be ignored, which GitHub does not do, so it is
// noted what is read.
type arguments struct {
	values map[string]any
	read   []string
}

func (a *arguments) get(name string) any {
	a.read = append(a.read, name)
	return a.values[name]
}

func (a *arguments) text(name string) string {
	s, _ := a.get(name).(string)
	return s
}

// answer is the data, nil when an error reached the top.
func (x *asking) answer() any {
	root := x.queries()
	if x.q.Operation.Operation == ast.Mutation {
		root = x.mutations()
	}
	data, whole := x.selection(root, []ast.SelectionSet{x.q.Operation.SelectionSet}, nil)
	if !whole {
		return nil
	}
	return data
}

// selection answers what is selected of an object. It is not whole when null stands where the schema has none: then there is
// null in its place, as GraphQL says.
func (x *asking) selection(o thing, sets []ast.SelectionSet, path []any) (data map[string]any, whole bool) {
	var keys []string
	fields := map[string][]*ast.Field{}
	for _, set := range sets {
		x.collect(o.typ, set, func(f *ast.Field) {
			if fields[f.Alias] == nil {
				keys = append(keys, f.Alias)
			}
			fields[f.Alias] = append(fields[f.Alias], f)
		})
	}
	data = map[string]any{}
	for _, key := range keys {
		if data[key], whole = x.field(o, fields[key], append(slices.Clip(path), key)); !whole {
			return nil, false
		}
	}
	return data, true
}

// collect finds the fields that are asked of an object of the type, through fragments.
func (x *asking) collect(typ string, set ast.SelectionSet, found func(*ast.Field)) {
	for _, sel := range set {
		switch sel := sel.(type) {
		case *ast.Field:
			if x.included(sel.Directives) {
				found(sel)
			}
		case *ast.InlineFragment:
			if x.included(sel.Directives) && (sel.TypeCondition == "" || x.q.Is(typ, sel.TypeCondition)) {
				x.collect(typ, sel.SelectionSet, found)
			}
		case *ast.FragmentSpread:
			if x.included(sel.Directives) && x.q.Is(typ, sel.Definition.TypeCondition) {
				x.collect(typ, sel.Definition.SelectionSet, found)
			}
		}
	}
}

func (x *asking) included(directives ast.DirectiveList) bool {
	for _, d := range directives {
		if on, ok := d.ArgumentMap(x.q.Variables)["if"].(bool); ok && on == (d.Name == "skip") {
			return false
		}
	}
	return true
}

// field answers one field, which may have been asked for in several places.
func (x *asking) field(o thing, asked []*ast.Field, path []any) (value any, whole bool) {
	f := asked[0]
	if f.Name == "__typename" {
		return o.typ, true
	}
	typ := x.q.Schema.Types[o.typ].Fields.ForName(f.Name).Type // the object's own, which may be stricter than its interface's
	v := x.resolve(o, f)
	if e, ok := v.(*queryError); ok {
		e.Path, e.Locations = path, []location{{f.Position.Line, f.Position.Column}}
		x.errors = append(x.errors, e)
		return nil, !typ.NonNull
	}
	sets := make([]ast.SelectionSet, len(asked))
	for i := range asked {
		sets[i] = asked[i].SelectionSet
	}
	return x.complete(typ, v, sets, path)
}

// resolve finds the value of a field, or a *queryError.
func (x *asking) resolve(o thing, f *ast.Field) any {
	v, faked := o.fields[f.Name]
	if !faked {
		return x.notFaked(o.typ + "." + f.Name)
	}
	values, err := x.q.Arguments(f)
	if err != nil {
		return x.s.breach(err)
	}
	if e := unbounded(f, values); e != nil {
		x.s.t.Errorf("fake GitHub: a GraphQL query that GitHub refuses: %s", e.Message)
		return e
	}
	args := &arguments{values: values}
	if later, ok := v.(lazily); ok {
		v = later(args)
	}
	if e, ok := v.(*queryError); ok {
		return e
	}
	for _, arg := range f.Arguments {
		if values[arg.Name] != nil && !slices.Contains(args.read, arg.Name) {
			return x.notFaked(o.typ + "." + f.Name + "(" + arg.Name + ":)")
		}
	}
	return v
}

func (x *asking) notFaked(what string) *queryError {
	x.s.t.Errorf("fake GitHub: not faked: %s", what)
	return &queryError{Message: "not faked: " + what}
}

// complete makes of a value what goes over the wire, and holds it to the schema: what GitHub could not send fails the test.
func (x *asking) complete(typ *ast.Type, v any, sets []ast.SelectionSet, path []any) (value any, whole bool) {
	if v == nil {
		if typ.NonNull {
			x.broken(path, "null where the schema has %s", typ)
		}
		return nil, !typ.NonNull
	}
	if typ.Elem != nil {
		value, whole = x.list(typ.Elem, v.([]any), sets, path)
	} else if o, ok := v.(thing); ok {
		if !x.q.Is(o.typ, typ.NamedType) {
			x.broken(path, "%s where the schema has %s", o.typ, typ)
			return nil, !typ.NonNull
		}
		value, whole = x.selection(o, sets, path)
	} else {
		value, whole = x.leaf(typ, v, path)
	}
	if !whole {
		return nil, !typ.NonNull
	}
	return value, true
}

func (x *asking) list(elem *ast.Type, values []any, sets []ast.SelectionSet, path []any) (any, bool) {
	list := make([]any, len(values))
	for i, v := range values {
		var whole bool
		if list[i], whole = x.complete(elem, v, sets, append(slices.Clip(path), i)); !whole {
			return nil, false
		}
	}
	return list, true
}

func (x *asking) leaf(typ *ast.Type, v any, path []any) (any, bool) {
	if at, ok := v.(time.Time); ok {
		v = at.UTC().Format(time.RFC3339)
	}
	if err := ghschema.Leaf(x.q.Schema.Types[typ.NamedType], v); err != nil {
		x.broken(path, "%v", err)
		return nil, false
	}
	return v, true
}

// broken fails the test for an answer that GitHub could not give. It is the fake's fault, but for one case, which is why
// the client is told too: who asks for the databaseId of something young gets no answer, for it does not fit an Int.
func (x *asking) broken(path []any, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	x.s.t.Errorf("fake GitHub: a GraphQL answer that GitHub cannot give: %v: %s", path, message)
	x.errors = append(x.errors, &queryError{Path: path, Message: message})
}

// Package ghschema holds questions for GitHub's GraphQL API, and answers to them, to its public schema.
//
// Parse says whether GitHub would take a query with its variables; Leaf whether it could have sent a value. Its one
// invariant: it is never laxer than GitHub. The parser that it stands on takes an enum in the wrong case and a number in a
// string; GitHub does not, so variables and arguments are judged a second time, by Leaf.
//
// It refuses to execute anything, and to fetch the schema: that is embedded, 164 kB compressed. Reading it costs about
// 25 ms once in a process (200 ms under the race detector), when the first query comes and not before.
package ghschema

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

//go:embed schema.graphql.gz
var source []byte

var load = sync.OnceValues(parse)

// Load returns the schema, which nobody may change: all callers share it.
func Load() (*ast.Schema, error) { return load() }

func parse() (*ast.Schema, error) {
	unzip, err := gzip.NewReader(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("reading GitHub's schema: %w", err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		return nil, fmt.Errorf("reading GitHub's schema: %w", err)
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(text)})
	if err != nil {
		return nil, fmt.Errorf("reading GitHub's schema: %w", err)
	}
	return schema, nil
}

// Query is one operation that GitHub would take, with the variables that came with it.
type Query struct {
	Schema    *ast.Schema
	Operation *ast.OperationDefinition
	Variables map[string]any
}

// Parse judges text and variables. operation picks one of several and is "" when there is but one. Variables are what
// encoding/json makes of them, numbers as json.Number.
func Parse(text, operation string, variables map[string]any) (*Query, error) {
	schema, err := Load()
	if err != nil {
		return nil, err
	}
	doc, errs := gqlparser.LoadQueryWithRules(schema, text, nil)
	if len(errs) > 0 {
		return nil, errs
	}
	op := doc.Operations.ForName(operation)
	if op == nil {
		return nil, fmt.Errorf("no operation %q among %d", operation, len(doc.Operations))
	}
	for _, v := range op.VariableDefinitions {
		if err := input(schema, v.Type, variables[v.Variable], "$"+v.Variable); err != nil {
			return nil, err
		}
	}
	vars, err := validator.VariableValues(schema, op, variables)
	if err != nil {
		return nil, err
	}
	return &Query{Schema: schema, Operation: op, Variables: vars}, nil
}

// Arguments are the arguments of a field of the query, defaults included.
func (q *Query) Arguments(f *ast.Field) (map[string]any, error) {
	args := f.ArgumentMap(q.Variables)
	for _, def := range f.Definition.Arguments {
		if err := input(q.Schema, def.Type, args[def.Name], f.Name+"("+def.Name+":)"); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// Is reports whether a value of the object type called name is one of type of: the same, or an interface or union that
// holds it.
func (q *Query) Is(name, of string) bool {
	def := q.Schema.Types[of]
	return name == of || def != nil && slices.ContainsFunc(q.Schema.GetPossibleTypes(def), func(d *ast.Definition) bool { return d.Name == name })
}

package fakegithub

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// maxNodes is how many nodes GitHub gives at once.
const maxNodes = 100

// unbounded is GitHub's refusal of a connection that is asked for without, or beyond, a bound; nil: it is fine.
func unbounded(f *ast.Field, values map[string]any) *queryError {
	if !strings.HasSuffix(f.Definition.Type.Name(), "Connection") {
		return nil
	}
	first, hasFirst := number(values["first"])
	last, hasLast := number(values["last"])
	switch {
	case !hasFirst && !hasLast:
		return &queryError{Type: "MISSING_PAGINATION_BOUNDARIES", Message: fmt.Sprintf("You must provide a `first` or `last` value to properly paginate the `%s` connection.", f.Name)}
	case hasFirst && hasLast:
		return &queryError{Type: "INVALID_PAGINATION_BOUNDARIES", Message: fmt.Sprintf("Passing both `first` and `last` values to paginate the `%s` connection is not supported.", f.Name)}
	}
	name, n := "first", first
	if hasLast {
		name, n = "last", last
	}
	switch {
	case n < 0:
		return &queryError{Type: "INVALID_PAGINATION_BOUNDARIES", Message: fmt.Sprintf("`%s` on the `%s` connection cannot be less than zero.", name, f.Name)}
	case n > maxNodes:
		return &queryError{Type: "EXCESSIVE_PAGINATION", Message: fmt.Sprintf("Requesting %d records on the `%s` connection exceeds the `%s` limit of %d records.", n, f.Name, name, maxNodes)}
	}
	return nil
}

// connection is a page of a list, in the way of Relay: as the arguments first, last, after and before say. id tells the
// nodes apart, so that a cursor still points to its node when others came or went.
func connection[T any](x *asking, typ string, list []T, id func(T) string, node func(T) thing) lazily {
	return func(args *arguments) any {
		begin, end := 0, len(list)
		at := func(cursor string) int {
			return slices.IndexFunc(list, func(e T) bool { return encodeCursor(id(e)) == cursor })
		}
		if after := args.text("after"); after != "" {
			if begin = at(after) + 1; begin == 0 {
				return badCursor(after)
			}
		}
		if before := args.text("before"); before != "" {
			if end = at(before); end < 0 {
				return badCursor(before)
			}
		}
		begin, end = cut(args, x.s.pageSize, begin, max(begin, end))
		return page(typ, list, begin, end, id, node)
	}
}

// cut applies first or last to the nodes from begin to end. A fake that gives smaller pages than asked for (PageSize) does
// what GitHub never does, but a client that follows the cursors cannot tell.
func cut(args *arguments, pageSize, begin, end int) (int, int) {
	size := func(name string) (int, bool) {
		n, given := number(args.get(name))
		if pageSize > 0 {
			n = min(n, pageSize)
		}
		return n, given
	}
	if n, given := size("first"); given {
		end = min(end, begin+n)
	}
	if n, given := size("last"); given {
		begin = max(begin, end-n)
	}
	return begin, end
}

func page[T any](typ string, list []T, begin, end int, id func(T) string, node func(T) thing) thing {
	nodes, edges := []any{}, []any{}
	var start, stop any
	for _, e := range list[begin:end] {
		n, cursor := node(e), encodeCursor(id(e))
		nodes = append(nodes, n)
		edges = append(edges, thing{edgeOf(typ), map[string]any{"node": n, "cursor": cursor}})
		if start == nil {
			start = cursor
		}
		stop = cursor
	}
	return thing{typ + "Connection", map[string]any{
		"totalCount": len(list), "nodes": nodes, "edges": edges,
		"pageInfo": thing{"PageInfo", map[string]any{
			"startCursor": start, "endCursor": stop, "hasPreviousPage": begin > 0, "hasNextPage": end < len(list),
		}},
	}}
}

// edgeOf is the type of the edges of a connection, which one of them is not named after.
func edgeOf(typ string) string {
	if typ == "CommitHistory" {
		return "CommitEdge"
	}
	return typ + "Edge"
}

func encodeCursor(id string) string {
	return base64.StdEncoding.EncodeToString([]byte("cursor:v2:" + id))
}

func badCursor(cursor string) *queryError {
	return &queryError{Type: "INVALID_CURSOR_ARGUMENTS", Message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", cursor)}
}

// number reads an Int, which the parser gives as int64 whether it stood in the query or among the variables.
func number(v any) (n int, given bool) {
	i, given := v.(int64)
	return int(i), given
}

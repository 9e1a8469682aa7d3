package fakegithub

import (
	"bytes"
	"context"
	_ "embed" // the description
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

//go:embed openapi.json
var openapi []byte

// description is GitHub's description of its REST API. It does not change once it is loaded.
type description struct{ paths []*template }

// template is one path of the description.
type template struct {
	segments []string // "{owner}" stands for anything
	route    routers.Route
}

// describe loads the description once for the process, since that takes a tenth of a second.
var describe = sync.OnceValues(func() (*description, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi)
	if err != nil {
		return nil, fmt.Errorf("reading GitHub's description: %w", err)
	}
	doc.Paths.Set("/installation/token", revocation())
	if err := allowDeletedHeads(doc); err != nil {
		return nil, err
	}
	d := &description{}
	for address, item := range doc.Paths.Map() {
		d.paths = append(d.paths, &template{split(address), routers.Route{Spec: doc, Path: address, PathItem: item}})
	}
	return d, nil
})

// revocation is the one call that is used and that the cut left out.
func revocation() *openapi3.PathItem {
	gone := openapi3.NewResponse().WithDescription("Response")
	return &openapi3.PathItem{Delete: &openapi3.Operation{
		OperationID: "apps/revoke-installation-access-token",
		Responses:   openapi3.NewResponses(openapi3.WithStatus(http.StatusNoContent, &openapi3.ResponseRef{Value: gone})),
	}}
}

// allowDeletedHeads corrects the description: the repository of a pull request's head is null when it was deleted, as the
// description of webhooks has it.
func allowDeletedHeads(doc *openapi3.T) error {
	for _, name := range []string{"pull-request", "pull-request-simple"} {
		head := doc.Components.Schemas[name].Value.Properties["head"].Value.Properties
		if head["repo"] == nil || head["repo"].Value == nil {
			return fmt.Errorf("reading GitHub's description: a %s has no head", name)
		}
		nullable := *head["repo"].Value
		nullable.Nullable = true
		head["repo"] = &openapi3.SchemaRef{Value: &nullable}
	}
	return nil
}

// options of judging: with the place and the reason in errors, without the schema, which is pages long.
func options(strict bool) *openapi3filter.Options {
	o := &openapi3filter.Options{IncludeResponseStatus: strict}
	o.WithCustomSchemaErrorFunc(func(err *openapi3.SchemaError) string {
		return fmt.Sprintf("at /%s: %s", strings.Join(err.JSONPointer(), "/"), err.Reason)
	})
	return o
}

func split(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }

// match finds the operation of a request and the parameters of its path; nil: the description has none. Of two paths that
// fit, the one with more fixed segments is meant. A last parameter may hold slashes: files, branches and references do.
func (d *description) match(method, url string) (*routers.Route, map[string]string) {
	var best *template
	var params map[string]string
	got := split(url)
	for _, p := range d.paths {
		if found, ok := p.match(got); ok && (best == nil || p.fixed() > best.fixed()) && p.route.PathItem.GetOperation(method) != nil {
			best, params = p, found
		}
	}
	if best == nil {
		return nil, nil
	}
	route := best.route
	route.Method, route.Operation = method, route.PathItem.GetOperation(method)
	return &route, params
}

func (p *template) match(got []string) (map[string]string, bool) {
	last := len(p.segments) - 1
	open := isParameter(p.segments[last])
	if len(got) < len(p.segments) || len(got) > len(p.segments) && !open {
		return nil, false
	}
	params := map[string]string{}
	for i, want := range p.segments {
		is := got[i]
		if i == last {
			is = strings.Join(got[i:], "/")
		}
		switch {
		case isParameter(want):
			params[strings.Trim(want, "{}")] = is
		case want != is:
			return nil, false
		}
	}
	return params, true
}

// fixed counts what is not a parameter; what is longer is more exact too.
func (p *template) fixed() (n int) {
	for _, s := range p.segments {
		if !isParameter(s) {
			n++
		}
	}
	return n*100 + len(p.segments)
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, "{") }

// request judges a request. The description allows fields and parameters that it does not name; a client that sends one
// has misread it, so here they are breaches.
func request(in *openapi3filter.RequestValidationInput, body []byte) error {
	in.Options = options(false)
	in.Request.Body = io.NopCloser(bytes.NewReader(body))
	if err := openapi3filter.ValidateRequest(context.Background(), in); err != nil {
		return err
	}
	for name := range in.Request.URL.Query() {
		if in.Route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			return fmt.Errorf("the operation has no query parameter %q", name)
		}
	}
	content := in.Route.Operation.RequestBody
	switch {
	case len(body) == 0:
		return nil
	case content == nil:
		return fmt.Errorf("the operation takes no body")
	}
	return strangers(content.Value.Content.Get("application/json").Schema, body)
}

// response judges an answer. Statuses that the description forgot are let through when they are errors: GitHub answers
// 401, 403 and 5xx everywhere.
func response(in *openapi3filter.RequestValidationInput, status int, header http.Header, body []byte) error {
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: options(status < 300),
	})
	if err != nil || status >= 300 || len(body) == 0 {
		return err
	}
	return strangers(in.Route.Operation.Responses.Status(status).Value.Content.Get("application/json").Schema, body)
}

// strangers finds a field that the schema does not name.
func strangers(schema *openapi3.SchemaRef, body []byte) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	return stranger([]*openapi3.SchemaRef{schema}, value, "")
}

// stranger compares a value with all schemas that may describe it.
func stranger(schemas []*openapi3.SchemaRef, value any, at string) error {
	schemas = alternatives(schemas)
	switch value := value.(type) {
	case []any:
		var items []*openapi3.SchemaRef
		for _, s := range schemas {
			if s.Value.Items != nil {
				items = append(items, s.Value.Items)
			}
		}
		for _, v := range value {
			if err := stranger(items, v, at+"[]"); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, v := range value {
			found, open := named(schemas, name)
			if len(found) == 0 && !open {
				return fmt.Errorf("there is no field %q", at+"."+name)
			}
			if err := stranger(found, v, at+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// alternatives unfolds allOf, anyOf and oneOf.
func alternatives(schemas []*openapi3.SchemaRef) (all []*openapi3.SchemaRef) {
	for _, s := range schemas {
		all = append(all, s)
		all = append(all, alternatives(slices.Concat(s.Value.AllOf, s.Value.AnyOf, s.Value.OneOf))...)
	}
	return all
}

// named finds the schemas of a field; open says that one of them takes any field.
func named(schemas []*openapi3.SchemaRef, name string) (found []*openapi3.SchemaRef, open bool) {
	for _, s := range schemas {
		v := s.Value
		if p := v.Properties[name]; p != nil {
			found = append(found, p)
		}
		if extra := v.AdditionalProperties; extra.Schema != nil || extra.Has != nil && *extra.Has || v.Type.Is("object") && len(v.Properties) == 0 {
			open = true
		}
	}
	return found, open || len(schemas) == 0
}

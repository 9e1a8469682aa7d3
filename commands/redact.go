package commands

import (
	"reflect"

	"github.com/d3mlabs/ai-flow/render"
)

// holdsSecret refuses what is to be committed for a known secret in it, and never says which (F-43). A window is a path or a
// part of a file. It is looked at as rendered, whatever its name: which files a page renders is the page's own affair.
func (r *run) holdsSecret(_ string, window []byte) string {
	if r.Secrets.Shows(string(window)) {
		return "holds a known secret"
	}
	return ""
}

// leaks reports whether an edit brings a known secret into the document, as it stands there or as its page shows it. What
// stood there before is not its doing.
func (r *run) leaks(edited string) bool {
	if r.Secrets.Empty() {
		return false
	}
	for _, h := range hunks(r.snapshot, edited) {
		if r.Secrets.Shows(h.text) {
			return true
		}
	}
	return false
}

// redact takes the known secrets out of all that is told, as values and before anything is cut or rendered: afterwards an
// escape, a line break or a cut may stand in the middle of one. What is invisible goes first, because rendering would drop
// it and join what it keeps apart.
func (r *run) redact() {
	if r.Secrets.Empty() {
		return
	}
	safe := func(text string) string { return r.Secrets.Redact(render.Terminal(text)) }
	for _, value := range []any{&r.report, &r.segments, &r.headline, &r.next, &r.notes, &r.diffs, &r.changes, &r.refused, &r.left, &r.gates, &r.flagged, &r.Restored, &r.dispositions, &r.tail} {
		eachString(reflect.ValueOf(value).Elem(), safe)
	}
	if r.failure != nil {
		f := *r.failure
		f.message = safe(f.message)
		r.failure = &f
	}
}

// eachString replaces every string that v holds, in structs, slices and behind pointers, which it copies first: a run goes
// on with what it found out after it was told ahead. It goes by the type and not by a list of fields, so that a new field is
// never forgotten; a test holds that there is nothing it would pass over.
func eachString(v reflect.Value, replace func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(replace(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			own := reflect.New(v.Type().Elem())
			own.Elem().Set(v.Elem())
			v.Set(own)
			eachString(own.Elem(), replace)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range v.Len() {
			eachString(v.Index(i), replace)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachString(v.Field(i), replace)
		}
	}
}

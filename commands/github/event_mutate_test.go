package github

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// without says for each path that ReadEvent reads what an event becomes when it is absent or null; nil: it is refused. The
// paths are found by reflection, so a new one fails the test until it stands here.
var without = map[string]func(*Event){
	"action":                                nil,
	"comment":                               nil,
	"comment.id":                            nil,
	"comment.node_id":                       nil,
	"comment.body":                          func(e *Event) { e.Comment.Body = "" },
	"comment.user":                          func(e *Event) { e.Comment.Author = Account{} },
	"comment.user.login":                    func(e *Event) { e.Comment.Author = Account{} },
	"comment.user.id":                       func(e *Event) { e.Comment.Author = Account{} },
	"comment.user.type":                     func(e *Event) { e.Comment.Author.Bot = true },
	"comment.created_at":                    func(e *Event) { e.Comment.Created = time.Time{} },
	"comment.html_url":                      func(e *Event) { e.Comment.URL = "" },
	"comment.path":                          func(e *Event) { e.Comment.Path = "" },
	"comment.diff_hunk":                     func(e *Event) { e.Comment.Hunk = "" },
	"comment.in_reply_to_id":                func(e *Event) { e.Comment.ReplyTo = 0 },
	"sender":                                func(e *Event) { e.Sender = Account{} },
	"sender.login":                          func(e *Event) { e.Sender = Account{} },
	"sender.id":                             func(e *Event) { e.Sender = Account{} },
	"sender.type":                           func(e *Event) { e.Sender.Bot = true },
	"repository":                            nil,
	"repository.name":                       nil,
	"repository.owner":                      nil,
	"repository.owner.login":                nil,
	"repository.id":                         func(e *Event) { e.RepoID = 0 },
	"issue":                                 nil,
	"issue.number":                          nil,
	"issue.title":                           func(e *Event) { e.Title = "" },
	"issue.pull_request":                    func(e *Event) { e.Surface = OnIssue },
	"pull_request":                          nil,
	"pull_request.number":                   nil,
	"pull_request.title":                    func(e *Event) { e.Title = "" },
	"pull_request.head":                     func(e *Event) { e.HeadOID = "" },
	"pull_request.head.sha":                 func(e *Event) { e.HeadOID = "" },
	"comment.submitted_at":                  nothing,
	"issue.head":                            nothing,
	"issue.head.sha":                        nothing,
	"pull_request.pull_request":             nothing,
	"comment.author_association":            func(e *Event) { e.Comment.Association = "NONE" },
	"comment.performed_via_github_app":      func(e *Event) { e.Comment.App = "" },
	"comment.performed_via_github_app.slug": func(e *Event) { e.Comment.App = "?" },
}

func nothing(*Event) {}

// paths lists the JSON paths of a type by its tags.
func paths(of reflect.Type, prefix string) (all []string) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	for i := range of.NumField() {
		p := prefix + of.Field(i).Tag.Get("json")
		all = append(append(all, p), paths(of.Field(i).Type, p+".")...)
	}
	return all
}

// full is a payload in which everything is set that is read of an event, whether or not GitHub sets it there, and nothing
// else, which keeps some thousand mutations of it fast.
func full(t *testing.T, name, action string) map[string]any {
	t.Helper()
	doc := document(t, webhooks.Examples(t, name, action)[1])
	set := func(path string, v any) {
		if parent, key := find(doc, path); parent != nil {
			parent[key] = v
		}
	}
	remark := "comment."
	if name == "pull_request_review" {
		remark = "review."
	}
	set(remark+"performed_via_github_app", map[string]any{"slug": "ai-flow"})
	set("issue.pull_request", map[string]any{})
	set(remark+"in_reply_to_id", 5)
	set(remark+"body", "/ask x")
	keep(doc, paths(reflect.TypeFor[payload](), ""), "")
	return doc
}

// keep deletes what is at none of the paths.
func keep(doc map[string]any, paths []string, prefix string) {
	for key, value := range doc {
		if !slices.Contains(paths, prefix+key) {
			delete(doc, key)
		} else if inner, ok := value.(map[string]any); ok {
			keep(inner, paths, prefix+key+".")
		}
	}
}

func document(t *testing.T, payload []byte) (doc map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// find returns the object that holds a path's last key, nil when there is none.
func find(doc map[string]any, path string) (parent map[string]any, key string) {
	keys := strings.Split(path, ".")
	for _, k := range keys[:len(keys)-1] {
		doc, _ = doc[k].(map[string]any)
	}
	return doc, keys[len(keys)-1]
}

// mutate reads a copy of doc with the value at path removed or set.
func mutate(t *testing.T, name string, doc map[string]any, path string, remove bool, value any) (Event, error) {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	changed := document(t, raw)
	if parent, key := find(changed, path); parent != nil && remove {
		delete(parent, key)
	} else if parent != nil {
		parent[key] = value
	}
	if raw, err = json.Marshal(changed); err != nil {
		t.Fatal(err)
	}
	return ReadEvent(name, raw)
}

// Every path that is read, removed, set null and set to a value of each type, in each of the three events.
func TestReadEventMutations(t *testing.T) {
	values := []any{"", "x", "../..", json.Number("0"), json.Number("-1"), json.Number("1.5"), json.Number("1e400"), json.Number("9223372036854775808"),
		true, []any{}, []any{map[string]any{}}, map[string]any{}, map[string]any{"login": map[string]any{}}, strings.Repeat("\u202e", 5000)}
	read := paths(reflect.TypeFor[payload](), "")
	for _, c := range commandEvents {
		doc := full(t, c.name, c.action)
		good, err := mutate(t, c.name, doc, "nowhere", true, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range read {
			for _, v := range values {
				if e, err := mutate(t, c.name, doc, path, false, v); err == nil {
					checkEvent(t, e)
				} else if e != (Event{}) {
					t.Errorf("%s: %s set to %.60v: an error and %+v", c.name, path, v, e)
				}
			}
			absent, errAbsent := mutate(t, c.name, doc, path, true, nil)
			null, errNull := mutate(t, c.name, doc, path, false, nil)
			if absent != null || (errAbsent == nil) != (errNull == nil) {
				t.Errorf("%s: %s absent is %+v, %v and null is %+v, %v", c.name, path, absent, errAbsent, null, errNull)
			}
			wantWithout(t, c.name, path, good, absent, errAbsent)
		}
	}
	for path := range without {
		if !slices.Contains(read, path) {
			t.Errorf("%s is not read any more", path)
		}
	}
}

// wantWithout compares what is left without a path to what is documented for it.
func wantWithout(t *testing.T, name, path string, good, got Event, err error) {
	t.Helper()
	change, known := without[documented(path)]
	if !known {
		t.Errorf("%s is read, and without says nothing about it", path)
		return
	}
	if !reads(name, path) {
		change = nothing
	}
	if change == nil {
		if err == nil || errors.Is(err, ErrNotForUs) || got != (Event{}) {
			t.Errorf("%s without %s: %+v, %v; want it refused", name, path, got, err)
		}
		return
	}
	want := good
	change(&want)
	if err != nil || got != want {
		t.Errorf("%s without %s: %v\n%+v, want\n%+v", name, path, err, got, want)
	}
	if reflect.ValueOf(change).Pointer() != reflect.ValueOf(nothing).Pointer() && want == good {
		t.Errorf("%s without %s: the payload does not set it, so nothing was tested", name, path)
	}
}

// documented is the path that stands for it in without: a review is a comment whose time has another name.
func documented(path string) string {
	switch path {
	case "review.submitted_at":
		return "comment.created_at"
	case "review.created_at":
		return "comment.submitted_at"
	}
	if path == "review" || strings.HasPrefix(path, "review.") {
		return "comment" + strings.TrimPrefix(path, "review")
	}
	return path
}

// reads reports whether an event has a use for a path.
func reads(name, path string) bool {
	top, key, _ := strings.Cut(path, ".")
	switch {
	case top == "issue":
		return name == "issue_comment"
	case top == "pull_request":
		return name != "issue_comment"
	case top == "review":
		return name == "pull_request_review" && !slices.Contains(ofLines, key)
	case top == "comment":
		return name == "pull_request_review_comment" || name == "issue_comment" && !slices.Contains(ofLines, key)
	}
	return true
}

// ofLines are keys of a comment that only one on a line has.
var ofLines = []string{"path", "diff_hunk", "in_reply_to_id"}

package github

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden facts anew; then read the difference")

// surfaceOf reads the beginning of a golden file's name.
func surfaceOf(name string) Surface {
	for prefix, s := range map[string]Surface{"issue": OnIssue, "pull": OnPull, "line": OnLine, "review": OnReview} {
		if strings.HasPrefix(name, prefix) {
			return s
		}
	}
	panic(name)
}

func goldenFacts(t testing.TB) []string {
	names, err := filepath.Glob("testdata/facts/*.json")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d answers found, %v", len(names), err)
	}
	return names
}

// Each answer of testdata/facts gives the facts, or the error, that stand beside it.
func TestLook(t *testing.T) {
	for _, file := range goldenFacts(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			answer, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newScripted(t)
			s.on("POST /api/graphql", says(200, string(answer)))
			facts, err := s.client(static).Look(t.Context(), Event{Surface: surfaceOf(name), Number: 2, Comment: Comment{NodeID: "IC_x"}})
			got := describe(facts)
			if err != nil {
				e := failure(t, err)
				got = strings.TrimRight(fmt.Sprintf("kind %d: %v\n%s", e.Kind, err, e.Next), "\n") + "\n"
				if describe(facts) != describe(Facts{}) {
					t.Errorf("an error comes with facts: %s", describe(facts))
				}
			}
			golden := strings.TrimSuffix(file, ".json") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// describe writes facts for people: policies as text, and what is zero left out.
func describe(f Facts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "viewer %q %d, %s, default %q %q, title %q, locked %t, closed %t\n", f.Viewer, f.ViewerID, f.Visibility, f.DefaultBranch, f.DefaultOID, f.Title, f.Locked, f.Closed)
	fmt.Fprintf(&b, "policy there %t: %q, cut %t\n", f.Policy != nil, f.Policy, f.PolicyCut)
	document := f.Document
	for _, named := range []struct {
		name string
		*Text
	}{{"comment", f.Comment}, {"parent", f.Parent}, {"document", &document}} {
		if t := named.Text; t != nil {
			fmt.Fprintf(&b, "%s %q by %q at %s, edited %s by %q, ours %t\n", named.name, t.Body, t.Author, stamp(t.Created), stamp(t.Edited), t.Editor, t.Ours)
		}
	}
	if h := f.Head; h != nil {
		fmt.Fprintf(&b, "head %q %q %s onto %q %q, merged %t, fork %t, since %s, committed %s\n", h.Repo, h.Branch, h.OID, h.BaseBranch, h.BaseOID, h.Merged, h.Fork, stamp(h.Since), stamp(h.Committed))
	}
	return b.String()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("02T15:04")
}

func TestLookAsks(t *testing.T) {
	s := newScripted(t)
	c := s.client(static)
	for _, e := range []Event{{}, {Number: 2}, {Comment: Comment{NodeID: "x"}}, {Number: -1, Comment: Comment{NodeID: "x"}}} {
		if _, err := c.Look(t.Context(), e); failure(t, err).Kind != Invalid || len(s.got) != 0 {
			t.Errorf("%+v: %v after %d requests", e, err, len(s.got))
		}
	}
	s.on("POST /api/graphql", says(200, `{}`))
	c.Look(t.Context(), Event{Number: 2, Comment: Comment{NodeID: `IC_"\`}})
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal([]byte(s.got[0].body), &asked); err != nil || asked.Query != factsQuery {
		t.Fatalf("%v: %s", err, s.got[0].body)
	}
	if v := fmt.Sprint(asked.Variables); v != `map[name:site node:IC_"\ number:2 owner:acme]` {
		t.Error(v)
	}
}

// Who is no user may have any name, and passes for no person of it. Bots are told by their [bot], which no person's name has.
func TestActors(t *testing.T) {
	for a, want := range map[actor]string{
		{"User", "ann"}: "ann", {"Bot", "ai-flow"}: "ai-flow[bot]", {"Bot", "ai-flow[bot]"}: "ai-flow[bot]", {"Bot", ""}: "",
		{"Mannequin", "ann"}: "", {"EnterpriseUserAccount", "ann"}: "", {"Organization", "acme"}: "", {"", "ann"}: "", {"user", "ann"}: "",
		{"User", "ghost"}: "", {"User", "Ghost"}: "", {"User", ""}: "",
	} {
		if got := a.login(); got != want {
			t.Errorf("%+v: %q", a, got)
		}
		text := fmt.Sprintf(`{"author":{"__typename":%q,"login":%q},"editor":{"__typename":%q,"login":%q}}`, a.Typename, a.Login, a.Typename, a.Login)
		var n textNode
		if err := json.Unmarshal([]byte(text), &n); err != nil || n.text().Author != want || n.text().Editor != want {
			t.Errorf("%s: %+v, %v", text, n.text(), err)
		}
		s := newScripted(t)
		s.on("GET "+commentRoute, says(200, fmt.Sprintf(`{"id":5,"user":{"login":%q,"type":%q}}`, a.Login, a.Typename)))
		if p, err := s.client(static).Comment(t.Context(), Ref{ID: 5}); err != nil || p.Author != want {
			t.Errorf("%+v: %+v, %v", a, p, err)
		}
	}
	if (*actor)(nil).login() != "" {
		t.Error("nobody has a login")
	}
}

// No answer of GraphQL panics, and no facts come without a viewer and a subject.
func FuzzFacts(f *testing.F) {
	for _, file := range goldenFacts(f) {
		answer, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(answer, byte(surfaceOf(filepath.Base(file))))
	}
	f.Fuzz(func(t *testing.T, text []byte, on byte) {
		(&answer{status: 200, body: text}).fate(true)
		var said factsAnswer
		if json.Unmarshal(text, &said) != nil {
			return
		}
		facts, err := said.facts(Surface(on))
		if err == nil && (facts.Viewer == "" || facts.Head != nil && !isOID(facts.Head.OID) || facts.DefaultOID != "" && !isOID(facts.DefaultOID)) {
			t.Errorf("%s", describe(facts))
		}
	})
}

// A wait is never negative and never longer than a day, and reading one again gives the same.
func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"", "0", "1", "-1", "+5", " 7 ", "1e3", "0x10", "18446744073709551616", noon.Format(time.RFC1123), noon.Add(-time.Hour).Format("Monday, 02-Jan-06 15:04:05 MST"), "Mon, 30 Nov 9999 12:00:00 GMT"} {
		f.Add(v, v, v)
	}
	f.Fuzz(func(t *testing.T, after, reset, date string) {
		h := map[string][]string{"Retry-After": {after}, "X-Ratelimit-Reset": {reset}, "X-Ratelimit-Remaining": {"0"}, "Date": {date}}
		if d, ok := retryAfter(after, noon); d < 0 || d > day || !ok && d != 0 {
			t.Errorf("Retry-After %q is %v", after, d)
		}
		for nth := 1; nth <= maxLimits; nth++ {
			if d := limitLasts(h, noon, nth); d < time.Second || d > day+time.Second {
				t.Errorf("%v lasts %v", h, d)
			}
		}
	})
}

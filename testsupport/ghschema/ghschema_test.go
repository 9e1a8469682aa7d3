package ghschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/ghschema"
)

// The validator must be able to say no: a check that cannot fail checks nothing.
func TestParse(t *testing.T) {
	const react = `mutation($id:ID!,$c:ReactionContent!){addReaction(input:{subjectId:$id,content:$c}){reaction{content}}}`
	const issue = `query($n:Int!){repository(owner:"o",name:"r"){issue(number:$n){title}}}`
	for _, c := range []struct {
		name, query, op, variables, refusal string
	}{
		{"viewer", `{viewer{login}}`, "", `{}`, ""},
		{"unknown field", `{viewer{loginn}}`, "", `{}`, "loginn"},
		{"object without a selection", `{viewer}`, "", `{}`, "viewer"},
		{"text that is no query", `{viewer{`, "", `{}`, "Expected"},
		{"argument missing", `{repository(owner:"o"){id}}`, "", `{}`, "name"},
		{"fragment on a type that cannot be there", `{viewer{... on Issue{id}}}`, "", `{}`, "Issue"},
		{"same key for two fields", `{viewer{a:login a:url}}`, "", `{}`, "conflict"},
		{"variable not used", `query($x:Int){viewer{login}}`, "", `{}`, "never used"},
		{"variable of another type", `query($n:String!){repository(owner:"o",name:"r"){issue(number:$n){title}}}`, "", `{"n":"1"}`, "position"},
		{"one of two operations", `query a{viewer{login}} query b{viewer{id}}`, "b", `{}`, ""},
		{"none of two operations", `query a{viewer{login}} query b{viewer{id}}`, "c", `{}`, `no operation "c"`},
		{"mutation", react, "", `{"id":"x","c":"EYES"}`, ""},
		{"enum in lower case", react, "", `{"id":"x","c":"eyes"}`, "no value of enum"},
		{"variable missing", react, "", `{"c":"EYES"}`, "must be defined"},
		{"variable null", react, "", `{"id":null,"c":"EYES"}`, "cannot be null"},
		{"number", issue, "", `{"n":2147483647}`, ""},
		{"number of 33 bits", issue, "", `{"n":2147483648}`, "32 bits"},
		{"number in a string", issue, "", `{"n":"7"}`, "32 bits"},
		{"input object", `mutation($i:AddReactionInput!){addReaction(input:$i){reaction{content}}}`, "", `{"i":{"subjectId":"x","content":"EYES"}}`, ""},
		{"input object with a bad leaf", `mutation($i:AddReactionInput!){addReaction(input:$i){reaction{content}}}`, "", `{"i":{"subjectId":"x","content":"Eyes"}}`, "$i.content"},
		{"input object as text", `mutation($i:AddReactionInput!){addReaction(input:$i){reaction{content}}}`, "", `{"i":"x"}`, "is an object"},
		{"list", `query($i:[ID!]!){nodes(ids:$i){id}}`, "", `{"i":["a","b"]}`, ""},
		{"list with a bad leaf", `query($i:[ID!]!){nodes(ids:$i){id}}`, "", `{"i":["a",""]}`, "$i[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ghschema.Parse(c.query, c.op, decode(t, c.variables))
			if c.refusal == "" && err != nil || c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
				t.Errorf("want a refusal that names %q, got: %v", c.refusal, err)
			}
		})
	}
}

func decode(t *testing.T, variables string) (v map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(variables))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLeaf(t *testing.T) {
	schema, err := ghschema.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typ   string
		value any
		valid bool
	}{
		{"Int", 1 << 31, false},
		{"Int", 1<<31 - 1, true},
		{"Int", json.Number("1.5"), false},
		{"Int", "1", false},
		{"Float", json.Number("1.5"), true},
		{"Float", "1.5", false},
		{"Boolean", true, true},
		{"Boolean", "true", false},
		{"BigInt", "3000000001", true},
		{"BigInt", "0x1", false},
		{"BigInt", int64(3000000001), false},
		{"ID", "IC_1", true},
		{"ID", "", false},
		{"ID", 7, false},
		{"DateTime", "2026-11-30T16:00:00Z", true},
		{"DateTime", "2026-11-30", false},
		{"Date", "2026-11-30", true},
		{"Date", "2026-13-30", false},
		{"GitObjectID", strings.Repeat("a", 40), true},
		{"GitObjectID", strings.Repeat("A", 40), false},
		{"URI", "http://127.0.0.1/a", true},
		{"URI", "", false},
		{"IssueState", "OPEN", true},
		{"IssueState", "open", false},
		{"String", "", true},
		{"Issue", "I_1", false},
	} {
		if err := ghschema.Leaf(schema.Types[c.typ], c.value); (err == nil) != c.valid {
			t.Errorf("%s of %#v: valid is to be %v, and Leaf says: %v", c.typ, c.value, c.valid, err)
		}
	}
}

func TestArgumentsAndIs(t *testing.T) {
	q, err := ghschema.Parse(`query($n:Int=5){repository(owner:"o",name:"r"){issues(first:$n){totalCount}}}`, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"Issue": true, "PullRequest": true, "Commit": false} {
		if q.Is(name, "IssueOrPullRequest") != want || q.Is(name, "Closable") != want {
			t.Errorf("%s as IssueOrPullRequest or Closable is to be %v", name, want)
		}
	}
	if q.Is("Issue", "PullRequest") || !q.Is("Issue", "Issue") || q.Is("Issue", "Nothing") {
		t.Error("an object type is itself and no other")
	}
	if len(q.Variables) != 1 || q.Variables["n"] != int64(5) {
		t.Errorf("the default of a variable: %#v", q.Variables)
	}
}

// The cost that the package comment names.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if err := ghschema.Reload(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := ghschema.Parse(`{viewer{login}}`, "", nil); err != nil {
			b.Fatal(err)
		}
	}
}

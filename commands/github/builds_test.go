package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden holds what f makes of each answer of testdata/folder against the text that stands beside it.
func golden(t *testing.T, folder string, least int, f func(t *testing.T, answer string) string) {
	files, err := filepath.Glob("testdata/" + folder + "/*.json")
	if err != nil || len(files) < least {
		t.Fatalf("%d answers found, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			answer, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, at := f(t, string(answer)), strings.TrimSuffix(file, ".json")+".golden"
			if *update {
				if err := os.WriteFile(at, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func (s *scripted) graphql(answers ...string) *scripted {
	var list []handler
	for _, a := range answers {
		list = append(list, says(200, a))
	}
	s.on("POST /api/graphql", list...)
	return s
}

// said is a failure in a golden file.
func said(t *testing.T, err error) string {
	e := failure(t, err)
	return strings.TrimRight(fmt.Sprintf("kind %d: %v\n%s", e.Kind, err, e.Next), "\n") + "\n"
}

// Each answer of testdata/builds gives the branches, or the error, that stand beside it.
func TestBuilds(t *testing.T) {
	golden(t, "builds", 15, func(t *testing.T, answer string) string {
		b, err := newScripted(t).graphql(answer).client(static).Builds(t.Context(), "ai/2-")
		if err != nil {
			if b.Branches != nil || b.DefaultOID != "" {
				t.Errorf("an error comes with %+v", b)
			}
			return said(t, err)
		}
		return describeBuilds(b)
	})
}

func describeBuilds(b Builds) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s, archived %t, default %q %q, blocked by %q\n", b.Visibility, b.Archived, b.DefaultBranch, b.DefaultOID, b.Blocked)
	for _, branch := range b.Branches {
		fmt.Fprintf(&w, "%q\n", branch.Name)
		for _, c := range branch.Commits {
			fmt.Fprintf(&w, "  %s\n", describeCommit(c))
		}
		for _, p := range branch.Pulls {
			fmt.Fprintf(&w, "  %s\n", describePull(p))
		}
	}
	return w.String()
}

func describeCommit(c Commit) string {
	return fmt.Sprintf("commit %.7s %q by %q at %s", c.OID, c.Message, c.Email, stamp(c.Committed))
}

func describePull(p Pull) string {
	return fmt.Sprintf("#%d %q %q %q onto %q at %.7s, closed %t, merged %t, fork %t, ours %t", p.Number, p.Title, p.Body, p.URL, p.Base, p.HeadOID, p.Closed, p.Merged, p.Fork, p.Ours)
}

// The prefix goes as a variable, whatever is in it, and who we are is remembered.
func TestBuildsAsks(t *testing.T) {
	s := newScripted(t).graphql(`{"data":{"viewer":{"login":"ai-flow[bot]"},"repository":{}}}`)
	c := s.client(static)
	if _, err := c.Builds(t.Context(), `ai/"2}`); err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal([]byte(s.got[0].body), &asked); err != nil || asked.Query != buildsQuery {
		t.Fatalf("%v: %s", err, s.got[0].body)
	}
	if v := fmt.Sprint(asked.Variables); v != `map[above:refs/heads/ai branches:100 commits:50 cursor:<nil> ended:10 name:site open:20 owner:acme prefix:ai/"2}]` {
		t.Error(v)
	}
	if login, err := c.viewer(t.Context()); login != "ai-flow[bot]" || err != nil || len(s.got) != 1 {
		t.Errorf("%q, %v after %d requests", login, err, len(s.got))
	}
}

// grove is a GitHub with many branches, which it gives in pages.
type grove struct {
	*scripted
	branches int
	words    string           // of each description
	said     string           // by each commit
	asked    []map[string]any // the variables
	cursor   func(end int) string
}

func newGrove(t *testing.T, branches, words int) *grove {
	g := &grove{scripted: newScripted(t), branches: branches, words: strings.Repeat("x", words), cursor: func(end int) string { return fmt.Sprint("after ", end) }}
	g.on("POST /api/graphql", g.answer)
	return g
}

func (g *grove) answer(w http.ResponseWriter, _ *http.Request, body string) {
	var asked struct{ Variables map[string]any }
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		g.t.Error(err)
	}
	v := asked.Variables
	g.asked = append(g.asked, v)
	begin := 0
	if cursor, ok := v["cursor"].(string); ok {
		fmt.Sscanf(cursor, "after %d", &begin)
	}
	end := min(begin+int(v["branches"].(float64)), g.branches)
	nodes := []any{}
	for i := begin; i < end; i++ {
		name := fmt.Sprint("ai/2-", i)
		nodes = append(nodes, map[string]any{
			"name": name, "target": map[string]any{"oid": tipOID, "history": map[string]any{"nodes": g.commits(v["commits"])}},
			"open": g.pulls(name, 1000, v["open"], "OPEN"), "ended": g.pulls(name, 500, v["ended"], "MERGED"),
		})
	}
	json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"viewer": map[string]any{"login": "me"}, "repository": map[string]any{
		"visibility": "PRIVATE", "refs": map[string]any{"totalCount": g.branches, "nodes": nodes, "pageInfo": map[string]any{"hasNextPage": end < g.branches, "endCursor": g.cursor(end)}},
	}}})
}

// commits are fifty, or as many of them as are asked for.
func (g *grove) commits(n any) (nodes []any) {
	for range min(int(n.(float64)), 50) {
		nodes = append(nodes, map[string]any{"oid": tipOID, "message": g.said})
	}
	return nodes
}

func (g *grove) pulls(head string, newest int, n any, state string) any {
	nodes := []any{}
	for i := range int(n.(float64)) {
		nodes = append(nodes, map[string]any{"number": newest - i, "state": state, "body": g.words, "headRefName": head, "headRefOid": tipOID})
	}
	return map[string]any{"nodes": nodes}
}

// Long descriptions make the shares small, and all branches come, unless so many calls are not enough.
func TestBuildsInShares(t *testing.T) {
	for name, test := range map[string]struct{ branches, words, most, calls, pulls, commits int }{
		"none":                 {0, 0, 1 << 20, 1, 0, 0},
		"all at once":          {100, 10, maxAnswer, 1, 30, 50},
		"ten at a time":        {45, 2000, 700_000, 6, 30, 50},
		"all, ten at a time":   {100, 2000, 700_000, 11, 30, 50},
		"one at a time":        {3, 2000, 50_000, 5, 20, 10},
		"as many as are asked": {18, 2000, 50_000, 20, 20, 10},
	} {
		g := newGrove(t, test.branches, test.words)
		c := g.client(static)
		c.most = int64(test.most)
		b, err := c.Builds(t.Context(), "ai/2-")
		if err != nil || len(b.Branches) != test.branches || len(g.got) != test.calls || b.Visibility != Private {
			t.Fatalf("%s: %d branches in %d calls, %v", name, len(b.Branches), len(g.got), err)
		}
		for i, branch := range b.Branches {
			if branch.Name != fmt.Sprint("ai/2-", i) || len(branch.Pulls) != test.pulls || len(branch.Commits) != test.commits || branch.Pulls[0].Number != 1000 || branch.Pulls[0].Closed || !branch.Pulls[test.pulls-1].Merged {
				t.Errorf("%s: %+v", name, branch)
			}
		}
	}
	g := newGrove(t, 19, 2000)
	c := g.client(static)
	c.most = 50_000
	b, err := c.Builds(t.Context(), "ai/2-")
	if e := failure(t, err); b.Branches != nil || len(g.got) != maxBuildCalls || !strings.Contains(e.Next, "Delete branches") {
		t.Errorf("%+v after %d calls, %v", b, len(g.got), err)
	}
	wordy := newGrove(t, 1, 0)
	wordy.said = strings.Repeat("x", 3000) // ten messages fit into the 50 kB of this test, and fifty do not
	c = wordy.client(static)
	c.most = 50_000
	if b, err := c.Builds(t.Context(), "ai/2-"); err != nil || len(b.Branches) != 1 || len(b.Branches[0].Commits) != 10 || len(wordy.got) != 3 {
		t.Errorf("%d branches after %d calls, %v", len(b.Branches), len(wordy.got), err)
	}
	never := newScripted(t)
	never.on("POST /api/graphql", func(w http.ResponseWriter, _ *http.Request, _ string) { io.Copy(w, endless{}) })
	c = never.client(static)
	c.most = 50_000
	if _, err := c.Builds(t.Context(), "ai/2-"); !errors.Is(err, errTooLarge) || len(never.got) != len(shares) {
		t.Errorf("%v after %d calls", err, len(never.got))
	}
	last := shares[len(shares)-1]
	const characters, bytesOfJSON, around = 65536, 6, 64 << 10
	if last.branches*(last.open+last.ended)*(characters*bytesOfJSON+around) > maxAnswer {
		t.Errorf("%+v does not fit into %d bytes", last, maxAnswer)
	}
}

// Pages that lead nowhere come to an end, and one that fails takes the others with it.
func TestBuildsLoops(t *testing.T) {
	for name, cursor := range map[string]func(int) string{"itself": func(int) string { return "after 0" }, "none": func(int) string { return "" }} {
		g := newGrove(t, 100, 2000)
		g.cursor = cursor
		c := g.client(static)
		c.most = 700_000
		if b, err := c.Builds(t.Context(), "ai/2-"); failure(t, err).Kind != Other || b.Branches != nil || len(g.got) > 3 {
			t.Errorf("%s: %v after %d calls", name, err, len(g.got))
		}
	}
	g := newGrove(t, 100, 2000)
	g.on("POST /api/graphql", g.answer, g.answer, says(200, `{"data":{"viewer":{"login":"me"},"repository":null}}`))
	c := g.client(static)
	c.most = 700_000
	if b, err := c.Builds(t.Context(), "ai/2-"); failure(t, err).Kind != Gone || b.Branches != nil || len(g.got) != 3 {
		t.Errorf("%v after %d calls", err, len(g.got))
	}
}

// No answer panics, and no branch comes without a tip.
func FuzzBuilds(f *testing.F) {
	files, _ := filepath.Glob("testdata/builds/*.json")
	for _, file := range files {
		answer, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var said buildsAnswer
		if json.Unmarshal(text, &said) != nil || said.Data.Repository == nil {
			return
		}
		var b Builds
		err := said.Data.Repository.addTo(&b, "ai/2-")
		for _, branch := range b.Branches {
			if !strings.HasPrefix(branch.Name, "ai/2-") || !isBranch(branch.Name) || len(branch.Commits) == 0 || !isOID(branch.Commits[0].OID) {
				t.Errorf("%+v, %v", branch, err)
			}
			for _, p := range branch.Pulls {
				if p.Number < 1 || p.Fork || !isOID(p.HeadOID) || p.Merged && !p.Closed || len(p.Body) > maxBody {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}

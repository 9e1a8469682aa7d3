package github

import (
	"encoding/json"
	"fmt"
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
	if v := fmt.Sprint(asked.Variables); v != `map[above:refs/heads/ai branches:100 cursor:<nil> ended:10 name:site open:20 owner:acme prefix:ai/"2}]` {
		t.Error(v)
	}
	if login, err := c.viewer(t.Context()); login != "ai-flow[bot]" || err != nil || len(s.got) != 1 {
		t.Errorf("%q, %v after %d requests", login, err, len(s.got))
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

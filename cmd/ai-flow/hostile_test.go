package main

import (
	"fmt"
	"strings"
	"testing"

	suite "github.com/d3mlabs/ai-flow/testsupport/hostile"
)

// TestHostile makes each attack of testsupport/hostile for real: the program as an ordinary user with the one sudoers rule, the
// agent as another user, GitHub as a server over HTTP. After each run the same oracle looks for breaches of every invariant,
// whatever the attack was aimed at. Attacks that disturb no other share a launch; when the oracle complains of one that is
// shared, each of its attacks is made again by itself, to say whose it was.
func TestHostile(t *testing.T) {
	all, err := suite.All()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	needPair(t)
	for _, together := range launches(all) {
		t.Run(strings.ReplaceAll(together[0].Name, "/", "_")+more(together), func(t *testing.T) {
			found := s.attack(t, together, nil)
			if len(found) == 0 {
				return
			}
			for _, f := range found {
				t.Errorf("%v", f)
			}
			for _, a := range together[1:] { // whose it was; the first one is the last to be cleared
				t.Run(a.Name, func(t *testing.T) {
					for _, f := range s.attack(t, []suite.Attack{a}, nil) {
						t.Errorf("by itself: %v", f)
					}
				})
			}
		})
	}
}

func more(together []suite.Attack) string {
	if len(together) == 1 {
		return ""
	}
	return fmt.Sprintf("_and_%d_more", len(together)-1)
}

// most is how many attacks share a launch: what is too many to tell apart costs more than it saves.
const most = 8

// launches puts those together that may be, in the order of their names.
func launches(all []suite.Attack) (launches [][]suite.Attack) {
	open := map[string]int{}
	for _, a := range all {
		key := fmt.Sprint(a.Where, a.Files["comment.md"], a.Outcomes, a.By)
		at, found := open[key]
		if !a.Together || !found || len(launches[at]) == most {
			launches = append(launches, []suite.Attack{a})
			if a.Together {
				open[key] = len(launches) - 1
			}
			continue
		}
		launches[at] = append(launches[at], a)
	}
	return launches
}

// attack plays one launch and judges it. spoil, when there is one, breaks the world between the run and the oracle.
func (s *stage) attack(t *testing.T, together []suite.Attack, spoil func(*theatre)) []suite.Fault {
	t.Helper()
	th := s.openTheatre(t, together)
	th.play()
	if spoil != nil {
		spoil(th)
	}
	return append(suite.Judge(th.evidence()), th.broken()...)
}

// broken are the promises of the attacks themselves: that each was made, and that people see what they should.
func (th *theatre) broken() (found []suite.Fault) {
	for i, a := range th.attacks {
		for file, where := range map[string]string{"proof": th.record(i), "seen": th.seen()} {
			rules, _ := a.Rules(file) // they were read before
			for _, rule := range rules {
				if !rule.MatchString(where) {
					found = append(found, suite.Fault{Text: fmt.Sprintf("%s: %s %q is not in\n%s", a.Name, file, rule, where)})
				}
			}
		}
		rules, _ := a.Rules("unseen")
		for _, rule := range rules {
			if hit := rule.FindString(th.seen()); hit != "" {
				found = append(found, suite.Fault{Text: fmt.Sprintf("%s: %q is seen", a.Name, hit)})
			}
		}
	}
	return found
}

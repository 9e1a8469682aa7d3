// Package house checks that a source tree keeps the rules of the house: who may import whom, who may start a process,
// read the environment or say sudo, and how files, packages and exported names look.
//
// The rules of an architecture that only a reader enforces are gone after three busy weeks. Here each rule is one value
// with a name, a reason and a pure function from a parsed tree to findings, so that adding one is adding a line to the
// table and one archive to testdata that breaks it. Its one invariant: a rule that no archive breaks is itself a test
// failure, for a check that cannot fail checks nothing.
//
// It works on syntax alone (go/parser): no build, no type check, no network, so it also judges a tree that does not
// compile, and it sees each file whatever its build tags. What syntax cannot show (an alias of os.Getenv passed on as a
// value through another package, a name made at run time) it does not find; it keeps honest people honest.
//
// It refuses to know anything that is not in the tree: no git, no module cache, no allow-list outside this package.
package house

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one breach of one rule at one place.
type Finding struct {
	Rule string // the name of the rule
	Path string // slash-separated, relative to the root of the tree
	Line int    // 0 when the whole file or folder is meant
	Text string // what is wrong, and what to do instead
}

// String is the finding as compilers print theirs, so that editors find the place.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", f.Path, f.Line, f.Text, f.Rule)
}

// Rule is one thing that holds everywhere in the tree.
type Rule struct {
	Name  string
	Why   string
	check func(*Tree) []Finding
}

// Rules lists all rules. The numbers are those of the house rules in CONTRIBUTING.md.
func Rules() []Rule {
	return []Rule{
		{"arrows", "dependencies point down only; a leaf that learns of its caller cannot be tested alone", checkArrows},
		{"libraries", "each library has one home, so that replacing it is a change of one package", checkLibraries},
		{"processes", "one package starts processes, so that every one of them has an end", checkProcesses},
		{"sudo", "one package says how another user is reached", checkSudo},
		{"wire", "one package knows JSON-RPC", checkWire},
		{"edges", "only cmd reads the environment, speaks to the terminal or exits (rule 16)", checkEdges},
		{"testsupport", "what tests share never reaches the product", checkTestsupport},
		{"names", "a package is a noun of the domain (rule 3)", checkNames},
		{"package-comment", "each package says on one page what it does and refuses to do (rule 3)", checkPackageComments},
		{"documented", "each exported name says its units, bounds and errors (rule 3)", checkDocumented},
		{"length", "a file is one concern (rule 13)", checkLength},
		{"state", "no mutable state of a package, no init: two runs in one process do not meet", checkState},
		{"background", "context comes from the caller, so that every wait has an end (rule 6)", checkBackground},
		{"finished", "what is not done is not merged", checkFinished},
		{"skips", "a test that did not run says what would enable it, and may not be skipped in CI (rule 15)", checkSkips},
		{"gofmt", "formatting is not a matter of taste", checkFormat},
		{"top-level", "the top of the tree is the table of contents", checkTopLevel},
		{"foreign-paths", "a clone has no neighbours", checkForeignPaths},
	}
}

// Check applies all rules and returns the findings ordered by place.
func Check(t *Tree) []Finding {
	var all []Finding
	for _, r := range Rules() {
		for _, f := range r.check(t) {
			f.Rule = r.Name
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return all
}

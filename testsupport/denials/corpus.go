// Package corpus holds outputs as real tools print them, with the wants that they must and must not give. It is imported by
// tests only.
//
//	corpus.jsonl     handed to the project: forty outputs of many tools
//	harvest.jsonl    printed by the tools of Debian 12 (coreutils, shells, git, python, node, ruby, php, java, …), run as uid 65534
//	                 against files of root's below /srv/door, with /srv/door/work its own; how often a tool says the plain thing
//	shapes.jsonl     of agents, and of tools and locales that were not at hand, as they document or are known to print it
//	negatives.jsonl  outputs that hold the words and are no wants
//
// All files are the project's own and under its licence.
package corpus

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed *.jsonl
var files embed.FS

// Workspace is the agent's tree in harvest.jsonl.
const Workspace = "/srv/door/work"

// Case is one output.
type Case struct {
	ID      string `json:"id,omitempty"`
	Tool    string `json:"tool"`
	Command string `json:"command,omitempty"`
	Kind    string `json:"kind,omitempty"` // of the tool: "" or "execute", "reader", "other"
	Exit    *int   `json:"exit,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Output  string `json:"output"`
	Wants   []Want `json:"wants"`
}

// Want is one expected want. Subject "*" means that there must be one, whose subject the output does not name.
type Want struct {
	Subject string `json:"subject"`
	Kind    string `json:"kind,omitempty"` // as denials.Kind says it; "" for any
}

// Read returns the cases of one file, by its name without ".jsonl".
func Read(name string) ([]Case, error) {
	data, err := files.ReadFile(name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	var cases []Case
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var c Case
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return nil, fmt.Errorf("reading line %d of the corpus %q: %w", i+1, name, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Package wire holds what real agents put on the wire: transcripts of whole sessions, recorded with dummy keys against a
// scripted loopback model, with Claude, Codex and two releases of Copilot. They are this project's own.
//
// A transcript is named agent/scenario. Scenarios: A read a forbidden file with the read tool · B shell cat of it · C shell
// touch rejected · D the same allowed · E edit (E2 of a forbidden file, E3 rejected) · F modes and models · G cancel · H
// exits · I long output (I2 with denials inside) · J vendor events · K parallel calls · L subagent · M further modes; a
// suffix names a variant. The one invariant: each message is as it was sent, up to cuts that say so inside ("[lab: …]", or
// Elided). The package only reads.
package wire

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed transcripts
var transcripts embed.FS

// Message is one line of a transcript.
type Message struct {
	FromAgent bool
	Raw       []byte // the message as compact JSON, without a newline; nil where lines were cut out
	Elided    int    // how many lines were cut out here
}

// Names lists all transcripts in order.
func Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(transcripts, "transcripts", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(path, "transcripts/"), ".jsonl"))
		}
		return err
	})
	return names, err
}

// Load reads one transcript, such as "codex/B2".
func Load(name string) ([]Message, error) {
	data, err := transcripts.ReadFile("transcripts/" + name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("loading transcript %q: %w", name, err)
	}
	var messages []Message
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var line struct {
			Dir    string          `json:"dir"`
			Msg    json.RawMessage `json:"msg"`
			Elided int             `json:"elided_lines"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("loading transcript %q: line %d: %w", name, len(messages)+1, err)
		}
		switch line.Dir {
		case "a2c", "c2a", "note":
			messages = append(messages, Message{FromAgent: line.Dir == "a2c", Raw: line.Msg, Elided: line.Elided})
		default:
			return nil, fmt.Errorf("loading transcript %q: line %d: unknown direction %q", name, len(messages)+1, line.Dir)
		}
	}
	return messages, lines.Err()
}

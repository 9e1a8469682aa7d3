package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
)

// The files of a probe beside its transcripts. The document is written first: a later probe knows the directory by it.
const (
	probeJSON  = "probe.json"
	probeTable = "table.txt"
)

// openProbeOutput makes the directory of a probe, which nobody else may read: a transcript holds whatever the agent says.
func (p *program) openProbeOutput(o probeOptions) (*output, error) {
	profile, _ := agents.Find(o.agent) // there is one: it was asked for before
	foreign := refuseNoProbe
	if o.out == "" { // of our own
		foreign = nil
	}
	out, w, err := openOutputDir(p.probeDir(o, profile), 0o700, foreign)
	if err != nil {
		return nil, err
	}
	out.log = p.maskedLog(w)
	return out, nil
}

// refuseNoProbe keeps what a person has in a directory: only an empty one, or one that holds a document of ours, is taken.
func refuseNoProbe(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &usageError{fmt.Sprintf("looking into the output directory: %v", err), noPlaceHint}
	}
	if len(entries) > 0 && !holdsProbe(filepath.Join(dir, probeJSON)) {
		return &usageError{fmt.Sprintf("%s is neither empty nor of a probe of ai-flow, which would overwrite what is in it", quoted(dir)), "name an empty directory: --out DIR"}
	}
	return nil
}

// holdsProbe reports whether a file is a document of ours, of any version.
func holdsProbe(path string) bool {
	const most = 16 << 20
	data, err := readBounded(path, most)
	if err != nil {
		return false
	}
	var document struct {
		Version          int
		Platform, Limits *string
		Rules, Scenarios *[]json.RawMessage
	}
	err = json.Unmarshal(data, &document)
	return err == nil && document.Version >= 1 && document.Platform != nil && document.Limits != nil && document.Rules != nil && document.Scenarios != nil
}

// showProbe writes the files, then standard output. A file that cannot be written hides nothing of what was found. With
// nothing found standard output stays empty.
func (p *program) showProbe(o probeOptions, out *output, r probeReport, result probe.Result) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	data, table := muteJSON(out.log.Redact(string(raw)))+"\n", muteRunner(out.log.Redact(r.table(p.env.columns)))
	err = errors.Join(err, writeProbe(out, data, table, result.Played), out.close())
	where := "transcripts: " + p.say.clean(out.dir) + "\n"
	switch {
	case r.Failure != "":
		p.say.line("log: %s", out.logPath())
	case o.json:
		_, printed := fmt.Fprint(p.out, data)
		err = errors.Join(err, printed)
		p.say.line("transcripts: %s", out.dir)
	default:
		_, printed := fmt.Fprint(p.out, table+"\n"+where)
		err = errors.Join(err, printed)
	}
	if err = errors.Join(err, p.out.flush()); err != nil {
		return fmt.Errorf("writing what the probe found: %w", err)
	}
	return nil
}

// plainJSON writes what a terminal or a runner would act on, or not show, as escapes: it stands in strings only, and whoever
// reads the JSON gets what was meant.
func plainJSON(lines string) string {
	var b strings.Builder
	for _, r := range muteJSON(lines) {
		if r == '\n' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// writeProbe writes the files. Table and transcripts of an earlier probe would pass for this one's, and go as soon as its
// document is there; where that cannot be written they stay with their own.
func writeProbe(out *output, data, table string, all []probe.Played) error {
	if err := out.write(probeJSON, data); err != nil {
		return err
	}
	errs := []error{ignoreMissing(os.Remove(out.path(probeTable)))}
	for _, s := range probe.Scenarios() {
		errs = append(errs, ignoreMissing(os.Remove(out.path(transcriptName(s)))))
	}
	errs = append(errs, out.write(probeTable, table))
	for _, played := range all {
		if len(played.Transcript) > 0 {
			errs = append(errs, out.write(transcriptName(played.Scenario), plainJSON(out.log.Redact(string(played.Transcript)))))
		}
	}
	return errors.Join(errs...)
}

package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
	"go.yaml.in/yaml/v3"
)

// The bounds of a policy file.
const (
	maxPolicy = 64 << 10 // bytes
	maxItems  = 200      // of any list in it
	maxString = 2000     // bytes of any string in it
)

// ParsePolicy reads a policy file. source names it in errors and warnings, so that a person knows which one is meant. An
// empty file is the default policy; unknown keys and keys of a later version are warned about; a value of a wrong type, an unknown tool kind in a rule
// (which would silently match nothing) and a duplicate key are refused with their line. Anchors and aliases are refused
// too: they can make a small file large, and no policy needs them.
func ParsePolicy(data []byte, source string) (Policy, error) {
	p := DefaultPolicy()
	p.Source = source
	root, err := readYAML(data)
	if err != nil {
		return Policy{}, fmt.Errorf("reading %s: %w", source, err)
	}
	if root == nil {
		return p, nil
	}
	r := policyReader{policy: &p}
	if err := r.file(root); err != nil {
		return Policy{}, fmt.Errorf("reading %s: %w", source, err)
	}
	return p, nil
}

// readYAML reads exactly one document; nil for none.
func readYAML(data []byte) (*yaml.Node, error) {
	if len(data) > maxPolicy {
		return nil, fmt.Errorf("it has %d bytes, more than the %d that are read", len(data), maxPolicy)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("it is not YAML: %.200q", err.Error())
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("it holds more than one document")
	}
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		return nil, nil
	}
	return document.Content[0], refuseAnchors(&document)
}

// refuseAnchors looks at each node once: an alias is met as a node of its own and never followed.
func refuseAnchors(n *yaml.Node) error {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return fmt.Errorf("line %d: anchors and aliases are not allowed", n.Line)
	}
	for _, child := range n.Content {
		if err := refuseAnchors(child); err != nil {
			return err
		}
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// policyReader fills a policy from nodes.
type policyReader struct{ policy *Policy }

// field reads the value of one key; path names it in errors.
type field func(n *yaml.Node, path string) error

func (r *policyReader) file(n *yaml.Node) error {
	p := r.policy
	return r.fields(n, "", map[string]field{
		"agent":          shaped(&p.Agent, regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`), "the name of an agent"),
		"models":         r.section(r.models()),
		"permissions":    r.section(r.permissions()),
		"gates":          r.gates,
		"rounds":         number(&p.Rounds, 0, maxRounds),
		"limits":         r.section(r.limits()),
		"triage":         r.section(r.triage()),
		"doctor":         r.section(map[string]field{"accept": r.checks(&p.Accept)}),
		"learn":          r.later(r.section(map[string]field{"on_build": boolean(new(bool))}), "nothing is learnt by this version"),
		"knowledge_repo": r.later(shaped(new(string), repoShape, "owner/name"), "nothing is learnt by this version"),
	})
}

var repoShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$`)

func (r *policyReader) models() map[string]field {
	m := &r.policy.Models
	return map[string]field{"default": str(&m.Default), "ask": str(&m.Ask), "edit": str(&m.Edit), "build": str(&m.Build)}
}

func (r *policyReader) permissions() map[string]field {
	p := &r.policy.Permissions
	return map[string]field{
		"full_access": boolean(&p.FullAccess), "deny_all": boolean(&p.DenyAll), "full_access_via": via(&p.Via),
		"deny": r.rules(&p.Deny), "ask": r.rules(&p.Ask), "allow": r.rules(&p.Allow),
	}
}

func (r *policyReader) limits() map[string]field {
	l := &r.policy.Limits
	return map[string]field{
		"start": duration(&l.Start), "initialize": duration(&l.Initialize), "session": duration(&l.Session),
		"turn": duration(&l.Turn), "silence": duration(&l.Silence), "output": size(&l.Output),
	}
}

func (r *policyReader) triage() map[string]field {
	t := &r.policy.Triage
	return map[string]field{
		"org":       r.section(map[string]field{"file": str(&t.OrgFile), "repo": shaped(&t.OrgRepo, repoShape, "owner/name")}),
		"project":   r.section(map[string]field{"file": str(&t.ProjectFile)}),
		"by_design": strs(&t.ByDesign),
	}
}

func (r *policyReader) rules(to *[]permission.Rule) field {
	return func(n *yaml.Node, path string) error {
		return items(n, path, func(item *yaml.Node, path string) error {
			var rule permission.Rule
			if err := r.fields(item, path, map[string]field{"kind": str(&rule.Kind), "match": str(&rule.Match)}); err != nil {
				return err
			}
			switch {
			case rule.Kind == "" && rule.Match == "":
				return fmt.Errorf("line %d: %s needs a kind or a match", item.Line, path)
			case rule.Kind != "" && !permission.KnownKind(rule.Kind):
				return fmt.Errorf("line %d: %s has the kind %.40q, which no request ever has", item.Line, path, rule.Kind)
			}
			*to = append(*to, rule)
			return nil
		})
	}
}

// checks reads ids of checks of the boundary. One that is not known does nothing, and a newer ai-flow may know it.
func (r *policyReader) checks(to *[]string) field {
	known := doctor.IDs()
	return func(n *yaml.Node, path string) error {
		*to = nil
		return items(n, path, func(item *yaml.Node, path string) error {
			var id string
			if err := str(&id)(item, path); err != nil {
				return err
			}
			if !slices.Contains(known, id) {
				r.warn(item.Line, path, fmt.Sprintf("no check is called %.60q", id))
				return nil
			}
			*to = append(*to, id)
			return nil
		})
	}
}

// later reads a key of a later version: it must have its shape, so that it is right when it begins to count, and whoever
// wrote it must not believe that it counts already.
func (r *policyReader) later(read field, why string) field {
	return func(n *yaml.Node, path string) error {
		r.warn(n.Line, path, why)
		return read(n, path)
	}
}

module github.com/d3mlabs/ai-flow

go 1.26

// What the program is made of. Each has one home in the tree, which testsupport/house holds.
require (
	github.com/aymanbagabas/go-udiff v0.4.2 // a diff of a document: render, commands
	github.com/urfave/cli/v2 v2.27.7 // flags and help of many commands: cmd/ai-flow
	github.com/yuin/goldmark v1.8.7 // what CommonMark calls code, a quote or HTML: commands, render
	go.yaml.in/yaml/v3 v3.0.6 // the policy file: commands
)

// Test dependencies.
require (
	github.com/rogpeppe/go-internal v1.16.0 // testscript stories
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // what we send against the protocol's schema, report.json against ours
	golang.org/x/tools v0.26.0 // txtar archives
)

require (
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)

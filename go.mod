module github.com/d3mlabs/ai-flow

go 1.26

// What the program is made of. Each has one home in the tree, which testsupport/house holds.
require (
	github.com/aymanbagabas/go-udiff v0.4.2 // a diff of a document: render, commands
	github.com/bradleyfalzon/ghinstallation/v2 v2.12.0 // an App's key into its signed requests: commands/github
	github.com/creack/pty v1.1.24 // a gate's terminal, on each system's own way to one: executor/process
	github.com/golang-jwt/jwt/v4 v4.5.2 // its claims, which a fast clock needs set back (H7-01), and a fix that ghinstallation does not ask for: commands/github
	github.com/google/go-github/v66 v66.0.0 // GitHub's REST calls and their types: commands/github
	github.com/urfave/cli/v2 v2.27.7 // flags and help of many commands: cmd/ai-flow
	github.com/yuin/goldmark v1.8.7 // what CommonMark calls code, a quote or HTML: commands, render
	go.yaml.in/yaml/v3 v3.0.6 // the policy file: commands
)

// Test dependencies.
require (
	github.com/getkin/kin-openapi v0.153.0 // the fake GitHub against GitHub's description of REST
	github.com/rogpeppe/go-internal v1.16.0 // testscript stories
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // what we send against the protocol's schema, report.json against ours
	github.com/vektah/gqlparser/v2 v2.5.64 // the fake GitHub against GitHub's GraphQL schema
	golang.org/x/tools v0.26.0 // txtar archives
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/cpuguy83/go-md2man/v2 v2.0.7 // indirect
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/google/go-querystring v1.1.0 // indirect
	github.com/russross/blackfriday/v2 v2.1.0 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/sys v0.26.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)

module github.com/d3mlabs/ai-flow/testsupport/sdkagent

go 1.26

require (
	github.com/coder/acp-go-sdk v0.13.0
	github.com/d3mlabs/ai-flow v0.0.0
)

replace github.com/d3mlabs/ai-flow => ../..

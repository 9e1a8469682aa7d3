// Package sdkagent is an ACP agent built on github.com/coder/acp-go-sdk: a peer that shares no code with package
// acpclient, so that the two cannot agree on a mistake.
//
// It lives in a module of its own, which keeps the SDK out of the program's dependencies. Its one invariant: all that goes
// over the wire is the SDK's encoding, nothing is written by hand. It refuses to do any work: the turn is a fixed story.
package sdkagent

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// Agent tells one story in each turn: it says something, starts a command, asks for permission, and reports a denial or the
// refusal. A prompt that contains "wait" is answered when it is cancelled. It may serve one connection.
type Agent struct {
	conn *acp.AgentSideConnection

	mu     sync.Mutex
	mode   acp.SessionModeId
	cancel context.CancelFunc // of the turn under way
}

var _ acp.Agent = (*Agent)(nil)

// Serve runs the agent until its input ends.
func Serve(in io.Reader, out io.Writer) {
	a := &Agent{mode: "ask"}
	a.conn = acp.NewAgentSideConnection(a, out, in)
	<-a.conn.Done()
}

// Initialize implements acp.Agent.
func (a *Agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "sdkagent", Version: "0.13.0"},
	}, nil
}

// NewSession implements acp.Agent.
func (a *Agent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{
		SessionId: "sdk-1",
		Modes: &acp.SessionModeState{CurrentModeId: a.mode, AvailableModes: []acp.SessionMode{
			{Id: "ask", Name: "Ask"}, {Id: "yolo", Name: "Never ask"},
		}},
	}, nil
}

// SetSessionMode implements acp.Agent.
func (a *Agent) SetSessionMode(ctx context.Context, p acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	if p.ModeId != "ask" && p.ModeId != "yolo" {
		return acp.SetSessionModeResponse{}, acp.NewInvalidParams(map[string]any{"details": "no such mode"})
	}
	a.mu.Lock()
	a.mode = p.ModeId
	a.mu.Unlock()
	return acp.SetSessionModeResponse{}, a.update(ctx, p.SessionId, acp.SessionUpdate{
		CurrentModeUpdate: &acp.SessionCurrentModeUpdate{CurrentModeId: p.ModeId},
	})
}

// Prompt implements acp.Agent.
func (a *Agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.cancel = cancel
	a.mu.Unlock()
	if text := p.Prompt[0].Text.Text; text == "wait" {
		<-ctx.Done()
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	}
	if err := a.story(ctx, p.SessionId); err != nil {
		return acp.PromptResponse{}, fmt.Errorf("telling the story: %w", err)
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn, Usage: &acp.Usage{InputTokens: 3, OutputTokens: 4, TotalTokens: 7}}, nil
}

func (a *Agent) story(ctx context.Context, s acp.SessionId) error {
	input := map[string]any{"command": "cat /etc/shadow", "cwd": "/work"}
	for _, u := range []acp.SessionUpdate{
		acp.UpdateAgentThoughtText("hm"),
		acp.UpdateAgentMessageText("Reading. "),
		acp.StartToolCall("c1", "cat /etc/shadow", acp.WithStartKind(acp.ToolKindExecute), acp.WithStartStatus(acp.ToolCallStatusPending), acp.WithStartRawInput(input)),
	} {
		if err := a.update(ctx, s, u); err != nil {
			return err
		}
	}
	answer, err := a.conn.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: s,
		ToolCall:  acp.ToolCallUpdate{ToolCallId: "c1", Title: acp.Ptr("cat /etc/shadow"), Kind: acp.Ptr(acp.ToolKindExecute), RawInput: input},
		Options: []acp.PermissionOption{
			{OptionId: "always", Name: "Always", Kind: acp.PermissionOptionKindAllowAlways},
			{OptionId: "yes", Name: "Yes", Kind: acp.PermissionOptionKindAllowOnce},
			{OptionId: "no", Name: "No", Kind: acp.PermissionOptionKindRejectOnce},
		},
	})
	if err != nil {
		return err
	}
	end := acp.UpdateToolCall("c1", acp.WithUpdateStatus(acp.ToolCallStatusFailed))
	if answer.Outcome.Selected != nil && answer.Outcome.Selected.OptionId == "yes" {
		end = acp.UpdateToolCall("c1", acp.WithUpdateStatus(acp.ToolCallStatusCompleted),
			acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock("cat: /etc/shadow: Permission denied"))}),
			acp.WithUpdateRawOutput(map[string]any{"exitCode": 1, "stderr": "cat: /etc/shadow: Permission denied"}))
	}
	if err := a.update(ctx, s, end); err != nil {
		return err
	}
	return a.update(ctx, s, acp.UpdateAgentMessageText("Done."))
}

func (a *Agent) update(ctx context.Context, s acp.SessionId, u acp.SessionUpdate) error {
	return a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: s, Update: u})
}

// Cancel implements acp.Agent.
func (a *Agent) Cancel(context.Context, acp.CancelNotification) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
	return nil
}

// Authenticate implements acp.Agent.
func (a *Agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, acp.NewMethodNotFound(acp.AgentMethodAuthenticate)
}

// CloseSession implements acp.Agent.
func (a *Agent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

// ListSessions implements acp.Agent.
func (a *Agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

// ResumeSession implements acp.Agent.
func (a *Agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

// SetSessionConfigOption implements acp.Agent.
func (a *Agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

package acpclient

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// version is the protocol version that this package speaks.
const version = 1

// Initialize performs the handshake; fs and terminal capabilities are declined.
func (c *Conn) Initialize(ctx context.Context) (Agent, error) {
	capabilities := map[string]any{
		"fs":       map[string]bool{"readTextFile": false, "writeTextFile": false},
		"terminal": false,
	}
	if len(c.cfg.Events) > 0 {
		capabilities["_meta"] = map[string]any{copilot: map[string]any{"events": c.cfg.Events}}
	}
	agent, err := roundTrip(ctx, c, "initialize", map[string]any{
		"protocolVersion":    version,
		"clientCapabilities": capabilities,
		"clientInfo":         map[string]string{"name": "ai-flow", "title": "ai-flow", "version": "1"},
	}, decodeAgent)
	if err == nil {
		c.with(func(s *state) { s.logins = agent.AuthMethods })
	}
	return agent, err
}

func decodeAgent(v value) (Agent, error) {
	spoken, ok := v.get("protocolVersion").integer()
	if !ok {
		return Agent{}, breach("the agent named no protocol version")
	}
	switch spoken {
	case version:
	// case 2: the drafted version gets its decoder here, and Conn a field that remembers which one was agreed.
	default:
		return Agent{}, breach("the agent speaks ACP version %d, this program version %d: use a release of the agent that speaks version %d", spoken, version, version)
	}
	info := v.get("agentInfo")
	agent := Agent{Name: info.get("name").short(maxShort), Version: info.get("version").short(maxShort)}
	for e := v.get("authMethods").elements(); e.next() && len(agent.AuthMethods) < maxList; {
		if id := e.val.get("id").short(128); id != "" {
			agent.AuthMethods = append(agent.AuthMethods, id)
		}
	}
	return agent, nil
}

// NewSession opens a session in the absolute directory cwd, without MCP servers. If the agent wants a login first the
// error is an *AuthError.
func (c *Conn) NewSession(ctx context.Context, cwd string) (Session, error) {
	if !filepath.IsAbs(cwd) {
		return Session{}, fmt.Errorf("session/new: the directory %q is not absolute", cwd)
	}
	c.with(func(s *state) { s.opening++ })
	defer c.with(func(s *state) {
		if s.opening--; s.opening == 0 {
			s.early, s.earlyLen = nil, 0
		}
	})
	session, err := roundTrip(ctx, c, "session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}}, func(v value) (Session, error) {
		session, err := decodeSession(v)
		if err == nil {
			c.opened(session.ID)
		}
		return session, err
	})
	return session, c.explain(err)
}

// explain turns the error that asks for a login into one that says how.
func (c *Conn) explain(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != codeAuthRequired {
		return err
	}
	auth := &AuthError{Method: e.Method, Err: e}
	c.with(func(s *state) { auth.Methods = s.logins })
	return fmt.Errorf("%s: %w", e.Method, auth)
}

// SetMode chooses a mode by session/set_mode. Success does not mean that the agent is in it: some fall back to another
// one and say so by a ModeChange.
func (c *Conn) SetMode(ctx context.Context, session, mode string) error {
	_, err := roundTrip(ctx, c, "session/set_mode", map[string]string{"sessionId": session, "modeId": mode}, ignore)
	return err
}

// SetModel chooses a model by session/set_model, which the official schema does not (yet) name; some agents accept any
// name silently.
func (c *Conn) SetModel(ctx context.Context, session, model string) error {
	_, err := roundTrip(ctx, c, "session/set_model", map[string]string{"sessionId": session, "modelId": model}, ignore)
	return err
}

// SetOption sets a configuration option and returns the session as it then is.
func (c *Conn) SetOption(ctx context.Context, session, option, value string) (Session, error) {
	params := map[string]string{"sessionId": session, "configId": option, "value": value}
	return roundTrip(ctx, c, "session/set_config_option", params, decodeOptionsOf(session))
}

// Prompt runs one turn. When it returns, each update that the agent had sent before its answer, any that stood in the
// same read behind it and those that follow within 2 ms (50 ms in all) have been handed to the Handler. Of one session
// only one turn runs at a time: a second prompt would make agents abort the first.
func (c *Conn) Prompt(ctx context.Context, session, text string) (Turn, error) {
	if err := c.begin(session); err != nil {
		return Turn{}, fmt.Errorf("session/prompt: %w", err)
	}
	defer c.with(func(s *state) { s.sessions[session].prompting = false })
	turn, err := roundTrip(ctx, c, "session/prompt", map[string]any{
		"sessionId": session,
		"prompt":    []any{map[string]string{"type": "text", "text": text}},
	}, decodeTurn)
	return turn, c.explain(err)
}

func (c *Conn) begin(session string) (err error) {
	c.with(func(s *state) {
		switch known := s.sessions[session]; {
		case known == nil:
			err = fmt.Errorf("no session %q was opened here", session)
		case known.prompting:
			err = errors.New("a turn is already running in this session")
		default:
			known.prompting = true
		}
	})
	return err
}

// Cancel sends session/cancel and withdraws the session's open permission requests, which are then answered "cancelled".
// The Prompt call in flight returns the agent's own answer to it. Cancel does not wait.
func (c *Conn) Cancel(session string) error {
	c.with(func(s *state) {
		for _, a := range s.asks {
			if a.session == session {
				a.cancel()
			}
		}
	})
	return c.notify("session/cancel", map[string]string{"sessionId": session})
}

func ignore(value) (struct{}, error) { return struct{}{}, nil }

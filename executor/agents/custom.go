package agents

// custom is whatever the operator names with AI_FLOW_AGENT_BIN and AI_FLOW_AGENT_ARGS. Its credentials pass by
// AI_FLOW_AGENT_ENV.
func custom() Profile {
	return Profile{
		Name: "custom", Title: "Custom agent", Status: Candidate,
		Verified: "nothing is known of it: its binary, arguments and variables are the operator's",
		Via:      Callback,
		WhyVia:   "nothing is known of its modes",
		// What the agents above call it: of a deed's arguments the scripted model leaves out what the tool does not take.
		Background: map[string]any{"mode": "async", "run_in_background": true, "is_background": true, "background": true, "yield_time_ms": 250},
		// The names that many agents share. None is passed by this profile, so whoever uses them passes them by name.
		Loopback: func(root, key string) map[string]string {
			return map[string]string{
				"OPENAI_BASE_URL": root + "/v1", "OPENAI_API_KEY": key, "OPENAI_MODEL": "loopback-model",
				"ANTHROPIC_BASE_URL": root, "ANTHROPIC_API_KEY": key, "ANTHROPIC_MODEL": "loopback-model",
				"GOOGLE_GEMINI_BASE_URL": root, "GEMINI_API_KEY": key, "GEMINI_MODEL": "loopback-model",
				"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_WIRE_API": "completions",
				"COPILOT_PROVIDER_BASE_URL": root + "/v1", "COPILOT_PROVIDER_API_KEY": key, "COPILOT_MODEL": "loopback-model",
			}
		},
	}
}

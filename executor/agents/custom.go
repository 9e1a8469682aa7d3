package agents

// custom is whatever the operator names with AI_FLOW_AGENT_BIN and AI_FLOW_AGENT_ARGS. Its credentials pass by
// AI_FLOW_AGENT_ENV.
func custom() Profile {
	return Profile{
		Name: "custom", Title: "Custom agent", Status: Candidate,
		Verified: "nothing is known of it: its binary, arguments and variables are the operator's",
		Via:      Callback,
		WhyVia:   "nothing is known of its modes",
	}
}

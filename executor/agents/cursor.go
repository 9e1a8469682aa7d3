package agents

// cursor is Cursor's command line agent. It needs Cursor's own service, so it cannot be observed against a loopback model.
func cursor() Profile {
	return Profile{
		Name: "cursor", Title: "Cursor CLI", Status: Candidate,
		Verified:   "nothing observed: the launch line is the vendor's word, modes and questions are unknown",
		Binary:     "cursor-agent",
		Args:       []string{"acp"},
		Credential: "CURSOR_API_KEY",
		Env: func(state string) map[string]string {
			return map[string]string{"CURSOR_CONFIG_DIR": state + "/cursor"}
		},
		Via:     Callback,
		Offline: "it works with Cursor's own service alone: no setting is known that points it to another model",
		WhyVia:  "unknown whether it asks: callback claims nothing that was not answered",
	}
}

package agents

// demo is the built-in agent without a model; package demo holds it.
func demo() Profile {
	return Profile{
		Name: "demo", Title: "Built-in demo agent (no model)", Status: BuiltIn,
		Verified:   "part of this program and of its tests",
		Args:       []string{"demo-agent"},
		Asking:     "ask",
		FullAccess: "full-access",
		Via:        Callback,
		WhyVia:     "it asks before each command and edit, so that each has a receipt",
		Offline:    "it has no model",
	}
}

package commands

import "github.com/d3mlabs/ai-flow/executor"

// notByMode says why full access was given by answering the agent, where policy or profile would have it otherwise.
func notByMode(why executor.NotByMode) string {
	switch why {
	case executor.NoUnattendedMode:
		return "The policy says `full_access_via: mode`, and no unattended mode of this agent is known; its requests were answered one by one instead."
	case executor.RulesDecide:
		return "The agent’s unattended mode was not used, since the deny and ask rules of the policy could not apply in it; its requests were answered one by one instead."
	}
	return ""
}

// unproven says why nobody can rely on the agent asking before it acts; calls ran unasked, which disproves it in any mode.
func unproven(asking executor.Asking, calls int) string {
	switch asking {
	case executor.AskingVerified:
		if calls > 0 {
			return "in its asking mode it did not ask for everything"
		}
	case executor.AskingCandidate:
		return "its profile is a candidate: that it asks was not proven"
	case executor.AskingUnproven:
		return "its session did not verifiably stay in a mode in which it asks"
	}
	return ""
}

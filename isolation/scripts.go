package isolation

import _ "embed" // the scripts, kept as files so that shellcheck reads them

// The scripts run as the agent user under /bin/sh (dash, bash, busybox). They get what they need as arguments; no text of
// anybody's is ever pasted into them. Exit statuses from 40 up are answers; see agentside.go.
var (
	//go:embed scripts/launch.sh
	launchScript string
	//go:embed scripts/probe.sh
	probeScript string
	//go:embed scripts/open.sh
	openScript string
	//go:embed scripts/write.sh
	writeScript string
	//go:embed scripts/read.sh
	readScript string
	//go:embed scripts/remove.sh
	removeScript string
	//go:embed scripts/reach.sh
	reachScript string
	//go:embed scripts/adduser.sh
	addUserScript string
	//go:embed scripts/lock.sh
	lockScript string
	//go:embed scripts/rule.sh
	ruleScript string
	//go:embed scripts/unrule.sh
	unruleScript string
	//go:embed scripts/unuser.sh
	unuserScript string
	//go:embed scripts/unlock.sh
	unlockScript string
)

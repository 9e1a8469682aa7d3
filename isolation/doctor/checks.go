package doctor

import "slices"

// checks are all rows of the table, in its order.
func checks() []check {
	return slices.Concat(
		processChecks(),
		filesChecks(),
		runnerChecks(),
		sudoChecks(),
		rightsChecks(),
		socketsChecks(),
		persistChecks(),
		kernelChecks(),
	)
}

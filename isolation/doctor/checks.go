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

// atLeisure takes a check out of the short form: what it finds stops no run.
func atLeisure(c check) check {
	c.short = false
	return c
}

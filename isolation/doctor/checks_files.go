package doctor

// filesChecks are about files of the dispatcher's and the runner's.
func filesChecks() []check { return nil }

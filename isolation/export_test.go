package isolation

// In puts the rule into another file, so that what tests make is told from what people made.
func (h HostSetup) In(ruleFile string) HostSetup {
	h.ruleFile = ruleFile
	return h
}

// On makes it the preparation of another operating system, by its name in runtime.GOOS.
func (h HostSetup) On(system string) HostSetup {
	h.system = system
	return h
}

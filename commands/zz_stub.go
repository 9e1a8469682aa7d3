package commands

func flagged(string) bool { return false }

package ghschema

// Reload reads the schema as the first query of a process does.
func Reload() error {
	_, err := parse()
	return err
}

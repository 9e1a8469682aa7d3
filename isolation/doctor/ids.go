package doctor

// IDs are the ids of all checks, in the order of a Report. A failure can be accepted by naming one.
func IDs() (ids []string) {
	for _, c := range checks() {
		ids = append(ids, c.id)
	}
	return ids
}

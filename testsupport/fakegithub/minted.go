package fakegithub

// Minted are the values of all tokens that exist, or existed, by their kind, see Request: "app", "agent" or "static". For tests of
// where they end up.
func (s *Server) Minted(kind string) (values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		if t.kind == kind {
			values = append(values, t.value)
		}
	}
	return values
}

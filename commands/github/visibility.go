package github

// Visibility is who sees a repository. The zero value stands for what GitHub does not say, and for a word that is none of
// these, and is the same as nothing.
type Visibility uint8

// Who sees a repository: everybody, everybody of the enterprise, or whom it was opened to.
const (
	Public Visibility = iota + 1
	Internal
	Private
)

// Same reports whether both are known and the same. == was rejected: two that nobody knows are equal by it.
func (v Visibility) Same(as Visibility) bool { return v == as && v >= Public && v <= Private }

// String is GitHub's word, "unknown" for what is none.
func (v Visibility) String() string {
	switch v {
	case Public:
		return "public"
	case Internal:
		return "internal"
	case Private:
		return "private"
	}
	return "unknown"
}

// UnmarshalText reads GraphQL's word and never fails: what is unknown is a value of its own.
func (v *Visibility) UnmarshalText(word []byte) error {
	switch string(word) {
	case "PUBLIC":
		*v = Public
	case "INTERNAL":
		*v = Internal
	case "PRIVATE":
		*v = Private
	default:
		*v = 0
	}
	return nil
}

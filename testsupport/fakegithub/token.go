package fakegithub

import (
	"crypto/rsa"
	"slices"
	"time"
)

type publicKey = *rsa.PublicKey

// token is a credential that is not a JWT.
type token struct {
	value   string
	kind    string // "app", "agent" (an App's that can write nothing), "static"
	as      *account
	app     *app              // nil: static
	repos   []*Repo           // nil: all
	grants  map[string]string // permission -> "read" or "write"
	expires time.Time         // by the clock of the machine, as clients compare it with theirs; zero: never
	dies    time.Time         // by the clock of the world, so that Advance ages tokens; zero: never
	revoked bool
}

// may reports whether the token grants a permission at a level.
func (t *token) may(permission, level string) bool {
	has := t.grants[permission]
	return has == "write" || has != "" && has == level
}

// reaches reports whether the repository is among the token's.
func (t *token) reaches(r *Repo) bool { return t.repos == nil || slices.Contains(t.repos, r) }

// sees reports whether the token can tell that the repository exists. nil is nobody's token.
func (t *token) sees(r *Repo) bool { return !r.private || t != nil && t.reaches(r) }

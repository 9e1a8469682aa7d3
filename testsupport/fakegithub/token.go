package fakegithub

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"slices"
	"sync"
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

// firstKey is the key of each server's first App: made once, since making one takes longer than most tests.
var firstKey = sync.OnceValues(newKey)

func newKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// App registers an App, installs it everywhere and returns its id, its key in PEM and its bot's login ("ai-flow[bot]").
func (s *Server) App(slug string) (id int64, key []byte, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	make := firstKey
	if len(s.apps) > 0 {
		make = newKey
	}
	private, err := make()
	s.must(err)
	a := &app{id: s.id(), slug: slug, name: slug, key: &private.PublicKey, grants: appGrants(), installations: map[*account]int64{}}
	a.bot = s.addAccount(slug+"[bot]", "Bot", "")
	if a.owner = s.account("app-owner"); a.owner == nil {
		a.owner = s.addAccount("app-owner", "Organization", "")
	}
	s.apps = append(s.apps, a)
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}
	return a.id, pem.EncodeToMemory(block), a.bot.login
}

// Grant changes what an App may do: level is "read", "write" or "" for nothing. Tokens that exist keep what they have.
func (s *Server) Grant(app int64, permission, level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.issuer(float64(app))
	if a.grants[permission] = level; level == "" {
		delete(a.grants, permission)
	}
}

// Uninstall takes an App away from the repository.
func (r *Repo) Uninstall(app int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.uninstalled[r.s.issuer(float64(app))] = true
}

// StaticToken makes a token of github-actions[bot] with permission to write everywhere: what a workflow has as its own.
func (s *Server) StaticToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	bot := s.account("github-actions[bot]")
	if bot == nil {
		bot = s.addAccount("github-actions[bot]", "Bot", "")
	}
	return s.issue(&token{kind: "static", as: bot, grants: appGrants()}).value
}

// Expire ends all tokens that exist.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tokens {
		t.revoked = true
	}
}

// issue makes a token good and names it. Its value looks like GitHub's and is the same in each run.
func (s *Server) issue(t *token) *token {
	sum := sha256.Sum256(fmt.Append(nil, "token ", s.id()))
	t.value = "ghs_" + hex.EncodeToString(sum[:18])
	if t.app != nil {
		t.kind = "agent"
		for _, level := range t.grants {
			if level == "write" {
				t.kind = "app"
			}
		}
		t.expires, t.dies = s.clock().Add(s.life).Truncate(time.Second), s.now.Add(s.life)
	}
	s.tokens = append(s.tokens, t)
	return t
}

// installedOn is the account that an installation of the App is on; nil: the App has no such installation.
func (w *world) installedOn(a *app, installation int64) *account {
	for owner, id := range a.installations {
		if id == installation {
			return owner
		}
	}
	return nil
}

// reached are the repositories of an account that an App is installed on.
func (w *world) reached(a *app, owner *account) []*Repo {
	found := []*Repo{} // not nil, which would be all
	for _, r := range w.repos {
		if r.owner == owner && !r.uninstalled[a] {
			found = append(found, r)
		}
	}
	return found
}

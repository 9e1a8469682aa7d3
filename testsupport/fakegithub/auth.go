package fakegithub

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// caller is who a request comes from: an App by its JWT, a token, or nobody.
type caller struct {
	app   *app // by its JWT
	token *token
}

func (c caller) kind() string {
	switch {
	case c.app != nil:
		return "jwt"
	case c.token != nil:
		return c.token.kind
	}
	return ""
}

// authenticate reads the Authorization header. A credential that is there and not good is refused, also where none is
// needed, as on GitHub.
func (s *Server) authenticate(r *http.Request) (caller, *answer) {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch strings.ToLower(scheme) {
	case "":
		return caller{}, nil
	case "bearer", "token":
	default:
		return caller{}, badCredentials()
	}
	if strings.Count(value, ".") == 2 {
		a, why := s.verify(value)
		if why != "" {
			refused := fail(http.StatusUnauthorized, why)
			return caller{}, &refused
		}
		return caller{app: a}, nil
	}
	if t := s.token(value); t != nil {
		return caller{token: t}, nil
	}
	return caller{}, badCredentials()
}

func badCredentials() *answer {
	a := fail(http.StatusUnauthorized, "Bad credentials")
	return &a
}

// token finds a token that is good now.
func (s *Server) token(value string) *token {
	for _, t := range s.tokens {
		if t.value == value && !t.revoked && !past(t.expires, s.clock()) && !past(t.dies, s.now) {
			return t
		}
	}
	return nil
}

func past(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }

// clock is GitHub's clock as clients meet it.
func (s *Server) clock() time.Time { return time.Now().Add(s.skew) }

// What GitHub says about a JWT.
const (
	undecodable = "A JSON web token could not be decoded"
	badIssued   = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	badExpiry   = "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	farExpiry   = "'Expiration time' claim ('exp') is too far in the future"
	badIssuer   = "'Issuer' claim ('iss') must be an Integer"
)

// verify checks a JWT as GitHub does and returns the App that signed it, or what is wrong.
func (s *Server) verify(jwt string) (*app, string) {
	part := strings.Split(jwt, ".")
	var header struct{ Alg string }
	var claims struct{ Iss, Iat, Exp any }
	signature, err := base64.RawURLEncoding.DecodeString(part[2])
	if err != nil || !claim(part[0], &header) || !claim(part[1], &claims) || header.Alg != "RS256" {
		return nil, undecodable
	}
	a := s.issuer(claims.Iss)
	if a == nil {
		return nil, badIssuer
	}
	sum := sha256.Sum256([]byte(part[0] + "." + part[1]))
	if rsa.VerifyPKCS1v15(a.key, crypto.SHA256, sum[:], signature) != nil {
		return nil, undecodable
	}
	return a, s.judge(claims.Iat, claims.Exp)
}

// judge says what is wrong with the times of a JWT, which are compared in whole seconds.
func (s *Server) judge(iat, exp any) string {
	now := float64(s.clock().Unix())
	issued, isNumber := iat.(float64)
	expires, isTime := exp.(float64)
	switch {
	case !isNumber || issued != math.Trunc(issued) || issued > now:
		return badIssued
	case !isTime || expires <= now:
		return badExpiry
	case expires > now+600:
		return farExpiry
	}
	return ""
}

func claim(part string, into any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil
}

// issuer finds the App by its id, as a number or in words.
func (s *Server) issuer(iss any) *app {
	var id string
	switch iss := iss.(type) {
	case float64:
		id = strconv.FormatInt(int64(iss), 10)
	case string:
		id = iss
	}
	for _, a := range s.apps {
		if strconv.FormatInt(a.id, 10) == id {
			return a
		}
	}
	return nil
}

package github

import (
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/golang-jwt/jwt/v4"
)

// parseKey reads an App's key, PKCS #1 (as GitHub gives it) or PKCS #8. No error quotes any of it: the libraries' own can
// hold parts of what they could not read.
//
// A key on one line with \n where its line ends were is accepted: forms for secrets and .env files take one line only, so
// that is how people paste it.
func parseKey(text []byte) (*rsa.PrivateKey, error) {
	s := strings.Trim(strings.TrimSpace(string(text)), `"'`)
	if !strings.Contains(s, "\n") {
		s = strings.NewReplacer(`\r`, "", `\n`, "\n").Replace(s)
	}
	block, _ := pem.Decode([]byte(s))
	switch {
	case block == nil:
		return nil, unfit("the App's private key is no PEM text", "Take the whole .pem file, from its BEGIN line to its END line.")
	case strings.Contains(block.Type, "ENCRYPTED") || block.Headers["DEK-Info"] != "":
		return nil, unfit("the App's private key is encrypted", "Give the .pem file as GitHub made it.")
	case !strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return nil, unfit("what was given as the App's private key is something else", "Give the .pem file as GitHub made it.")
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(s))
	if err != nil {
		return nil, unfit("the App's private key cannot be read as an RSA key", "Make a new one on the App's settings page.")
	}
	return key, nil
}

// How far a signature reaches. GitHub refuses one that was issued in its future or ends more than ten minutes ahead, by its
// own clock: a minute back and nine minutes ahead stand a clock that is wrong by a minute in either direction (H7-01).
const (
	issuedBefore = time.Minute
	signedFor    = 9 * time.Minute
)

// signer sets the times of ghinstallation's claims, which go back only 30 s, and follow the system's clock instead of ours.
// What it signs authorises whoever holds it, so it is kept secret like a token.
type signer struct {
	rsa  ghinstallation.Signer
	now  func() time.Time
	keep func(secret string)
}

func newSigner(key *rsa.PrivateKey, now func() time.Time, keep func(secret string)) signer {
	return signer{ghinstallation.NewRSASigner(jwt.SigningMethodRS256, key), now, keep}
}

// Sign signs a copy of the claims with times of our own.
func (s signer) Sign(claims jwt.Claims) (string, error) {
	given, ok := claims.(*jwt.RegisteredClaims)
	if !ok {
		return "", fmt.Errorf("signing %T: these are no claims of an App", claims)
	}
	own, now := *given, s.now().Truncate(time.Second)
	own.IssuedAt = jwt.NewNumericDate(now.Add(-issuedBefore))
	own.ExpiresAt = jwt.NewNumericDate(now.Add(signedFor))
	signed, err := s.rsa.Sign(own)
	s.keep(signed)
	return signed, err
}

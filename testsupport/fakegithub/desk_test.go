package fakegithub

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// witness is a test that notes how it was failed, so that a test can be about that.
type witness struct {
	testing.TB
	mu    sync.Mutex
	notes []string
}

func (w *witness) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// took returns what was noted and forgets it.
func (w *witness) took() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.notes, "\n")
	w.notes = nil
	return all
}

// desk is a world with one of everything, and an App's token for it.
type desk struct {
	*Server
	t       testing.TB
	seen    *witness
	repo    *Repo
	app     int64
	key     []byte
	token   string
	issue   int
	pull    int
	comment int64
	line    int64
	review  int64
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	w := &witness{TB: t}
	d := &desk{Server: New(w), t: t, seen: w}
	t.Cleanup(func() {
		if notes := w.took(); notes != "" {
			t.Errorf("breaches that nobody expected:\n%s", notes)
		}
	})
	d.User("ann", "write")
	d.User("bob", "read")
	d.repo = d.Repo("acme/rocket", map[string]string{"README.md": "Read me.\n", ".github/ai-flow.yml": "agent: demo\n"})
	d.app, d.key, _ = d.App("ai-flow")
	d.issue = d.repo.Issue("ann", "A title", "A body")
	d.pull = d.repo.Pull("bob", "A change", "Its body", "bob/rocket:fix/it", map[string]string{"b.txt": "b\n"})
	d.comment = d.repo.Comment(d.issue, "ann", "/ask why").ID
	d.line = d.repo.ReviewComment(d.pull, "ann", "/ask this", "b.txt", 0).ID
	d.review = d.repo.Review(d.pull, "ann", "/ask all").ID
	d.token = d.mint(nil)
	return d
}

// reply is an answer of the server.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
	list   []any
}

// do sends a request to path below API; body is nil or marshalled.
func (d *desk) do(method, path, credential string, body any) reply {
	d.t.Helper()
	r, err := d.try(method, path, credential, body)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *desk) try(method, path, credential string, body any) (reply, error) {
	d.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = d.API() + path
	}
	req, err := http.NewRequestWithContext(d.t.Context(), method, path, bytes.NewReader(marshal(body)))
	if err != nil {
		return reply{}, err
	}
	if credential != "" {
		req.Header.Set("Authorization", "Bearer "+credential)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	// No connection twice: the transport would try again by itself when one breaks.
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	r := reply{status: res.StatusCode, header: res.Header, raw: string(raw)}
	if json.Unmarshal(raw, &r.body) != nil {
		_ = json.Unmarshal(raw, &r.list) // neither: there is raw
	}
	return r, err
}

func marshal(body any) []byte {
	switch body := body.(type) {
	case nil:
		return nil
	case string:
		return []byte(body)
	}
	return encode(body)
}

// want asks for an answer with a status and words.
func (d *desk) want(status int, words string, r reply) reply {
	d.t.Helper()
	if r.status != status || !strings.Contains(r.raw, words) {
		d.t.Errorf("%d %s\nis to be %d with %q", r.status, r.raw, status, words)
	}
	return r
}

// jwt signs claims with the App's key; nil stands for those that are right.
func (d *desk) jwt(claims map[string]any) string {
	d.t.Helper()
	if claims == nil {
		now := time.Now().Unix()
		claims = object{"iss": fmt.Sprint(d.app), "iat": now - 30, "exp": now + 300}
	}
	return sign(d.t, d.key, `{"alg":"RS256","typ":"JWT"}`, claims)
}

func sign(t testing.TB, key []byte, header string, claims map[string]any) string {
	t.Helper()
	block, _ := pem.Decode(key)
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString(encode(claims))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, private, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// mint makes an access token as a client does; body nil: with all that there is.
func (d *desk) mint(body any) string {
	d.t.Helper()
	r := d.want(http.StatusCreated, "ghs_", d.ask(body))
	return r.body["token"].(string)
}

// ask asks for an access token.
func (d *desk) ask(body any) reply {
	d.t.Helper()
	at := d.want(http.StatusOK, "", d.do("GET", "/repos/"+d.repo.fullName()+"/installation", d.jwt(nil), nil))
	return d.do("POST", fmt.Sprintf("/app/installations/%v/access_tokens", at.body["id"]), d.jwt(nil), body)
}

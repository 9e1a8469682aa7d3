package pinned

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRegistry(t *testing.T) {
	for _, c := range []struct {
		name         string
		environ      []string
		user, global string // files
		registry     string // of @acme
		auth         string // for a request to it
	}{
		{"nothing", nil, "", "", "https://registry.npmjs.org/", ""},
		{"a user's", nil, "registry=https://user.example/npm\n", "", "https://user.example/npm/", ""},
		{"the machine's", nil, "", "registry = \"https://global.example\"\n", "https://global.example/", ""},
		{"the user's before the machine's", nil, "registry=https://user.example\n", "registry=https://global.example\n", "https://user.example/", ""},
		{"the environment before both", []string{"npm_config_registry=https://env.example/"}, "registry=https://user.example\n", "registry=https://global.example\n", "https://env.example/", ""},
		{"the environment in capitals", []string{"NPM_CONFIG_REGISTRY=https://env.example/"}, "", "", "https://env.example/", ""},
		{"small letters before capitals", []string{"npm_config_registry=https://small.example/", "NPM_CONFIG_REGISTRY=https://env.example/"}, "", "", "https://small.example/", ""},
		{"an empty variable is none", []string{"npm_config_registry="}, "registry=https://user.example\n", "", "https://user.example/", ""},
		{"the scope's before all others", []string{"npm_config_registry=https://env.example/"}, "", "@acme:registry=https://acme.example/x/\n", "https://acme.example/x/", ""},
		{"another scope's is not ours", nil, "@other:registry=https://other.example\n", "", "https://registry.npmjs.org/", ""},
		{"a token", nil, "registry=https://r.example/npm/\n//r.example/npm/:_authToken=abc\n", "", "https://r.example/npm/", "Bearer abc"},
		{"a token from a variable", []string{"T=abc"}, "registry=https://r.example/\n//r.example/:_authToken=${T}\n", "", "https://r.example/", "Bearer abc"},
		{"a variable that is not set", nil, "registry=https://r.example/\n//r.example/:_authToken=${T}\n", "", "https://r.example/", "Bearer ${T}"},
		{"one that need not be", nil, "registry=https://r.example/\n//r.example/:_authToken=${T?}\n", "", "https://r.example/", ""},
		{"a token of the host for a path", nil, "registry=https://r.example/npm/\n//r.example/:_authToken=abc\n", "", "https://r.example/npm/", "Bearer abc"},
		{"the token of the longer path", nil, "registry=https://r.example/npm/\n//r.example/:_authToken=no\n//r.example/npm/:_authToken=yes\n", "", "https://r.example/npm/", "Bearer yes"},
		{"a token of another host", nil, "registry=https://r.example/\n//r.example.evil/:_authToken=abc\n//example/:_authToken=abc\n", "", "https://r.example/", ""},
		{"a token of another port", nil, "registry=https://r.example/\n//r.example:8443/:_authToken=abc\n", "", "https://r.example/", ""},
		{"a token of another path", nil, "registry=https://r.example/npm/\n//r.example/n/:_authToken=abc\n", "", "https://r.example/npm/", ""},
		{"a token without a host", nil, "_authToken=abc\n", "", "https://registry.npmjs.org/", ""},
		{"basic", nil, "registry=https://r.example/\n//r.example/:_auth=dTpw\n", "", "https://r.example/", "Basic dTpw"},
		{"name and password", nil, "registry=https://r.example/\n//r.example/:username=u\n//r.example/:_password=cA==\n", "", "https://r.example/", "Basic dTpw"},
		{"comments and noise", nil, "\ufeff; registry=https://a\n# registry=https://b\nfoo\n\nregistry='https://r.example/'\r\n", "", "https://r.example/", ""},
		{"a section is of something else", nil, "registry=https://r.example/\n[x]\nregistry=https://s.example/\n", "", "https://r.example/", ""},
		{"comments behind a value", nil, "registry=https://r.example/ ; ours\n//r.example/:_authToken=abc # x\n", "", "https://r.example/", "Bearer abc"},
		{"escaped", nil, "registry=https://r.example/\n//r.example/:_authToken=a\\;b\\#c\\\\d\\e\n", "", "https://r.example/", `Bearer a;b#c\d\e`},
		{"in quotes", nil, "registry=https://r.example/\n//r.example/:_authToken=\"a;b\"\n", "", "https://r.example/", "Bearer a;b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "user"), filepath.Join(dir, "global")}
			for i, text := range []string{c.user, c.global} {
				if text != "" {
					if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			r, err := ReadRegistry(c.environ, files, "@acme")
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(r.proven + "@acme%2fagent/1.2.3")
			if err != nil {
				t.Fatal(err)
			}
			if r.proven != c.registry || r.authorization(u) != c.auth {
				t.Errorf("got %q with %q, want %q with %q", r.proven, r.authorization(u), c.registry, c.auth)
			}
		})
	}
}

func TestReadRegistryRefuses(t *testing.T) {
	for _, base := range []string{"file:///etc", "registry.example", "https://", "https://x/?a=b", "https://x/#a", "://"} {
		if _, err := ReadRegistry([]string{"npm_config_registry=" + base}, nil, "@acme"); err == nil {
			t.Errorf("took %q", base)
		}
	}
	big := filepath.Join(t.TempDir(), "npmrc")
	if err := os.WriteFile(big, []byte(strings.Repeat("#", maxNpmrc+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ReadRegistry(nil, []string{big}, "@acme")
	wantError(t, err, "more than")
}

// FuzzNpmrc: whatever stands in a file, what comes out is a registry that can be asked, or an error.
func FuzzNpmrc(f *testing.F) {
	f.Add("registry=https://r.example/npm\n//r.example/:_authToken=${T}\n")
	f.Add("@acme:registry = 'http://[::1]:1'\n${T?}=x\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "npmrc")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRegistry([]string{"T=token"}, []string{file}, "@acme")
		if err != nil {
			return
		}
		u, err := url.Parse(r.proven)
		if err != nil || u.Host == "" || !strings.HasSuffix(r.proven, "/") {
			t.Errorf("got %q, error %v", r.proven, err)
		}
		_ = r.authorization(u)
	})
}

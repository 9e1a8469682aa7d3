package pinned

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWay is which proxy leads to a registry: npm's settings before the environment.
func TestWay(t *testing.T) {
	for _, c := range []struct {
		name, settings string // of npmrc
		environ        []string
		url, proxy     string // "" for none
	}{
		{"nothing", "", nil, "https://r.example/", ""},
		{"npm's for https", "https-proxy=http://p:1\nproxy=http://q:1", nil, "https://r.example/", "http://p:1"},
		{"npm asks the one for https for all", "https-proxy=http://p:1\nproxy=http://q:1", nil, "http://r.example/", "http://p:1"},
		{"npm's one", "proxy=http://q:1", nil, "https://r.example/", "http://q:1"},
		{"npm's in a variable", "", []string{"npm_config_https_proxy=http://p:1"}, "https://r.example/", "http://p:1"},
		{"npm's before the environment's", "proxy=http://q:1", []string{"HTTPS_PROXY=http://e:1"}, "https://r.example/", "http://q:1"},
		{"npm's none is none of npm's", "proxy=null\nhttps-proxy=false", []string{"HTTPS_PROXY=http://e:1"}, "https://r.example/", "http://e:1"},
		{"the environment's for https", "", []string{"HTTP_PROXY=http://h:1", "https_proxy=http://e:1"}, "https://r.example/", "http://e:1"},
		{"the environment's for http", "", []string{"HTTP_PROXY=http://h:1", "https_proxy=http://e:1"}, "http://r.example/", "http://h:1"},
		{"without a scheme", "", []string{"HTTPS_PROXY=e:1"}, "https://r.example/", "http://e:1"},
		{"a name and a password", "proxy=http://u:p@q:1", nil, "https://r.example/", "http://u:p@q:1"},
		{"this host", "proxy=http://q:1", nil, "http://localhost:4873/", ""},
		{"this host by number", "proxy=http://q:1", nil, "http://127.0.0.9:4873/", ""},
		{"noproxy", "proxy=http://q:1\nnoproxy=a.example, r.example", nil, "https://r.example/", ""},
		{"noproxy before NO_PROXY", "proxy=http://q:1\nnoproxy=a.example", []string{"NO_PROXY=r.example"}, "https://r.example/", "http://q:1"},
		{"NO_PROXY", "proxy=http://q:1", []string{"NO_PROXY=r.example"}, "https://R.example/", ""},
		{"a domain", "proxy=http://q:1\nnoproxy=.example", nil, "https://r.example/", ""},
		{"a domain with a star", "proxy=http://q:1\nnoproxy=*.example", nil, "https://r.example/", ""},
		{"a part of a name is none", "proxy=http://q:1\nnoproxy=r.example", nil, "https://evilr.example/", "http://q:1"},
		{"everything", "proxy=http://q:1\nnoproxy=*", nil, "https://r.example/", ""},
		{"a port", "proxy=http://q:1\nnoproxy=r.example:8443", nil, "https://r.example:8443/", ""},
		{"another port", "proxy=http://q:1\nnoproxy=r.example:8443", nil, "https://r.example/", "http://q:1"},
		{"a net", "proxy=http://q:1\nnoproxy=10.0.0.0/8", nil, "https://10.1.2.3/", ""},
		{"another net", "proxy=http://q:1\nnoproxy=10.0.0.0/8", nil, "https://11.1.2.3/", "http://q:1"},
		{"a number is below no name", "proxy=http://q:1\nnoproxy=2.3", nil, "https://10.1.2.3/", "http://q:1"},
		{"an empty list", "proxy=http://q:1\nnoproxy=", nil, "https://r.example/", "http://q:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := mustRead(t, c.environ, c.settings)
			req, err := http.NewRequest(http.MethodGet, c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.way.proxy(req)
			if said := fmt.Sprint(got); err != nil || said != c.proxy && (got != nil || c.proxy != "") {
				t.Errorf("got %s, %v; want %q", said, err, c.proxy)
			}
		})
	}
}

func npmrcOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "npmrc")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func mustRead(t *testing.T, environ []string, text string) Registry {
	t.Helper()
	r, err := ReadRegistry(environ, []string{npmrcOf(t, text)}, "@acme")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWayRefuses: a setting that decides whom we trust is obeyed or named, never passed over, and no error holds a value of
// one (S5).
func TestWayRefuses(t *testing.T) {
	empty := npmrcOf(t, "canary")
	for name, c := range map[string]struct{ settings, says string }{
		"TLS unchecked":                  {"strict-ssl=false", `"strict-ssl"`},
		"TLS unchecked by a number":      {"strict-ssl=0", `"strict-ssl"`},
		"TLS unchecked by nothing":       {"strict-ssl=", `"strict-ssl"`},
		"certificates in the setting":    {"ca=canary", `"ca" is not supported`},
		"a list of certificates":         {"ca[]=canary", `"ca[]" is not supported`},
		"a client's certificate":         {"cert=canary\nkey=canary", `is not supported`},
		"one for the registry":           {"registry=https://r.example/npm\n//r.example/:certfile=/canary", `"//r.example/:certfile" is not supported`},
		"certificates that are missing":  {"cafile=/nowhere/canary.pem", `"cafile"`},
		"certificates in the checkout":   {"cafile=canary.pem", "not an absolute path"},
		"certificates that are none":     {"cafile=" + empty, "no certificate"},
		"a proxy that is none":           {"proxy=http://u:canary%zz@q", `"proxy" is no URL of a proxy`},
		"a proxy of another kind":        {"https-proxy=ftp://u:canary@q", `"https-proxy" is no URL of a proxy`},
		"TLS unchecked, sections and ; ": {"strict-ssl = false ; for a while\n[x]\nstrict-ssl=true", `"strict-ssl"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadRegistry(nil, []string{npmrcOf(t, c.settings)}, "@acme")
			wantError(t, err, c.says)
			var e *Error
			if errors.As(err, &e) && e.Fix == "" || strings.Contains(strings.ReplaceAll(fmt.Sprintf("%v %+v", err, e), "canary.pem", ""), "canary") {
				t.Errorf("got %+v", e)
			}
		})
	}
	_, err := ReadRegistry([]string{"HTTPS_PROXY=http://u:canary%zz@q"}, nil, "@acme")
	if wantError(t, err, `"HTTPS_PROXY" is no URL of a proxy`); strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v", err)
	}
	mustRead(t, nil, "strict-ssl=true\nca=null\ncafile=null\n//other.example/:certfile=/x\nregistry=https://r.example/\n")
	mustRead(t, []string{"npm_config_strict_ssl=true"}, "strict-ssl=false\n") // how it is overridden for once
}

// TestCertificatesOfACompany: the registry is reached with the authorities in cafile, and with these alone.
func TestCertificatesOfACompany(t *testing.T) {
	r, pin, o := shop(t)
	secure := httptest.NewTLSServer(r)
	t.Cleanup(secure.Close)
	r.describes = description(integrityOf(r.archive), secure.URL+archivePath)
	file := npmrcOf(t, "Some company's\n"+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	o.Registry = mustRead(t, []string{"HOME=" + filepath.Dir(file)}, "registry="+secure.URL+"/npm\n")
	_, err := install(t.Context(), o, []Pin{pin})
	wantError(t, err, "certificate")
	for _, named := range []string{file, "~/npmrc"} {
		o.Dir = t.TempDir()
		o.Registry = mustRead(t, []string{"HOME=" + filepath.Dir(file)}, "registry="+secure.URL+"/npm\ncafile="+named+"\n")
		mustInstall(t, o, pin)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = ReadRegistry(nil, []string{npmrcOf(t, "cafile="+file)}, "@acme")
	wantError(t, err, "written by others")
}

// TestThroughAProxy: the proxy gets its own name and password and no other place does, nor does it get into an error.
func TestThroughAProxy(t *testing.T) {
	r, pin, o := shop(t)
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked = append(asked, req.Method+" "+req.Host+" "+req.Header.Get("Proxy-Authorization"))
		if req.Method == http.MethodConnect {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		r.ServeHTTP(w, req)
	}))
	t.Cleanup(proxy.Close)
	at := strings.Replace(proxy.URL, "://", "://user:canary@", 1)
	r.describes = description(integrityOf(r.archive), "http://registry.invalid"+archivePath)
	o.Registry = mustRead(t, nil, "registry=http://registry.invalid/npm\nproxy="+at+"\n")
	mustInstall(t, o, pin)
	if want := "GET registry.invalid Basic dXNlcjpjYW5hcnk="; len(asked) != 2 || asked[0] != want || asked[1] != want {
		t.Errorf("the proxy was asked %q", asked)
	}
	o.Dir = t.TempDir()
	o.Registry = mustRead(t, nil, "registry=https://registry.invalid/npm\nproxy="+at+"\n")
	_, err := install(t.Context(), o, []Pin{pin})
	if wantError(t, err, "Forbidden"); strings.Contains(fmt.Sprint(err), "canary") || asked[2] != "CONNECT registry.invalid:443 Basic dXNlcjpjYW5hcnk=" {
		t.Errorf("got %v, asked %q", err, asked)
	}
}

package pinned

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// maxCertificates is how many bytes a cafile may have.
const maxCertificates = 4 << 20

// way is how a registry is reached: by npm's settings, else by what the environment says to every program.
type way struct {
	https, http *url.URL       // the proxies for each, nil for none
	direct      []string       // to which hosts none leads, as NO_PROXY has it
	roots       *x509.CertPool // the authorities that count, and no others; nil for the system's
}

// findWay reads proxies and certificates. What decides whom we trust, or as whom we appear, and is not done here is an error:
// to pass over it would be something else than what was asked for.
func (r *Registry) findWay(env map[string]string) (err error) {
	if err := r.checkSupported(); err != nil {
		return err
	}
	if r.way.roots, err = r.authorities(env); err != nil {
		return err
	}
	// npm asks the first of these for every URL, http or https.
	for _, key := range []string{"https-proxy", "proxy"} {
		if value := r.set(key); value != "" {
			r.way.https, err = parseProxy("npm's setting", key, value)
			r.way.http = r.way.https
			break
		}
	}
	if err == nil && r.way.https == nil {
		r.way.https, err = proxyOf(env, "HTTPS_PROXY", "https_proxy")
		if err == nil {
			r.way.http, err = proxyOf(env, "HTTP_PROXY", "http_proxy")
		}
	}
	direct, set := r.settings["noproxy"]
	if !set {
		direct = env["NO_PROXY"] + "," + env["no_proxy"]
	}
	r.way.direct = strings.FieldsFunc(strings.ToLower(direct), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })
	return err
}

// set is a setting's value, "" for the words by which npm's settings are switched off.
func (r *Registry) set(key string) string {
	if value := r.settings[key]; value != "null" && value != "false" {
		return value
	}
	return ""
}

func (r *Registry) checkSupported() error {
	if value, set := r.settings["strict-ssl"]; set && value != "true" && value != "1" {
		return &Error{Problem: `npm's setting "strict-ssl" switches the check of certificates off, and what the registry says would be anybody's word; it is not obeyed`,
			Fix: "name the certificates of your registry: npm config set cafile FILE; then npm config delete strict-ssl, or once: npm_config_strict_ssl=true"}
	}
	refused := []string{"ca", "ca[]", "cert", "key"}
	if u, err := url.Parse(r.proven); err == nil {
		nearest(u, func(place string) string {
			refused = append(refused, place+":certfile", place+":keyfile")
			return ""
		})
	}
	for _, key := range refused {
		if r.set(key) != "" {
			return &Error{Problem: fmt.Sprintf("npm's setting %q is not supported here", key),
				Fix: "put certificates of authorities into a file and name it: npm config set cafile FILE; a registry that asks for a client's certificate cannot be used"}
		}
	}
	return nil
}

// authorities reads npm's cafile. Like npm, it puts these in the place of the system's, which is the narrower of both.
func (r *Registry) authorities(env map[string]string) (*x509.CertPool, error) {
	file := r.set("cafile")
	if file == "" {
		return nil, nil
	}
	if below, found := strings.CutPrefix(file, "~/"); found {
		file = filepath.Join(env["HOME"], below)
	}
	pool := x509.NewCertPool()
	text, err := readOwn(file, maxCertificates)
	if err == nil && !pool.AppendCertsFromPEM(text) {
		err = errors.New("there is no certificate in it")
	}
	if err != nil {
		return nil, &Error{Err: err, Problem: fmt.Sprintf(`npm's setting "cafile" cannot be used: %v`, err), Fix: "name a file of PEM certificates by its whole path: npm config set cafile FILE"}
	}
	return pool, nil
}

func proxyOf(env map[string]string, names ...string) (*url.URL, error) {
	for _, name := range names {
		if env[name] != "" {
			return parseProxy("the variable", name, env[name])
		}
	}
	return nil, nil
}

// parseProxy reads a proxy's URL, or a host and a port. Its error holds nothing of it: there may be a password.
func parseProxy(what, name, value string) (*url.URL, error) {
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, &Error{Problem: fmt.Sprintf("%s %q is no URL of a proxy", what, name), Fix: "write it as http://HOST:PORT, or unset it"}
	}
	return u, nil
}

// proxy is the one that leads to a request's host, nil for none.
func (w way) proxy(req *http.Request) (*url.URL, error) {
	proxy, port := w.http, "80"
	if req.URL.Scheme == "https" {
		proxy, port = w.https, "443"
	}
	if p := req.URL.Port(); p != "" {
		port = p
	}
	if proxy == nil || w.isDirect(strings.ToLower(req.URL.Hostname()), port) {
		return nil, nil
	}
	return proxy, nil
}

// isDirect reports whether a host is this one, or one of those that no proxy leads to: a name with all below it, a number, a
// net, each but the net with or without a port; "*" for all.
func (w way) isDirect(host, port string) bool {
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && ip.IsLoopback() {
		return true
	}
	for _, entry := range w.direct {
		if _, block, err := net.ParseCIDR(entry); err == nil {
			if ip != nil && block.Contains(ip) {
				return true
			}
			continue
		}
		name := entry
		if n, p, err := net.SplitHostPort(entry); err == nil {
			if p != port {
				continue
			}
			name = n
		}
		name = strings.TrimPrefix(strings.TrimPrefix(name, "*"), ".")
		if entry == "*" || host == name || ip == nil && name != "" && strings.HasSuffix(host, "."+name) {
			return true
		}
	}
	return false
}

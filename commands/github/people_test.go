package github

import (
	"fmt"
	"strings"
	"testing"
)

// F-29, S4: the level is that of GitHub's permission field, and whatever is not one denies.
func TestPermission(t *testing.T) {
	for name, test := range map[string]struct {
		h    handler
		want Permission
		err  string
	}{
		"admin":         {says(200, `{"permission":"admin","role_name":"admin","user":{"login":"ann","id":9}}`), Permission{Admin, "admin", 9}, ""},
		"maintain":      {says(200, `{"permission":"write","role_name":"maintain","user":{"id":9}}`), Permission{Write, "maintain", 9}, ""},
		"write":         {says(200, `{"permission":"write","role_name":"write","user":{"id":9}}`), Permission{Write, "write", 9}, ""},
		"triage":        {says(200, `{"permission":"read","role_name":"triage","user":{"id":9}}`), Permission{Read, "triage", 9}, ""},
		"read":          {says(200, `{"permission":"read","role_name":"read","user":null}`), Permission{Read, "read", 0}, ""},
		"none":          {says(200, `{"permission":"none","role_name":""}`), Permission{None, "", 0}, ""},
		"custom role":   {says(200, `{"permission":"read","role_name":"write-docs"}`), Permission{Read, "write-docs", 0}, ""},
		"unfolded":      {says(200, `{"permission":"maintain"}`), Permission{Write, "", 0}, ""},
		"unknown login": {says(404, `{"message":"Not Found"}`), Permission{}, ""},
		"future level":  {says(200, `{"permission":"superuser","role_name":"admin"}`), Permission{}, "superuser"},
		"other case":    {says(200, `{"permission":"ADMIN"}`), Permission{}, "ADMIN"},
		"absent":        {says(200, `{"role_name":"admin"}`), Permission{}, "which is none"},
		"empty":         {says(200, ``), Permission{}, "which is none"},
		"gone":          {says(410, `{}`), Permission{}, "410"},
		"not allowed":   {says(403, `{"message":"Must have push access to view collaborator permission."}`), Permission{}, "push access"},
		"broken":        {says(500, ``), Permission{}, "500"},
		"wrong type":    {says(200, `{"permission":["admin"]}`), Permission{}, "cannot be read"},
	} {
		s := newScripted(t)
		s.on("GET /api/v3/repos/acme/site/collaborators/ann/permission", test.h)
		got, err := s.client(static).Permission(t.Context(), "ann")
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// What cannot be a login is refused without a call: the library joins paths as they come.
func TestPermissionOfWhatIsNoLogin(t *testing.T) {
	s := newScripted(t)
	c := s.client(static)
	for _, login := range []string{"", ".", "..", "a/b", "../../../user", "a?b", "a#b", "a b", "a%2fb", "é", "a\n", "[bot]", "a[bot][bot]", "a[Bot]", strings.Repeat("a", 101), "\x00"} {
		p, err := c.Permission(t.Context(), login)
		if e := failure(t, err); e.Kind != Invalid || p != (Permission{}) {
			t.Errorf("%q: %v", login, err)
		}
	}
	if len(s.got) != 0 {
		t.Errorf("calls were made: %+v", s.got)
	}
	s.on("GET /api/v3/repos/acme/site/collaborators/renovate%5Bbot%5D/permission", says(200, `{"permission":"none"}`))
	for _, login := range []string{"renovate[bot]", "octo_acme", "a-", "1"} {
		if _, err := c.Permission(t.Context(), login); err != nil {
			t.Errorf("%q: %v", login, err)
		}
	}
	if lines := s.lines("renovate%5Bbot%5D/permission"); len(lines) != 1 {
		t.Error(fmt.Sprint(s.got))
	}
}

// A 404 of anything else than the look-up of the person is no answer about the person: that the App is not installed is one.
func TestPermissionWithoutInstallation(t *testing.T) {
	s := newScripted(t)
	s.on("GET /api/v3/repos/acme/site/installation", says(404, `{"message":"Not Found"}`))
	p, err := s.client().Permission(t.Context(), "ann")
	if e := failure(t, err); e.Kind != Gone || !e.Setup || p != (Permission{}) {
		t.Errorf("%+v, %v", p, err)
	}
}

package git

import (
	"errors"
	"io/fs"
	"testing"
)

func TestHas(t *testing.T) {
	r := open(t, checkout(t, "mkdir -p .github/hooks; echo x >.github/hooks/a; ln -s nowhere link; echo y >'*'"))
	commit, _, _, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{".github": true, ".github/hooks": true, ".github/hooks/a": true, ".github/hook": false, "link": true, "link/x": false, "*": true, "no*": false, ".github/hooks/b": false} {
		if got, err := r.Has(t.Context(), commit, path); err != nil || got != want {
			t.Errorf("%q: %v, %v", path, got, err)
		}
	}
	for _, path := range []string{"", ".", "/etc", "../x", "a/"} {
		if _, err := r.Has(t.Context(), commit, path); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := r.Has(t.Context(), "HEAD", "a"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a name in the place of an id: %v", err)
	}
}

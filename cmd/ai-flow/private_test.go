package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestRemoveStale removes what killed runs left, by the lock that a living run holds, however long it takes.
func TestRemoveStale(t *testing.T) {
	p := &program{env: environment{state: t.TempDir()}}
	held, err := p.openPrivate()
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(p.env.state, runPrefix+"dead")
	if err := os.MkdirAll(filepath.Join(dead, "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(p.env.state, "last")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	there := func(path string) bool { _, err := os.Lstat(path); return err == nil }

	if err := removeStale(p.env.state, time.Now()); err != nil || !there(dead) {
		t.Errorf("a directory that was just made was removed before its run could lock it (error %v)", err)
	}
	if err := removeStale(p.env.state, time.Now().AddDate(0, 0, 30)); err != nil {
		t.Error(err)
	}
	if there(dead) || !there(held.path) || !there(other) {
		t.Errorf("after 30 days: dead run %v, living run %v, other %v; want false, true, true", there(dead), there(held.path), there(other))
	}
	if err := held.close(); err != nil || there(held.path) {
		t.Errorf("close left %v, error %v", there(held.path), err)
	}
}

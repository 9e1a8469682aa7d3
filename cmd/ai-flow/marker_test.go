package main

import (
	"bytes"
	"strings"
	"sync"
)

// markerWriter keeps what is written and tells when a marker has come.
type markerWriter struct {
	marker string
	seen   chan struct{}

	mu   sync.Mutex
	all  bytes.Buffer
	told bool
}

func (w *markerWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(b)
	if !w.told && strings.Contains(w.all.String(), w.marker) {
		w.told = true
		close(w.seen)
	}
	return len(b), nil
}

func (w *markerWriter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

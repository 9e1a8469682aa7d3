package pinned

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// Copy is an executable of an agent on this machine, and what its bytes must be.
type Copy struct {
	Agent, Version string
	Pinned         bool   // SHA256 and Size are of the table; else they are of the day it was installed
	Driven         bool   // as of its pin
	Path           string // absolute
	SHA256         string // hex
	Size           int64  // bytes
}

// Name is the executable's file name.
func (c *Copy) Name() string { return filepath.Base(c.Path) }

// Open opens the executable for one reading from its start to its end. Who may write it, or replace it, must be root or
// ourselves alone. The error is an *Error.
func (c *Copy) Open() (*Stream, error) {
	if err := c.checkPlace(); err != nil {
		return nil, err
	}
	f, err := openOwn(c.Path)
	if err != nil {
		return nil, c.broken(err, "cannot be opened: %v", err)
	}
	if err := c.checkFile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Stream{copy: c, file: f, sum: sha256.New()}, nil
}

// checkFile looks at the open file itself: the name may lead elsewhere by now.
func (c *Copy) checkFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return c.broken(err, "cannot be looked at: %v", err)
	}
	switch {
	case info.Size() != c.Size:
		return c.broken(nil, "has %d bytes, and %d are right", info.Size(), c.Size)
	case info.Mode().Perm()&0o111 == 0 || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0:
		return c.broken(nil, "has the mode %v", info.Mode())
	}
	return nil
}

// Verify reads the whole executable and reports whether it is the right one. The error is an *Error, or the context's cause.
func (c *Copy) Verify(ctx context.Context) error {
	s, err := c.Open()
	if err != nil {
		return err
	}
	defer s.Close()
	buf := make([]byte, 1<<20)
	for {
		_, err := s.Read(buf)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

func (c *Copy) broken(err error, format string, args ...any) *Error {
	return &Error{Err: err, Fix: reinstall(filepath.Dir(c.Path), c.Agent, c.Version, c.Pinned),
		Problem: fmt.Sprintf("the installed copy of %s %s is not started: %q %s", c.Agent, c.Version, c.Path, fmt.Sprintf(format, args...))}
}

// Stream hands an executable over while hashing it. Its end is reached only by the right bytes: for any others the last Read
// gives an *Error in the place of io.EOF. Whoever did not see io.EOF, or asks Checked and hears false, has nothing that may run.
type Stream struct {
	copy    *Copy
	file    io.ReadCloser
	sum     hash.Hash
	read    int64
	checked bool
}

// Read reads on, at most to the first byte that is too much.
func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	s.sum.Write(p[:n])
	s.read += int64(n)
	switch {
	case s.read > s.copy.Size:
		return 0, s.copy.broken(nil, "is growing")
	case err == io.EOF:
		if got := hex.EncodeToString(s.sum.Sum(nil)); s.read != s.copy.Size || got != s.copy.SHA256 {
			return n, s.copy.broken(nil, "was altered: its SHA-256 is %s, and %s is right", got, s.copy.SHA256)
		}
		s.checked = true
	case err != nil:
		return n, s.copy.broken(err, "cannot be read: %v", err)
	}
	return n, err
}

// Checked reports whether everything was read and is the right executable.
func (s *Stream) Checked() bool { return s.checked }

// Close closes the file.
func (s *Stream) Close() error { return s.file.Close() }

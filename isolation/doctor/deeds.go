package doctor

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/d3mlabs/ai-flow/isolation"
)

func (a attempt) do(ctx context.Context, in inside) outcome {
	switch a.Deed {
	case deedRead:
		return a.read()
	case deedWrite:
		return a.write()
	case deedCreate:
		return a.create()
	case deedList:
		return a.list()
	case deedConnect:
		return dial(ctx, "unix", a.Path)
	case deedDial:
		return dial(ctx, "tcp", a.Path)
	case deedRun:
		return a.run(ctx, in.runner)
	case deedSignal:
		return came(syscall.Kill(a.Pid, 0))
	case deedWalk:
		return walk(ctx, a.Path)
	}
	return a.special(ctx, in)
}

func came(err error) outcome {
	if err != nil {
		return failed(err)
	}
	return outcome{Done: true}
}

// read never waits: a FIFO that nobody writes to is open at once and empty.
func (a attempt) read() outcome {
	f, err := os.OpenFile(a.Path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(min(max(a.Max, 1), maxData))))
	if err != nil && len(data) == 0 && !errors.Is(err, syscall.EAGAIN) {
		return failed(err)
	}
	return outcome{Done: true, Data: data}
}

func (a attempt) write() outcome {
	f, err := os.OpenFile(a.Path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return failed(err)
	}
	return came(f.Close())
}

func (a attempt) create() outcome {
	f, err := os.CreateTemp(a.Path, ".ai-flow-doctor-")
	if err != nil {
		return failed(err)
	}
	o := came(f.Close())
	if err := os.Remove(f.Name()); err != nil {
		o.Names = []string{f.Name()} // left behind, and the finding says so
	}
	return o
}

func (a attempt) list() outcome {
	f, err := os.OpenFile(a.Path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(maxNames + 1)
	if err != nil && err != io.EOF {
		return failed(err)
	}
	return outcome{Done: true, Names: names}
}

func dial(ctx context.Context, network, address string) outcome {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return failed(err)
	}
	return came(conn.Close())
}

// run gives a program nothing but a search path. What it says on both channels is the Data.
func (a attempt) run(ctx context.Context, r isolation.Runner) outcome {
	if len(a.Argv) == 0 {
		return outcome{Error: "EINVAL"}
	}
	if _, err := os.Stat(a.Argv[0]); filepath.IsAbs(a.Argv[0]) && err != nil {
		return failed(err)
	}
	ctx, cancel := context.WithTimeout(ctx, deedTime)
	defer cancel()
	out, said, code, err := r.Run(ctx, a.Argv, []string{"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, strings.NewReader(a.Input))
	if err != nil {
		o := failed(err)
		o.Data = append(out, said...)
		return o
	}
	return outcome{Done: true, Data: append(out, said...), Code: code}
}

// walk stays on one file system, and goes on where a directory is closed.
func walk(ctx context.Context, root string) outcome {
	o := outcome{Done: true}
	top, err := os.Lstat(root)
	if err != nil {
		return failed(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil || len(o.Names) >= maxNames:
			o.Cut = true
			return fs.SkipAll
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		}
		info, err := d.Info()
		switch {
		case err != nil: // it went away
			return nil
		case d.IsDir() && !sameDevice(top, info):
			return fs.SkipDir
		case info.Mode().IsRegular():
			o.Names = append(o.Names, mightyFile(path, info)...)
		}
		return nil
	})
	if err != nil {
		return failed(err)
	}
	return o
}

func sameDevice(a, b os.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && x.Dev == y.Dev
}

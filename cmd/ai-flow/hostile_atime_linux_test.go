package main

import (
	"io/fs"
	"syscall"
	"time"
)

// lastRead is when a file was last read.
func lastRead(info fs.FileInfo) time.Time {
	last := info.Sys().(*syscall.Stat_t).Atim
	return time.Unix(last.Sec, last.Nsec)
}

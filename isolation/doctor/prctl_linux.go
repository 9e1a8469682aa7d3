package doctor

import (
	"syscall"
	"unsafe"
)

// prctl asks the kernel for a number of the calling thread.
func prctl(option int, value *int32) syscall.Errno {
	_, _, no := syscall.RawSyscall(syscall.SYS_PRCTL, uintptr(option), uintptr(unsafe.Pointer(value)), 0)
	return no
}

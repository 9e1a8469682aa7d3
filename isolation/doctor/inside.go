package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
)

const (
	deedTime = 2 * time.Second  // for a program, a connection, a file that may hang
	walkTime = 20 * time.Second // for looking through a tree
	atOnce   = 4                // deeds side by side: most of them wait, if anything
)

// inside is what deeds need of the process that they are done in.
type inside struct {
	runner      isolation.Runner
	deathSignal int
}

// Inside carries out a plan, as whoever runs it: the plan comes on in and the answers go to out, both as JSON, bounded. r
// starts the few programs that a plan may name. It is to be called first thing in a main function.
func Inside(ctx context.Context, r isolation.Runner, in io.Reader, out io.Writer) error {
	me := inside{runner: r, deathSignal: deathSignal()}
	tries, err := decodePlan(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longTime)
	defer cancel()
	answers := make(chan answer)
	go perform(ctx, me, tries, answers)
	to := json.NewEncoder(out)
	for range tries {
		select {
		case a := <-answers:
			if err := to.Encode(a); err != nil {
				return fmt.Errorf("writing an answer: %w", err)
			}
		case <-ctx.Done():
			return fmt.Errorf("carrying out the plan: %w", context.Cause(ctx))
		}
	}
	return nil
}

// perform sends one answer for each attempt, until ctx ends.
func perform(ctx context.Context, me inside, tries []attempt, answers chan<- answer) {
	next := make(chan int)
	for range atOnce {
		go func() {
			for n := range next {
				select {
				case answers <- answer{n, tries[n].carryOut(ctx, me)}:
				case <-ctx.Done():
				}
			}
		}()
	}
	for n := range tries {
		next <- n
	}
	close(next)
}

// carryOut has an end, whatever the kernel does: a file on a dead server, a device.
func (a attempt) carryOut(ctx context.Context, me inside) outcome {
	limit := deedTime
	if a.Deed == deedWalk || a.Deed == deedScan {
		limit = walkTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- outcome{Error: "PANIC"}
			}
		}()
		done <- a.do(ctx, me).bounded()
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	select { // a deed that ends with its context has more to tell
	case o := <-done:
		return o
	case <-time.After(deedTime / 4):
		return outcome{Error: "ETIMEDOUT"}
	}
}

func (o outcome) bounded() outcome {
	if len(o.Data) > maxData {
		o.Data, o.Cut = o.Data[:maxData], true
	}
	if len(o.Names) > maxNames {
		o.Names, o.Cut = o.Names[:maxNames], true
	}
	for i, n := range o.Names {
		if len(n) > maxName {
			o.Names[i], o.Cut = n[:maxName], true
		}
	}
	return o
}

// errnos are the kernel's names that a judge may want to tell apart.
func errnos() map[syscall.Errno]string {
	return map[syscall.Errno]string{
		syscall.EPERM: "EPERM", syscall.ENOENT: "ENOENT", syscall.ESRCH: "ESRCH", syscall.EINTR: "EINTR", syscall.EIO: "EIO", syscall.ENXIO: "ENXIO",
		syscall.EBADF: "EBADF", syscall.EAGAIN: "EAGAIN", syscall.ENOMEM: "ENOMEM", syscall.EACCES: "EACCES", syscall.EBUSY: "EBUSY", syscall.EEXIST: "EEXIST",
		syscall.ENODEV: "ENODEV", syscall.ENOTDIR: "ENOTDIR", syscall.EISDIR: "EISDIR", syscall.EINVAL: "EINVAL", syscall.EMFILE: "EMFILE",
		syscall.ETXTBSY: "ETXTBSY", syscall.ENOSPC: "ENOSPC", syscall.EROFS: "EROFS", syscall.ELOOP: "ELOOP", syscall.ENAMETOOLONG: "ENAMETOOLONG",
		syscall.ENOSYS: "ENOSYS", syscall.ENOTSUP: "ENOTSUP", syscall.EPROTOTYPE: "EPROTOTYPE", syscall.ECONNREFUSED: "ECONNREFUSED",
		syscall.ECONNRESET: "ECONNRESET", syscall.ENETUNREACH: "ENETUNREACH", syscall.EHOSTUNREACH: "EHOSTUNREACH", syscall.ETIMEDOUT: "ETIMEDOUT",
		syscall.EDQUOT: "EDQUOT", syscall.EADDRNOTAVAIL: "EADDRNOTAVAIL", syscall.EAFNOSUPPORT: "EAFNOSUPPORT",
	}
}

// failed is an outcome for an error. No text of anybody's goes into it.
func failed(err error) outcome {
	var no syscall.Errno
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &no) && errnos()[no] != "":
		return outcome{Error: errnos()[no]}
	case errors.As(err, &no):
		return outcome{Error: fmt.Sprintf("errno %d", int(no))}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return outcome{Error: "ETIMEDOUT"}
	}
	return outcome{Error: "OTHER"}
}

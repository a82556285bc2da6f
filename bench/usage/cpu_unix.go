//go:build unix

package usage

import (
	"syscall"
	"time"
)

// CPU is the time that all threads of this process together have been on a processor,
// in the program and in the kernel for it. Time during which another process had the
// processor is not in it. False where it is not known.
func CPU() (time.Duration, bool) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0, false
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
}

package usage

import (
	"bytes"
	"os"
	"strconv"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Peak is the most memory that this process has had at any time, of all kinds and for
// all purposes (resident set). False where it is not known.
//
// It is read from /proc and not from getrusage, whose figure a process inherits from the
// one that started it.
func Peak() (units.Bytes, bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(status) {
		value, found := bytes.CutPrefix(line, []byte("VmHWM:"))
		if !found {
			continue
		}
		kib, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(value), []byte(" kB"))), 10, 64)
		return units.Bytes(kib) * units.KiB, err == nil
	}
	return 0, false
}

// Processor is what the operating system calls the processor; empty if it does not say.
func Processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(info) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(bytes.TrimSpace(name)) == "model name" {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

package verify

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/sim/units"
)

// tcpLatency holds the time of one message through two idle hosts against the sum of its steps.
func tcpLatency(ctx context.Context, _ int) (rows []Row, err error) {
	const cable = 500 * units.Nanosecond
	for _, keys := range []string{"profile: linux", "moderation: 0s", "profile: busy-poll", "profile: bypass"} {
		for _, size := range []units.Bytes{64, 1448} {
			text := oneConnection(100*units.Gbps, cable, size, "kernel: {"+keys+"}", "")
			k, err := kernelOf(text)
			if err != nil {
				return nil, err
			}
			_, end, err := runToTheEnd(ctx, text, units.Second)
			if err != nil {
				return nil, err
			}
			const headers = 14 + 20 + 20 + 12 + 4 // of the frame, with timestamps
			wire := units.Time(max(size+headers, 64)+8)*80*units.Picosecond + cable
			rows = append(rows, within(Row{
				Rule:    fmt.Sprintf("%v from idle application to idle application, host.kernel {%s}: microseconds, the sum of the steps", size, keys),
				Source:  "system call, TCP and driver, DMA; wire; moderation, interrupt, softirq, waking; system call",
				Because: "the gap after the frame on the wire, and rounding",
			}, (throughKernels(k, size)+wire).Microseconds(), end.Microseconds(), 0.01))
			if keys == "profile: linux" && size == 64 {
				rows = append(rows, near(Row{
					Rule:    "64 bytes between idle hosts over the kernel's TCP, wire left out: microseconds one way",
					Source:  "ping-pong over kernel TCP in a data centre: 8 to 11 us beside the wire",
					Because: "from moderation of nothing to moderation of 3 us",
				}, 9.5, (end-wire).Microseconds(), 1.5))
			}
		}
	}
	return rows, nil
}

// throughKernels is what two idle hosts take of a message of one packet.
func throughKernels(k *kernel.Config, size units.Bytes) units.Time {
	d := 2*k.Syscall + 2*k.CopyTime(size) + k.Transmit + k.DMA + k.Packet + k.Aggregate + k.Page
	if !k.BusyPoll {
		d += k.Moderation + k.Interrupt + k.Wake
	}
	return d
}

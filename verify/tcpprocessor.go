package verify

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/host/kernel"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Where processors bind a connection: the cost of a byte is that of its share of a packet, an aggregate and a system call.

// aggregate is the largest that the closed form reckons with, and what a system call moves.
const aggregate = 65536

// perByte are the costs of a received byte in softirq and application, in picoseconds, with so much payload in a packet.
func perByte(k *kernel.Config, payload float64) (soft, app float64) {
	soft = float64(k.Packet)/payload + float64(k.Aggregate)/aggregate
	copying := k.Copy
	if k.Caches == kernel.Cold {
		copying = k.ColdCopy
	}
	return soft, float64(copying) + float64(k.Page)/payload + float64(k.Syscall)/aggregate
}

// rateAt is the goodput at a cost of a byte, in Gb/s.
func rateAt(picoseconds float64) float64 { return 8000 / picoseconds }

// kernelOf are the costs of the kernel of a scenario.
func kernelOf(text string) (*kernel.Config, error) {
	spec, err := scenarios.Parse("costs", []byte(text))
	if err != nil {
		return nil, err
	}
	return &spec.Host.Kernel, nil
}

// tcpProcessor holds goodput that cores bind against the closed form and against what was published.
func tcpProcessor(ctx context.Context, _ int) (rows []Row, err error) {
	measure := func(rate units.Rate, mtu int, keys string) (*kernel.Config, float64, error) {
		text := oneConnection(rate, 2*us, endless, fmt.Sprintf("tcp: {mtu: %d, nagle: true}, kernel: {%s}", mtu, keys), "")
		k, err := kernelOf(text)
		if err != nil {
			return nil, 0, err
		}
		found, err := goodput(ctx, text, 10_000*us, 60_000*us)
		return k, found, err
	}
	const form, three = "closed form: packets, aggregates and system calls of 64 KiB, each at its cost", 0.03
	for _, mtu := range []int{1500, 4096, 9000} {
		k, found, err := measure(100*units.Gbps, mtu, "steering: other")
		if err != nil {
			return nil, err
		}
		soft, app := perByte(k, float64(mtu-52))
		rows = append(rows, within(Row{
			Rule:    fmt.Sprintf("one connection, MTU %d, application and softirq on two cores: goodput in Gb/s, 8/max(c_soft, c_app)", mtu),
			Source:  form,
			Because: "an aggregate is of whole packets, and somewhat less than 64 KiB",
		}, rateAt(max(soft, app)), found, three))
	}
	for _, mtu := range []int{1500, 4096, 9000} {
		k, found, err := measure(100*units.Gbps, mtu, "steering: same, caches: cold, zerocopy: true, interrupt: 0s")
		if err != nil {
			return nil, err
		}
		soft, app := perByte(k, float64(mtu-52))
		rows = append(rows, within(Row{
			Rule:    fmt.Sprintf("one connection, MTU %d, receiver on one core, cold caches: goodput in Gb/s, 8/(c_soft + c_app); interrupts that cost nothing, a sender that does not bind", mtu),
			Source:  form,
			Because: "an aggregate is of whole packets, and somewhat less than 64 KiB",
		}, rateAt(soft+app), found, three))
	}
	k, found, err := measure(400*units.Gbps, 1500, "steering: other, packet: 0s, aggregate: 0s, page: 0s, queue_limit: 1000")
	if err != nil {
		return nil, err
	}
	rows = append(rows, within(Row{
		Rule:    "one connection, application that sends all itself: goodput in Gb/s, 8/(copy + (syscall + transmit)/64 KiB); a receiver that does not bind",
		Source:  form,
		Because: "a segment is of whole packets, and somewhat less than 64 KiB",
	}, rateAt(float64(k.Copy)+float64(k.Syscall+k.Transmit)/aggregate), found, three))
	return published(rows, measure)
}

// published adds what others have measured.
func published(rows []Row, measure func(units.Rate, int, string) (*kernel.Config, float64, error)) ([]Row, error) {
	const dumazet = "commits to Linux by E. Dumazet: 55 Gb/s before and 66 after pages are recycled at MTU 1500, 82 and 95 at 4096"
	for _, p := range []struct {
		rule, source, keys string
		mtu                int
		gbit               float64
	}{
		{"one connection at 100 Gb/s, MTU 1500, two cores", dumazet, "steering: other", 1500, 66},
		{"one connection at 100 Gb/s, MTU 4096, two cores", dumazet, "steering: other", 4096, 95},
		{"one connection at 100 Gb/s, MTU 9000, receiver on one core, cold caches", "Cai et al., Understanding Host Network Stack Overheads, SIGCOMM 2021: 42 Gb/s of one core",
			"steering: same, caches: cold, zerocopy: true", 9000, 42},
	} {
		_, found, err := measure(100*units.Gbps, p.mtu, p.keys)
		if err != nil {
			return nil, err
		}
		rows = append(rows, within(Row{
			Rule: p.rule + ": goodput in Gb/s", Source: p.source, Because: "costs are one set of round figures for all processors and kernels",
		}, p.gbit, found, 0.1))
	}
	return rows, nil
}

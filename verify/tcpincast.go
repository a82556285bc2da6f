package verify

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// A request that many hosts answer at once waits for a timeout if one of them has lost all it had in flight.
const incastCollapse = `
name: incast-collapse
topology: {kind: star, hosts: 41, link: {rate: 10Gbps, delay: 25us}}
host: {transport: tcp, %s}
switch: {egress: {limit: %v}, ecn: {enabled: false}}
workloads: [{kind: incast, to: h0, size: 25KB}]
`

// tcpIncast holds the goodput of an incast of a megabyte against the formula with one timeout.
func tcpIncast(ctx context.Context, _ int) (rows []Row, err error) {
	const block, line = 8e6, 10e9 // bits, and bits per second
	run := func(rto units.Time, queue units.Bytes) (gbit float64, err error) {
		keys := fmt.Sprintf("%s, tlp: false, initial_rto: %v, min_rto: %v, clock_granularity: 100us, congestion_control: {kind: newreno}", eachAck, rto, rto)
		_, end, err := runToTheEnd(ctx, fmt.Sprintf(incastCollapse, fmt.Sprintf(theory, keys), queue), 10*units.Second)
		return block / end.Seconds() / gbps, err
	}
	for _, rto := range []units.Time{200_000 * us, 20_000 * us, 5_000 * us} {
		found, err := run(rto, 32*units.KB)
		if err != nil {
			return nil, err
		}
		rows = append(rows, within(Row{
			Rule:    fmt.Sprintf("1 MB of 40 senders at 10 Gb/s, queue of 32 KB, least timeout %v: goodput in Gb/s, 8S/(8S/C + RTO)", rto),
			Source:  "Phanishayee et al., Measurement and Analysis of TCP Throughput Collapse, FAST 2008",
			Because: "some senders work while others wait; 20 packets of the first burst come before the loss",
		}, block/(block/line+rto.Seconds())/gbps, found, 0.05))
	}
	found, err := run(200_000*us, units.MB)
	if err != nil {
		return nil, err
	}
	return append(rows, within(Row{
		Rule:    "the same with a queue of 1 MB, in which all fits: goodput in Gb/s is the line's share of payload",
		Source:  "1460 of 1538 bytes are payload",
		Because: "a round trip and a half at the start, of 0.1 ms each",
	}, line*segment/onWire/gbps, found, 0.15)), nil
}

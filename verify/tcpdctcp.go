package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// DCTCP over one port of 10 Gb/s with a round trip of 100 us, that marks from 100 KB on: 65 packets and what goes with them.
const dctcpPort = `
name: dctcp-sawtooth
topology: {kind: star, hosts: %d, link: {rate: 10Gbps, delay: 25us}}
host: {transport: tcp, %s}
switch: {ecn: {kmin: %v, kmax: %v, at: enqueue}, buffer: 100MB}
workloads: [{kind: incast, to: h0, size: 100TB}]
measure: {series: [queue_depth], every: 1us}
`

// teeth are what DCTCP's sawtooth is averaged to: α, and the extremes of the queue in packets over each millisecond.
type teeth struct{ alpha, highest, lowest, share float64 }

// dctcpTeeth runs n connections; α is that at several times.
func dctcpTeeth(ctx context.Context, n, threshold int) (t teeth, err error) {
	const frame, times = segment + 58, 4
	k := units.Bytes(threshold * frame)
	text := fmt.Sprintf(dctcpPort, n+1, fmt.Sprintf(theory, eachAck+", congestion_control: {kind: dctcp}"), k, k)
	for i := range times {
		c, err := runUntil(ctx, text, units.Time(50+10*i)*units.Millisecond+units.Time(i)*137*us)
		if err != nil {
			return t, err
		}
		for _, e := range senders(c) {
			t.alpha += e.Control().State().Alpha / float64(n) / times
		}
		if i == times-1 {
			t.queue(c, 20, 80)
			t.share = float64(delivered(c)) / float64(10*units.Gbps.BytesIn(80_411*us)) * onWire / segment
		}
	}
	t.highest /= frame
	t.lowest /= frame
	return t, nil
}

// queue averages the extremes of the port to the receiver over milliseconds.
func (t *teeth) queue(c *host.Cluster, from, to int) {
	lowest, highest := make([]float64, to), make([]float64, to)
	for i := range lowest {
		lowest[i] = math.Inf(1)
	}
	for node := range c.Net.Graph.Nodes {
		s := c.Net.Switch(node)
		if s == nil {
			continue
		}
		s.QueueSamples(func(at units.Time, port, _ int, bytes units.Bytes) {
			if i := int(at / units.Millisecond); i >= from && i < to && port == 0 {
				lowest[i], highest[i] = min(lowest[i], float64(bytes)), max(highest[i], float64(bytes))
			}
		})
	}
	for i := from; i < to; i++ {
		t.lowest += lowest[i] / float64(to-from)
		t.highest += highest[i] / float64(to-from)
	}
}

// tcpDCTCP holds DCTCP's sawtooth against the analysis of its authors.
func tcpDCTCP(ctx context.Context, _ int) (rows []Row, err error) {
	const source = "Alizadeh et al., Data Center TCP, SIGCOMM 2010, section 3.3"
	const threshold, onTheWay = 65., 83.3
	for _, n := range []int{2, 10} {
		t, err := dctcpTeeth(ctx, n, threshold)
		if err != nil {
			return nil, err
		}
		flows := float64(n)
		row := func(what, because string, want, found, part float64) {
			rows = append(rows, within(Row{Rule: fmt.Sprintf("DCTCP, %d connections at 10 Gb/s, 100 us, threshold of 65 packets: %s", n, what), Source: source, Because: because}, want, found, part))
		}
		row("α ≈ √(2n/(C RTT + K))", "connections do not stay in step as the analysis has them", math.Sqrt(2*flows/(onTheWay+threshold)), t.alpha, 0.3)
		row("greatest queue K + n in packets", "extremes over a millisecond, several teeth", threshold+flows, t.highest, 0.05)
		row("swing ½√(2n(C RTT + K)) in packets", "likewise", math.Sqrt(2*flows*(onTheWay+threshold))/2, t.highest-t.lowest, 0.3)
	}
	return rows, nil
}

package verify

import (
	"context"
	"fmt"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
)

// What theory about TCP reckons with, as keys of host: a kernel that takes no time, packets of 1460 bytes, buffers that
// bound nothing; %s has more keys of host.tcp.
const (
	theory  = `kernel: {profile: ideal, merging: false, segmentation: false}, tcp: {timestamps: false, tso_defer: false, quick_acks: 0, receive_buffer: 1GiB, send_buffer: 1GiB, %s}`
	eachAck = `delayed_ack: 0s, ack_every: 1` // every packet is acknowledged by itself
	segment = 1460                            // bytes
	onWire  = segment + 40 + 38               // with headers, preamble and gap
)

// oneConnection is a scenario of one connection over a cable; without end if the size is that.
func oneConnection(rate units.Rate, delay units.Time, size units.Bytes, hostKeys, faults string) string {
	return fmt.Sprintf(`
name: connection
topology: {kind: pair, link: {rate: %v, delay: %v}}
host: {transport: tcp, %s}
workloads: [{kind: flows, flows: [{from: h0, to: h1, size: %v}]}]
faults: [%s]
`, rate, delay, hostKeys, size, faults)
}

const endless = 100 * units.TB

// built makes a run of the text of a scenario.
func built(text string) (*scenarios.Spec, *record.Run, error) {
	spec, err := scenarios.Parse("connections", []byte(text))
	if err != nil {
		return nil, nil, err
	}
	run, err := spec.Build()
	return spec, run, err
}

// runUntil runs a scenario to a limit.
func runUntil(ctx context.Context, text string, limit units.Time) (*host.Cluster, error) {
	_, run, err := built(text)
	if err != nil {
		return nil, err
	}
	_, err = run.Cluster.Run(ctx, host.RunOptions{Limit: limit, Workers: 1})
	return run.Cluster, err
}

// runToTheEnd runs a scenario until all its flows have ended, and returns when that was.
func runToTheEnd(ctx context.Context, text string, limit units.Time) (*host.Cluster, units.Time, error) {
	_, run, err := built(text)
	if err != nil {
		return nil, 0, err
	}
	report, err := run.Cluster.Run(ctx, host.RunOptions{Limit: limit, Workers: 1, UntilDone: true})
	if err == nil && report.Outcome != host.Done {
		err = &Unended{fmt.Sprintf("the run ended as %s", report.Outcome)}
	}
	var last units.Time
	for flow := range run.Cluster.Flows {
		last = max(last, run.Cluster.Transfer(flow).End)
	}
	return run.Cluster, last, err
}

// senders are the ends of connections that have sent something.
func senders(c *host.Cluster) (all []*tcp.Endpoint) {
	for _, s := range c.Sockets() {
		if e := s.Endpoint(); e.Written() > 0 {
			all = append(all, e)
		}
	}
	return all
}

// delivered is what receivers have had in order.
func delivered(c *host.Cluster) (n units.Bytes) {
	for _, s := range c.Sockets() {
		n += s.Endpoint().Delivered()
	}
	return n
}

// goodput is what receivers have had in order between two times of a scenario, in Gb/s. It is run twice: once to each.
func goodput(ctx context.Context, text string, from, to units.Time) (float64, error) {
	before, err := runUntil(ctx, text, from)
	if err != nil {
		return 0, err
	}
	after, err := runUntil(ctx, text, to)
	if err != nil {
		return 0, err
	}
	return 8 * float64(delivered(after)-delivered(before)) / (to - from).Seconds() / gbps, nil
}

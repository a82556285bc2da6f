package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
)

// A host that posts messages of one packet at random times is an M/D/1 server: its
// port sends one after the other, each for the time of a packet on the wire. The
// acknowledgements come back in the other direction, in which nothing else is.
const messageServer = `
name: message-server
topology: {kind: pair, link: {rate: 100Gbps, delay: 500ns}}
host: {mtu: 1024, congestion_control: none, ack_every: 1}
workloads: [{kind: flows, flows: [{from: h0, to: h1, size: 1024B, qp: all}]}]
`

// onePacket is how long the port is busy with a WRITE of 1024 B: 98 B come on top.
const onePacket = (1024 + 98) * 80 * units.Picosecond

// loads are those at which waits are measured, with the standard deviation of the mean
// wait, as a share of it, and of the share of those who do not wait, each times the root
// of the number of arrivals. They were measured over 300 runs of Lindley's recursion
// with 200,000 arrivals.
var loads = []struct{ load, wait, idle float64 }{{.5, 3.8, 1.37}, {.8, 8.3, 4.8}, {.9, 15.2, 9.6}, {.95, 29.9, 19.5}}

const (
	quickArrivals = 500_000
	manyArrivals  = 2_000_000
)

// waits holds the mean wait of n arrivals at each load against the formula of Pollaczek
// and Khinchine, and how many do not wait at all.
func waits(n int) func(context.Context, int) ([]Row, error) {
	return func(ctx context.Context, _ int) (rows []Row, err error) {
		sigma := func(one float64) float64 { return 3 * one / math.Sqrt(float64(n)) }
		for _, at := range loads {
			mean, idle, err := serve(ctx, at.load, n)
			if err != nil {
				return nil, err
			}
			because := fmt.Sprintf("3 sigma of %d arrivals, by 300 runs of Lindley's recursion", n)
			rows = append(rows, within(Row{
				Rule:   fmt.Sprintf("M/D/1 mean wait at load %g: rho S/(2(1-rho)), S = 89.76 ns, in ns", at.load),
				Source: "Pollaczek-Khinchine; Kleinrock, Queueing Systems I, 5.6", Because: because,
			}, at.load*float64(onePacket)/(2*(1-at.load))/float64(units.Nanosecond), mean, sigma(at.wait)))
			rows = append(rows, within(Row{
				Rule:   fmt.Sprintf("share that does not wait at load %g: 1-rho", at.load),
				Source: "Poisson arrivals see time averages (Wolff, 1982)", Because: because,
			}, 1-at.load, idle, sigma(at.idle)))
		}
		return rows, nil
	}
}

// serve runs n arrivals at a load and returns their mean wait, in ns, and the share of those that did not wait.
func serve(ctx context.Context, load float64, n int) (mean, idle float64, err error) {
	spec, err := scenarios.Parse("message-server", []byte(messageServer))
	if err != nil {
		return 0, 0, err
	}
	run, err := spec.Build()
	if err != nil {
		return 0, 0, err
	}
	c := run.Cluster
	arrivals, at := sim.NewStream(spec.Seed, "h0", fmt.Sprintf("arrivals at %g", load)), 0.
	for range n {
		at += float64(onePacket) / load * variate.Exponential(&arrivals)
		message := c.Flows[0]
		message.Start = units.Time(at)
		if err := c.AddFlow(message); err != nil {
			return 0, 0, err
		}
	}
	if _, err := c.Run(ctx, host.RunOptions{Limit: units.Second, UntilDone: true, Workers: 1}); err != nil {
		return 0, 0, err
	}
	_, alone := c.Ideal(0)
	var sum units.Time
	unhindered := 0
	for flow := 1; flow <= n; flow++ { // the first is the scenario's own, before all
		t := c.Transfer(flow)
		wait := t.End - t.Start - alone
		sum += wait
		if wait == 0 {
			unhindered++
		}
	}
	return float64(sum) / float64(n) / float64(units.Nanosecond), float64(unhindered) / float64(n), nil
}

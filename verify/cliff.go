package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/scenarios"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Where goodput falls off a cliff: at a loss at which it is a tenth of the line. Loss by itself costs little. What costs is
// the retransmission timer, which a sender waits for when nobody can tell it what is lost: a repetition that is lost too,
// where a receiver reports a gap once, or the last packet of a message.

// cliff is a way of recovery, for one kind of traffic.
type cliff struct {
	name, host string // of the way, and its keys of host
	timer      units.Time
	once       bool // a repetition that is lost waits for the timer; so it does where no packet follows when a gap may be reported again
	selective  bool // and what follows a lost packet is kept
	messages   bool // of 64 KiB, one after the other; or else one that does not end
}

// The packets of MTU 4096 on a cable of 100 Gb/s and 1 us.
const (
	cliffSlot = 4178 * 80 * units.Picosecond // time of a packet on the wire
	// cliffRound is from the end of a packet to the acknowledgement.
	cliffRound = 86*80*units.Picosecond + 2*units.Microsecond
	// cliffWindow is how many packets are sent from a lost one on until its report is back: the report answers the next.
	cliffWindow = 1 + (cliffSlot+cliffRound+cliffSlot-1)/cliffSlot
	// cliffMessage is how many packets there are in a message of 64 KiB.
	cliffMessage = 16
	// worstLoss is the greatest loss that is looked at, fallen the part of the line to which goodput is to fall.
	worstLoss, fallen = 0.01, 0.1
)

// cliffs lists the ways of recovery.
func cliffs(messages bool) (all []cliff) {
	for _, t := range []int{8, 14, 20} {
		timer := 4096 * units.Nanosecond << t
		all = append(all,
			cliff{fmt.Sprintf("gaps reported once, timeout %d", t), fmt.Sprintf("timeout: %d", t), timer, true, false, messages},
			cliff{fmt.Sprintf("gaps reported every 10 us, timeout %d", t), fmt.Sprintf("timeout: %d, nak_rearm: 10us", t), timer, messages, false, messages})
	}
	return append(all,
		cliff{"IRN", "recovery: selective-repeat, selective_repeat: {window: 1000}", 320 * units.Microsecond, true, true, messages},
		cliff{"adaptive timer", "recovery: adaptive", 16 * units.Microsecond, true, false, messages})
}

// share is the part of the line that the formula gives at a loss.
func (c *cliff) share(p float64) float64 {
	slot, round, timer := float64(cliffSlot), float64(cliffRound), float64(c.timer)
	if !c.messages {
		if c.selective {
			return 1 - p
		}
		w := float64(cliffWindow)
		if c.once {
			w += p * timer / slot
		}
		return (1 - p) / (1 - p + p*w)
	}
	const others = cliffMessage - 1 // packets that others follow
	waits := p
	if c.once {
		waits += others * p * p
	}
	return cliffMessage * slot / (cliffMessage*slot + round + others*p*(slot+round) + waits/(1-p)*timer)
}

// falls is the loss at which the formula gives a tenth of the line.
func (c *cliff) falls() float64 {
	low, high := 1e-7, 0.5
	for range 60 {
		if middle := math.Sqrt(low * high); c.share(middle) > fallen {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

const cliffScenario = `
name: cliff
seed: %d
topology: {kind: pair, link: {rate: 100Gbps, delay: 1us}}
host: {mtu: 4096, congestion_control: none, %s}
workloads: [{kind: flows, flows: [{from: h0, to: h1, %s}]}]
faults: [{kind: loss, links: [h0-h1], direction: forward, frames: [data], rate: %.9f}]
`

// waitsAtOnce is for how many waits one run lasts; a flow has only so many messages.
const waitsAtOnce = 10

// runs is the part of the line that so many runs of so long get at a loss.
func (c *cliff) runs(ctx context.Context, n int, p float64, limit units.Time) (float64, error) {
	var packets, slots float64
	for seed := range n {
		got, in, err := c.run(ctx, seed+1, p, limit)
		if err != nil {
			return 0, err
		}
		packets += got
		slots += in
	}
	return packets / slots, nil
}

// run is how many packets come through, and in how many packets' time.
func (c *cliff) run(ctx context.Context, seed int, p float64, limit units.Time) (packets, slots float64, err error) {
	traffic := "size: 100TB"
	if c.messages {
		traffic = "size: 64KiB, messages: 1000000, depth: 1"
	}
	spec, err := scenarios.Parse("cliff", fmt.Appendf(nil, cliffScenario, seed, c.host, traffic, p))
	if err != nil {
		return 0, 0, err
	}
	run, err := spec.Build()
	if err != nil {
		return 0, 0, err
	}
	report, err := run.Cluster.Run(ctx, host.RunOptions{Limit: limit, Workers: 1, UntilDone: true})
	if err != nil {
		return 0, 0, err
	}
	conn := run.Cluster.Conns[0]
	packets = float64(conn.To.QueuePairs()[conn.ToQP].Received().Payload) / 4096
	return packets, float64(report.Now) / float64(cliffSlot), nil
}

// lossyCliff holds the loss at which goodput falls against the formula; runs last for about so many waits for
// the timer together.
func lossyCliff(messages bool, waits int) func(context.Context, int) ([]Row, error) {
	return func(ctx context.Context, _ int) (rows []Row, err error) {
		for _, c := range cliffs(messages) {
			row, err := c.row(ctx, waits)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
}

// row is where goodput falls, or what is left of it at the greatest loss if it does not.
func (c *cliff) row(ctx context.Context, waits int) (Row, error) {
	kind := "one endless message"
	if c.messages {
		kind = "messages of 64 KiB one at a time"
	}
	r := Row{Source: "renewal argument as for go-back-N: what nobody can report costs a timer"}
	falls := c.falls()
	if falls > worstLoss {
		r.Rule = fmt.Sprintf("%s, %s: no cliff up to 1 %% loss; part of the line there", c.name, kind)
		r.Because = "the formulas reckon with one loss at a time"
		share, err := c.runs(ctx, 1, worstLoss, 100*units.Millisecond)
		return within(r, c.share(worstLoss), share, 0.1), err
	}
	if c.timer < units.Second {
		waits *= 8 // shorter ones cost less to simulate
	}
	r.Rule = fmt.Sprintf("%s, %s: loss in %% at which goodput is 10 %% of the line", c.name, kind)
	share, err := c.runs(ctx, waits/waitsAtOnce, falls, units.Time(waitsAtOnce*float64(c.timer)/(1-fallen)))
	steep := math.Log(c.share(falls/1.1)/c.share(falls*1.1)) / math.Log(1.1*1.1)
	r.Because = fmt.Sprintf("3 sigma of %d waits for the timer, by how steeply goodput falls, and 5 %% for the formula", waits)
	return within(r, 100*falls, 100*falls*math.Pow(share/fallen, 1/steep), 3/math.Sqrt(float64(waits))/steep+0.05), err
}

package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
)

// lossyPath is a way that loses packets independently of each other.
type lossyPath struct {
	rtt     units.Time
	p       float64
	control string
	perAck  bool // every second packet is acknowledged, and the window grows by acknowledgements: b = 2
}

// lossyPaths are those of the formulas' usual tables.
var lossyPaths = []lossyPath{
	{100 * us, 1e-4, "newreno", false}, {100 * us, 1e-3, "newreno", false}, {1000 * us, 1e-4, "newreno", false}, {10_000 * us, 1e-3, "newreno", false},
	{100 * us, 1e-3, "newreno", true}, {10_000 * us, 1e-3, "newreno", true},
	{100 * us, 1e-3, "cubic", false}, {1000 * us, 1e-3, "cubic", false},
}

// b is how many packets an acknowledgement is for.
func (l *lossyPath) b() float64 {
	if l.perAck {
		return 2
	}
	return 1
}

// mathis is the formula of the inverse square root, in Gb/s.
func (l *lossyPath) mathis() float64 {
	return segment * 8 / l.rtt.Seconds() * math.Sqrt(3/(2*l.b()*l.p)) / gbps
}

// pftk is the approximate formula with timeouts, in Gb/s.
func (l *lossyPath) pftk(timeout units.Time) float64 {
	p, b := l.p, l.b()
	wait := timeout.Seconds() * min(1, 3*math.Sqrt(3*b*p/8)) * p * (1 + 32*p*p)
	return segment * 8 / (l.rtt.Seconds()*math.Sqrt(2*b*p/3) + wait) / gbps
}

// goodput is that of one connection with some keys of host.tcp, over about so many losses at a rate in Gb/s, and how
// often its timer expired.
func (l *lossyPath) goodput(ctx context.Context, keys string, losses, rate float64) (gbit float64, timeouts uint64, err error) {
	acks, limit := eachAck, 0
	if l.perAck {
		acks, limit = fmt.Sprintf("delayed_ack: %v, ack_every: 2", min(l.rtt*2/5, 40*units.Millisecond)), 1
	}
	control := fmt.Sprintf("congestion_control: {kind: %s, abc_limit: %d}", l.control, limit)
	faults := fmt.Sprintf("{kind: loss, links: [h0-h1], direction: forward, frames: [data], rate: %.9f}", l.p)
	end := units.Time(losses / l.p * segment * 8 / (rate * gbps) * float64(units.Second))
	text := oneConnection(400*units.Gbps, l.rtt/2, endless, fmt.Sprintf(theory, acks+", "+control+keys), faults)
	c, err := runUntil(ctx, text, end)
	if err != nil {
		return 0, 0, err
	}
	return 8 * float64(delivered(c)) / end.Seconds() / gbps, senders(c)[0].Counters().Timeouts, nil
}

// sample is how many losses of so many a path is measured over: rare ones cost more.
func (l *lossyPath) sample(losses float64) float64 {
	if l.p < 1e-3 {
		return losses / 2
	}
	return losses
}

// tcpLoss holds goodput at a loss rate against the inverse square root.
func tcpLoss(all float64) func(context.Context, int) ([]Row, error) {
	return func(ctx context.Context, _ int) (rows []Row, err error) {
		for _, l := range lossyPaths {
			want, losses := l.mathis(), l.sample(all)
			found, _, err := l.goodput(ctx, "", losses, want)
			if err != nil {
				return nil, err
			}
			rows = append(rows, within(Row{
				Rule:    fmt.Sprintf("%s, round trip %v, loss %g: goodput in Gb/s, MSS/RTT √(3/(2bp)) with b = %g", l.control, l.rtt, l.p, l.b()),
				Source:  l.source(),
				Because: fmt.Sprintf("the formula has losses at equal distances and no time in recovery; a sample of %g losses", losses),
			}, want, found, 0.25))
		}
		return rows, nil
	}
}

func (l *lossyPath) source() string {
	if l.control == "cubic" {
		return "RFC 9438, section 4.3: where it is Reno-friendly it has NewReno's average"
	}
	return "Mathis, Semke, Mahdavi and Ott, The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm, CCR 1997"
}

// tcpTimeouts holds goodput without selective acknowledgements against the formula with timeouts. Where windows are large
// and timeouts long, the formula has many that independent losses do not cause: of these rows the figures are told only.
func tcpTimeouts(ctx context.Context, _ int) (rows []Row, err error) {
	for _, c := range []struct {
		lossyPath
		timeout units.Time
		losses  float64
		told    bool
	}{
		{lossyPath{100 * us, 1e-3, "newreno", true}, 5_000 * us, 200, false},
		{lossyPath{10_000 * us, 1e-3, "newreno", true}, 200_000 * us, 200, false},
		{lossyPath{100_000 * us, 1e-2, "newreno", true}, 400_000 * us, 1000, false},
		{lossyPath{100_000 * us, 3e-2, "newreno", true}, 400_000 * us, 3000, false},
		{lossyPath{100 * us, 1e-3, "newreno", true}, 200_000 * us, 200, true},
		{lossyPath{100 * us, 1e-4, "newreno", true}, 200_000 * us, 60, true},
	} {
		want := c.pftk(c.timeout)
		keys := fmt.Sprintf(", sack: false, rack: false, tlp: false, min_rto: %v, clock_granularity: %v", c.timeout, min(c.timeout/10, units.Millisecond))
		found, timeouts, err := c.goodput(ctx, keys, c.losses, want)
		if err != nil {
			return nil, err
		}
		r := within(Row{
			Rule: fmt.Sprintf("NewReno without SACK, round trip %v, loss %g, timeout %v: goodput in Gb/s, "+
				"MSS/(RTT √(2bp/3) + T₀ min(1, 3√(3bp/8)) p (1+32p²)) with b = 2", c.rtt, c.p, c.timeout),
			Source:  "Padhye, Firoiu, Towsley and Kurose, Modeling TCP Throughput, SIGCOMM 1998, equation 30",
			Because: "the formula has all the rest of a round lost with the first packet, a loss here is one",
		}, want, found, 0.25)
		r.Found += fmt.Sprintf("; %d timeouts", timeouts)
		if r.Told = c.told; r.Told {
			r.Band, r.Because = "", "large windows repair single losses without a timeout, which the formula has at each third loss or more"
			r.Met = true
		}
		rows = append(rows, r)
	}
	return rows, nil
}

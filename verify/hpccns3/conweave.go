package hpccns3

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/verify"
)

// ConWeave is the profile of scenarios that adopts the simplifications of the simulator published with ConWeave, which grew
// out of that of HPCC. Its folders are read with the same files.
const ConWeave = "conweave"

const conweaveSource = "simulator published with ConWeave, ns-3.19, commit 236a801"

// isConWeave tells whether the case was run by that simulator.
func (c *Case) isConWeave() bool { return c.has("LB_MODE") || c.has("ENABLE_IRN") }

// profile is that of the case's simulator.
func (c *Case) profile() string {
	if c.isConWeave() {
		return ConWeave
	}
	return Profile
}

// unsupportedConWeave says why a case cannot be run; empty if it can.
func (c *Case) unsupportedConWeave() string {
	switch {
	case c.word("CC_MODE", "1") != "1":
		return "congestion control " + controls[c.word("CC_MODE", "1")] + " of ConWeave's simulator"
	case c.on("LB_MODE", "0"):
		return "LB_MODE " + c.word("LB_MODE", "0") + ": a load balancing that is not there"
	case c.on("ENABLE_PFC", "1"):
		return "ENABLE_PFC 1: the pause thresholds of ConWeave's simulator are not there"
	case c.on("HAS_WIN", "0"):
		return "HAS_WIN 1: a window in ConWeave's simulator"
	case len(switchRates(c.topology)) > 1:
		return "ports of several rates in ConWeave's simulator"
	}
	return c.unsupportedFlows()
}

// What the simulator sets aside, in bytes: a frame for each of the eight queues of a port, and a frame and a byte of each
// queue that count neither against its bound nor against the marking thresholds.
const (
	conweaveFrame = 1048
	conweaveAside = 8 * conweaveFrame
	conweaveMin   = conweaveFrame + 1
)

// conweaveScenario says in a scenario what the case was run with.
func (c *Case) conweaveScenario(profile string) (string, error) {
	var y strings.Builder
	own := profile == ConWeave
	fmt.Fprintf(&y, "name: %s\nprofile: %s\nstop: {limit: 3s}\n", tidy(c.Name), profile)
	fmt.Fprintf(&y, "topology: {kind: hpcc-file, file: %q}\nworkloads: [{kind: hpcc-file, file: %q}]\n", c.path("topology.txt"), c.path("flow.txt"))
	buffer := int64(1 << 20)
	if n := c.number("BUFFER_SIZE", "9"); n.IsInt() {
		buffer *= n.Num().Int64()
	} else {
		c.fail("BUFFER_SIZE %s: not a whole number", c.word("BUFFER_SIZE", ""))
	}
	ports := 0
	for node, links := range c.links {
		if c.topology.IsSwitch[node] {
			ports = max(ports, len(links))
		}
	}
	fmt.Fprintf(&y, "switch:\n  buffer: %dB\n  pfc: {enabled: false}\n  lossy: {limit: %dB}\n", buffer, buffer)
	fmt.Fprintf(&y, "  egress: {alpha: 1, queue_min: %dB, pool: %dB}\n", conweaveMin, buffer-int64(ports)*conweaveAside)
	rate := int64(switchRates(c.topology)[0])
	threshold := func(key string) int64 {
		size := c.byRate(key)[rate]
		if size == nil || !size.IsInt() {
			c.fail("%s: no whole number for ports of %d b/s", key, rate)
			return 0
		}
		return size.Num().Int64()*1000 + conweaveMin
	}
	fmt.Fprintf(&y, "  ecn: {kmin: %dB, kmax: %dB, pmax: %s}\n", threshold("KMIN_MAP"), threshold("KMAX_MAP"), c.same("PMAX_MAP").RatString())
	payload := c.number("PACKET_PAYLOAD_SIZE", "1000").Num().Int64()
	fmt.Fprintf(&y, "host:\n  payload: %d\n  ack_every: 1\n  timeout: 0\n  dscp: {ack: 56}\n", payload) // before data, and not marked
	if own {
		y.WriteString("  pfc_response: 0s\n")
	} else {
		y.WriteString("  cnp: {interval: 0s}\n")
	}
	if c.on("ENABLE_IRN", "0") {
		bdp := c.number("IRN_BDP", "100000").Num().Int64()
		// The packets in flight are counted from the first byte of the last, so that few are one more than three.
		fmt.Fprintf(&y, "  recovery: selective-repeat\n  selective_repeat: {window: %d, timer_low: 100us, timer_high: 320us, few: 4}\n", (bdp+payload-1)/payload)
	} else {
		y.WriteString("  recovery: adaptive\n  adaptive: {start: 4ms, limit: 4ms}\n  nak_rearm: 4us\n")
	}
	c.writeDCQCN(&y)
	text := y.String()
	if own {
		text = strings.Replace(text, "switch:\n", "switch:\n  pipeline: 0s\n", 1)
	}
	return text, c.err
}

// checkConWeave makes the rows of a case. Where coins decide, the two cannot be equal: theirs are those of another generator.
// Where packets are lost under IRN the two are told beside each other and not judged: that simulator's sender goes back to the first
// packet that is missing and sends all from there again, what was reported included, and its timers start anew with every packet sent.
func (c *Case) checkConWeave(ctx context.Context) ([]verify.Row, error) {
	r, err := c.Compare(ctx)
	if err != nil {
		return nil, err
	}
	if c.undisturbed(r.cluster) {
		rows := r.rows()
		for i := range rows {
			rows[i].Source = conweaveSource
		}
		return rows, ctx.Err()
	}
	return c.conweaveSpread(ctx)
}

// undisturbed tells whether neither coins nor losses had a part in a run.
func (c *Case) undisturbed(run *host.Cluster) bool {
	marked := uint64(0)
	for node := range run.Net.Graph.Nodes {
		ports := run.Net.Ports(node)
		for i := range ports {
			for _, class := range ports[i].Counters.Class {
				marked += class.Marked
			}
		}
	}
	return marked+resent(run) == 0
}

// resent counts the packets that were sent again.
func resent(run *host.Cluster) (packets uint64) {
	for _, conn := range run.Conns {
		packets += conn.From.QueuePairs()[conn.FromQP].Sent().Retransmitted
	}
	return packets
}

// conweaveSpread holds completion times against those of runs with coins of our own.
func (c *Case) conweaveSpread(ctx context.Context) ([]verify.Row, error) {
	finishes, err := c.finishes()
	if err != nil {
		return nil, err
	}
	var there [2]float64 // mean and last completion
	for _, f := range finishes {
		took := (f.start + f.took - finishes[0].start).Microseconds()
		there[0] += took / float64(len(finishes))
		there[1] = max(there[1], took)
	}
	var ours [2][]float64
	var again []float64
	for seed := range seeds {
		run, err := c.Run(ctx, ConWeave, 2+seed)
		if err != nil {
			return nil, err
		}
		if run.Report.Outcome != host.Done {
			return nil, &verify.Unended{Reason: fmt.Sprintf("seed %d: the run ended as %v", 2+seed, run.Report.Outcome)}
		}
		var mean, last float64
		for i := range run.Cluster.Flows {
			took := (run.Cluster.Transfer(i).End - run.Cluster.Flows[0].Start).Microseconds()
			mean += took / float64(len(run.Cluster.Flows))
			last = max(last, took)
		}
		ours[0], ours[1] = append(ours[0], mean), append(ours[1], last)
		again = append(again, float64(resent(run.Cluster)))
	}
	lost, _ := moments(again)
	var rows []verify.Row
	for i, name := range []string{"mean completion time", "last completion"} {
		mean, deviation := moments(ours[i])
		r := verify.Row{
			Rule: fmt.Sprintf("%s, over %d seeds", name, seeds), Source: conweaveSource,
			Expected: fmt.Sprintf("%.5gus", there[i]), Found: fmt.Sprintf("%.5gus", mean), Deviation: fmt.Sprintf("%+.2g%%", 100*(mean/there[i]-1)),
		}
		band := wide * deviation
		r.Band = fmt.Sprintf("%.2g%%", 100*band/there[i])
		r.Because = "in 999 of 1000 cases one more run, the reference, lies within 5.014 standard deviations of the mean of ten"
		r.Met = math.Abs(mean-there[i]) <= band
		if lost > 0 {
			r.Rule += fmt.Sprintf(", of which each sends %.0f packets again on average", lost)
			r.Told = c.on("ENABLE_IRN", "0")
		}
		rows = append(rows, r)
	}
	return rows, ctx.Err()
}

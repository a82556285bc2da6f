package record

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Reasons of drops at the egress queues of switches.
const (
	queueFull = "egress queue at its limit, lossy priority"
	redLossy  = "dropped by RED since it could not be marked, lossy priority"
	redNot    = "dropped by RED since it could not be marked, lossless priority"
)

// dropsAtEgress are the packets that egress queues refused, by the reasons that occurred.
func (r *Run) dropsAtEgress() (drops []results.Drop) {
	full, lossy, lossless := results.Drop{Reason: queueFull}, results.Drop{Reason: redLossy}, results.Drop{Reason: redNot, Lossless: true}
	r.eachRefusal(func(_ port, priority int, n fabric.Refused) {
		red := &lossy
		if r.Cluster.Net.Config.PFC.IsLossless(priority) {
			red = &lossless
		}
		full.Packets += int64(n.Limit.Packets)
		full.Bytes += int64(n.Limit.Bytes)
		red.Packets += int64(n.RED.Packets)
		red.Bytes += int64(n.RED.Bytes)
	})
	for _, d := range []results.Drop{full, lossy, lossless} {
		if d.Packets > 0 {
			drops = append(drops, d)
		}
	}
	return drops
}

// eachRefusal calls f for every queue that has refused packets.
func (r *Run) eachRefusal(f func(p port, priority int, n fabric.Refused)) {
	r.eachActivePort(func(p port) {
		if p.sw == nil {
			return
		}
		for priority := range p.Counters.Class {
			if n := p.sw.Queue(p.index, priority).Refused; n != (fabric.Refused{}) {
				f(p, priority, n)
			}
		}
	})
}

// whyRefused speaks of packets that egress queues refused, and where most of them were;
// it is empty for other reasons of loss.
func (r *Run) whyRefused(d results.Drop) string {
	of := func(n fabric.Refused) uint64 { return n.RED.Packets }
	switch d.Reason {
	case queueFull:
		of = func(n fabric.Refused) uint64 { return n.Limit.Packets }
	case redLossy, redNot:
	default:
		return ""
	}
	var most uint64
	var where string
	r.eachRefusal(func(p port, priority int, n fabric.Refused) {
		if r.Cluster.Net.Config.PFC.IsLossless(priority) == d.Lossless && of(n) > most {
			most, where = of(n), r.queueName(p.node, p.index, priority)
		}
	})
	lost, at := results.Plural(d.Packets, "packet"), fmt.Sprintf("(%s at %s)", results.Count(int64(most)), where)
	if d.Reason == queueFull {
		return fmt.Sprintf("Egress queues of lossy priorities at their limit refused %s %s.", lost, at)
	}
	return fmt.Sprintf("RED dropped %s that it would have marked, had they been ECN-capable %s.", lost, at)
}

// exhaustedText tells of an over-subscribed pool of headroom that was found empty; it is
// empty if none was.
func (r *Run) exhaustedText() string {
	var worst group
	r.eachGroup(func(g group) {
		if g.report.Exhausted > worst.report.Exhausted {
			worst = g
		}
	})
	if worst.report.Exhausted == 0 {
		return ""
	}
	size, _ := worst.port.sw.HeadroomPool()
	return fmt.Sprintf(" Headroom is over-subscribed: %s had some left for %s, but the pool of %s that it is drawn from was empty.",
		worst.name(), results.Plural(int64(worst.report.Exhausted), "frame"), size.Human())
}

// thresholds are Kmin and Kmax of a queue.
func (r *Run) thresholds(p port, priority int) (kmin, kmax units.Bytes) {
	return r.Cluster.Net.ConfigOf(p.node).ECN.Of(priority).Thresholds(p.Rate())
}

// marksIn tells whether packets of a queue may be marked.
func (r *Run) marksIn(p port, priority int) bool {
	return r.Cluster.Net.ConfigOf(p.node).ECN.Of(priority).Pmax.Num != 0
}

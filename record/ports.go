package record

import (
	"strconv"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

func itoa(i int) string { return strconv.Itoa(i) }

// Ports is the table of ports.
func (r *Run) Ports() *results.Table {
	t := results.NewTable("ports.csv", "one row a port, of hosts and switches")
	node, number := t.String("node", "host or switch"), t.Int("port", "", "number of the port at its node")
	peer := t.String("peer", "node and port at the other end of the cable")
	speed, delay := t.Rate("rate_gbps", "rate of the cable"), t.Time("delay_us", "propagation delay of the cable")
	sent := newTraffic(t, "tx", "sent")
	received := newTraffic(t, "rx", "received")
	use := t.Float("utilisation", "", "share of the time flows were under way for which its transmitter was busy, preambles and gaps included")
	marked := t.Int("marked_packets", "packets", "packets it sent that it marked CE")
	dropped := newTraffic(t, "dropped", "that came in by it and for which the buffer had no room")
	refused := newTraffic(t, "refused", "that were to leave by it and that its egress queues did not take")
	lost := newTraffic(t, "lost", "it sent that were lost on the cable, corrupted ones included")
	crc := t.Int("fcs_errors", "frames", "frames that came in by it with a wrong checksum, and were thrown away")
	noWay := t.Int("no_route_packets", "packets", "packets that came in by it and for which the switch had no route")
	peak := t.Bytes("peak_queue_bytes", "most that waited in one of its egress queues")
	paused := t.Time("paused_us", "time for which its peer had it paused, or left it without credits for a packet that waited, summed over priorities")
	g, work := r.Cluster.Net.Graph, r.underWay()
	r.rowsByPort(t, func(p port) {
		at := g.Ports(p.node)[p.index]
		node.Append(p.name)
		number.Append(int64(p.index))
		peer.Append(g.PortName(at.Peer, at.PeerPort))
		speed.Append(p.Rate())
		delay.Append(g.Links[at.Link].Delay)
		sum := p.total()
		sent.add(sum.Tx)
		received.add(sum.Rx)
		use.Append(work.share(r.busy(p)))
		marked.Append(int64(sum.Marked))
		dropped.add(sum.Dropped)
		refused.add(p.refused())
		lost.add(p.Counters.Lost)
		crc.Append(int64(r.Cluster.Net.CorruptedFrames(p.node, p.index).Packets))
		noWay.Append(int64(p.Counters.NoRoute.Packets))
		_, longest := p.longestQueue()
		peak.Append(longest.Peak)
		paused.Append(r.pausedTime(p))
	})
	return t
}

// traffic is two columns: packets and their L2 bytes.
type traffic struct {
	packets *results.Values[int64]
	bytes   *results.Values[units.Bytes]
}

func newTraffic(t *results.Table, prefix, what string) traffic {
	return traffic{
		t.Int(prefix+"_packets", "packets", "packets "+what),
		t.Bytes(prefix+"_bytes", "L2 bytes of the packets "+what),
	}
}

func (c traffic) add(n fabric.ClassCount) {
	c.packets.Append(int64(n.Packets))
	c.bytes.Append(units.Bytes(n.Bytes))
}

// total is what a port has counted of all priorities together.
func (p port) total() (sum fabric.ClassCounters) {
	for i := range p.Counters.Class {
		c := &p.Counters.Class[i]
		sum.Tx.Add(c.Tx)
		sum.Rx.Add(c.Rx)
		sum.Dropped.Add(c.Dropped)
		sum.Marked += c.Marked
	}
	return sum
}

// refused is what the egress queues of a port did not take.
func (p port) refused() (sum fabric.ClassCount) {
	if p.sw == nil {
		return sum
	}
	for c := range pfc.Priorities {
		n := p.sw.Queue(p.index, c).Refused
		sum.Add(n.Limit)
		sum.Add(n.RED)
	}
	return sum
}

// busy is how long a port's transmitter was busy up to the end of the run.
func (r *Run) busy(p port) units.Time { return p.Busy - p.Overhang(r.Report.Now) }

// longestQueue is the egress queue of a port that was longest at its longest.
func (p port) longestQueue() (priority int, longest fabric.QueueReport) {
	if p.sw == nil {
		return 0, longest
	}
	for c := range pfc.Priorities {
		if q := p.sw.Queue(p.index, c); q.Peak > longest.Peak {
			priority, longest = c, q
		}
	}
	return priority, longest
}

// pausedTime is how long a port was paused, summed over priorities.
func (r *Run) pausedTime(p port) (t units.Time) {
	for c := range pfc.Priorities {
		t += p.PausedFor(c, r.Report.Now)
	}
	return t
}

// PFC is the table of pauses and of the accounts that cause them.
func (r *Run) PFC() *results.Table {
	t := results.NewTable("pfc.csv", "one row a port and lossless priority")
	node, number := t.String("node", "host or switch"), t.Int("port", "", "number of the port at its node")
	priority := t.Int("priority", "", "lossless priority")
	tx, rx := newPauses(t, "tx", "sent"), newPauses(t, "rx", "received")
	paused := t.Time("paused_us", "time for which its peer had this priority paused")
	peak := t.Bytes("group_peak_bytes", "most that its ingress priority group held, or at a slow host its receive buffer")
	nearest := t.Float("group_nearest_xoff", "", "largest share of its XOFF threshold that the group reached; at 1 it pauses its peer")
	room := t.Bytes("headroom_bytes", "headroom of the group")
	used := t.Bytes("headroom_peak_bytes", "most of the headroom in use")
	storms := t.Int("watchdog_storms", "storms", "storms that the PFC watchdog has seen; empty where there is none")
	discarded := newTraffic(t, "watchdog_discarded", "discarded by the PFC watchdog because of storms there")
	r.rowsByPort(t, func(p port) {
		r.eachLossless(func(c int) {
			node.Append(p.name)
			number.Append(int64(p.index))
			priority.Append(int64(c))
			tx.add(p.Counters.PauseTx[c])
			rx.add(p.Counters.PauseRx[c])
			paused.Append(p.PausedFor(c, r.Report.Now))
			r.appendWatchdog(storms, discarded, p, c)
			g, any := ingress(p, c)
			if !any {
				peak.AppendMissing()
				nearest.AppendMissing()
				room.AppendMissing()
				used.AppendMissing()
				return
			}
			peak.Append(g.Peak)
			nearest.Append(share(g.Nearest, g.Limit))
			room.Append(g.Headroom)
			used.Append(g.PeakHeadroom)
		})
	})
	return t
}

func share(part, whole units.Bytes) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// pauses is three columns: what PFC frames said of a priority.
type pauses struct{ xoff, refresh, xon *results.Values[int64] }

func newPauses(t *results.Table, way, what string) pauses {
	return pauses{
		t.Int("xoff_"+way, "frames", "pauses begun, by PFC frames "+what),
		t.Int("refresh_"+way, "frames", "pauses prolonged, by PFC frames "+what),
		t.Int("xon_"+way, "frames", "pauses ended, by PFC frames "+what),
	}
}

func (c pauses) add(n fabric.PauseCount) {
	c.xoff.Append(int64(n.XOFF))
	c.refresh.Append(int64(n.Refresh))
	c.xon.Append(int64(n.XON))
}

package record

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/rnic"
)

// counters is the table of counters under the names that production switches and
// NICs (Linux ethtool -S and rdma statistic of mlx5) give them, beside our own.
type counters struct {
	node     *results.Values[string]
	port     *results.Values[int64]
	priority *results.Values[int64]
	counter  *results.Values[string]
	value    *results.Values[float64]
	unit     *results.Values[string]
	sai      *results.Values[string]
	names    map[string]string    // in SAI, by ours
	known    map[counterOf]string // those of counters that have been asked for
	tells    bool                 // whether any counter since it was last cleared is not 0
}

// counterOf is one of our counters of a switch.
type counterOf struct {
	name     string
	priority int
}

// What stands for a counter that is not kept by priority, and not by port.
const (
	anyPriority = -1
	wholeNode   = -1
)

// Counters is the table of counters, in parts: those of each port, and those of whole switches. In a network of 65,536
// hosts it has millions of rows.
func (r *Run) Counters() *results.Table {
	t := results.NewTable("counters.csv", "one row a counter of a port, by priority where it is kept so, and of a switch; a port of which all counters are 0 has no row")
	c := counters{
		node: t.String("node", "host or switch"), port: t.Int("port", "", "number of the port at its node; empty for a counter of the whole switch"),
		priority: t.Int("priority", "", "priority; empty for a counter of the whole port"),
		counter:  t.String("counter", "name of the counter; those of mlx5 have its names"),
		value:    t.Float("value", "", "its value at the end of the run, in the unit of the next column"),
		unit:     t.String("unit", "unit of the value: packets, frames, bytes, us"),
		sai:      t.String("sai_name", "name of a switch's counter in the Switch Abstraction Interface, as SONiC shows it; empty if it has none there"),
		names:    saiNames(), known: map[counterOf]string{},
	}
	used, ports := r.usedPriorities(), r.portSteps()
	t.InParts(len(ports)+1, func(part int) (tells bool) {
		c.tells = false
		if part == len(ports) {
			r.pools(&c)
			return c.tells
		}
		p := r.port(ports[part].Node, ports[part].Port)
		for _, q := range used {
			r.priorityCounters(&c, p, q)
		}
		r.portCounters(&c, p)
		return c.tells
	})
	return t
}

// portSteps are all ports, in the order of nodes and ports.
func (r *Run) portSteps() (ports []topology.Step) {
	for node := range r.Cluster.Net.Graph.Nodes {
		for i := range r.Cluster.Net.Ports(node) {
			ports = append(ports, topology.Step{Node: node, Port: i})
		}
	}
	return ports
}

func (c *counters) add(p port, priority int, name string, value float64, unit string) {
	c.tells = c.tells || value != 0
	c.node.Append(p.name)
	if p.index == wholeNode {
		c.port.AppendMissing()
	} else {
		c.port.Append(int64(p.index))
	}
	if priority == anyPriority {
		c.priority.AppendMissing()
	} else {
		c.priority.Append(int64(priority))
	}
	c.counter.Append(name)
	c.value.Append(value)
	c.unit.Append(unit)
	c.sai.Append(c.saiName(p, priority, name))
}

func (c *counters) count(p port, priority int, name string, n uint64, unit string) {
	c.add(p, priority, name, float64(n), unit)
}

// usedPriorities are those in which any port has sent a packet, and the lossless.
func (r *Run) usedPriorities() []int {
	var used [pfc.Priorities]bool
	r.eachLossless(func(q int) { used[q] = true })
	r.eachActivePort(func(p port) {
		for q := range used {
			used[q] = used[q] || p.Counters.Class[q].Tx.Packets > 0
		}
	})
	var list []int
	for q, is := range used {
		if is {
			list = append(list, q)
		}
	}
	return list
}

func (r *Run) priorityCounters(c *counters, p port, q int) {
	rx, tx := &namesByPriority[q].rx, &namesByPriority[q].tx
	k := p.Counters
	c.count(p, q, rx.packets, k.Class[q].Rx.Packets, "packets")
	c.count(p, q, rx.bytes, k.Class[q].Rx.Bytes, "bytes")
	c.count(p, q, tx.packets, k.Class[q].Tx.Packets, "packets")
	c.count(p, q, tx.bytes, k.Class[q].Tx.Bytes, "bytes")
	if p.sw != nil {
		c.count(p, q, "ecn_marked", k.Class[q].Marked, "packets")
		c.count(p, q, "dropped", k.Class[q].Dropped.Packets, "packets")
		r.watermarks(c, p, q)
	} else if p.nic.Limited() {
		c.count(p, q, rx.discard, k.Class[q].Dropped.Packets, "packets")
	}
	switch {
	case r.onCredits():
		r.laneCounters(c, p, q)
		return
	case !r.Cluster.Net.Config.PFC.IsLossless(q):
		return
	}
	c.pauses(p, q, rx, k.PauseRx[q])
	c.add(p, q, rx.duration, p.PausedFor(q, r.Report.Now).Microseconds(), "us")
	c.pauses(p, q, tx, k.PauseTx[q])
	at := r.Cluster.Net.Graph.Ports(p.node)[p.index]
	far := &r.Cluster.Net.Ports(at.Peer)[at.PeerPort]
	c.add(p, q, tx.duration, far.PausedFor(q, r.Report.Now).Microseconds(), "us")
}

// wayNames are the names of the counters of a priority, one way.
type wayNames struct{ packets, bytes, discard, pause, duration, xoff, refresh, xon string }

var namesByPriority = func() (names [pfc.Priorities]struct{ rx, tx wayNames }) {
	for q := range names {
		names[q].rx, names[q].tx = newWayNames("rx", q), newWayNames("tx", q)
	}
	return names
}()

func newWayNames(way string, q int) wayNames {
	prefix := way + "_prio" + itoa(q)
	return wayNames{
		packets: prefix + "_packets", bytes: prefix + "_bytes", discard: prefix + "_buf_discard",
		pause: prefix + "_pause", duration: prefix + "_pause_duration",
		xoff: "pfc_xoff_" + way, refresh: "pfc_refresh_" + way, xon: "pfc_xon_" + way,
	}
}

// pauses adds what PFC frames one way said of a priority. The production counter
// counts every frame that asks for a pause, ours tell the three kinds apart.
func (c *counters) pauses(p port, q int, names *wayNames, n fabric.PauseCount) {
	c.count(p, q, names.pause, n.XOFF+n.Refresh, "frames")
	c.count(p, q, names.xoff, n.XOFF, "frames")
	c.count(p, q, names.refresh, n.Refresh, "frames")
	c.count(p, q, names.xon, n.XON, "frames")
}

func (r *Run) portCounters(c *counters, p port) {
	k := p.Counters
	if n := p.FlowControls(); r.onCredits() {
		c.count(p, anyPriority, "flow_control_packets_tx", n.Tx, "packets")
		c.count(p, anyPriority, "flow_control_packets_rx", n.Rx, "packets")
	} else {
		c.count(p, anyPriority, "pfc_frames_tx", k.PFCTx, "frames")
		c.count(p, anyPriority, "pfc_frames_rx", k.PFCRx, "frames")
	}
	c.count(p, anyPriority, "lost_on_cable", k.Lost.Packets, "packets")
	r.lossCounters(c, p)
	c.add(p, anyPriority, "tx_busy", p.Busy.Microseconds(), "us")
	if p.sw != nil {
		return
	}
	s := sumQPs(p.nic)
	for _, row := range []struct {
		name string
		n    uint64
	}{
		{"np_ecn_marked_roce_packets", s.received.Marked},
		{"np_cnp_sent", s.received.CNPsSent},
		{"rp_cnp_handled", s.sent.CNPs},
		{"out_of_sequence", s.received.OutOfSequence + s.received.OutOfOrder},
		{"out_of_order_accepted", s.received.OutOfOrder},
		{"duplicate_request", s.received.Duplicates},
		{"packet_seq_err", s.sent.Naks},
		{"local_ack_timeout_err", s.sent.Timeouts},
		{"acks_sent", s.received.Acks},
		{"acks_received", s.sent.Acks},
		{"data_packets_sent", s.sent.Packets},
		{"data_packets_retransmitted", s.sent.Retransmitted},
	} {
		c.count(p, anyPriority, row.name, row.n, "packets")
	}
	c.count(p, anyPriority, "payload_delivered", s.received.Payload, "bytes")
}

// qpSums are the books of all queue pairs of a NIC together.
type qpSums struct {
	sent     rnic.RequesterCounters
	received rnic.ResponderCounters
}

func sumQPs(nic *rnic.NIC) (s qpSums) {
	for i := range nic.QueuePairs() {
		qp := &nic.QueuePairs()[i]
		s.sent.Add(qp.Sent())
		s.received.Add(qp.Received())
	}
	return s
}

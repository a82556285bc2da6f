package record

import (
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp"
)

// tcpTable is the name of the table of TCP connections.
const tcpTable = "tcp"

// TCP is the table of TCP connections, each at both its ends.
func (r *Run) TCP() *results.Table {
	t := results.NewTable("tcp.csv", "one row an end of a TCP connection")
	r.tcpIdentity(t)
	r.tcpBytes(t)
	r.tcpCounts(t)
	r.tcpEstimates(t)
	return t
}

// tcpEnd is an end of a connection, in a kernel or in an adapter.
type tcpEnd struct {
	end    *tcp.Endpoint
	host   string
	number int64
	peer   int32        // endpoint
	port   int64        // 0 if it is not known
	socket *host.Socket // nil in an adapter
}

// tcpEnds are all ends of connections: those of kernels, then those of adapters by host.
func (r *Run) tcpEnds() (all []tcpEnd) {
	g := r.Cluster.Net.Graph
	for _, s := range r.Cluster.Sockets() {
		all = append(all, tcpEnd{s.Endpoint(), g.Nodes[s.Host()].Name, int64(s.Number()), s.Peer(), int64(s.SourcePort()), s})
	}
	for i, h := range r.Cluster.Hosts {
		for _, nic := range h.NICs() {
			for _, c := range nic.Connections() {
				all = append(all, tcpEnd{c.End, r.hostName(i), int64(c.Number), c.Peer, int64(c.SourcePort), nil})
			}
		}
	}
	return all
}

func (r *Run) tcpIdentity(t *results.Table) {
	name := t.String("host", "host of this end")
	number := t.Int("connection", "", "number of the connection at its host, as in flows.csv at qpn; of an adapter's that was made during the run, from 4194304 on")
	peer, port := t.String("peer", "host of the other end"), t.Int("source_port", "", "port of the end that opened the connection")
	thread := t.String("thread", "thread that has the socket; empty for a connection of an adapter")
	core, soft := t.Int("core", "", "core of that thread"), t.Int("softirq_core", "", "core that handles what comes in")
	state := t.String("state", "state of the connection at the end of the run")
	waits := t.String("waits_for", "what this end waits for; empty for one that is closed")
	g, ends := r.Cluster.Net.Graph, r.Cluster.Net.Routes
	for _, s := range r.tcpEnds() {
		name.Append(s.host)
		number.Append(s.number)
		peer.Append(g.Nodes[ends.Endpoints[s.peer].Host].Name)
		port.Append(s.port)
		if s.socket == nil {
			thread.Append("")
			core.AppendMissing()
			soft.AppendMissing()
		} else {
			thread.Append(s.socket.Thread().Name())
			core.Append(int64(s.socket.Thread().Core()))
			soft.Append(int64(s.socket.SoftCore()))
		}
		state.Append(s.end.State().String())
		if s.end.State() == tcp.Closed {
			waits.Append("")
		} else {
			waits.Append(s.end.Cause())
		}
	}
}

func (r *Run) tcpBytes(t *results.Table) {
	columns := []struct {
		to *results.Values[units.Bytes]
		of func(e *tcp.Endpoint) units.Bytes
	}{
		{t.Bytes("written_bytes", "payload that the application has written"), func(e *tcp.Endpoint) units.Bytes { return e.Written() }},
		{t.Bytes("acked_bytes", "of it, what has been acknowledged"), func(e *tcp.Endpoint) units.Bytes { return e.Acked() }},
		{t.Bytes("delivered_bytes", "payload received in order"), func(e *tcp.Endpoint) units.Bytes { return e.Delivered() }},
		{t.Bytes("read_bytes", "of it, what the application has read"), func(e *tcp.Endpoint) units.Bytes { return e.Consumed() }},
		{t.Bytes("retransmitted_bytes", "payload sent again"), func(e *tcp.Endpoint) units.Bytes { return e.Counters().BytesRetransmitted }},
		{t.Bytes("spurious_bytes", "of it, what the other end reported to have had"), func(e *tcp.Endpoint) units.Bytes { return e.Counters().BytesSpurious }},
		{t.Bytes("sacked_bytes", "payload acknowledged behind a gap"), func(e *tcp.Endpoint) units.Bytes { return e.Counters().BytesSACKed }},
		{t.Bytes("window_bytes", "congestion window at the end of the run"), func(e *tcp.Endpoint) units.Bytes { return e.Counters().Window }},
	}
	threshold := t.Bytes("threshold_bytes", "slow-start threshold at the end of the run; empty if there never was one")
	for _, s := range r.tcpEnds() {
		for _, c := range columns {
			c.to.Append(c.of(s.end))
		}
		if th := s.end.Counters().Threshold; th > 0 && th < unboundedThreshold {
			threshold.Append(th)
		} else {
			threshold.AppendMissing()
		}
	}
}

// unboundedThreshold is beyond what any buffer holds: a threshold from there on has never been set.
const unboundedThreshold = 1 << 40 * units.Byte

func (r *Run) tcpCounts(t *results.Table) {
	columns := []struct {
		to *results.Values[int64]
		of func(c *tcp.Counters) uint64
	}{
		{t.Int("segments_sent", "segments", "segments with data handed to the adapter, each of one packet or more"), func(c *tcp.Counters) uint64 { return c.SegmentsSent }},
		{t.Int("packets_sent", "packets", "packets that the adapter made of them"), func(c *tcp.Counters) uint64 { return c.PacketsSent }},
		{t.Int("acks_sent", "segments", "segments without data sent"), func(c *tcp.Counters) uint64 { return c.AcksSent }},
		{t.Int("segments_received", "segments", "segments received, after merging"), func(c *tcp.Counters) uint64 { return c.SegmentsReceived }},
		{t.Int("packets_received", "packets", "packets that they came in"), func(c *tcp.Counters) uint64 { return c.PacketsReceived }},
		{t.Int("out_of_order", "segments", "segments that came behind a gap"), func(c *tcp.Counters) uint64 { return c.OutOfOrder }},
		{t.Int("retransmitted", "packets", "packets sent again"), func(c *tcp.Counters) uint64 { return c.PacketsRetransmitted }},
		{t.Int("timeouts", "", "expiries of the retransmission timer"), func(c *tcp.Counters) uint64 { return c.Timeouts }},
		{t.Int("tail_probes", "", "tail loss probes sent"), func(c *tcp.Counters) uint64 { return c.TailProbes }},
		{t.Int("window_probes", "", "probes of a closed window sent"), func(c *tcp.Counters) uint64 { return c.WindowProbes }},
		{t.Int("fast_recoveries", "", "recoveries from loss without a timeout"), func(c *tcp.Counters) uint64 { return c.FastRecoveries }},
		{t.Int("reductions", "", "times that the window came down because of echoed marks"), func(c *tcp.Counters) uint64 { return c.Reductions }},
		{t.Int("duplicate_acks", "segments", "duplicate acknowledgements received"), func(c *tcp.Counters) uint64 { return c.DuplicateAcks }},
		{t.Int("packets_marked", "packets", "packets received with CE"), func(c *tcp.Counters) uint64 { return c.PacketsMarked }},
		{t.Int("echoes", "segments", "segments received with ECE"), func(c *tcp.Counters) uint64 { return c.Echoes }},
		{t.Int("zero_windows", "", "times that the peer's window closed"), func(c *tcp.Counters) uint64 { return c.ZeroWindows }},
	}
	ring := t.Int("ring_drops", "packets", "packets for it that found the receive ring of its host full")
	for _, s := range r.tcpEnds() {
		counted := s.end.Counters()
		for _, c := range columns {
			c.to.Append(int64(c.of(counted)))
		}
		if s.socket == nil {
			ring.AppendMissing()
		} else {
			ring.Append(int64(s.socket.RingDrops))
		}
	}
}

func (r *Run) tcpEstimates(t *results.Table) {
	smoothed, least := t.Time("srtt_us", "smoothed round-trip time; empty if none was measured"), t.Time("min_rtt_us", "least round-trip time")
	timer := t.Time("rto_us", "retransmission timeout at the end of the run")
	measured := func(to *results.Values[units.Time], d units.Time) {
		if d == 0 {
			d = units.Never
		}
		to.Append(d)
	}
	for _, s := range r.tcpEnds() {
		counted := s.end.Counters()
		measured(smoothed, counted.SRTT)
		measured(least, counted.MinRTT)
		measured(timer, counted.RTO)
	}
}

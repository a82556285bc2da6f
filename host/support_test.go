package host_test

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Times on a wire of 100 Gb/s, 80 ps a byte.
const (
	firstFrame = 4194 * 80 // WRITE First of 4096 B: 16 B of RETH more than the others
	fullFrame  = 4178 * 80 // WRITE Middle or Last of 4096 B
	ackFrame   = 86 * 80
	pfcFrame   = 84 * 80
)

const gbps100 = 100 * units.Gbps

// wireSizes are the packets of a WRITE: payload and 82 bytes around it, the payload
// padded to a multiple of four, and 16 bytes of RETH in the first.
func wireSizes(size units.Bytes, mtu int) []int {
	var sizes []int
	for left := int(size); left > 0 || len(sizes) == 0; left -= mtu {
		sizes = append(sizes, (min(left, mtu)+3)/4*4+82)
	}
	sizes[0] += 16
	return sizes
}

// recursion is the general oracle of a store-and-forward pipeline: packet i leaves
// hop k at E[i][k] = max(E[i][k-1] + delay, E[i-1][k]) + its time on link k. It
// gives when the last byte is at the end of the last leg.
func recursion(sizes []int, legs []rnic.Leg) units.Time {
	ready := make([]units.Time, len(sizes))
	for _, leg := range legs {
		var free units.Time
		for i, size := range sizes {
			free = max(free, ready[i]) + leg.Rate.Serialise(size)
			ready[i] = free + leg.Delay
		}
	}
	return ready[len(ready)-1]
}

// mustBe fails the test unless the run came to an outcome.
func mustBe(t simtest.TB, r host.Report, want host.Outcome) {
	t.Helper()
	if r.Outcome != want {
		t.Fatalf("outcome %v at %v, want %v", r.Outcome, r.Now, want)
	}
}

// mustTake fails the test unless a flow took exactly so long, to the last byte and
// to the last acknowledgement.
func mustTake(t simtest.TB, c *host.Cluster, flow int, bytes, acks units.Time) {
	t.Helper()
	start := c.Flows[flow].Start
	if got := lastByte(c, flow) - start; got != bytes {
		t.Errorf("flow %d: last byte after %v, want %v", flow, got, bytes)
	}
	if got := c.Transfer(flow).End - start; got != acks {
		t.Errorf("flow %d: last acknowledgement after %v, want %v", flow, got, acks)
	}
}

// sender and receiver are the books of a flow's queue pair at its two ends.
func sender(c *host.Cluster, flow int) rnic.RequesterCounters {
	conn := c.Conns[flow]
	return conn.From.QueuePairs()[conn.FromQP].Sent()
}

func receiver(c *host.Cluster, flow int) rnic.ResponderCounters {
	conn := c.Conns[flow]
	return conn.To.QueuePairs()[conn.ToQP].Received()
}

func isData(p *wire.Packet) bool { return p.Op.IsData() }

func isAck(p *wire.Packet) bool { return p.Op == wire.Acknowledge }

// dropped is the packets that all switches dropped in a priority.
func dropped(c *host.Cluster, priority int) (packets uint64) {
	for _, sw := range c.Net.Graph.Switches() {
		for i := range c.Net.Ports(sw) {
			packets += c.Net.Ports(sw)[i].Counters.Class[priority].Dropped.Packets
		}
	}
	return packets
}

// xoffs is how often all switches asked for a pause of a priority.
func xoffs(c *host.Cluster, priority int) (n uint64) {
	for _, sw := range c.Net.Graph.Switches() {
		for i := range c.Net.Ports(sw) {
			n += c.Net.Ports(sw)[i].Counters.PauseTx[priority].XOFF
		}
	}
	return n
}

// incast is one flow from each of hosts 1 to n to host 0.
func incast(n int, size units.Bytes) []host.Flow {
	var flows []host.Flow
	for i := range n {
		flows = append(flows, simtest.Flow(i+1, 0, size))
	}
	return flows
}

// onLane gives a flow a queue pair of its own number.
func onLane(f host.Flow, lane int) host.Flow {
	f.Lane = lane
	return f
}

// inClass moves a flow to another priority.
func inClass(f host.Flow, priority int) host.Flow {
	f.Data = rnic.Class{DSCP: uint8(priority << 3), Priority: priority}
	return f
}

// books are what a port has counted.
type books struct {
	fabric.PortCounters
	Busy units.Time
}

func booksOf(p *fabric.Port) books { return books{*p.Counters, p.Busy} }

package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Ends are the NICs of two hosts between which programs make queue pairs.
type Ends struct {
	A, B *rnic.NIC
	// BaseRTT is the round trip of one full packet from A through an empty network.
	BaseRTT units.Time
}

// Ends chooses NICs of two hosts that can reach each other. Of hosts with several, each
// turn gives others.
func (c *Cluster) Ends(a, b, turn int) (Ends, error) {
	if a == b {
		return Ends{}, fmt.Errorf("queue pairs from %s to itself", c.name(a))
	}
	nodes, routes := c.Net.Graph.Hosts(), c.Net.Routes
	src, dst, err := routes.Pair(nodes[a], nodes[b], turn)
	if err != nil {
		return Ends{}, err
	}
	return c.endsOf(a, b, src, dst), nil
}

// EndsAt are given NICs of two hosts, by their ports. It is an error if they cannot reach each other.
func (c *Cluster) EndsAt(a, b, portA, portB int) (Ends, error) {
	src, dst, err := c.endpointsAt(c.Hosts[a], c.Hosts[b], portA, portB)
	if err != nil {
		return Ends{}, err
	}
	return c.endsOf(a, b, src, dst), nil
}

// endpointsAt are those of given NICs.
func (c *Cluster) endpointsAt(a, b *Host, portA, portB int) (src, dst int32, err error) {
	routes, nodes := c.Net.Routes, c.Net.Graph.Nodes
	src, dst = routes.EndpointsOf(a.node)[portA], routes.EndpointsOf(b.node)[portB]
	if a == b || routes.Distance(src, dst) <= 0 {
		return 0, 0, fmt.Errorf("no path from NIC %d of %s to NIC %d of %s", portA, nodes[a.node].Name, portB, nodes[b.node].Name)
	}
	return src, dst, nil
}

// endsOf are the NICs of two endpoints.
func (c *Cluster) endsOf(a, b int, src, dst int32) Ends {
	routes := c.Net.Routes
	from, to := &routes.Endpoints[src], &routes.Endpoints[dst]
	conn := Conn{From: c.Hosts[a].nics[from.Port], To: c.Hosts[b].nics[to.Port], Src: src, Dst: dst}
	rtt := c.baseRTT(&conn)
	c.longestRTT = max(c.longestRTT, rtt)
	return Ends{A: conn.From, B: conn.To, BaseRTT: rtt}
}

// Acquaint lets programs of two hosts connect to each other during a run, in either
// direction: over NICs that [Cluster.Ends] chooses.
func (c *Cluster) Acquaint(a, b, turn int) (Ends, error) {
	ends, err := c.Ends(a, b, turn)
	if err != nil {
		return Ends{}, err
	}
	rnic.Acquaint(ends.A, ends.B, ends.BaseRTT, c.baseRTT(&Conn{From: ends.B, To: ends.A, Src: ends.B.Endpoint(), Dst: ends.A.Endpoint()}))
	return ends, nil
}

// FullPacket is the payload of a full packet of a class, or of a connection of sockets, and what it takes on the wire, gap and
// preamble included.
func (c *Cluster) FullPacket(sockets bool, class rnic.Class) (payload, onWire units.Bytes) {
	if !sockets {
		return c.NIC.Cut(class).Full()
	}
	mss := c.tcp.MSS()
	return mss, units.Bytes(wire.TCPFrame(int(c.tcp.MTU)-wire.TCPIPHeaders, 0) + wire.Interframe)
}

// EmptyLatency is what a message of a size takes from a NIC of one host to one of another, given by their ports, through the
// empty network: to its last byte. It is an error if they cannot reach each other.
func (c *Cluster) EmptyLatency(a, b, portA, portB int, size units.Bytes, sockets bool, class rnic.Class) (units.Time, error) {
	src, dst, err := c.endpointsAt(c.Hosts[a], c.Hosts[b], portA, portB)
	if err != nil {
		return 0, err
	}
	there := c.ways(src, dst)
	latency := units.Never
	if sockets {
		latency, _ = c.idealOfStream(size, there, nil)
		return latency, nil
	}
	for _, way := range there {
		last, _ := c.NIC.Cut(class).Ideal(size, 1, c.legs(way), nil)
		latency = min(latency, last)
	}
	return latency, nil
}

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

// PortsBetween are the ports of NICs of two hosts that can reach each other. Of hosts with several, each turn gives others.
func (c *Cluster) PortsBetween(a, b, turn int) (portA, portB int, err error) {
	nodes, routes := c.Net.Graph.Hosts(), c.Net.Routes
	src, dst, err := routes.Pair(nodes[a], nodes[b], turn)
	if err != nil {
		return 0, 0, err
	}
	return routes.Endpoints[src].Port, routes.Endpoints[dst].Port, nil
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

// Alone is a message that has the network to itself.
type Alone struct {
	Size    units.Bytes
	Sockets bool       // it goes over TCP; else over queue pairs of Class, as a WRITE or, with Sends, a SEND
	Class   rnic.Class // of the queue pairs
	Sends   bool
}

// Takes is for how long a message keeps the link of a NIC busy, and after what time its last byte is at a NIC of another
// host, through the empty network; NICs are given by their ports. It is an error if they cannot reach each other.
func (c *Cluster) Takes(m Alone, a, b, portA, portB int) (busy, arrives units.Time, err error) {
	src, dst, err := c.endpointsAt(c.Hosts[a], c.Hosts[b], portA, portB)
	if err != nil {
		return 0, 0, err
	}
	there := c.ways(src, dst)
	rate := c.Hosts[a].nics[portA].Rate()
	if m.Sockets {
		arrives, _ = c.idealOfStream(m.Size, there, nil)
		for _, f := range c.streamFrames(m.Size) {
			busy += units.Time(f.Count) * rate.Serialise(f.Wire)
		}
		return busy, arrives, nil
	}
	cut := c.NIC.Cut(m.Class)
	if m.Sends {
		cut = cut.Sending()
	}
	arrives = units.Never
	for _, way := range there {
		last, _ := cut.Ideal(m.Size, 1, c.legs(way), nil)
		arrives = min(arrives, last)
	}
	return cut.Busy(m.Size, rate), arrives, nil
}

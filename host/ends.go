package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
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
	from, to := &routes.Endpoints[src], &routes.Endpoints[dst]
	conn := Conn{From: c.Hosts[a].nics[from.Port], To: c.Hosts[b].nics[to.Port], Src: src, Dst: dst}
	rtt := c.baseRTT(&conn)
	c.longestRTT = max(c.longestRTT, rtt)
	return Ends{A: conn.From, B: conn.To, BaseRTT: rtt}, nil
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

package fabric

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Response is how long a port takes to obey a pause.
func (n *Network) Response(node, port int) units.Time {
	own := n.ConfigOf(node).PFC
	if at := n.Config.PFC.ResponseAt; at != nil {
		if response, differs := at(node, port); differs {
			own.Response = response
		}
	}
	return own.response(n.cable(node, port).Rate)
}

// Reaction is what can still arrive at a port, a NIC's or a switch's, after it has
// decided that its peer must pause.
func (n *Network) Reaction(node, port int) pfc.Reaction {
	at, cable := n.Graph.Ports(node)[port], n.cable(node, port)
	r := n.ConfigOf(node).reaction(cable.Rate, cable.Delay)
	r.Response, r.Pipeline = n.Response(at.Peer, at.PeerPort), n.Pipeline(node)
	if n.Graph.Nodes[node].Kind == topology.Host {
		r.Memory = pfc.Memory{} // a NIC's is not given out in the cells of switches
	}
	return r
}

// Headroom is what a switch port sets aside for each of its lossless groups.
func (n *Network) Headroom(node, port int) units.Bytes {
	cfg, cable := &n.ConfigOf(node).PFC, n.cable(node, port)
	if n.Config.Credits != nil {
		return 0
	}
	if cfg.Headroom >= 0 {
		return cfg.Headroom
	}
	if cfg.Provision != nil {
		if room, ok := cfg.Provision(cable.Rate, cable.Delay); ok {
			return room
		}
	}
	return n.Reaction(node, port).Headroom()
}

// Shortfall is a port whose lossless groups cannot hold what may arrive after XOFF.
type Shortfall struct {
	Node, Port int
	Has        units.Bytes  // what each group may hold
	Reaction   pfc.Reaction // what it needs
}

// Missing is by how much the headroom is too small.
func (s Shortfall) Missing() units.Bytes { return s.Reaction.Headroom() - s.Has }

// Shortfalls are the switch ports whose headroom does not hold in the worst case of
// their links, in the order of nodes and ports; none where there is no lossless priority,
// or PFC is off.
func (n *Network) Shortfalls() (short []Shortfall) {
	if n.Config.Credits != nil {
		return nil
	}
	for _, node := range n.Graph.Switches() {
		cfg := &n.ConfigOf(node).PFC
		for port, at := range n.Graph.Ports(node) {
			s := Shortfall{node, port, n.Headroom(node, port), n.Reaction(node, port)}
			if cfg.Lossless != 0 && !cfg.Off[at.Peer] && s.Missing() > 0 {
				short = append(short, s)
			}
		}
	}
	return short
}

// mostHeadroom says which port of a switch sets most headroom aside, and why so much.
func (n *Network) mostHeadroom(node int) string {
	most := 0
	for port := range n.ports[node] {
		if n.Headroom(node, port) > n.Headroom(node, most) {
			most = port
		}
	}
	text := fmt.Sprintf("%s sets %s aside for each lossless priority", n.Graph.PortName(node, most), n.Headroom(node, most).Human())
	if cfg := &n.ConfigOf(node).PFC; cfg.Headroom < 0 && cfg.Provision == nil {
		text += ": " + n.Reaction(node, most).String()
	}
	return text
}

// cable is the cable in a port.
func (n *Network) cable(node, port int) *topology.Link {
	return &n.Graph.Links[n.Graph.Ports(node)[port].Link]
}

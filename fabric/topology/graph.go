package topology

import (
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// NodeKind tells hosts from switches. The zero value is Host.
type NodeKind uint8

// The kinds of node.
const (
	Host   NodeKind = iota // sends and receives, never forwards
	Switch                 // forwards, never sends or receives for itself
)

// Node is a host or a switch. The zero value is a host without a name, which New refuses.
type Node struct {
	Name string // unique in its graph; without spaces and without any of , : [ ] * " '
	Kind NodeKind
	// Tier counts the cables to the nearest host: 0 for hosts, 1 for leaves (top-of-rack switches), 2 for spines and
	// aggregation, 3 for cores. New fills it in.
	Tier int
}

// Link is a full-duplex cable between two nodes. Several links may join the same two nodes.
type Link struct {
	A, B  int        // indices of the nodes at its ends
	Rate  units.Rate // in each direction, at least MinRate
	Delay units.Time // propagation from end to end, positive
}

// MinRate is the lowest rate a link may have: 1 Mb/s. There is no highest one.
const MinRate = units.Mbps

// MaxPorts is how many ports a node may have: tables of routes count them in 16 bits.
const MaxPorts = 1<<16 - 1

// Port is what a node sees of a cable plugged into it.
type Port struct {
	Link     int // index into Graph.Links
	Peer     int // the node at the other end
	PeerPort int // the port there
}

// Graph is a network: nodes and the links between them. New makes it; it does not change after that, and may be read from
// anywhere.
type Graph struct {
	Nodes []Node
	Links []Link
	// Routing says which ways NewRoutes takes. New leaves it empty; who builds the graph may set it.
	Routing RoutePolicy

	ports    [][]Port // by node
	hosts    []int
	switches []int
}

// New checks nodes and links, numbers the ports and returns the graph. What is wrong comes as one or several
// *units.FieldError (errors.Join), under the keys "hosts", "switches" and "links".
func New(nodes []Node, links []Link) (*Graph, error) {
	g := &Graph{Nodes: slices.Clone(nodes), Links: slices.Clone(links), ports: make([][]Port, len(nodes))}
	if err := g.checkParts(); err != nil {
		return nil, err
	}
	for i, node := range nodes {
		if node.Kind == Switch {
			g.switches = append(g.switches, i)
		} else {
			g.hosts = append(g.hosts, i)
		}
	}
	g.plugIn()
	if err := g.checkPorts(); err != nil {
		return nil, err
	}
	if err := g.checkReach(); err != nil {
		return nil, err
	}
	g.assignTiers()
	return g, nil
}

// plugIn gives every link the next free port at each of its ends.
func (g *Graph) plugIn() {
	for i, link := range g.Links {
		a, b := len(g.ports[link.A]), len(g.ports[link.B])
		g.ports[link.A] = append(g.ports[link.A], Port{Link: i, Peer: link.B, PeerPort: b})
		g.ports[link.B] = append(g.ports[link.B], Port{Link: i, Peer: link.A, PeerPort: a})
	}
}

// assignTiers sets each node's distance to the nearest host. Switches that no host can reach keep tier 0.
func (g *Graph) assignTiers() {
	for i := range g.Nodes {
		g.Nodes[i].Tier = 0
	}
	frontier := g.hosts
	for tier := 1; len(frontier) > 0; tier++ {
		var next []int
		for _, node := range frontier {
			for _, port := range g.ports[node] {
				if peer := &g.Nodes[port.Peer]; peer.Kind == Switch && peer.Tier == 0 {
					peer.Tier = tier
					next = append(next, port.Peer)
				}
			}
		}
		frontier = next
	}
}

// Hosts returns the indices of the hosts in the order of Nodes. The caller must not change it.
func (g *Graph) Hosts() []int { return g.hosts }

// Switches returns the indices of the switches in the order of Nodes. The caller must not change it.
func (g *Graph) Switches() []int { return g.switches }

// Ports returns the ports of a node in the order of their numbers. The caller must not change it.
func (g *Graph) Ports(node int) []Port { return g.ports[node] }

// PortRate returns the rate of all links of a node together, one way.
func (g *Graph) PortRate(node int) (sum units.Rate) {
	for _, port := range g.ports[node] {
		sum += g.Links[port.Link].Rate
	}
	return sum
}

// PortName returns the name of a node's port, "leaf0:3".
func (g *Graph) PortName(node, port int) string {
	return fmt.Sprintf("%s:%d", g.Nodes[node].Name, port)
}

package topology

// Endpoint is a port of a host: a NIC, with an address of its own.
type Endpoint struct {
	Host, Port int // the host's node and the number of its port
	Attach     int // the node at the other end of the cable: a switch, or a host cabled directly
	AttachPort int // the port there
	// Edge numbers the switches that have hosts, from 0 in the order of nodes; it is -1 for a direct cable. All
	// endpoints of an edge are reached over the same paths up to that switch.
	Edge int32
}

// Dest is what a switch needs to know of a packet's destination: small enough to travel with the packet.
type Dest struct {
	Edge int32  // as in Endpoint
	Port uint16 // the port at that edge
}

// listEndpoints returns the endpoints in the order of hosts and their ports, the number of the first endpoint of every
// node (and a last one), and the switches that are edges.
func listEndpoints(g *Graph) (endpoints []Endpoint, first []int32, edges []int) {
	edgeOf := make([]int32, len(g.Nodes))
	for _, sw := range g.switches {
		edgeOf[sw] = -1
		for _, port := range g.ports[sw] {
			if g.Nodes[port.Peer].Kind == Host {
				edgeOf[sw] = int32(len(edges))
				edges = append(edges, sw)
				break
			}
		}
	}
	for _, host := range g.hosts {
		edgeOf[host] = -1
	}
	first = make([]int32, len(g.Nodes)+1)
	for node := range g.Nodes {
		first[node] = int32(len(endpoints))
		if g.Nodes[node].Kind == Switch {
			continue
		}
		for i, port := range g.ports[node] {
			endpoints = append(endpoints, Endpoint{
				Host: node, Port: i, Attach: port.Peer, AttachPort: port.PeerPort, Edge: edgeOf[port.Peer],
			})
		}
	}
	first[len(g.Nodes)] = int32(len(endpoints))
	return endpoints, first, edges
}

// Edges returns the number of switches that have hosts.
func (r *Routes) Edges() int { return len(r.siblings) }

// isDirect reports whether e is cabled to another host.
func (e *Endpoint) isDirect() bool { return e.Edge < 0 }

// facing reports whether e and f are the two ends of one cable.
func (e *Endpoint) facing(f *Endpoint) bool { return e.Attach == f.Host && e.AttachPort == f.Port }

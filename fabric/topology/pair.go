package topology

// Pair is two hosts, h0 and h1, with a cable between them and no switch.
type Pair struct {
	Link HostCable `key:"link" doc:"the cable"`
}

// Build returns the graph.
func (p *Pair) Build() (*Graph, error) {
	var net plan
	a, b := net.add(Host, "h0"), net.add(Host, "h1")
	net.cable(a, b, p.Link, 1)
	return net.graph()
}

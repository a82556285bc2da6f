package topology

import "fmt"

// FullMesh is hosts h0, h1 … each cabled to every other one, without a switch. A host's ports lead to the other hosts in
// order.
type FullMesh struct {
	Hosts int       `key:"hosts" default:"8" min:"2" max:"512" doc:"number of hosts" source:"assumed"`
	Link  HostCable `key:"link" doc:"the cables"`
}

// Build returns the graph.
func (m *FullMesh) Build() (*Graph, error) {
	var net plan
	for i := range m.Hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for a := range m.Hosts {
		for b := a + 1; b < m.Hosts; b++ {
			net.cable(a, b, m.Link, 1)
		}
	}
	return net.graph()
}

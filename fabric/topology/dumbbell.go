package topology

import "fmt"

// Dumbbell is hosts at two switches, left and right, with a bottleneck between them. Hosts are numbered from the left:
// h0 … at left, then those at right. A switch's first ports lead to its hosts, its last to the other switch.
type Dumbbell struct {
	Left        int       `key:"left" default:"4" min:"1" max:"4096" doc:"hosts at the left switch" source:"assumed"`
	Right       int       `key:"right" default:"4" min:"1" max:"4096" doc:"hosts at the right switch" source:"assumed"`
	NICsPerHost int       `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to its switch" source:"assumed"`
	HostLink    HostCable `key:"host_link" doc:"the cables between hosts and switches"`
	Bottleneck  HostCable `key:"bottleneck" doc:"the cable between the switches"`
}

// Build returns the graph.
func (d *Dumbbell) Build() (*Graph, error) {
	var net plan
	hosts := d.Left + d.Right
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	left, right := net.add(Switch, "left"), net.add(Switch, "right")
	for i := range hosts {
		at := left
		if i >= d.Left {
			at = right
		}
		net.cable(i, at, d.HostLink, d.NICsPerHost)
	}
	net.cable(left, right, d.Bottleneck, 1)
	return net.graph()
}

package topology

import "fmt"

// Star is hosts h0, h1 … around one switch, sw0, whose ports stand in the order of the hosts.
type Star struct {
	Hosts       int       `key:"hosts" default:"3" min:"2" max:"65536" doc:"number of hosts" source:"assumed"`
	NICsPerHost int       `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to the switch" source:"assumed"`
	Link        HostCable `key:"link" doc:"the cables"`
}

// Build returns the graph.
func (s *Star) Build() (*Graph, error) {
	var net plan
	for i := range s.Hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	sw := net.add(Switch, "sw0")
	for host := range s.Hosts {
		net.cable(host, sw, s.Link, s.NICsPerHost)
	}
	return net.graph()
}

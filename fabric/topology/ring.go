package topology

import "fmt"

// Ring is switches sw0, sw1 … in a circle, each with hosts: h0 … at sw0, and so on. A switch's ports are those to its
// hosts, then those to the switch before it and after it, in the order in which the circle was closed.
type Ring struct {
	Switches       int         `key:"switches" default:"3" min:"3" max:"4096" doc:"switches in the circle" source:"assumed"`
	HostsPerSwitch int         `key:"hosts_per_switch" default:"1" min:"1" max:"4096" doc:"hosts at each switch" source:"assumed"`
	NICsPerHost    int         `key:"nics_per_host" default:"1" min:"1" max:"64" doc:"cables from each host to its switch" source:"assumed"`
	HostLink       HostCable   `key:"host_link" doc:"the cables between hosts and switches"`
	SwitchLink     HostCable   `key:"switch_link" doc:"the cables between switches"`
	Routes         RoutePolicy `key:"routes" default:"shortest" oneof:"shortest|up-down|clockwise" doc:"shortest: the shorter way around; up-down: never up again after down, sw0 being the top; clockwise: from each switch to the next, so that pauses can wait for each other in a circle" source:"assumed"`
}

// Validate checks that the network fits into memory.
func (r *Ring) Validate() error {
	if ports := r.Switches * r.HostsPerSwitch * r.NICsPerHost; ports > maxEndpoints {
		return tooManyPorts("hosts_per_switch", r.HostsPerSwitch, ports)
	}
	return nil
}

// Build returns the graph.
func (r *Ring) Build() (*Graph, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	net := plan{routing: r.Routes}
	hosts := r.Switches * r.HostsPerSwitch
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for i := range r.Switches {
		net.add(Switch, fmt.Sprint("sw", i))
	}
	for i := range hosts {
		net.cable(i, hosts+i/r.HostsPerSwitch, r.HostLink, r.NICsPerHost)
	}
	for i := range r.Switches {
		net.cable(hosts+i, hosts+(i+1)%r.Switches, r.SwitchLink, 1)
	}
	return net.graph()
}

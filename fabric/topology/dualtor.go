package topology

import "fmt"

// DualToR is racks with two top-of-rack switches each, at both of which every host of the rack has a NIC, so that the
// loss of one of them halves a rack and does not cut it off. Every top-of-rack switch is cabled to every spine. Hosts h0,
// h1 … fill the racks in order; switches are rack0-tor0, rack0-tor1 … and spine0 … A host's port i leads to tor i.
type DualToR struct {
	Racks        int         `key:"racks" default:"4" min:"1" max:"2048" doc:"number of racks" source:"assumed"`
	HostsPerRack int         `key:"hosts_per_rack" default:"8" min:"1" max:"4096" doc:"hosts in each rack" source:"assumed"`
	NICsPerToR   int         `key:"nics_per_tor" default:"1" min:"1" max:"32" doc:"cables from each host to each of its two switches" source:"assumed"`
	Spines       int         `key:"spines" default:"2" min:"1" max:"4096" doc:"number of spines" source:"assumed"`
	HostLink     HostCable   `key:"host_link" doc:"the cables between hosts and top-of-rack switches"`
	FabricLink   FabricCable `key:"fabric_link" doc:"the cables between top-of-rack switches and spines"`
	Routing      `key:",inline"`
}

// Validate checks that the network fits into memory.
func (d *DualToR) Validate() error {
	if ports := d.Racks * d.HostsPerRack * 2 * d.NICsPerToR; ports > maxEndpoints {
		return tooManyPorts("hosts_per_rack", d.HostsPerRack, ports)
	}
	if links := 2 * d.Racks * d.Spines; links > maxLinks {
		return tooManyLinks("spines", d.Spines, links)
	}
	return nil
}

// Build returns the graph.
func (d *DualToR) Build() (*Graph, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	net := plan{routing: d.Routes}
	hosts := d.Racks * d.HostsPerRack
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for rack := range d.Racks {
		for tor := range 2 {
			net.add(Switch, fmt.Sprintf("rack%d-tor%d", rack, tor))
		}
	}
	for i := range hosts {
		for nic := range 2 * d.NICsPerToR {
			net.cable(i, hosts+2*(i/d.HostsPerRack)+nic%2, d.HostLink, 1)
		}
	}
	for i := range d.Spines {
		spine := net.add(Switch, fmt.Sprint("spine", i))
		for tor := range 2 * d.Racks {
			net.cable(hosts+tor, spine, HostCable(d.FabricLink), 1)
		}
	}
	return net.graph()
}

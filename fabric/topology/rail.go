package topology

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// RailOptimised is the network of a training cluster: hosts with a NIC for each accelerator, and NIC i of every host of a
// pod at the pod's rail switch i, so that accelerators of the same place reach each other over one switch. Every rail
// switch is cabled to every spine. Hosts h0, h1 … fill the pods in order; switches are pod0-rail0 … and spine0 … A
// rail's ports are those to its hosts, then those to the spines.
type RailOptimised struct {
	Pods        int         `key:"pods" default:"2" min:"1" max:"1024" doc:"number of pods" source:"assumed"`
	HostsPerPod int         `key:"hosts_per_pod" default:"8" min:"1" max:"4096" doc:"hosts in each pod" source:"assumed"`
	Rails       int         `key:"rails" default:"8" min:"1" max:"64" doc:"NICs of a host, and rail switches of a pod" source:"servers with 8 accelerators and a NIC for each"`
	Spines      int         `key:"spines" default:"2" min:"0" max:"4096" doc:"spines; 0 if rails stay apart, in one pod only" source:"assumed"`
	HostLink    HostCable   `key:"host_link" doc:"the cables between NICs and rail switches"`
	FabricLink  FabricCable `key:"fabric_link" doc:"the cables between rail switches and spines"`
	Routing     `key:",inline"`
}

// Validate checks that pods are joined and that the network fits into memory.
func (r *RailOptimised) Validate() error {
	var problems []error
	if r.Pods > 1 && r.Spines == 0 {
		problems = append(problems, units.Field("spines", r.Spines, "nothing joins the pods", "at least 1, or pods: 1"))
	}
	if ports := r.Pods * r.HostsPerPod * r.Rails; ports > maxEndpoints {
		problems = append(problems, tooManyPorts("hosts_per_pod", r.HostsPerPod, ports))
	}
	if links := r.Pods * r.Rails * r.Spines; links > maxLinks {
		problems = append(problems, tooManyLinks("spines", r.Spines, links))
	}
	return errors.Join(problems...)
}

// Build returns the graph.
func (r *RailOptimised) Build() (*Graph, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	net := plan{routing: r.Routes}
	hosts := r.Pods * r.HostsPerPod
	for i := range hosts {
		net.add(Host, fmt.Sprint("h", i))
	}
	for pod := range r.Pods {
		for rail := range r.Rails {
			net.add(Switch, fmt.Sprintf("pod%d-rail%d", pod, rail))
		}
	}
	for host := range hosts {
		for rail := range r.Rails {
			net.cable(host, hosts+host/r.HostsPerPod*r.Rails+rail, r.HostLink, 1)
		}
	}
	for i := range r.Spines {
		spine := net.add(Switch, fmt.Sprint("spine", i))
		for rail := range r.Pods * r.Rails {
			net.cable(hosts+rail, spine, HostCable(r.FabricLink), 1)
		}
	}
	return net.graph()
}

package topology

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// HostCable describes the links between hosts and their switch.
type HostCable struct {
	Rate  units.Rate `key:"rate" default:"100Gbps" min:"1Mbps" doc:"rate in each direction" source:"assumed"`
	Delay units.Time `key:"delay" default:"500ns" min:"1ps" unless:"length" doc:"propagation from end to end; 5 ns a metre" source:"assumed"`
	Make  `key:",inline"`
}

// FabricCable describes the links between switches. It differs from HostCable in its defaults only.
type FabricCable struct {
	Rate  units.Rate `key:"rate" default:"400Gbps" min:"1Mbps" doc:"rate in each direction" source:"assumed"`
	Delay units.Time `key:"delay" default:"500ns" min:"1ps" unless:"length" doc:"propagation from end to end; 5 ns a metre" source:"assumed"`
	Make  `key:",inline"`
}

// plan collects nodes and links while a family lays its network out.
type plan struct {
	nodes   []Node
	links   []Link
	routing RoutePolicy
}

// add appends a node and returns its index.
func (p *plan) add(kind NodeKind, name string) int {
	p.nodes = append(p.nodes, Node{Name: name, Kind: kind})
	return len(p.nodes) - 1
}

// cable joins a and b by count links.
func (p *plan) cable(a, b int, c HostCable, count int) {
	for range count {
		p.links = append(p.links, Link{A: a, B: b, Rate: c.Rate, Delay: c.delay()})
	}
}

func (p *plan) graph() (*Graph, error) {
	g, err := New(p.nodes, p.links)
	if err == nil {
		g.Routing = p.routing
	}
	return g, err
}

// maxEndpoints bounds the ports of all hosts together, so that a slip of the keyboard does not fill the memory.
const maxEndpoints = 1 << 20

// maxLinks bounds the cables, likewise: three for each port of a host, as in a fat-tree.
const maxLinks = 3 * maxEndpoints

// tooManyLinks refuses a network that has so many cables between switches that they would fill the memory.
func tooManyLinks(key string, value, links int) error {
	return units.Field(key, value, fmt.Sprintf("%d cables between switches are too many", links), fmt.Sprintf("at most %d", maxLinks))
}

// tooManyPorts refuses a network whose hosts have so many ports that it would fill the memory.
func tooManyPorts(key string, value, ports int) error {
	return units.Field(key, value, fmt.Sprintf("%d host ports in all are too many", ports), fmt.Sprintf("at most %d", maxEndpoints))
}

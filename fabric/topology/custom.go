package topology

import (
	"errors"
	"fmt"

	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Custom is a network listed by its user. Names may be patterns: "h[0-3]" stands for h0, h1, h2 and h3 (package
// hostlist). Hosts and switches come in the order listed, links likewise.
type Custom struct {
	Hosts    []string     `key:"hosts" required:"true" doc:"names of hosts, or patterns such as h[0-3]"`
	Switches []string     `key:"switches" doc:"names of switches, or patterns"`
	Links    []CustomLink `key:"links" required:"true" doc:"the cables; the order numbers the ports"`
	Routing  `key:",inline"`
}

// CustomLink joins every node of A to every node of B by Count cables.
type CustomLink struct {
	A     string     `key:"a" required:"true" doc:"a node, or a pattern for several"`
	B     string     `key:"b" required:"true" doc:"a node, or a pattern for several: each of a is joined to each of b"`
	Rate  units.Rate `key:"rate" default:"100Gbps" min:"1Mbps" doc:"rate in each direction" source:"assumed"`
	Delay units.Time `key:"delay" default:"500ns" min:"1ps" unless:"length" doc:"propagation from end to end; 5 ns a metre" source:"assumed"`
	Make  `key:",inline"`
	Count int `key:"count" default:"1" min:"1" max:"1024" doc:"parallel cables between the two nodes" source:"assumed"`
}

// Build returns the graph.
func (c *Custom) Build() (*Graph, error) {
	layout := customPlan{index: map[string]int{}, plan: plan{routing: c.Routes}}
	layout.addNodes(Host, c.Hosts)
	layout.addNodes(Switch, c.Switches)
	for i := range c.Links {
		if len(layout.problems) >= maxProblems {
			break
		}
		layout.addLink(fmt.Sprintf("links[%d]", i), &c.Links[i])
	}
	if err := errors.Join(layout.problems...); err != nil {
		return nil, err
	}
	return layout.graph()
}

// customPlan is a plan whose nodes are found by name.
type customPlan struct {
	plan
	names    []string
	index    map[string]int
	problems []error
}

func (p *customPlan) refuse(key string, value any, problem, want string) {
	p.problems = append(p.problems, units.Field(key, value, problem, want))
}

// addNodes adds the nodes that patterns stand for.
func (p *customPlan) addNodes(kind NodeKind, patterns []string) {
	for i, pattern := range patterns {
		key := fmt.Sprintf("%s[%d]", keyOf(kind), i)
		names, err := hostlist.Expand(pattern)
		if err != nil {
			p.refuse(key, pattern, err.Error(), "a name, or a pattern such as h[0-3]")
		}
		if len(p.names)+len(names) > maxEndpoints {
			p.refuse(key, pattern, "too many nodes in all", fmt.Sprintf("at most %d", maxEndpoints))
			return
		}
		for _, name := range names {
			if len(p.problems) >= maxProblems {
				return
			}
			if _, taken := p.index[name]; taken {
				p.refuse(key, name, "two nodes of this name", "give every node a name of its own")
				continue
			}
			p.names = append(p.names, name)
			p.index[name] = p.add(kind, name)
		}
	}
}

// addLink adds the cables that one entry stands for.
func (p *customPlan) addLink(key string, link *CustomLink) {
	if link.Count < 1 {
		p.refuse(key+".count", link.Count, "no cable at all", "at least 1")
	}
	starts, ends := p.find(key+".a", link.A), p.find(key+".b", link.B)
	if all := len(p.links) + len(starts)*len(ends)*link.Count; all > maxLinks {
		p.refuse(key, link.A+" - "+link.B, fmt.Sprintf("%d cables in all are too many", all), fmt.Sprintf("at most %d", maxLinks))
		return
	}
	for _, a := range starts {
		for _, b := range ends {
			if a == b {
				p.refuse(key+".b", p.names[b], "a link from a node to itself", "join two different nodes")
				return
			}
			p.cable(a, b, HostCable{link.Rate, link.Delay, link.Make}, link.Count)
		}
	}
}

// find returns the indices of the nodes that a pattern stands for.
func (p *customPlan) find(key, pattern string) []int {
	names, err := hostlist.Expand(pattern)
	if err != nil {
		p.refuse(key, pattern, err.Error(), "a name, or a pattern such as h[0-3]")
		return nil
	}
	var nodes []int
	for _, name := range names {
		if len(p.problems) >= maxProblems {
			break
		}
		node, known := p.index[name]
		if !known {
			p.refuse(key, name, "no node of this name", hostlist.DidYouMean(name, p.names))
			continue
		}
		nodes = append(nodes, node)
	}
	return nodes
}

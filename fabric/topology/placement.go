package topology

import "github.com/rdmasim/rdmasim/sim/units"

// Placement says where the hosts of a network stand. A rack is a set of hosts with the switches that their NICs are
// cabled to: what is still joined when all cables between switches are taken away. So two top-of-rack switches that
// share their hosts make one rack, and so do the rail switches of a pod. A pod is a set of racks that is still joined when
// the highest tier of switches is taken away; where there is one tier only, the whole network is one pod. Both are
// numbered from 0 in the order of their first hosts.
type Placement struct {
	Rack, Pod []int // by place of a host in Graph.Hosts
	// RackUplinks and PodUplinks are the rates, one way, of all cables that lead from the switches of a rack, or of a pod, to
	// other switches.
	RackUplinks, PodUplinks []units.Rate
}

// Placement works out where the hosts stand.
func (g *Graph) Placement() *Placement {
	top := 0
	for _, sw := range g.switches {
		top = max(top, g.Nodes[sw].Tier)
	}
	racks := g.group(func(a, b int) bool { return g.Nodes[a].Kind == Host || g.Nodes[b].Kind == Host })
	pods := g.group(func(a, b int) bool { return top < 2 || g.Nodes[a].Tier != top && g.Nodes[b].Tier != top })
	p := &Placement{RackUplinks: g.uplinks(racks), PodUplinks: g.uplinks(pods)}
	for _, host := range g.hosts {
		p.Rack = append(p.Rack, racks[host])
		p.Pod = append(p.Pod, pods[host])
	}
	return p
}

// group numbers the sets of nodes with hosts that are joined by cables for whose ends joins holds, in the order of their
// first hosts, and returns the number by node. Nodes in sets without hosts have -1.
func (g *Graph) group(joins func(a, b int) bool) []int {
	number := make([]int, len(g.Nodes))
	for i := range number {
		number[i] = -1
	}
	count := 0
	for _, start := range g.hosts {
		if number[start] >= 0 {
			continue
		}
		number[start] = count
		for todo := []int{start}; len(todo) > 0; {
			node := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, port := range g.ports[node] {
				if number[port.Peer] < 0 && joins(node, port.Peer) {
					number[port.Peer] = count
					todo = append(todo, port.Peer)
				}
			}
		}
		count++
	}
	return number
}

// uplinks returns, for each group, the rates of the cables that leave it, added up.
func (g *Graph) uplinks(group []int) []units.Rate {
	count := 0
	for _, host := range g.hosts {
		count = max(count, group[host]+1)
	}
	rates := make([]units.Rate, count)
	for _, link := range g.Links {
		if group[link.A] == group[link.B] {
			continue
		}
		for _, end := range [...]int{link.A, link.B} {
			if group[end] >= 0 {
				rates[group[end]] += link.Rate
			}
		}
	}
	return rates
}

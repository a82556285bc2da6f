package topology

import (
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// checkReach makes sure that any two hosts are joined by a cable or over switches, and names two that are not.
func (g *Graph) checkReach() error {
	islands := g.islands()
	if g.sharedByAll(islands) {
		return nil
	}
	for i, a := range g.hosts {
		for _, b := range g.hosts[i+1:] {
			if !g.joined(a, b, islands) {
				return units.Field("links", g.Nodes[a].Name+"-"+g.Nodes[b].Name, "these two hosts cannot reach each other",
					"join them over switches or by a cable; hosts do not forward")
			}
		}
	}
	return nil
}

// islands numbers the sets of switches that are joined with each other, from 1, and returns the number by node; hosts
// have 0.
func (g *Graph) islands() []int {
	island := make([]int, len(g.Nodes))
	count := 0
	for _, start := range g.switches {
		if island[start] != 0 {
			continue
		}
		count++
		island[start] = count
		for todo := []int{start}; len(todo) > 0; {
			node := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, port := range g.ports[node] {
				if g.Nodes[port.Peer].Kind == Switch && island[port.Peer] == 0 {
					island[port.Peer] = count
					todo = append(todo, port.Peer)
				}
			}
		}
	}
	return island
}

// sharedByAll reports whether there is an island at which every host has a port: the usual case, told without looking
// at pairs.
func (g *Graph) sharedByAll(island []int) bool {
	for _, first := range g.ports[g.hosts[0]] {
		if wanted := island[first.Peer]; wanted != 0 && g.allAt(wanted, island) {
			return true
		}
	}
	return false
}

func (g *Graph) allAt(wanted int, island []int) bool {
	for _, host := range g.hosts {
		at := func(p Port) bool { return island[p.Peer] == wanted }
		if !slices.ContainsFunc(g.ports[host], at) {
			return false
		}
	}
	return true
}

// joined reports whether hosts a and b have a cable between them or ports at the same island.
func (g *Graph) joined(a, b int, island []int) bool {
	for _, pa := range g.ports[a] {
		if pa.Peer == b {
			return true
		}
		if island[pa.Peer] == 0 {
			continue
		}
		for _, pb := range g.ports[b] {
			if island[pa.Peer] == island[pb.Peer] {
				return true
			}
		}
	}
	return false
}

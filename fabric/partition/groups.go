package partition

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// level is a kind of cable: those of the first levels are the last to be cut.
type level struct {
	lookAhead units.Time
	tier      int // of the upper end
}

func (a level) compare(b level) int {
	return cmp.Or(cmp.Compare(a.lookAhead, b.lookAhead), cmp.Compare(a.tier, b.tier))
}

func (g *Graph) levelOf(l *Link) level {
	return level{l.LookAhead, max(g.Nodes[l.From].Tier, g.Nodes[l.To].Tier)}
}

// levels are the kinds of cable there are: those that would make windows short come
// first, and of others those at the bottom of the network, so that racks stay whole and
// then pods.
func (g *Graph) levels() []level {
	seen := map[level]bool{}
	var levels []level
	for i := range g.Links {
		if l := g.levelOf(&g.Links[i]); !seen[l] {
			seen[l] = true
			levels = append(levels, l)
		}
	}
	slices.SortFunc(levels, level.compare)
	return levels
}

// group is nodes that stay together.
type group struct {
	nodes  []int32
	weight int64
	tier   int // the highest of its nodes
}

// join makes groups of nodes that cables of these levels join, in the order of their
// first nodes.
func (g *Graph) join(order []int32, whole []level) []group {
	roots := make([]int32, len(g.Nodes))
	for i := range roots {
		roots[i] = int32(i)
	}
	root := func(node int32) int32 {
		for roots[node] != node {
			roots[node] = roots[roots[node]]
			node = roots[node]
		}
		return node
	}
	if len(whole) > 0 {
		last := whole[len(whole)-1]
		for i := range g.Links {
			if l := &g.Links[i]; g.levelOf(l).compare(last) <= 0 {
				roots[root(l.From)] = root(l.To)
			}
		}
	}
	var groups []group
	number := make([]int32, len(g.Nodes)) // of the group of a root, from 1
	for _, node := range order {
		r := root(node)
		if number[r] == 0 {
			groups = append(groups, group{})
			number[r] = int32(len(groups))
		}
		own := &groups[number[r]-1]
		own.nodes = append(own.nodes, node)
		own.weight += g.Nodes[node].Weight
		own.tier = max(own.tier, g.Nodes[node].Tier)
	}
	return groups
}

// deal gives groups to workers, and tells what the heaviest share weighs. The groups of
// each tier are dealt out for themselves, those of the heaviest first, each worker
// getting a run of neighbours that makes its share equal to the others'.
func deal(groups []group, nodes, workers int) (owner []int32, heaviest int64) {
	owner = make([]int32, nodes)
	load := make([]int64, workers)
	for _, tier := range tiers(groups) {
		dealTier(tier, load, owner)
	}
	return owner, slices.Max(load)
}

// tiers sorts groups by tier, and the tiers by their heaviest group.
func tiers(groups []group) [][]group {
	var by [][]group
	for _, own := range groups {
		for len(by) <= own.tier {
			by = append(by, nil)
		}
		by[own.tier] = append(by[own.tier], own)
	}
	heaviest := func(tier []group) (most int64) {
		for i := range tier {
			most = max(most, tier[i].weight)
		}
		return most
	}
	slices.SortStableFunc(by, func(a, b []group) int { return cmp.Compare(heaviest(b), heaviest(a)) })
	return by
}

// dealTier deals the groups of a tier out to workers that have a load already, and
// adds to it.
func dealTier(tier []group, load []int64, owner []int32) {
	var weight, sum int64
	for i := range tier {
		weight += tier[i].weight
	}
	for _, l := range load {
		sum += l
	}
	workers := int64(len(load))
	equal := (sum + weight + workers - 1) / workers
	bounds, room := make([]int64, len(load)), int64(0) // how much all workers up to each may take
	for w, l := range load {
		room += max(0, equal-l)
		bounds[w] = room
	}
	dealt, worker := int64(0), 0
	for i := range tier {
		// A group goes to the worker within whose bounds its middle lies.
		for middle := dealt + tier[i].weight/2; worker < len(load)-1 && middle*room >= bounds[worker]*weight; {
			worker++
		}
		for _, node := range tier[i].nodes {
			owner[node] = int32(worker)
		}
		load[worker] += tier[i].weight
		dealt += tier[i].weight
	}
}

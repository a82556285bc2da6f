package topology

import (
	"cmp"
	"slices"
)

// upDown is the policy of up*/down* routing (Schroeder et al., "Autonet", IEEE JSAC 1991): switches are ranked, every cable
// leads up from one end to the other, and no path goes up once it has gone down. Cables cannot wait for each other in a
// circle then, since somewhere on it a path would have to turn up again.
//
// Tables know the destination only, not where a frame comes from. So a switch from which cables lead down all the way
// to the destination sends down, by the shortest of these ways; any other one sends up, to where the way is shortest by
// this rule. In a Clos network these are its shortest paths.
type upDown struct {
	neighbours [][]neighbour
	rank       []int32 // of each switch, 0 at the top
	order      []int32 // the switches by rank
	down       []int32 // links on the ways that only go down to the current edge; unreachable if there is none
}

func newUpDown(neighbours [][]neighbour, rank []int32) *upDown {
	u := &upDown{neighbours: neighbours, rank: rank, order: make([]int32, len(rank)), down: make([]int32, len(rank))}
	for sw, r := range rank {
		u.order[r] = int32(sw)
	}
	return u
}

func (u *upDown) isUp(from, to int32) bool { return u.rank[to] < u.rank[from] }

func (u *upDown) spread(edge int32, distance []int32) {
	for _, sw := range slices.Backward(u.order) {
		u.down[sw] = u.nearest(sw, u.down, false)
		if sw == edge {
			u.down[sw] = 0
		}
	}
	for _, sw := range u.order {
		distance[sw] = u.down[sw]
		if distance[sw] == unreachable {
			distance[sw] = u.nearest(sw, distance, true)
		}
	}
}

// nearest returns one more than the least distance of the neighbours above, or below, of a switch.
func (u *upDown) nearest(sw int32, distance []int32, above bool) int32 {
	least := int32(unreachable)
	for _, n := range u.neighbours[sw] {
		if d := distance[n.sw]; u.isUp(sw, n.sw) == above && d != unreachable && (least == unreachable || d+1 < least) {
			least = d + 1
		}
	}
	return least
}

func (u *upDown) follows(from, to int32) bool {
	if u.down[from] == unreachable {
		return u.isUp(from, to)
	}
	return !u.isUp(from, to) && u.down[to] == u.down[from]-1
}

// rankByTier ranks switches by their tier, the highest first, and in a tier by the order of nodes. In a Clos network any
// two hosts have an up-down path then.
func rankByTier(g *Graph) []int32 {
	return ranked(g, func(a, b int) int { return cmp.Compare(g.Nodes[b].Tier, g.Nodes[a].Tier) })
}

// rankByTree ranks switches by their distance from a root, the first switch of the highest tier, and then by the order of
// nodes, so that every switch but the root has a cable that leads up. In any network any two hosts have an up-down path
// then, though most of them by way of few switches. Switches that are not joined have roots of their own.
func rankByTree(g *Graph) []int32 {
	level := make([]int, len(g.Nodes))
	for _, root := range byRank(g, rankByTier(g)) {
		if level[root] != 0 {
			continue
		}
		level[root] = 1
		for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
			for _, port := range g.ports[queue[0]] {
				if g.Nodes[port.Peer].Kind == Switch && level[port.Peer] == 0 {
					level[port.Peer] = level[queue[0]] + 1
					queue = append(queue, port.Peer)
				}
			}
		}
	}
	return ranked(g, func(a, b int) int { return cmp.Compare(level[a], level[b]) })
}

// ranked returns the ranks of switches in an order of nodes; equal ones keep the order of nodes.
func ranked(g *Graph, order func(a, b int) int) []int32 {
	ordinals := make([]int32, len(g.switches))
	for i := range ordinals {
		ordinals[i] = int32(i)
	}
	slices.SortStableFunc(ordinals, func(a, b int32) int { return order(g.switches[a], g.switches[b]) })
	rank := make([]int32, len(ordinals))
	for r, ordinal := range ordinals {
		rank[ordinal] = int32(r)
	}
	return rank
}

// byRank returns the nodes of the switches in the order of their ranks.
func byRank(g *Graph, rank []int32) []int {
	nodes := make([]int, len(rank))
	for ordinal, r := range rank {
		nodes[r] = g.switches[ordinal]
	}
	return nodes
}

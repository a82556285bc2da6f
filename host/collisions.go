package host

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/fabric/topology"
)

// Collision is a link that several queue pairs share because the hashes of their
// 5-tuples chose it where others of equal cost were there to choose.
type Collision struct {
	// Link is the end of the link by which the packets leave: a switch and its port.
	Link topology.Step
	// Choices is of how many links this one was chosen.
	Choices int
	// Flows are those that chose it, by number; flows of one queue pair count once.
	Flows []int
}

// Collisions lists the links that several queue pairs chose by ECMP while no link was
// down, those with most flows first, and of equal ones in the order of nodes and
// ports. Whether the flows were under way at the same time does not matter.
func (c *Cluster) Collisions() []Collision {
	at := map[topology.Step]int{}
	var all []Collision
	known := map[pairKey]bool{}
	for flow, f := range c.Flows {
		key := pairKey{f.Src, f.Dst, f.Lane, f.TCP}
		if known[key] {
			continue
		}
		known[key] = true
		for _, step := range c.Path(flow) {
			n := c.Choices(step.Node, flow)
			if n < 2 {
				continue
			}
			i, seen := at[step]
			if !seen {
				i = len(all)
				at[step] = i
				all = append(all, Collision{Link: step, Choices: n})
			}
			all[i].Flows = append(all[i].Flows, flow)
		}
	}
	all = slices.DeleteFunc(all, func(c Collision) bool { return len(c.Flows) < 2 })
	slices.SortFunc(all, func(a, b Collision) int {
		return cmp.Or(len(b.Flows)-len(a.Flows), cmp.Compare(a.Link.Node, b.Link.Node), cmp.Compare(a.Link.Port, b.Link.Port))
	})
	return all
}

// Choices is from how many next hops of equal cost a node chooses for a flow: 0 at a
// host, and 0 for a flow that is pinned to its way.
func (c *Cluster) Choices(node, flow int) int {
	if c.Net.Switch(node) == nil || c.Conns[flow].Path != nil {
		return 0
	}
	return len(c.Net.Routes.NextHops(node, c.Conns[flow].Dst))
}

package host

import "github.com/rdmasim/rdmasim/fabric/topology"

// LaterChoices are the choices by ECMP that flows make after their first: independent of it
// if switches hash each in their own way, the same again if they hash alike.
type LaterChoices struct {
	// Flows choose more than once on their way.
	Flows int
	// Of Links, from which they choose then, they take Taken.
	Taken, Links int
}

// LaterChoices looks at the ways of all flows while no link is down.
func (c *Cluster) LaterChoices() LaterChoices {
	var later LaterChoices
	offered, taken := map[topology.Step]bool{}, map[topology.Step]bool{}
	for flow := range c.Flows {
		choices := 0
		for _, step := range c.Path(flow) {
			if c.Choices(step.Node, flow) < 2 {
				continue
			}
			choices++
			if choices == 1 {
				continue
			}
			taken[step] = true
			for _, port := range c.Net.Routes.NextHops(step.Node, c.Conns[flow].Dst) {
				offered[topology.Step{Node: step.Node, Port: int(port)}] = true
			}
		}
		if choices > 1 {
			later.Flows++
		}
	}
	later.Taken, later.Links = len(taken), len(offered)
	return later
}

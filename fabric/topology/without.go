package topology

import "slices"

// Without returns the routes of g, the graph that r was made for, as if the cables with the given indices into Graph.Links
// were not there. Endpoints and edges keep their numbers, and up-down routes their notion of up, so that the tables of r
// can be replaced by those returned while frames are under way. Where no way is left a switch has no next hop: also at
// the end of a host's own cable, if that is dead.
func (r *Routes) Without(g *Graph, deadLinks []int) *Routes {
	dead := make([]bool, len(g.Links))
	for _, link := range deadLinks {
		dead[link] = true
	}
	return newRoutes(g, r.rank, dead)
}

// cut takes the endpoints at dead cables out of reach.
func (r *Routes) cut(dead []bool) {
	if dead == nil {
		return
	}
	r.dead = make([]bool, len(r.Endpoints))
	for i, e := range r.Endpoints {
		if !dead[r.graph.ports[e.Host][e.Port].Link] {
			continue
		}
		r.dead[i] = true
		if e.isDirect() {
			continue
		}
		table := r.Switch(e.Attach)
		table.alive = slices.Clone(table.alive)
		table.alive[e.AttachPort] = 0
	}
}

// isDead reports whether the cable of an endpoint is dead.
func (r *Routes) isDead(ep int32) bool { return r.dead != nil && r.dead[ep] }

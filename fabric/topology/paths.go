package topology

import "fmt"

// Step is a node on a path and the port by which the path leaves it; at the last node, the port by which it arrives.
type Step struct{ Node, Port int }

// Path returns the way from endpoint src to endpoint dst, both hosts included; it is nil if there is none. Where a
// switch has several next hops, choose is told the switch and their number n and picks one of them, from 0 to n-1 in
// ascending order of ports.
func (r *Routes) Path(src, dst int32, choose func(sw, n int) int) []Step {
	from, to := &r.Endpoints[src], &r.Endpoints[dst]
	if r.Distance(src, dst) <= 0 {
		return nil
	}
	path := []Step{{from.Host, from.Port}}
	for node := from.Attach; node != to.Host; {
		hops := r.NextHops(node, dst)
		port := int(hops[0])
		if n := len(hops); n > 1 {
			port = int(hops[choose(node, n)])
		}
		path = append(path, Step{node, port})
		node = r.graph.ports[node][port].Peer
	}
	return append(path, Step{to.Host, to.Port})
}

// Pair returns the endpoints that the i-th connection from host a to host b uses. Of all pairs of their NICs, only
// those that are nearest to each other count; connections take them in turn, and so that each next one uses another
// NIC at both ends as long as there is one. It is an error if no NIC of a reaches one of b.
func (r *Routes) Pair(a, b, i int) (src, dst int32, err error) {
	from, to := r.EndpointsOf(a), r.EndpointsOf(b)
	least, count := r.nearest(from, to)
	if count == 0 {
		return 0, 0, fmt.Errorf("no path from %s to %s", r.graph.Nodes[a].Name, r.graph.Nodes[b].Name)
	}
	turn := i % count
	// Diagonals: all NICs of a with the NIC of the same place at b, then with the next one, and so on.
	for shift := range to {
		for k, src := range from {
			dst := to[(k+shift)%len(to)]
			if r.Distance(src, dst) != least {
				continue
			}
			if turn == 0 {
				return src, dst, nil
			}
			turn--
		}
	}
	panic("topology: fewer nearest pairs than counted")
}

// nearest returns the least distance between an endpoint of from and one of to, and how many pairs have it.
func (r *Routes) nearest(from, to []int32) (least, count int) {
	for _, src := range from {
		for _, dst := range to {
			switch d := r.Distance(src, dst); {
			case d <= 0:
			case count == 0 || d < least:
				least, count = d, 1
			case d == least:
				count++
			}
		}
	}
	return least, count
}

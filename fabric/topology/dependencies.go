package topology

import (
	"math/bits"
	"slices"
)

// Channel is one direction of a cable between two switches, by the port that sends into it.
type Channel struct{ Node, Port int }

// Dependencies says which channels wait for which: frames that came over a channel wait at its far end, and hold its
// buffer, until the channels by which they leave can take them. In a lossless class a cycle of such waits can become a
// deadlock, and without a cycle there can be none (Dally and Seitz, IEEE Transactions on Computers 1987, for wormhole
// networks; Hu et al., HotNets 2016, for PFC).
//
// Make one with [NewDependencies], add paths or routes, and ask for a cycle.
type Dependencies struct {
	graph    *Graph
	channels []Channel
	number   [][]int32  // of each port's channel, by node; -1 for one that leads to a host
	next     [][]uint64 // by channel: set of the ports by which frames go on from its far end
}

// NewDependencies returns those of a network in which nothing is sent.
func NewDependencies(g *Graph) *Dependencies {
	d := &Dependencies{graph: g, number: make([][]int32, len(g.Nodes))}
	for node, ports := range g.ports {
		d.number[node] = make([]int32, len(ports))
		for i, port := range ports {
			d.number[node][i] = -1
			if g.Nodes[node].Kind == Switch && g.Nodes[port.Peer].Kind == Switch {
				d.number[node][i] = int32(len(d.channels))
				d.channels = append(d.channels, Channel{node, i})
				d.next = append(d.next, make([]uint64, (len(g.ports[port.Peer])+63)/64))
			}
		}
	}
	return d
}

// AddPath adds what the frames on a path wait for.
func (d *Dependencies) AddPath(path []Step) {
	for i := 0; i+2 < len(path); i++ {
		if from := d.number[path[i].Node][path[i].Port]; from >= 0 {
			out := path[i+1].Port
			d.next[from][out/64] |= 1 << (out % 64)
		}
	}
}

// AddRoutes adds what frames may wait for on any path between any two endpoints.
func (d *Dependencies) AddRoutes(r *Routes) {
	seen := map[int32]bool{}
	for i := range r.Endpoints {
		if e := &r.Endpoints[i]; !e.isDirect() && !seen[e.Edge] {
			seen[e.Edge] = true
			d.addEdge(r, int32(i))
		}
	}
}

// addEdge adds what the frames to an endpoint, and to all others of its edge, may wait for.
func (d *Dependencies) addEdge(r *Routes, endpoint int32) {
	hops := make([][]uint64, len(d.graph.Nodes)) // by switch: the ports towards the endpoint
	for _, sw := range d.graph.switches {
		hops[sw] = make([]uint64, (len(d.graph.ports[sw])+63)/64)
		for _, port := range r.NextHops(sw, endpoint) {
			hops[sw][port/64] |= 1 << (port % 64)
		}
	}
	for _, sw := range d.graph.switches {
		for _, port := range r.NextHops(sw, endpoint) {
			if from := d.number[sw][port]; from >= 0 {
				for w, set := range hops[d.graph.ports[sw][port].Peer] {
					d.next[from][w] |= set
				}
			}
		}
	}
}

// after returns the channels that a channel waits for.
func (d *Dependencies) after(channel int32) (channels []int32) {
	c := d.channels[channel]
	peer := d.graph.ports[c.Node][c.Port].Peer
	for w, set := range d.next[channel] {
		for ; set != 0; set &= set - 1 {
			if to := d.number[peer][w*64+bits.TrailingZeros64(set)]; to >= 0 {
				channels = append(channels, to)
			}
		}
	}
	return channels
}

// Cycle returns a shortest cycle of channels of which each waits for the next, and the last for the first; nil if there
// is none.
func (d *Dependencies) Cycle() []Channel {
	var shortest []int32
	for _, channel := range d.inCycles() {
		if way := d.back(channel, len(shortest)); way != nil {
			shortest = way
		}
	}
	var cycle []Channel
	for _, channel := range shortest {
		cycle = append(cycle, d.channels[channel])
	}
	return cycle
}

// inCycles returns the channels that can be in a cycle: those left when channels that wait for nothing, or that nothing
// waits for, are taken out as long as there are any.
func (d *Dependencies) inCycles() []int32 {
	n := len(d.channels)
	ahead, behind := make([][]int32, n), make([][]int32, n)
	for i := range d.channels {
		ahead[i] = d.after(int32(i))
		for _, to := range ahead[i] {
			behind[to] = append(behind[to], int32(i))
		}
	}
	gone := prune(ahead, behind, make([]bool, n))
	gone = prune(behind, ahead, gone)
	var left []int32
	for i := range gone {
		if !gone[i] {
			left = append(left, int32(i))
		}
	}
	return left
}

// prune takes out the channels that have nothing ahead of them that is left.
func prune(ahead, behind [][]int32, gone []bool) []bool {
	count := make([]int, len(ahead))
	var ends []int32
	for i := range ahead {
		for _, to := range ahead[i] {
			if !gone[to] {
				count[i]++
			}
		}
		if count[i] == 0 && !gone[i] {
			ends = append(ends, int32(i))
		}
	}
	for len(ends) > 0 {
		end := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		gone[end] = true
		for _, from := range behind[end] {
			if count[from]--; count[from] == 0 && !gone[from] {
				ends = append(ends, from)
			}
		}
	}
	return gone
}

// back returns the shortest way from a channel to itself, if it is shorter than the bound; a bound of 0 is none.
func (d *Dependencies) back(start int32, bound int) []int32 {
	before := map[int32]int32{}
	for frontier, length := []int32{start}, 1; len(frontier) > 0 && (bound == 0 || length < bound); length++ {
		var next []int32
		for _, at := range frontier {
			for _, to := range d.after(at) {
				if to == start {
					return d.way(before, start, at)
				}
				if _, known := before[to]; !known {
					before[to] = at
					next = append(next, to)
				}
			}
		}
		frontier = next
	}
	return nil
}

// way reads off the channels from start to end.
func (d *Dependencies) way(before map[int32]int32, start, end int32) []int32 {
	way := []int32{end}
	for way[len(way)-1] != start {
		way = append(way, before[way[len(way)-1]])
	}
	slices.Reverse(way)
	return way
}

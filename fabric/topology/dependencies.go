package topology

import (
	"iter"
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
	number   [][]int32 // of each port's channel, by node; -1 for one that leads to a host, nothing for a host's
	next     []portSet // by channel: the ports by which frames go on from its far end to another switch
}

// portSet is a set of ports of a node.
type portSet []uint64

func (s portSet) add(port int)      { s[port/64] |= 1 << (port % 64) }
func (s portSet) has(port int) bool { return s[port/64]&(1<<(port%64)) != 0 }

// all yields the ports in ascending order.
func (s portSet) all() iter.Seq[int] {
	return func(yield func(port int) bool) {
		for w, set := range s {
			for ; set != 0; set &= set - 1 {
				if !yield(w*64 + bits.TrailingZeros64(set)) {
					return
				}
			}
		}
	}
}

// portSets returns an empty set for each of the given numbers of ports.
func portSets(ports []int) []portSet {
	total := 0
	for _, n := range ports {
		total += (n + 63) / 64
	}
	room, sets := make(portSet, total), make([]portSet, len(ports))
	for i, n := range ports {
		words := (n + 63) / 64
		sets[i], room = room[:words:words], room[words:]
	}
	return sets
}

// NewDependencies returns those of a network in which nothing is sent.
func NewDependencies(g *Graph) *Dependencies {
	d := &Dependencies{graph: g, number: make([][]int32, len(g.Nodes))}
	var ahead []int // by channel: how many ports its far end has
	for _, sw := range g.switches {
		d.number[sw] = make([]int32, len(g.ports[sw]))
		for i, port := range g.ports[sw] {
			d.number[sw][i] = -1
			if g.Nodes[port.Peer].Kind == Switch {
				d.number[sw][i] = int32(len(d.channels))
				d.channels = append(d.channels, Channel{sw, i})
				ahead = append(ahead, len(g.ports[port.Peer]))
			}
		}
	}
	d.next = portSets(ahead)
	return d
}

// AddPath adds what the frames on a path wait for.
func (d *Dependencies) AddPath(path []Step) {
	for i := 1; i+2 < len(path); i++ { // between the hosts
		from, to := d.number[path[i].Node][path[i].Port], path[i+1]
		if from >= 0 && d.leads(to.Node, to.Port) {
			d.next[from].add(to.Port)
		}
	}
}

// leads tells whether a port leads from switch to switch.
func (d *Dependencies) leads(node, port int) bool {
	return len(d.number[node]) > 0 && d.number[node][port] >= 0
}

// AddRoutes adds what frames may wait for on any path between any two endpoints.
func (d *Dependencies) AddRoutes(r *Routes) {
	ports := make([]int, len(d.graph.switches))
	for i, sw := range d.graph.switches {
		ports[i] = len(d.graph.ports[sw])
	}
	towards := portSets(ports)
	for set := range r.sets {
		d.addSet(r, set, towards)
	}
}

// addSet adds what the frames to a set of siblings may wait for: over a channel that leads towards one of them go frames
// for all of them, but for the one that it comes from. The sets of ports, by switch, are room for those towards them.
func (d *Dependencies) addSet(r *Routes, set int, towards []portSet) {
	for i, sw := range d.graph.switches {
		clear(towards[i])
		for port := range r.towards(sw, set) {
			towards[i].add(int(port))
		}
	}
	for i, sw := range d.graph.switches {
		isOne := r.isIn(sw, set)
		for port := range towards[i].all() {
			peer := d.graph.ports[sw][port].Peer
			if r.isIn(peer, set) {
				continue // this is where the frames go
			}
			next, more := d.next[d.number[sw][port]], towards[r.ordinal[peer]]
			if !isOne {
				for w := range next {
					next[w] |= more[w]
				}
				continue
			}
			for out := range more.all() {
				if d.graph.ports[peer][out].Peer != sw {
					next.add(out)
				}
			}
		}
	}
}

// after yields the channels that a channel waits for.
func (d *Dependencies) after(channel int32) iter.Seq[int32] {
	return func(yield func(channel int32) bool) {
		c := d.channels[channel]
		peer := d.graph.ports[c.Node][c.Port].Peer
		for port := range d.next[channel].all() {
			if !yield(d.number[peer][port]) {
				return
			}
		}
	}
}

// before yields the channels that wait for a channel.
func (d *Dependencies) before(channel int32) iter.Seq[int32] {
	return func(yield func(channel int32) bool) {
		c := d.channels[channel]
		for _, port := range d.graph.ports[c.Node] {
			if !d.leads(port.Peer, port.PeerPort) {
				continue
			}
			if from := d.number[port.Peer][port.PeerPort]; d.next[from].has(c.Port) && !yield(from) {
				return
			}
		}
	}
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
func (d *Dependencies) inCycles() (left []int32) {
	gone := make([]bool, len(d.channels))
	prune(gone, d.after, d.before)
	prune(gone, d.before, d.after)
	for i := range gone {
		if !gone[i] {
			left = append(left, int32(i))
		}
	}
	return left
}

// prune takes out the channels that have nothing ahead of them that is left.
func prune(gone []bool, ahead, behind func(channel int32) iter.Seq[int32]) {
	count := make([]int32, len(gone))
	var ends []int32
	for i := range gone {
		if gone[i] {
			continue
		}
		for to := range ahead(int32(i)) {
			if !gone[to] {
				count[i]++
			}
		}
		if count[i] == 0 {
			ends = append(ends, int32(i))
		}
	}
	for len(ends) > 0 {
		end := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		gone[end] = true
		for from := range behind(end) {
			if count[from]--; count[from] == 0 && !gone[from] {
				ends = append(ends, from)
			}
		}
	}
}

// back returns the shortest way from a channel to itself, if it is shorter than the bound; a bound of 0 is none.
func (d *Dependencies) back(start int32, bound int) []int32 {
	before := map[int32]int32{}
	for frontier, length := []int32{start}, 1; len(frontier) > 0 && (bound == 0 || length < bound); length++ {
		var next []int32
		for _, at := range frontier {
			for to := range d.after(at) {
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

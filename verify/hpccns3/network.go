package hpccns3

import (
	"fmt"
	"math/big"

	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// link is one direction of a link.
type link struct {
	to    int
	rate  units.Rate
	delay units.Time
}

// unsupportedNetwork says what there is in the network for which the simulator has no
// rule, or one that is an accident; empty for nothing.
func (c *Case) unsupportedNetwork() string {
	for node, links := range c.links {
		peers := map[int]bool{}
		for _, l := range links {
			if peers[l.to] {
				return fmt.Sprintf("two links between nodes %d and %d, of which that simulator uses the last only", min(node, l.to), max(node, l.to))
			}
			peers[l.to] = true
		}
		if !c.topology.IsSwitch[node] && len(links) > 1 {
			return fmt.Sprintf("host %d has %d links: that simulator spreads its queue pairs over them by a hash", node, len(links))
		}
		if c.topology.IsSwitch[node] && c.overcommitted(node) {
			return fmt.Sprintf("switch %d sets more aside than its buffer of %s MB: its threshold is below 0, "+
				"which that simulator takes for a huge one, so that it neither pauses nor drops", node, c.word("BUFFER_SIZE", "16"))
		}
	}
	return ""
}

// overcommitted tells whether a switch sets more aside than it has: headroom and a
// minimum for each port.
func (c *Case) overcommitted(node int) bool {
	const minimum = 4096
	aside := new(big.Rat)
	for _, l := range c.links[node] {
		aside.Add(aside, big.NewRat(minimum+3*int64(l.rate.BytesIn(l.delay)), 1<<20))
	}
	megabytes := c.number("BUFFER_SIZE", "16")
	return megabytes.Sign() > 0 && aside.Cmp(megabytes) >= 0
}

// unsupportedFlows says the same of the flows.
func (c *Case) unsupportedFlows() string {
	for i, f := range c.flows {
		switch {
		case f.Size == 0:
			return fmt.Sprintf("line %d of flow.txt is a flow of 0 bytes, which never completes there", f.Line)
		case i > 0 && f.Start < c.flows[i-1].Start:
			return fmt.Sprintf("line %d of flow.txt starts before the one above it, for which that simulator has no rule", f.Line)
		case f.Priority != c.flows[0].Priority:
			return fmt.Sprintf("line %d of flow.txt has another priority than those above it, and would have accounts of its own", f.Line)
		}
	}
	return ""
}

// neighbours are the links that leave each node.
func neighbours(t *hpccfile.Topology) [][]link {
	from := make([][]link, len(t.IsSwitch))
	for _, l := range t.Links {
		from[l.A] = append(from[l.A], link{l.B, l.Rate, l.Delay})
		from[l.B] = append(from[l.B], link{l.A, l.Rate, l.Delay})
	}
	return from
}

// switchRates are the rates of the ports of switches, each once.
func switchRates(t *hpccfile.Topology) (rates []units.Rate) {
	seen := map[units.Rate]bool{}
	for _, l := range t.Links {
		if (t.IsSwitch[l.A] || t.IsSwitch[l.B]) && !seen[l.Rate] {
			seen[l.Rate] = true
			rates = append(rates, l.Rate)
		}
	}
	return rates
}

// reach is what is known of the way to a node.
type reach struct {
	known       bool
	delay       units.Time
	nanoseconds int64 // the time of the payload of a packet over all links, each cut to whole nanoseconds
	rate        units.Rate
}

// maxBDP is the largest product of bandwidth and round trip of all pairs of hosts, in
// bytes, as the simulator reckons it: the round trip is twice the delay and once the
// time of a packet's payload on each link, and every division is cut.
func maxBDP(t *hpccfile.Topology, payload int) (largest int64) {
	from := neighbours(t)
	for host := range from {
		if t.IsSwitch[host] {
			continue
		}
		for to, r := range search(t, from, host, int64(payload)) {
			if !r.known || t.IsSwitch[to] || to == host {
				continue
			}
			rtt := 2*int64(r.delay/units.Nanosecond) + r.nanoseconds
			largest = max(largest, rtt*int64(r.rate)/1_000_000_000/8)
		}
	}
	return largest
}

// search goes breadth first from a host; hosts are no way through.
func search(t *hpccfile.Topology, from [][]link, host int, payload int64) []reach {
	all := make([]reach, len(from))
	all[host] = reach{known: true, rate: 1 << 62}
	for queue := []int{host}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, l := range from[at] {
			if all[l.to].known {
				continue
			}
			all[l.to] = reach{
				known: true, delay: all[at].delay + l.delay, rate: min(all[at].rate, l.rate),
				nanoseconds: all[at].nanoseconds + payload*1_000_000_000*8/int64(l.rate),
			}
			if t.IsSwitch[l.to] {
				queue = append(queue, l.to)
			}
		}
	}
	return all
}

package hpccns3

import (
	"github.com/rdmasim/rdmasim/fabric/topology/hpccfile"
	"github.com/rdmasim/rdmasim/sim/units"
)

// link is one direction of a link.
type link struct {
	to    int
	rate  units.Rate
	delay units.Time
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

package host

import (
	"fmt"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Faults are all that goes wrong in a run: with cables, and with hosts.
type Faults struct {
	fabric.Faults
	Pauses []Pause
	Storms []Storm
}

// Storm is a time in which the NICs of a host pause their switches in a lossless
// priority, over and over, without cause.
type Storm struct {
	Host     int // by its place in the graph's list of hosts
	Priority int
	fabric.Span
}

// Pause is a time in which a host does nothing. It sends nothing, not even an
// acknowledgement; frames that come wait in its NICs, and timers wait too. When it is
// over the host handles all of it at once, in the order in which it was due. A frame
// being sent when it begins is sent to its end. A NIC holds any number of frames,
// unless it has a receive buffer that matters ([rnic.NIC.Limit]): that fills, and the
// NIC pauses its peer.
type Pause struct {
	Host int // by its place in the graph's list of hosts
	fabric.Span
}

// Inject adds faults to a cluster that has not run. It may be called once. It is an
// error to make a cable faster or shorter than it was built.
func (c *Cluster) Inject(f Faults) error {
	if err := c.Net.Inject(f.Faults); err != nil {
		return err
	}
	c.slowed = len(f.Degradations) > 0
	for _, p := range f.Pauses {
		c.Hosts[p.Host].absent(p.Span)
		if p.To != units.Never {
			c.lastPause = max(c.lastPause, p.To)
		}
	}
	for _, s := range f.Storms {
		for _, nic := range c.Hosts[s.Host].nics {
			nic.Storm(s.Priority, s.From, s.To)
		}
	}
	return nil
}

// lastFault is when the last change of a link or of routes is due, or the last pause
// of a host ends: what holds a flow up may be over then, and not before.
func (c *Cluster) lastFault() units.Time { return max(c.lastPause, c.Net.LastChange()) }

// AddressesOf are the two ends of the queue pair of a flow: where its data goes, and
// where acknowledgements and notifications about it go.
func (c *Cluster) AddressesOf(flow int) []fabric.Address {
	conn := c.Conns[flow]
	to, from := rnic.QPN(conn.ToQP), rnic.QPN(conn.FromQP)
	if s := conn.stream; s != nil {
		to, from = s.from.socket.far, s.to.socket.far
	}
	return []fabric.Address{
		{Dest: c.Net.Routes.Dest(conn.Dst), QPN: to},
		{Dest: c.Net.Routes.Dest(conn.Src), QPN: from},
	}
}

// brokenOnTheWay says what of a flow's present way is not there: one of its hosts, a
// cable that is down, or any way at all.
func (c *Cluster) brokenOnTheWay(flow int, now units.Time) string {
	for _, h := range []int{c.Flows[flow].Src, c.Flows[flow].Dst} {
		switch until := c.Hosts[h].absence.until; {
		case until == units.Never:
			return fmt.Sprintf("host %s, which is paused for good", c.name(h))
		case until > now:
			return fmt.Sprintf("host %s, which is paused until %v", c.name(h), until)
		}
	}
	way := c.wayAt(flow, now)
	if way == nil {
		return fmt.Sprintf("a way to %s, of which switches know none", c.name(c.Flows[flow].Dst))
	}
	for _, step := range way {
		if c.Net.IsDown(step.Node, step.Port, now) {
			return fmt.Sprintf("the link at %s, which is down", c.Net.Graph.PortName(step.Node, step.Port))
		}
	}
	return ""
}

// wayAt is the way that a flow's packets take by the routes of an instant; nil if
// there is none.
func (c *Cluster) wayAt(flow int, now units.Time) []topology.Step {
	return c.wayBy(c.Net.RoutesAt(now), flow)
}

// ways are the kinds of path of which the best bounds what any flow can do. Where
// routes change in the course of the run a packet may go part of its way by each of
// them; then one way bounds all: as few links as possible, the first and the last
// those of the two NICs, each between them as good as the best between two switches.
func (c *Cluster) ways(src, dst int32) [][]topology.Hop {
	if len(c.Net.Epochs()) == 0 {
		return c.ideal.Between(src, dst)
	}
	links := c.shortestPaths().Distance(src, dst)
	from, to := &c.Net.Routes.Endpoints[src], &c.Net.Routes.Endpoints[dst]
	way := []topology.Hop{c.hop(from.Host, from.Port)}
	for range links - 2 {
		way = append(way, c.bestHop())
	}
	if links > 1 {
		way = append(way, c.hop(to.Attach, to.AttachPort))
	}
	return [][]topology.Hop{way}
}

// shortestPaths are the routes of the network by the number of links, whatever its
// policy.
func (c *Cluster) shortestPaths() *topology.Routes {
	if c.shortest == nil {
		c.shortest = c.Net.Routes
		if p := c.Net.Graph.Routing; p != "" && p != topology.ShortestPaths {
			g := *c.Net.Graph
			g.Routing = topology.ShortestPaths
			c.shortest = topology.NewRoutes(&g)
		}
	}
	return c.shortest
}

// hop is what it means to leave a node by a port, into any switch if it is one.
func (c *Cluster) hop(node, port int) topology.Hop {
	link := c.Net.Graph.Links[c.Net.Graph.Ports(node)[port].Link]
	return topology.Hop{Rate: link.Rate, Delay: link.Delay, Switch: topology.AnySwitch}
}

// hops is a way from host to host as what it means to its frames.
func (c *Cluster) hops(way []topology.Step) []topology.Hop {
	var hops []topology.Hop
	for i := range len(way) - 1 {
		hop := c.hop(way[i].Node, way[i].Port)
		hop.Switch = way[i+1].Node
		hops = append(hops, hop)
	}
	return hops
}

// bestHop is a hop to a switch that is as fast and as short as any between switches.
func (c *Cluster) bestHop() topology.Hop {
	best := topology.Hop{Delay: units.Never, Switch: topology.AnySwitch}
	for _, link := range c.Net.Graph.Links {
		if c.Net.Switch(link.A) != nil && c.Net.Switch(link.B) != nil {
			best.Rate, best.Delay = max(best.Rate, link.Rate), min(best.Delay, link.Delay)
		}
	}
	return best
}

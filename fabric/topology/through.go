package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Pinned is a way through switches on which flows are kept whatever the routes say: each switch with the port by which it
// is left. The last is left by the cable to the destination's NIC; its port is [ToNIC].
type Pinned []Step

// ToNIC is the port by which the last switch of a pinned way is left.
const ToNIC = -1

// Through finds the way through the named switches. A switch may be given with the port by which it is left, such as
// "leaf0:5"; otherwise, of several cables to the next switch, the first is taken. Errors are [*units.FieldError] with keys
// such as "path[2]" for the key path.
func (g *Graph) Through(key string, stops []string) (Pinned, error) {
	if len(stops) == 0 {
		return nil, &units.FieldError{Key: key, Problem: "no switches", Want: "the switches in order, such as [leaf0, spine1, leaf3]"}
	}
	nodes, ports := make([]int, len(stops)), make([]int, len(stops))
	for i, stop := range stops {
		var err error
		if nodes[i], ports[i], err = g.stop(fmt.Sprintf("%s[%d]", key, i), stop); err != nil {
			return nil, err
		}
		if at := slices.Index(nodes[:i], nodes[i]); at >= 0 {
			return nil, units.Field(fmt.Sprintf("%s[%d]", key, i), stop, fmt.Sprintf("a loop: the way has been there, at %s[%d]", key, at), "each switch once")
		}
	}
	way := make(Pinned, len(stops))
	for i := range stops {
		last := i == len(stops)-1
		if last && ports[i] >= 0 {
			return nil, units.Field(fmt.Sprintf("%s[%d]", key, i), stops[i], "the last switch is left by the cable to the destination", g.Nodes[nodes[i]].Name)
		}
		way[i] = Step{nodes[i], ToNIC}
		if last {
			break
		}
		port, err := g.leaving(fmt.Sprintf("%s[%d]", key, i), nodes[i], ports[i], nodes[i+1])
		if err != nil {
			return nil, err
		}
		way[i].Port = port
	}
	return way, nil
}

// stop takes a stop of a way apart: a switch, and its port if one is given, else -1.
func (g *Graph) stop(key, text string) (node, port int, err error) {
	name, number, given := strings.Cut(text, ":")
	at := slices.IndexFunc(g.switches, func(sw int) bool { return g.Nodes[sw].Name == name })
	if at < 0 {
		return 0, 0, units.Field(key, name, "no switch of this name", hostlist.DidYouMean(name, g.switchNames()))
	}
	node = g.switches[at]
	if !given {
		return node, -1, nil
	}
	port, err = strconv.Atoi(number)
	if ports := len(g.ports[node]); err != nil || port < 0 || port >= ports {
		return 0, 0, units.Field(key, text, "no such port", fmt.Sprintf("%s:0 to %s:%d", name, name, ports-1))
	}
	return node, port, nil
}

func (g *Graph) switchNames() []string {
	var names []string
	for _, sw := range g.switches {
		names = append(names, g.Nodes[sw].Name)
	}
	return names
}

// leaving is the port by which a way goes from one switch to the next; given is the one that was asked for, or -1.
func (g *Graph) leaving(key string, from, given, to int) (int, error) {
	if given >= 0 {
		if peer := g.ports[from][given].Peer; peer != to {
			return 0, units.Field(key, g.PortName(from, given), "leads to "+g.Nodes[peer].Name+" and not to "+g.Nodes[to].Name,
				"a port with a cable to "+g.Nodes[to].Name)
		}
		return given, nil
	}
	if port := slices.IndexFunc(g.ports[from], func(p Port) bool { return p.Peer == to }); port >= 0 {
		return port, nil
	}
	return 0, units.Field(key, g.Nodes[from].Name, "has no cable to the next switch, "+g.Nodes[to].Name, "neighbours of "+g.Nodes[from].Name+": "+g.neighbours(from))
}

// neighbours names the switches at the other ends of a switch's cables.
func (g *Graph) neighbours(node int) string {
	var names []string
	for _, p := range g.ports[node] {
		if name := g.Nodes[p.Peer].Name; g.Nodes[p.Peer].Kind == Switch && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Back is the same way over the same cables in the other direction.
func (g *Graph) Back(way Pinned) Pinned {
	back := make(Pinned, 0, len(way))
	for i := len(way) - 1; i > 0; i-- {
		before := way[i-1]
		back = append(back, Step{way[i].Node, g.ports[before.Node][before.Port].PeerPort})
	}
	return append(back, Step{way[0].Node, ToNIC})
}

// PairThrough is the ports of host a and host b that the i-th connection between them uses if its packets go through
// some switches and its acknowledgements through others: of all pairs of their NICs with cables to the ends of both,
// connections take one after the other. Errors are [*units.FieldError] with keys such as "path[0]" and
// "return_path[1]".
func (g *Graph) PairThrough(a, b int, there, back Pinned, i int) (portA, portB int, err error) {
	from, err := g.cabled(a, there[0].Node, "path[0]")
	if err != nil {
		return 0, 0, err
	}
	to, err := g.cabled(b, there[len(there)-1].Node, fmt.Sprintf("path[%d]", len(there)-1))
	if err != nil {
		return 0, 0, err
	}
	if begins, ends := back[0].Node, there[len(there)-1].Node; begins != ends {
		return 0, 0, units.Field("return_path[0]", g.Nodes[begins].Name, "not where path ends", g.Nodes[ends].Name)
	}
	if ends, begins := back[len(back)-1].Node, there[0].Node; ends != begins {
		return 0, 0, units.Field(fmt.Sprintf("return_path[%d]", len(back)-1), g.Nodes[ends].Name, "not where path begins", g.Nodes[begins].Name)
	}
	turn := i % (len(from) * len(to))
	k := turn % len(from)
	return from[k], to[(k+turn/len(from))%len(to)], nil
}

// cabled lists the ports of a host with cables to a switch.
func (g *Graph) cabled(host, sw int, key string) (ports []int, err error) {
	var attached []string
	for i, p := range g.ports[host] {
		if p.Peer == sw {
			ports = append(ports, i)
		}
		if name := g.Nodes[p.Peer].Name; !slices.Contains(attached, name) {
			attached = append(attached, name)
		}
	}
	if len(ports) == 0 {
		return nil, units.Field(key, g.Nodes[sw].Name, "no cable to "+g.Nodes[host].Name, strings.Join(attached, " or "))
	}
	return ports, nil
}

// Whole is the pinned way from an endpoint to another, both hosts included, as [Routes.Path] has it.
func (r *Routes) Whole(way Pinned, src, dst int32) []Step {
	from, to := &r.Endpoints[src], &r.Endpoints[dst]
	path := append([]Step{{from.Host, from.Port}}, way...)
	path[len(path)-1].Port = to.AttachPort
	return append(path, Step{to.Host, to.Port})
}

package htsim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// cable finds the port by which a link of htsim begins.
func cable(tree fatTree, g *topology.Graph, link string) (at topology.Step, err error) {
	from, to, err := tree.ends(link)
	if err != nil {
		return at, err
	}
	for node := range g.Nodes {
		if g.Nodes[node].Name != from {
			continue
		}
		for port, p := range g.Ports(node) {
			if g.Nodes[p.Peer].Name == to {
				return topology.Step{Node: node, Port: port}, nil
			}
		}
	}
	return at, fmt.Errorf("no cable from %s to %s for link %s", from, to, link)
}

// links compares what went over each link.
func (r *Result) links(c *Case, tree fatTree, run *record.Run) error {
	for _, l := range c.Links {
		at, err := cable(tree, run.Cluster.Net.Graph, l.Name)
		if err != nil {
			return err
		}
		var sent fabric.ClassCount
		for _, class := range run.Cluster.Net.Ports(at.Node)[at.Port].Counters.Class {
			sent.Add(class.Tx)
		}
		if sent.Packets == l.Packets && sent.Bytes == l.Bytes {
			r.EqualLinks++
			continue
		}
		r.part(run.Report.Now, run.Cluster.Net.Graph.Nodes[at.Node].Name,
			fmt.Sprintf("%s carried %d packets of %d bytes, there %d of %d", l.Name, sent.Packets, sent.Bytes, l.Packets, l.Bytes))
	}
	return nil
}

// inputs compares how much was held of each ingress link at the most. The group of the lossless priority is all there is.
func (r *Result) inputs(c *Case, tree fatTree, run *record.Run) error {
	net := run.Cluster.Net
	for _, in := range c.Inputs {
		at, err := cable(tree, net.Graph, in.Link)
		if err != nil {
			return err
		}
		to := net.Graph.Ports(at.Node)[at.Port]
		if net.Switch(to.Peer) == nil {
			return fmt.Errorf("link %s leads to no switch, which alone has inputs", in.Link)
		}
		peak := net.Switch(to.Peer).Group(to.PeerPort, run.Cluster.NIC.Data.Priority).Peak
		if peak == in.Peak {
			r.EqualInputs++
			continue
		}
		r.part(run.Report.Now, net.Graph.Nodes[to.Peer].Name, fmt.Sprintf("at most %v held of %s, there %v", peak, in.Link, in.Peak))
	}
	return nil
}

// signal is a pause that was asked for, or its end.
type signal struct {
	at   units.Time
	link topology.Step
	xoff bool
}

func (s signal) compare(o signal) int {
	return cmp.Or(cmp.Compare(s.at, o.at), cmp.Compare(s.link.Node, o.link.Node), cmp.Compare(s.link.Port, o.link.Port))
}

func (s signal) String() string {
	if s.xoff {
		return "XOFF"
	}
	return "XON"
}

// pauses compares when pauses were asked for, and when they were ended.
func (r *Result) pauses(c *Case, tree fatTree, run *record.Run) error {
	net := run.Cluster.Net
	var here, there []signal
	for node := range net.Graph.Nodes {
		for port, at := range net.Graph.Ports(node) {
			delay := net.Graph.Links[at.Link].Delay
			for _, p := range net.Ports(node)[port].Pauses() {
				link := topology.Step{Node: node, Port: port}
				here = append(here, signal{p.From - delay, link, true}, signal{p.To - delay, link, false})
				r.Pauses++
			}
		}
	}
	for _, p := range c.Pauses {
		link, err := cable(tree, net.Graph, p.Link)
		if err != nil {
			return err
		}
		there = append(there, signal{p.At, link, p.XOFF})
		if p.XOFF {
			r.PausesThere++
		}
	}
	slices.SortStableFunc(here, signal.compare)
	slices.SortStableFunc(there, signal.compare)
	r.firstSignal(net.Graph, here, there)
	return nil
}

// firstSignal notes the first signal that is not the same.
func (r *Result) firstSignal(g *topology.Graph, here, there []signal) {
	for i := range max(len(here), len(there)) {
		switch {
		case i < len(here) && i < len(there) && here[i] == there[i]:
			continue
		case i >= len(there) || i < len(here) && here[i].compare(there[i]) < 0:
			s := here[i]
			r.part(s.at, g.Nodes[g.Ports(s.link.Node)[s.link.Port].Peer].Name, fmt.Sprintf("%v to %s, there none", s, g.PortName(s.link.Node, s.link.Port)))
		default:
			s := there[i]
			r.part(s.at, g.Nodes[g.Ports(s.link.Node)[s.link.Port].Peer].Name, fmt.Sprintf("no %v to %s, as there", s, g.PortName(s.link.Node, s.link.Port)))
		}
		return
	}
}

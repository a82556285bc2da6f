package hpccns3

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/host"
)

// comparePauses compares when pause frames come to the ports that obey them.
func (r *Report) comparePauses(c *Case, cluster *host.Cluster) error {
	there, err := c.pauses()
	if err != nil {
		return err
	}
	here := pausesOf(cluster)
	order := func(a, b pauseNote) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node), cmp.Compare(a.port, b.port), order(a.pause, b.pause))
	}
	slices.SortFunc(there, order)
	slices.SortFunc(here, order)
	for len(here) > 0 || len(there) > 0 {
		switch {
		case len(here) > 0 && len(there) > 0 && here[0] == there[0]:
			here, there = here[1:], there[1:]
			r.Pauses.count(true)
		case len(there) == 0 || len(here) > 0 && order(here[0], there[0]) < 0:
			r.differ(here[0].at, nameOf(cluster, here[0].node), "%s that is not there", here[0].what())
			here = here[1:]
			r.Pauses.count(false)
		default:
			r.differ(there[0].at, nameOf(cluster, there[0].node), "no %s, which is there", there[0].what())
			there = there[1:]
			r.Pauses.count(false)
		}
	}
	return nil
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (n pauseNote) what() string {
	if n.pause {
		return fmt.Sprintf("pause at port %d", n.port)
	}
	return fmt.Sprintf("end of a pause at port %d", n.port)
}

func nameOf(c *host.Cluster, node int) string { return c.Net.Graph.Nodes[node].Name }

// pausesOf are the pauses that ports have obeyed, as notes of the frames.
func pausesOf(c *host.Cluster) (notes []pauseNote) {
	for node := range c.Net.Graph.Nodes {
		for port := range c.Net.Ports(node) {
			p := &c.Net.Ports(node)[port]
			for _, i := range p.Pauses() {
				notes = append(notes, pauseNote{i.From, node, port, true}, pauseNote{i.To, node, port, false})
			}
		}
	}
	return notes
}

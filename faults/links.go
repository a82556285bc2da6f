package faults

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/fabric/topology/hostlist"
	"github.com/rdmasim/rdmasim/sim/units"
)

// end is one end of a cable: a port of a node.
type end struct{ node, port int }

// linkWant says how links are named.
const linkWant = `a port such as leaf0:3, two nodes such as h0-leaf0, a pattern such as "h[0-3]-leaf0" or "leaf0-spine*", or "*" for all`

// directory finds cables by name.
type directory struct {
	g     *topology.Graph
	index map[string]int // of nodes, by name
}

func newDirectory(g *topology.Graph) *directory {
	d := &directory{g: g, index: make(map[string]int, len(g.Nodes))}
	for i, n := range g.Nodes {
		d.index[n.Name] = i
	}
	return d
}

// find returns the cables that the selectors name, each once and by the end named
// first, in the order in which they name them.
func (d *directory) find(selectors []string) ([]end, error) {
	var ends []end
	var problems []error
	seen := make([]bool, len(d.g.Links))
	for i, selector := range selectors {
		some, err := d.findOne(fmt.Sprintf("links[%d]", i), selector)
		if err != nil {
			problems = append(problems, err)
		}
		for _, e := range some {
			if link := d.link(e); !seen[link] {
				seen[link] = true
				ends = append(ends, e)
			}
		}
	}
	return ends, errors.Join(problems...)
}

// link is the cable at an end.
func (d *directory) link(e end) int { return d.g.Ports(e.node)[e.port].Link }

// far is the other end of a cable.
func (d *directory) far(e end) end {
	at := d.g.Ports(e.node)[e.port]
	return end{at.Peer, at.PeerPort}
}

// findOne returns the cables that one selector names. Of a pattern, some names need
// not stand for a cable; of a plain name, none is an error.
func (d *directory) findOne(key, selector string) ([]end, error) {
	names, err := hostlist.Expand(selector)
	if err != nil {
		return nil, units.Field(key, selector, err.Error(), linkWant)
	}
	var ends []end
	for _, name := range names {
		ends = append(ends, d.named(name)...)
	}
	if len(ends) == 0 {
		return nil, units.Field(key, selector, "no link of this name", d.didYouMean(names[0]))
	}
	return ends, nil
}

// named returns the cables of one name, in which stars stand for anything.
func (d *directory) named(name string) []end {
	if name == "*" {
		return d.all()
	}
	if node, port, ok := strings.Cut(name, ":"); ok {
		return d.atPort(node, port)
	}
	var ends []end
	for i, c := range name {
		if c == '-' {
			ends = append(ends, d.between(name[:i], name[i+1:])...)
		}
	}
	return ends
}

func (d *directory) all() []end {
	var ends []end
	seen := make([]bool, len(d.g.Links))
	for node := range d.g.Nodes {
		for port, at := range d.g.Ports(node) {
			if !seen[at.Link] {
				seen[at.Link] = true
				ends = append(ends, end{node, port})
			}
		}
	}
	return ends
}

// nodes returns the nodes that a name or pattern stands for.
func (d *directory) nodes(pattern string) []int {
	if node, ok := d.index[pattern]; ok {
		return []int{node}
	}
	var nodes []int
	for i, n := range d.g.Nodes {
		if strings.Contains(pattern, "*") && matches(pattern, n.Name) {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

func (d *directory) atPort(pattern, number string) []end {
	var ends []end
	for _, node := range d.nodes(pattern) {
		for port := range d.g.Ports(node) {
			if number == "*" || number == strconv.Itoa(port) {
				ends = append(ends, end{node, port})
			}
		}
	}
	return ends
}

// between returns the cables from one node to another.
func (d *directory) between(from, to string) []end {
	if _, ok := d.index[to]; !ok && !strings.Contains(to, "*") {
		return nil
	}
	var ends []end
	for _, node := range d.nodes(from) {
		for port, at := range d.g.Ports(node) {
			if matches(to, d.g.Nodes[at.Peer].Name) {
				ends = append(ends, end{node, port})
			}
		}
	}
	return ends
}

// matches tells whether a name fits a pattern, in which each star stands for any
// number of letters.
func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) || len(name) < len(first)+len(last) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = after
	}
	return true
}

// didYouMean hints at the link that was meant.
func (d *directory) didYouMean(name string) string {
	var names []string
	for _, link := range d.g.Links {
		a, b := d.g.Nodes[link.A].Name, d.g.Nodes[link.B].Name
		names = append(names, a+"-"+b, b+"-"+a)
	}
	if strings.Contains(name, ":") {
		names = nil
		for node := range d.g.Nodes {
			for port := range d.g.Ports(node) {
				names = append(names, d.g.PortName(node, port))
			}
		}
	}
	slices.Sort(names)
	return hostlist.DidYouMean(name, slices.Compact(names))
}

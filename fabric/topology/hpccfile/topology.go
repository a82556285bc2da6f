package hpccfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Topology is what a topology.txt says.
type Topology struct {
	IsSwitch []bool // by number of the node; the others are hosts
	Links    []Link
}

// Link is one line of a topology.txt.
type Link struct {
	A, B  int // numbers of the nodes at the ends
	Rate  units.Rate
	Delay units.Time
	Line  int // where it stands
}

// ReadTopology reads a topology.txt:
//
//	nodes switches links
//	the switches' numbers (no such line if there are none)
//	one line a link: node node rate delay error-rate
//
// Nodes are numbered from 0. An error rate other than 0 is refused: nothing here would act on it.
func ReadTopology(name string, from io.Reader) (*Topology, error) {
	r := newReader(name, from)
	header := r.numbers("the numbers of nodes, switches and links", 3, maxCount)
	if r.err != nil {
		return nil, r.err
	}
	nodes, switches, links := header[0], header[1], header[2]
	if switches > nodes || nodes == 0 {
		r.fail("%d switches among %d nodes", switches, nodes)
	}
	if hosts := nodes - switches; hosts > 2*links {
		r.fail("%d hosts and only %d links: each host needs one", hosts, links)
	}
	t := &Topology{IsSwitch: r.switches(nodes, switches)}
	for i := 0; r.err == nil && i < links; i++ {
		if r.record(i, links, "links") {
			t.Links = append(t.Links, r.link(nodes))
		}
	}
	r.end(links, "links")
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

// switches reads the line with the switches' numbers.
func (r *reader) switches(nodes, count int) []bool {
	var listed []int
	if count > 0 {
		listed = r.numbers(fmt.Sprintf("the numbers of the %d switches", count), count, nodes)
	}
	if r.err != nil {
		return nil
	}
	isSwitch := make([]bool, nodes)
	for _, id := range listed {
		if isSwitch[id] {
			r.fail("switch %d is listed twice", id)
		}
		isSwitch[id] = true
	}
	return isSwitch
}

// link reads the current line.
func (r *reader) link(nodes int) Link {
	if len(r.fields) != 5 {
		r.fail("%d fields where a link has 5: node node rate delay error-rate", len(r.fields))
		return Link{}
	}
	link := Link{A: r.number(r.fields[0], nodes), B: r.number(r.fields[1], nodes), Line: r.line}
	r.quantity(&link.Rate, r.fields[2])
	r.quantity(&link.Delay, r.fields[3])
	r.noErrors(r.fields[4])
	return link
}

// noErrors reads an error rate, which must be 0.
func (r *reader) noErrors(field string) {
	mantissa, _, _ := strings.Cut(strings.ToLower(field), "e")
	if _, err := strconv.ParseFloat(field, 64); errors.Is(err, strconv.ErrSyntax) {
		r.fail("%q is not an error rate; 0 for none", field)
	} else if strings.Trim(mantissa, "+-0.") != "" {
		r.fail("an error rate of %s: links are free of errors here; write 0", field)
	}
}

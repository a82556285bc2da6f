package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What is listed of collisions: links, and queue pairs on each.
const (
	listedLinks = 8
	listedQPs   = 6
)

// link is a port that was chosen among several by the hash of the packets' addresses.
type link struct {
	port, peer string
	ways       string // among how many
	flows      []*flow
	most       int // queue pairs at a time
}

// collisions are the links on which several queue pairs were at the same time, though there were others they could have
// been on, those with most queue pairs first.
func (r *Run) collisions() []*link {
	byPort := map[string]*link{}
	var all []*link
	for i := range r.flows {
		f := &r.flows[i]
		for k, port := range f.ports {
			if f.ways[k] == "1" {
				continue
			}
			if byPort[port] == nil {
				byPort[port] = &link{port: port, peer: f.path[k+1], ways: f.ways[k]}
				all = append(all, byPort[port])
			}
			byPort[port].flows = append(byPort[port].flows, f)
		}
	}
	for _, l := range all {
		l.most = r.together(l.flows)
	}
	all = slices.DeleteFunc(all, func(l *link) bool { return l.most < 2 })
	slices.SortStableFunc(all, func(a, b *link) int { return cmp.Compare(b.most, a.most) })
	return all
}

// together is how many of the queue pairs of some flows had flows at the same time, at the most.
func (r *Run) together(flows []*flow) (most int) {
	type edge struct {
		at    units.Time
		step  int
		owner string
	}
	var edges []edge
	for _, f := range flows {
		edges = append(edges, edge{f.start, 1, f.qp()}, edge{r.ended(f), -1, f.qp()})
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	open := map[string]int{}
	for _, e := range edges {
		if open[e.owner] += e.step; open[e.owner] == 0 {
			delete(open, e.owner)
		}
		most = max(most, len(open))
	}
	return most
}

func (r *Run) writeCollisions(p *page) {
	all := r.collisions()
	if len(all) == 0 {
		return
	}
	p.section("Queue pairs that the hash of their addresses put on one link, though there were others")
	for _, l := range all[:min(len(all), listedLinks)] {
		p.paragraph("  ", fmt.Sprintf("%s to %s, one of %s: %d at a time; %s", l.port, l.peer, l.ways, l.most, names(l.flows)))
	}
	if more := len(all) - listedLinks; more > 0 {
		p.line(fmt.Sprintf("  and %s more; see path_ports and path_ways in flows.csv", results.Plural(int64(more), "link")))
	}
}

// names lists queue pairs, each once.
func names(flows []*flow) string {
	var list []string
	for _, f := range flows {
		if !slices.Contains(list, f.qp()) {
			list = append(list, f.qp())
		}
	}
	text := strings.Join(list[:min(len(list), listedQPs)], ", ")
	if more := len(list) - listedQPs; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

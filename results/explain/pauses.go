package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What is listed of pauses: the roots, the ports below each, its victims.
const (
	listedRoots   = 5
	listedPorts   = 24
	listedVictims = 8
)

// branch is a port that was paused, and the ports that were paused on its account.
type branch struct {
	port     string
	pauses   int64
	asked    units.Time
	branches []*branch
}

// tree is a root of pauses with what grew on it.
type tree struct {
	branch
	peer, kind string
	priority   int64
	all        int64      // pauses of the whole tree
	time       units.Time // for which they were asked
}

// trees puts the chains together, those with most paused time first.
func (r *Run) trees() []*tree {
	var all []*tree
	for _, c := range r.chains {
		i := slices.IndexFunc(all, func(t *tree) bool { return t.port == c.root && t.kind == c.kind && t.priority == c.priority })
		if i < 0 {
			i = len(all)
			all = append(all, &tree{branch: branch{port: c.root}, peer: c.peer, kind: c.kind, priority: c.priority})
		}
		t := all[i]
		t.all += c.pauses
		t.time += c.asked
		b := &t.branch
		for _, port := range slices.Backward(c.ports[:len(c.ports)-1]) {
			b = b.at(port)
		}
		b.pauses += c.pauses
		b.asked += c.asked
	}
	slices.SortStableFunc(all, func(a, b *tree) int { return cmp.Compare(b.time, a.time) })
	return all
}

// at is the branch of a port, a new one if there is none.
func (b *branch) at(port string) *branch {
	for _, next := range b.branches {
		if next.port == port {
			return next
		}
	}
	b.branches = append(b.branches, &branch{port: port})
	return b.branches[len(b.branches)-1]
}

func (r *Run) writePauses(p *page) {
	trees := r.trees()
	if len(trees) == 0 {
		return
	}
	p.section("What the pauses trace back to")
	for _, t := range trees[:min(listedRoots, len(trees))] {
		r.writeTree(p, t)
	}
	if more := len(trees) - listedRoots; more > 0 {
		p.line(fmt.Sprintf("  and %s more in pause_causes.csv", results.Plural(int64(more), "root")))
	}
}

func (r *Run) writeTree(p *page, t *tree) {
	what := "sends as fast as its link allows"
	switch t.kind {
	case "host":
		what = "is paused by the host (a slow receiver, or a NIC that storms)"
	case "unknown":
		what = "is paused for a reason that was not noted"
	}
	p.paragraph("  ", fmt.Sprintf("%s to %s %s: %s of priority %d, %s in all. Paused on its account:",
		t.port, t.peer, what, results.Plural(t.all, "pause"), t.priority, t.time.Human()))
	left := listedPorts
	t.write(p, "    ", &left)
	if left < 0 {
		p.line(fmt.Sprintf("    and %s more in pause_causes.csv", results.Plural(int64(-left), "port")))
	}
	r.writeVictims(p, t.port)
}

// write lists the ports on a branch, as long as there are lines left.
func (b *branch) write(p *page, indent string, left *int) {
	if b.pauses > 0 && len(indent) == 4 {
		p.line(fmt.Sprintf("%s%s itself", indent, b.port))
	}
	for _, next := range b.branches {
		if *left--; *left >= 0 {
			p.line(fmt.Sprintf("%s%-*s %5d pauses  %s", indent, 24-len(indent), next.port, next.pauses, next.asked.Human()))
		}
		next.write(p, indent+"  ", left)
	}
}

// writeVictims lists the flows held by the pauses of a root that they do not use.
func (r *Run) writeVictims(p *page, root string) {
	var victims []*flow
	for i := range r.flows {
		if f := &r.flows[i]; f.victim == root && (f.slowdown > 1.1 || f.slowdown == 0) {
			victims = append(victims, f)
		}
	}
	slices.SortStableFunc(victims, func(a, b *flow) int { return cmp.Compare(b.held, a.held) })
	for _, f := range victims[:min(len(victims), listedVictims)] {
		p.paragraph("    ", fmt.Sprintf("victim: %s, held at %s for %s of its %s, though it does not use %s",
			f.name(), f.victimAt, f.held.Human(), (r.ended(f)-f.start).Human(), root))
	}
	if more := len(victims) - listedVictims; more > 0 {
		p.line(fmt.Sprintf("    and %s more", results.Plural(int64(more), "victim")))
	}
}

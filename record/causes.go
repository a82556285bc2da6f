package record

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// chain is the pauses that came to one port the same way from the same root.
type chain struct {
	way         []topology.Step // the paused port first, the root last
	root        root
	pauses      int64
	time        units.Time // asked for
	first, last units.Time
}

// pauseCauses sorts all pauses of the run by their chains, in the order in which the
// chains came up; then come the pauses that hosts asked of switches.
func (r *Run) pauseCauses() []*chain {
	c := r.pauseChains()
	var all []*chain
	known := map[string]*chain{}
	for i := range c.episodes {
		e := &c.episodes[i]
		way := r.way(c, e)
		key := r.wayText(way) + c.roots[e.root].kind.String() + itoa(int(e.Priority))
		if known[key] == nil {
			known[key] = &chain{way: way, root: c.roots[e.root], first: e.From}
			all = append(all, known[key])
		}
		k := known[key]
		k.pauses++
		k.time += e.end(r.Report.Now) - e.From
		k.last = e.end(r.Report.Now)
	}
	return append(all, r.askedByHosts()...)
}

// askedByHosts are the pauses of ports whose peers are hosts. A host takes no notes;
// what is known of its pauses is what the port counted.
func (r *Run) askedByHosts() (all []*chain) {
	graph := r.Cluster.Net.Graph
	r.eachPort(func(p port) {
		if graph.Nodes[graph.Ports(p.node)[p.index].Peer].Kind != topology.Host {
			return
		}
		for q := range pfc.Priorities {
			if n := p.Counters.PauseRx[q].XOFF; n > 0 {
				at := root{topology.Step{Node: p.node, Port: p.index}, q, atHost}
				all = append(all, &chain{
					way: []topology.Step{at.Step}, root: at, pauses: int64(n), time: p.PausedFor(q, r.Report.Now), first: units.Never, last: units.Never,
				})
			}
		}
	})
	return all
}

// wayText is a chain of ports, the paused one first.
func (r *Run) wayText(way []topology.Step) string {
	names := make([]string, len(way))
	for i, s := range way {
		names[i] = r.Cluster.Net.Graph.PortName(s.Node, s.Port)
	}
	return strings.Join(names, ">")
}

// PauseCauses is the table of what pauses trace back to.
func (r *Run) PauseCauses() *results.Table {
	t := results.NewTable("pause_causes.csv", "one row a paused port, priority and chain from there to the root cause")
	paused := t.String("paused_port", "port that had to stop sending")
	priority := t.Int("priority", "", "priority paused")
	by := t.String("asked_by", "node that asked for it")
	way := t.String("chain", "the paused port, and from there the ports whose packets could not go on, each for the next; the root comes last")
	at := t.String("root_port", "the root cause: the port at the end of the chain")
	peer := t.String("root_peer", "node to which the root port sends")
	kind := t.String("root", "link: the port sent as fast as its link allows; host: the host behind it asked for the pause; unknown: the switch behind it did, for a reason that was not noted")
	count := t.Int("pauses", "pauses", "pauses that came about this way")
	asked := t.Time("asked_us", "time from when they were asked for to when they were let go, summed; for those that hosts asked for, the time they held the port")
	first, last := t.Time("first_us", "when the first was asked for; empty for those that hosts asked for"), t.Time("last_us", "when the last was let go")
	g := r.Cluster.Net.Graph
	for _, c := range r.pauseCauses() {
		from := c.way[0]
		paused.Append(g.PortName(from.Node, from.Port))
		priority.Append(int64(c.root.priority))
		by.Append(g.Nodes[g.Ports(from.Node)[from.Port].Peer].Name)
		way.Append(r.wayText(c.way))
		at.Append(g.PortName(c.root.Node, c.root.Port))
		peer.Append(g.Nodes[g.Ports(c.root.Node)[c.root.Port].Peer].Name)
		kind.Append(c.root.kind.String())
		count.Append(c.pauses)
		asked.Append(c.time)
		first.Append(c.first)
		last.Append(c.last)
	}
	return t
}

// pauseRoots sums the chains up by their roots, those with most paused time first.
func (r *Run) pauseRoots() []results.PauseRoot {
	var all []results.PauseRoot
	var order []root
	flows := r.portUses()
	ports := map[root]map[topology.Step]bool{}
	for _, c := range r.pauseCauses() {
		i := slices.Index(order, c.root)
		if i < 0 {
			i = len(order)
			order, ports[c.root] = append(order, c.root), map[topology.Step]bool{}
			all = append(all, results.PauseRoot{
				Port: r.cable(c.root.Node, c.root.Port), Kind: c.root.kind.String(), Priority: c.root.priority,
				Flows: flows[use{c.root.Step, c.root.priority}], VictimNames: []string{},
			})
		}
		p := &all[i]
		p.Pauses += c.pauses
		p.Time += results.Micros(c.time)
		p.Depth = max(p.Depth, len(c.way)-1)
		ports[c.root][c.way[0]] = true
		p.Ports = len(ports[c.root])
	}
	r.nameVictims(order, all)
	slices.SortStableFunc(all, func(a, b results.PauseRoot) int { return cmp.Compare(b.Time, a.Time) })
	return all
}

// use is a port and a priority.
type use struct {
	topology.Step
	priority int
}

// portUses counts the flows through each port, by priority.
func (r *Run) portUses() map[use]int {
	flows := map[use]int{}
	for i, f := range r.Cluster.Flows {
		for _, step := range r.leaves(i) {
			flows[use{step, f.Data.Priority}]++
		}
	}
	return flows
}

// namedVictims is how many victims of a root are named.
const namedVictims = 8

// nameVictims adds to each root the flows that its pauses held without being on their
// way, those held longest first. A flow that is not slower for it is no victim.
func (r *Run) nameVictims(order []root, all []results.PauseRoot) {
	lives := r.flowLives()
	var flows []int
	for i := range lives {
		if lives[i].victim >= 0 && r.suffered(i) {
			flows = append(flows, i)
		}
	}
	slices.SortStableFunc(flows, func(a, b int) int { return cmp.Compare(lives[b].held, lives[a].held) })
	for _, flow := range flows {
		p := &all[slices.Index(order, r.pauseChains().roots[lives[flow].victim])]
		if p.Victims++; len(p.VictimNames) < namedVictims {
			p.VictimNames = append(p.VictimNames, r.flowName(flow))
		}
	}
}

// suffered tells whether a flow took longer than it would alone, or has not ended.
func (r *Run) suffered(flow int) bool {
	x, ended := r.slowdown(flow)
	return !ended || x > slowed
}

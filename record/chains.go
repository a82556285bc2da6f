package record

import (
	"cmp"
	"slices"
	"sort"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A pause traces back to its root from switch to switch. Each noted, when it asked
// for a pause, which of its output ports kept the packets it had no more room for. If
// that port was itself paused, the cause lies behind it, in the pause that was asked
// of it before; if not, its own link is the cause.

// rootKind is what is at the root of pauses.
type rootKind uint8

const (
	atLink    rootKind = iota // a link that is slower than what is to go over it
	atHost                    // a host that asked for the pause
	unnoted                   // a pause of which the switch has kept no note
	rootKinds = iota
)

func (k rootKind) String() string { return [rootKinds]string{"link", "host", "unknown"}[k] }

// root is the port at the root of pauses.
type root struct {
	topology.Step
	priority int
	kind     rootKind
}

// asker is a priority group of a node: who asks for pauses.
type asker struct{ node, port, priority int }

// episode is a pause from when it is asked for to when it is let go.
type episode struct {
	fabric.PauseNote
	node  int
	root  int // index among the roots
	next  int // index of the pause behind it, -1 at the root
	depth int // links to the root
}

func (e *episode) asker() asker { return asker{e.node, int(e.Port), int(e.Priority)} }

// end is when it was let go, or the end of the run.
func (e *episode) end(now units.Time) units.Time { return min(e.To, now) }

// chains are the pauses of a run, each traced back to its root.
type chains struct {
	episodes []episode // in the order of time, then of nodes
	roots    []root    // in the order in which they came up
	by       map[asker][]int
	missed   uint64
}

// pauseChains traces the pauses of the run back, once.
func (r *Run) pauseChains() *chains {
	if r.chains == nil {
		r.chains = r.traceBack()
	}
	return r.chains
}

func (r *Run) traceBack() *chains {
	c := &chains{by: map[asker][]int{}}
	for _, node := range r.Cluster.Net.Graph.Switches() {
		notes, missed := r.Cluster.Net.Switch(node).PauseNotes()
		c.missed += missed
		for _, n := range notes {
			c.episodes = append(c.episodes, episode{PauseNote: n, node: node})
		}
	}
	slices.SortStableFunc(c.episodes, func(a, b episode) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.node, b.node))
	})
	known := map[root]int{}
	for i := range c.episodes {
		e := &c.episodes[i]
		at, next := r.follow(c, e)
		if next >= 0 {
			e.next, e.root, e.depth = next, c.episodes[next].root, c.episodes[next].depth+1
		} else {
			e.next, e.depth = -1, 1
			if _, is := known[at]; !is {
				known[at] = len(c.roots)
				c.roots = append(c.roots, at)
			}
			e.root = known[at]
		}
		c.by[e.asker()] = append(c.by[e.asker()], i)
	}
	return c
}

// follow takes a pause one link further: to the pause behind it, or else to its root.
func (r *Run) follow(c *chains, e *episode) (at root, next int) {
	at = root{topology.Step{Node: e.node, Port: int(e.Egress)}, int(e.Priority), atLink}
	switch {
	case e.Egress < 0:
		at.Port, at.kind = int(e.Port), unnoted
		return at, -1
	case !e.Held:
		return at, -1
	}
	graph := r.Cluster.Net.Graph
	behind := graph.Ports(e.node)[e.Egress]
	if graph.Nodes[behind.Peer].Kind == topology.Host {
		at.kind = atHost
		return at, -1
	}
	earlier := c.by[asker{behind.Peer, behind.PeerPort, int(e.Priority)}]
	seen := e.From - graph.Links[behind.Link].Delay
	i := sort.Search(len(earlier), func(i int) bool { return c.episodes[earlier[i]].From >= seen })
	if i == 0 {
		at.kind = unnoted
		return at, -1
	}
	return at, earlier[i-1]
}

// behind finds the pause that held a port from an instant on: the latest that was asked
// for before; nil if none was noted.
func (r *Run) behind(at topology.Step, priority int, from units.Time) *episode {
	c := r.pauseChains()
	asked := c.by[r.beyond(at, priority)]
	i := sort.Search(len(asked), func(i int) bool { return c.episodes[asked[i]].From >= from })
	if i == 0 {
		return nil
	}
	return &c.episodes[asked[i-1]]
}

// way lists the ports on the chain of a pause: the paused one, and from there those
// whose packets could not go on, the root last.
func (r *Run) way(c *chains, e *episode) []topology.Step {
	at := r.Cluster.Net.Graph.Ports(e.node)[e.Port]
	steps := []topology.Step{{Node: at.Peer, Port: at.PeerPort}}
	for ; e.next >= 0; e = &c.episodes[e.next] {
		steps = append(steps, topology.Step{Node: e.node, Port: int(e.Egress)})
	}
	if e.Egress >= 0 {
		steps = append(steps, topology.Step{Node: e.node, Port: int(e.Egress)})
	}
	return steps
}

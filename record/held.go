package record

import (
	"slices"
	"sort"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
)

// held is the pauses of one root that one priority group asked for: they follow each
// other and never overlap.
type held struct {
	root  int
	spans []pausedSpan
}

type pausedSpan struct {
	from, to units.Time
	before   units.Time // length of all spans before
}

func (h *held) add(from, to units.Time) {
	s := pausedSpan{from: from, to: to}
	if n := len(h.spans); n > 0 {
		last := h.spans[n-1]
		s.before = last.before + last.to - last.from
	}
	h.spans = append(h.spans, s)
}

// upTo is the length of the spans up to an instant.
func (h *held) upTo(at units.Time) units.Time {
	i := sort.Search(len(h.spans), func(i int) bool { return h.spans[i].from >= at })
	if i == 0 {
		return 0
	}
	s := h.spans[i-1]
	return s.before + min(at, s.to) - s.from
}

// within is for how long it was paused between two instants.
func (h *held) within(from, to units.Time) units.Time { return h.upTo(to) - h.upTo(from) }

// heldBy sorts the pauses that each group asked for by their roots.
func (r *Run) heldBy() map[asker][]held {
	c := r.pauseChains()
	by := make(map[asker][]held, len(c.by))
	for i := range c.episodes {
		e := &c.episodes[i]
		of := by[e.asker()]
		k := slices.IndexFunc(of, func(h held) bool { return h.root == e.root })
		if k < 0 {
			k, of = len(of), append(of, held{root: e.root})
		}
		of[k].add(e.From, e.end(r.Report.Now))
		by[e.asker()] = of
	}
	return by
}

// beyond is the priority group to which a port sends: the one that pauses it.
func (r *Run) beyond(s topology.Step, priority int) asker {
	p := r.Cluster.Net.Graph.Ports(s.Node)[s.Port]
	return asker{p.Peer, p.PeerPort, priority}
}

package topology

// RoutePolicy says which of the ways through a network its switches take. The empty policy is ShortestPaths.
type RoutePolicy string

// The policies.
const (
	ShortestPaths RoutePolicy = "shortest"  // all paths of the fewest links
	UpDown        RoutePolicy = "up-down"   // no path goes up again once it has gone down; see upDown
	Clockwise     RoutePolicy = "clockwise" // from each switch to the one after it, around a ring
)

// Routing is the key of the families in which hosts are joined by more than one way.
type Routing struct {
	Routes RoutePolicy `key:"routes" default:"shortest" oneof:"shortest|up-down" doc:"shortest: all paths of the fewest links; up-down: of these, and of longer ones where need be, those that never go up again once they have gone down, so that pauses cannot wait for each other in a circle" source:"assumed"`
}

// policy is what a [RoutePolicy] has to say while routes are worked out. Switches are known by their ordinal.
type policy interface {
	// spread sets how many links each switch is from an edge, on the paths of the policy; unreachable if there is none.
	spread(edge int32, distance []int32)
	// follows reports whether the paths of the policy to the edge of the last spread lead from a switch over a cable to
	// another one. The other is known to be one link nearer.
	follows(from, to int32) bool
}

// policyOf returns the policy of the graph for the cables that are left. Ranks are those of switches for up-down routes.
func (s *search) policyOf(p RoutePolicy, rank []int32) policy {
	switch p {
	case UpDown:
		return newUpDown(s.neighbours, rank)
	case Clockwise:
		return clockwise{s.neighbours}
	}
	return &shortest{neighbours: s.neighbours}
}

// shortest is the policy of all paths of the fewest links: a breadth-first search.
type shortest struct {
	neighbours [][]neighbour
	queue      []int32
}

func (s *shortest) spread(edge int32, distance []int32) {
	for i := range distance {
		distance[i] = unreachable
	}
	distance[edge] = 0
	s.queue = append(s.queue[:0], edge)
	for head := 0; head < len(s.queue); head++ {
		next := distance[s.queue[head]] + 1
		for _, n := range s.neighbours[s.queue[head]] {
			if distance[n.sw] == unreachable {
				distance[n.sw] = next
				s.queue = append(s.queue, n.sw)
			}
		}
	}
}

func (*shortest) follows(_, _ int32) bool { return true }

// clockwise is the policy of a ring of switches, in the order of nodes, on which all frames travel in one direction. Any
// two hosts can reach each other, and each cable waits for the next one: the textbook case of a deadlock.
type clockwise struct{ neighbours [][]neighbour }

func (c clockwise) spread(edge int32, distance []int32) {
	for i := range distance {
		distance[i] = unreachable
	}
	distance[edge] = 0
	ring := int32(len(distance))
	for at := edge; ; {
		before := (at + ring - 1) % ring
		if before == edge || !c.joins(before, at) {
			return
		}
		distance[before] = distance[at] + 1
		at = before
	}
}

// joins reports whether a cable leads from one switch to another.
func (c clockwise) joins(from, to int32) bool {
	for _, n := range c.neighbours[from] {
		if n.sw == to {
			return true
		}
	}
	return false
}

func (c clockwise) follows(from, to int32) bool { return to == (from+1)%int32(len(c.neighbours)) }

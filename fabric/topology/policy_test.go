package topology

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// drawRouted draws a network with a policy that suits it.
func drawRouted(t *rapid.T) *Graph {
	g := drawGraph(t)
	g.Routing = rapid.SampledFrom([]RoutePolicy{ShortestPaths, UpDown}).Draw(t, "policy")
	return g
}

// drawCut draws cables that are dead.
func drawCut(t *rapid.T, g *Graph) []int {
	return rapid.SliceOfDistinct(rapid.IntRange(0, len(g.Links)-1), func(i int) int { return i }).Draw(t, "dead")
}

// drawPath draws endpoints and the choices on the way between them.
func drawPath(t *rapid.T, r *Routes) (src, dst int32, path []Step) {
	src = int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "src"))
	dst = int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "dst"))
	return src, dst, r.Path(src, dst, func(_, n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
}

func TestUpDownPathsNeverGoUpAfterDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.Routing = UpDown
		r := NewRoutes(g)
		if rapid.Bool().Draw(t, "fail") {
			r = r.Without(g, drawCut(t, g))
		}
		src, dst, path := drawPath(t, r)
		if path == nil {
			return
		}
		if got := r.Distance(src, dst); got != len(path)-1 {
			t.Fatalf("a path of %d links where the distance is %d", len(path)-1, got)
		}
		down := false
		for i := 1; i+2 < len(path); i++ {
			from, to := r.ordinal[path[i].Node], r.ordinal[path[i+1].Node]
			goesUp := r.rank[to] < r.rank[from]
			if goesUp && down {
				t.Fatalf("the path %v goes up again at step %d", path, i)
			}
			down = down || !goesUp
		}
	})
}

func TestUpDownRoutesJoinWhateverIsJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		shortest := NewRoutes(g)
		g.Routing = UpDown
		upDown := NewRoutes(g)
		for a := range int32(len(shortest.Endpoints)) {
			for b := range int32(len(shortest.Endpoints)) {
				if short, legal := shortest.Distance(a, b), upDown.Distance(a, b); (short < 0) != (legal < 0) || legal < short {
					t.Fatalf("from %d to %d: %d links, and %d without turning up again", a, b, short, legal)
				}
			}
		}
	})
}

func TestInAClosNetworkUpDownRoutesAreTheShortestOnes(t *testing.T) {
	for name, b := range map[string]Builder{
		"leaf-spine": leafSpine(4, 3, 2), "fat-tree": fatTree(8), "three-tier": threeTier(3, 4, 2, 2, 6),
		"dual-tor": &DualToR{Racks: 3, HostsPerRack: 2, NICsPerToR: 1, Spines: 2, HostLink: host100G, FabricLink: fabric400G},
		"rails":    &RailOptimised{Pods: 2, HostsPerPod: 2, Rails: 2, Spines: 2, HostLink: host100G, FabricLink: fabric400G},
	} {
		g := mustBuild(t, b)
		shortest := NewRoutes(g)
		g.Routing = UpDown
		upDown := NewRoutes(g)
		for a := range int32(len(shortest.Endpoints)) {
			for b := range int32(len(shortest.Endpoints)) {
				if got, want := countPaths(upDown, a, b), countPaths(shortest, a, b); a != b && got != want {
					t.Fatalf("%s: %d up-down paths from %d to %d, want all %d shortest ones", name, got, a, b, want)
				}
			}
		}
	}
}

// dependencies returns, for each direction of each cable between switches (twice the link, one more for the way from B to A), the
// directions into which frames that came in by it go on: the channel dependency graph of Dally and Seitz (1987).
func dependencies(g *Graph, r *Routes) map[int]map[int]bool {
	direction := func(node, port int) int {
		link := g.Ports(node)[port].Link
		if g.Links[link].A == node {
			return 2 * link
		}
		return 2*link + 1
	}
	leadsTo := map[int]map[int]bool{}
	for src := range int32(len(r.Endpoints)) {
		for dst := range int32(len(r.Endpoints)) {
			if r.Distance(src, dst) < 2 {
				continue
			}
			var walk func(node, came int)
			walk = func(node, came int) {
				for _, port := range r.NextHops(node, dst) {
					leaves := direction(node, int(port))
					if came >= 0 {
						if leadsTo[came] == nil {
							leadsTo[came] = map[int]bool{}
						}
						leadsTo[came][leaves] = true
					}
					if next := g.Ports(node)[port].Peer; g.Nodes[next].Kind == Switch {
						walk(next, leaves)
					}
				}
			}
			walk(r.Endpoints[src].Attach, -1)
		}
	}
	return leadsTo
}

// hasCycle reports whether the graph has a cycle.
func hasCycle(leadsTo map[int]map[int]bool) bool {
	state := map[int]int{} // 1: on the way, 2: done
	var visit func(at int) bool
	visit = func(at int) bool {
		if state[at] != 0 {
			return state[at] == 1
		}
		state[at] = 1
		for next := range leadsTo[at] {
			if visit(next) {
				return true
			}
		}
		state[at] = 2
		return false
	}
	for at := range leadsTo {
		if visit(at) {
			return true
		}
	}
	return false
}

func TestUpDownRoutesHaveNoCyclicDependency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.Routing = UpDown
		r := NewRoutes(g)
		if rapid.Bool().Draw(t, "fail") {
			r = r.Without(g, drawCut(t, g))
		}
		if hasCycle(dependencies(g, r)) {
			t.Fatal("cables wait for each other in a circle")
		}
	})
}

// Two hops around a ring of three: the cycle of length 3 of the textbooks. By the shorter way every path there is one hop
// long and nothing goes on; in a ring of five it is two, and the cycle is back.
func TestAroundARingCablesWaitForEachOther(t *testing.T) {
	for _, c := range []struct {
		switches int
		policy   RoutePolicy
		want     bool
	}{
		{3, Clockwise, true}, {3, ShortestPaths, false}, {3, UpDown, false},
		{5, Clockwise, true}, {5, ShortestPaths, true}, {5, UpDown, false},
	} {
		g := mustBuild(t, ring(c.switches, 1, c.policy))
		if got := hasCycle(dependencies(g, NewRoutes(g))); got != c.want {
			t.Errorf("ring of %d, %s: cyclic dependency %v, want %v", c.switches, c.policy, got, c.want)
		}
	}
}

// A leaf that lost its first spine reaches one that lost its second by way of a third leaf only: down, up and down again. This
// is the bounce that made deadlocks in networks that cannot have any (Hu et al., HotNets 2016; Tagger, CoNEXT 2017).
func TestAfterFailuresOfAClosNetworkOnlyShortestPathsBounce(t *testing.T) {
	for _, c := range []struct {
		policy RoutePolicy
		links  int
	}{{ShortestPaths, 6}, {UpDown, -1}} {
		g := mustBuild(t, leafSpine(3, 2, 1))
		g.Routing = c.policy
		r := NewRoutes(g)
		var dead []int
		for i, link := range g.Links {
			switch g.Nodes[link.A].Name + g.Nodes[link.B].Name {
			case "leaf0spine0", "leaf1spine1":
				dead = append(dead, i)
			}
		}
		if got := r.Without(g, dead).Distance(0, 1); got != c.links {
			t.Errorf("%s: %d links from leaf 0 to leaf 1, want %d", c.policy, got, c.links)
		}
	}
}

func TestWithoutDeadCablesRoutesAreThoseOfTheNetworkThatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawRouted(t)
		whole := NewRoutes(g)
		dead := drawCut(t, g)
		left := whole.Without(g, dead)
		if diff := cmp.Diff(whole.Endpoints, left.Endpoints); diff != "" {
			t.Fatalf("endpoints have other numbers:\n%s", diff)
		}
		isDead := map[int]bool{}
		for _, link := range dead {
			isDead[link] = true
		}
		src, dst, path := drawPath(t, left)
		for i, step := range path {
			if i < len(path)-1 && isDead[g.Ports(step.Node)[step.Port].Link] {
				t.Fatalf("the path %v crosses a dead cable at step %d", path, i)
			}
		}
		if g.Routing != ShortestPaths {
			return
		}
		if got, want := left.Distance(src, dst), survivors(g, isDead, whole, src, dst); got != want {
			t.Fatalf("%d links, want %d", got, want)
		}
	})
}

// survivors returns the distance between two endpoints over the cables that are left, by relaxing them all until nothing changes.
func survivors(g *Graph, dead map[int]bool, r *Routes, src, dst int32) int {
	from, to := r.Endpoints[src], r.Endpoints[dst]
	ownDead := dead[g.Ports(from.Host)[from.Port].Link] || dead[g.Ports(to.Host)[to.Port].Link]
	switch {
	case src == dst:
		return 0
	case ownDead:
		return -1
	case from.facing(&to):
		return 1
	case from.isDirect() || to.isDirect():
		return -1
	}
	const far = 1 << 20
	distance := map[int]int{}
	for _, sw := range g.Switches() {
		distance[sw] = far
	}
	distance[to.Attach] = 1
	for range g.Nodes {
		for i, link := range g.Links {
			if dead[i] || g.Nodes[link.A].Kind == Host || g.Nodes[link.B].Kind == Host {
				continue
			}
			distance[link.A] = min(distance[link.A], distance[link.B]+1)
			distance[link.B] = min(distance[link.B], distance[link.A]+1)
		}
	}
	if distance[from.Attach] >= far {
		return -1
	}
	return distance[from.Attach] + 1
}

func TestASwitchHasNoNextHopToAHostWhoseCableIsDead(t *testing.T) {
	g := mustBuild(t, &Star{Hosts: 3, NICsPerHost: 1, Link: host100G})
	whole := NewRoutes(g)
	left := whole.Without(g, []int{1})
	sw := g.Switches()[0]
	if hops := left.NextHops(sw, 1); len(hops) != 0 {
		t.Errorf("next hops %v to the host that is cut off", hops)
	}
	if hops := left.NextHops(sw, 2); len(hops) != 1 || hops[0] != 2 {
		t.Errorf("next hops %v to its neighbour", hops)
	}
	if got := left.Distance(0, 1); got != -1 {
		t.Errorf("distance %d, want none", got)
	}
	if got := whole.Distance(0, 1); got != 2 {
		t.Errorf("the routes of the whole network changed: distance %d", got)
	}
}

func TestWithNothingDeadRoutesStayTheSame(t *testing.T) {
	for _, policy := range []RoutePolicy{ShortestPaths, UpDown} {
		g := mustBuild(t, fatTree(4))
		g.Routing = policy
		r := NewRoutes(g)
		if diff := cmp.Diff(r.switches, r.Without(g, nil).switches, cmp.AllowUnexported(SwitchRoutes{}, sibling{})); diff != "" {
			t.Errorf("%s: %s", policy, diff)
		}
	}
	// Clockwise around a broken ring only those get through who need not pass the break.
	g := mustBuild(t, ring(4, 1, Clockwise))
	broken := NewRoutes(g).Without(g, []int{5}) // from sw1 to sw2
	for _, c := range []struct {
		src, dst int32
		links    int
	}{{0, 1, 3}, {0, 2, -1}, {1, 2, -1}, {2, 1, 5}, {2, 3, 3}} {
		if got := broken.Distance(c.src, c.dst); got != c.links {
			t.Errorf("from h%d to h%d: %d links, want %d", c.src, c.dst, got, c.links)
		}
	}
}

// A tree whose levels by tier would leave hosts without a path: two spines that no leaf shares but a third.
func TestWhereTiersDoNotJoinAllARootDoes(t *testing.T) {
	c := &Custom{
		Hosts: []string{"h[0-2]"}, Switches: []string{"leaf[0-2]", "spine[0-1]"}, Routing: Routing{UpDown},
	}
	for _, ends := range [][2]string{{"h0", "leaf0"}, {"h1", "leaf1"}, {"h2", "leaf2"}, {"leaf[0-1]", "spine0"}, {"leaf[1-2]", "spine1"}} {
		c.Links = append(c.Links, CustomLink{A: ends[0], B: ends[1], Rate: units.Gbps, Delay: 1, Count: 1})
	}
	if got := NewRoutes(mustBuild(t, c)).Distance(0, 2); got != 6 {
		t.Errorf("%d links from h0 to h2, want 6 by way of leaf1", got)
	}
}

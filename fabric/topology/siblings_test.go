package topology

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// drawClos draws a leaf-spine or a fat-tree in which a few cables between switches are doubled, slow or long, so that some
// of its edges are alike and others are not.
func drawClos(t *rapid.T) *Graph {
	var whole *Graph
	if rapid.Bool().Draw(t, "fat-tree") {
		whole = mustBuildDrawn(t, fatTree(4))
	} else {
		whole = mustBuildDrawn(t, leafSpine(rapid.IntRange(1, 5).Draw(t, "leaves"), rapid.IntRange(1, 3).Draw(t, "spines"), 2))
	}
	links := slices.Clone(whole.Links)
	fabric := func(l Link) bool { return whole.Nodes[l.A].Kind == Switch && whole.Nodes[l.B].Kind == Switch }
	for range rapid.IntRange(0, 3).Draw(t, "odd cables") {
		i := rapid.IntRange(0, len(links)-1).Draw(t, "cable")
		if !fabric(links[i]) {
			continue
		}
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			links = append(links, links[i])
		case 1:
			links[i].Rate = 10 * units.Gbps
		default:
			links[i].Delay = 7 * units.Microsecond
		}
	}
	g, err := New(whole.Nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	g.Routing = rapid.SampledFrom([]RoutePolicy{ShortestPaths, UpDown}).Draw(t, "routing")
	return g
}

// drawAny draws a network without a plan: switches with any cables between them, several of them perhaps
// between the same two, and hosts with one or two ports at any of them.
func drawAny(t *rapid.T) *Graph {
	var nodes []Node
	var links []Link
	cable := func(a, b int) {
		links = append(links, Link{A: a, B: b, Rate: 100 * units.Gbps, Delay: units.Microsecond})
	}
	switches := rapid.IntRange(2, 7).Draw(t, "switches")
	for i := range switches {
		nodes = append(nodes, Node{Name: fmt.Sprint("s", i), Kind: Switch})
		if i > 0 { // so that all are joined
			cable(i, rapid.IntRange(0, i-1).Draw(t, "joins"))
		}
	}
	for range rapid.IntRange(0, 14).Draw(t, "cables") {
		a, b := rapid.IntRange(0, switches-1).Draw(t, "a"), rapid.IntRange(0, switches-1).Draw(t, "b")
		if a != b {
			cable(a, b)
		}
	}
	for i := range rapid.IntRange(2, 9).Draw(t, "hosts") {
		nodes = append(nodes, Node{Name: fmt.Sprint("h", i), Kind: Host})
		for range rapid.IntRange(1, 2).Draw(t, "NICs") {
			cable(len(nodes)-1, rapid.IntRange(0, switches-1).Draw(t, "at"))
		}
	}
	g, err := New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	g.Routing = rapid.SampledFrom([]RoutePolicy{ShortestPaths, UpDown, Clockwise}).Draw(t, "routing")
	return g
}

// drawNetwork draws a network of either kind.
func drawNetwork(t *rapid.T) *Graph {
	if rapid.Bool().Draw(t, "without a plan") {
		return drawAny(t)
	}
	return drawClos(t)
}

func mustBuildDrawn(t *rapid.T, b Builder) *Graph {
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// drawDead draws a few dead cables.
func drawDead(t *rapid.T, g *Graph) []int {
	return rapid.SliceOfN(rapid.IntRange(0, len(g.Links)-1), 0, 3).Draw(t, "dead")
}

// Against a search towards each edge by itself.
func TestSiblingsHaveTheRoutesThatEachWouldHaveAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawNetwork(t)
		r, dead := NewRoutes(g), make([]bool, len(g.Links))
		for _, link := range drawDead(t, g) {
			dead[link] = true
		}
		r = newRoutes(g, r.rank, dead)
		_, _, edges := listEndpoints(g)
		alone := newSearch(newRoutes(g, r.rank, dead), edges, dead)
		for to := range edges {
			alone.policy.spread(alone.switchOf(int32(to)), alone.distance)
			for from, distance := range alone.distance {
				sw := g.switches[from]
				var want []uint16
				for _, n := range alone.neighbours[from] {
					if distance > 0 && alone.distance[n.sw] == distance-1 && alone.policy.follows(int32(from), n.sw) {
						want = append(want, n.port)
					}
				}
				if got := r.Switch(sw).NextHops(Dest{Edge: int32(to)}); sw != edges[to] && !slices.Equal(got, want) {
					t.Fatalf("at %s towards %s: ports %v, want %v", g.Nodes[sw].Name, g.Nodes[edges[to]].Name, got, want)
				}
				if edge := r.Switch(sw).edge; edge >= 0 && r.edgeDistance(edge, int32(to)) != int(distance) {
					t.Fatalf("%s is %d links from %s, want %d", g.Nodes[edges[to]].Name, r.edgeDistance(edge, int32(to)), g.Nodes[sw].Name, distance)
				}
			}
		}
	})
}

// Against what the frames to each edge by itself wait for.
func TestSiblingsWaitForWhatEachWouldWaitForAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawNetwork(t)
		r := NewRoutes(g).Without(g, drawDead(t, g))
		want := map[Channel]map[Channel]bool{}
		for to := range int32(r.Edges()) {
			for _, sw := range g.switches {
				for _, port := range r.Switch(sw).NextHops(Dest{Edge: to}) {
					peer := g.ports[sw][port].Peer
					for _, out := range r.Switch(peer).NextHops(Dest{Edge: to}) {
						if r.Switch(sw).edge == to || r.Switch(peer).edge == to {
							continue
						}
						from := Channel{sw, int(port)}
						if want[from] == nil {
							want[from] = map[Channel]bool{}
						}
						want[from][Channel{peer, int(out)}] = true
					}
				}
			}
		}
		d := NewDependencies(g)
		d.AddRoutes(r)
		for i, from := range d.channels {
			got := map[Channel]bool{}
			for to := range d.after(int32(i)) {
				got[d.channels[to]] = true
			}
			if !maps.Equal(got, want[from]) {
				t.Fatalf("%v waits for %v, want %v", from, got, want[from])
			}
		}
	})
}

// Against classes that know of no edges that could stand in each other's place. What is found must be ways that there are.
func TestEdgesThatAreAlikeHaveTheClassesThatEachWouldHaveAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawNetwork(t)
		r := NewRoutes(g)
		classes, alone := NewClasses(r), NewClasses(r)
		if rapid.Bool().Draw(t, "kinds") {
			odd := rapid.SampledFrom(g.switches).Draw(t, "odd")
			kind := func(sw int) int { return min(1, max(sw-odd, odd-sw)) }
			classes.Distinguish(kind)
			alone.Distinguish(kind)
		}
		for edge := range alone.alike {
			alone.alike[edge] = [2]int32{int32(edge), int32(edge)}
		}
		for src := range int32(len(r.Endpoints)) {
			for dst := range int32(len(r.Endpoints)) {
				got, want := classes.Between(src, dst), alone.Between(src, dst)
				if diff := cmp.Diff(figures(want), figures(got)); diff != "" {
					t.Fatalf("from endpoint %d to %d: %s", src, dst, diff)
				}
				for _, way := range got {
					walk(t, r, src, dst, way)
				}
			}
		}
	})
}

// figures are the rates and delays of classes, in some order of their own.
func figures(classes [][]Hop) []string {
	var texts []string
	for _, way := range classes {
		text := ""
		for _, hop := range way {
			text += fmt.Sprint(hop.Rate, " ", hop.Delay, " ")
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}

// walk fails unless a way leads from one endpoint to another by cables that there are.
func walk(t *rapid.T, r *Routes, src, dst int32, way []Hop) {
	at := r.Endpoints[src].Host
	for i, hop := range way {
		found := slices.ContainsFunc(r.graph.ports[at], func(p Port) bool {
			link := r.graph.Links[p.Link]
			leads := p.Peer == hop.Switch || i == len(way)-1 && hop.Switch == -1 && p.Peer == r.Endpoints[dst].Host
			return leads && link.Rate == hop.Rate && link.Delay == hop.Delay
		})
		if !found {
			t.Fatalf("from endpoint %d to %d by %v: no such cable at %s", src, dst, way, r.graph.Nodes[at].Name)
		}
		at = hop.Switch
	}
}

// The top-of-rack switches of a pod are siblings, so that what is computed and stored of the 65,536 hosts' routes is that of
// 64 pods, and not of 2,048 racks.
func TestRoutesOfAFatTreeGrowWithItsPods(t *testing.T) {
	for _, k := range []int{8, 16, 32} {
		r := NewRoutes(mustBuild(t, fatTree(k)))
		if got := len(r.sets); got != k {
			t.Errorf("k=%d: %d sets of siblings, want one a pod", k, got)
		}
		// By switch and pod three words; by cable to a rack another one, and a port with its size.
		switches, cables := 5*k*k/4, k*k*k/4
		if got, most := r.bytes(), 12*switches*k+16*cables; got > most {
			t.Errorf("k=%d: tables of %d bytes, want at most %d", k, got, most)
		}
	}
}

// What the best of the ways between two hosts is, is worked out once for each pair of pods, though here each host is asked
// about.
func TestClassesOfAFatTreeAreLookedForBetweenPods(t *testing.T) {
	const k = 16
	r := NewRoutes(mustBuild(t, fatTree(k)))
	classes := NewClasses(r)
	hosts := int32(len(r.Endpoints))
	for src := range hosts {
		for _, dst := range []int32{0, 1, k / 2, k * k / 4, hosts - 1, (src*7 + 1) % hosts} {
			classes.Between(src, dst)
		}
	}
	// Between pods, within a pod, and within a rack.
	if got, most := len(classes.known), k*(k-1)+k+k; got > most {
		t.Errorf("%d pairs of edges were looked at, want at most %d", got, most)
	}
}

// The largest fat-tree has 65,536 hosts and 5,120 switches.
func TestTheLargestFatTreeIsBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	g := mustBuild(t, fatTree(64))
	if hosts, switches, links := len(g.Hosts()), len(g.Switches()), len(g.Links); hosts != 65536 || switches != 5120 || links != 3*65536 {
		t.Fatalf("%d hosts, %d switches, %d links", hosts, switches, links)
	}
	r := NewRoutes(g)
	if edges := r.Edges(); edges != 2048 {
		t.Errorf("%d edges, want 2,048 racks", edges)
	}
	if got, most := r.bytes(), 4_000_000; got > most {
		t.Errorf("tables of %d bytes, want at most %d", got, most)
	}
	for _, c := range []struct {
		dst          int32
		links, first int // first: ways out of the sender's rack
	}{{1, 2, 1}, {32, 4, 32}, {1024, 6, 32}, {65535, 6, 32}} {
		if links, ways := r.Distance(0, c.dst), len(r.NextHops(r.Endpoints[0].Attach, c.dst)); links != c.links || ways != c.first {
			t.Errorf("h0 to h%d: %d links, %d ways; want %d and %d", c.dst, links, ways, c.links, c.first)
		}
	}
}

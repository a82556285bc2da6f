package topology

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// countPaths counts the shortest paths from one endpoint to another by walking them all.
func countPaths(r *Routes, src, dst int32) int {
	var walk func(at int) int
	walk = func(at int) int {
		if at == r.Endpoints[dst].Host {
			return 1
		}
		paths := 0
		for _, port := range r.NextHops(at, dst) {
			paths += walk(r.graph.Ports(at)[port].Peer)
		}
		return paths
	}
	return walk(r.Endpoints[src].Attach)
}

// plainDistances returns the number of links from every node to an endpoint, by relaxing all links until nothing changes: slow, and
// obviously right. Hosts pass nothing on.
func plainDistances(g *Graph, e Endpoint) []int {
	const far = 1 << 30
	distance := make([]int, len(g.Nodes))
	for i := range distance {
		distance[i] = far
	}
	distance[e.Attach] = 1
	for changed := true; changed; {
		changed = false
		for at := range g.Nodes {
			for _, p := range g.Ports(at) {
				if g.Nodes[p.Peer].Kind == Switch && g.Nodes[e.Attach].Kind == Switch && distance[p.Peer]+1 < distance[at] {
					distance[at] = distance[p.Peer] + 1
					changed = true
				}
			}
		}
	}
	return distance
}

func TestNextHopsAreAllPortsThatLeadNearerAndNoOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		r := NewRoutes(g)
		for ep, e := range r.Endpoints {
			distance := plainDistances(g, e)
			for _, sw := range g.Switches() {
				var want []uint16
				for i, p := range g.Ports(sw) {
					switch {
					case sw == e.Attach && i == e.AttachPort:
						want = append(want, uint16(i))
					case sw != e.Attach && g.Nodes[p.Peer].Kind == Switch && distance[p.Peer] == distance[sw]-1 && g.Nodes[e.Attach].Kind == Switch:
						want = append(want, uint16(i))
					}
				}
				if got := r.NextHops(sw, int32(ep)); !slices.Equal(got, want) {
					t.Fatalf("at %s towards %s: ports %v, want %v", g.Nodes[sw].Name, g.PortName(e.Host, e.Port), got, want)
				}
			}
		}
	})
}

func TestWhateverIsChosenAPathIsShortestAndArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		r := NewRoutes(g)
		src := int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "src"))
		dst := int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "dst"))
		path := r.Path(src, dst, func(_, n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		if got := r.Distance(src, dst); got != max(len(path)-1, 0) && got != -1 {
			t.Fatalf("a path of %d links where the distance is %d", len(path)-1, got)
		}
		if path == nil {
			return
		}
		for i, step := range path[1:] {
			if arrives := g.Ports(path[i].Node)[path[i].Port].Peer; arrives != step.Node {
				t.Fatalf("step %d leads to %s, not to %s", i, g.Nodes[arrives].Name, g.Nodes[step.Node].Name)
			}
		}
		to := r.Endpoints[dst]
		if last := path[len(path)-1]; last.Node != to.Host || last.Port != to.Port {
			t.Fatalf("arrived at %s", g.PortName(last.Node, last.Port))
		}
	})
}

func TestDistanceIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := NewRoutes(drawGraph(t))
		for a := range int32(len(r.Endpoints)) {
			plain := plainDistances(r.graph, r.Endpoints[a])
			for b := range int32(len(r.Endpoints)) {
				got := r.Distance(a, b)
				if back := r.Distance(b, a); got != back {
					t.Fatalf("%d links from %d to %d, %d back", got, a, b, back)
				}
				from := &r.Endpoints[b]
				if want := plain[from.Attach] + 1; a != b && !from.isDirect() && !r.Endpoints[a].isDirect() && got != want {
					t.Fatalf("%d links from %d to %d, want %d", got, a, b, want)
				}
			}
		}
	})
}

func TestASwitchOfThreeHundredPortsRoutesToEachOfThem(t *testing.T) {
	g := mustBuild(t, &Star{Hosts: 300, NICsPerHost: 1, Link: host100G})
	r := NewRoutes(g)
	sw := g.Switches()[0]
	for ep := range int32(300) {
		if got := r.NextHops(sw, ep); len(got) != 1 || int32(got[0]) != ep {
			t.Fatalf("towards host %d: ports %v", ep, got)
		}
	}
	if got, most := r.bytes(), 300*8; got > most {
		t.Errorf("tables of %d bytes; want them in proportion to the edges, not to ports squared: at most %d", got, most)
	}
}

func TestAFullMeshOfEightHostsRoutesDirectly(t *testing.T) {
	g := mustBuild(t, fullMesh(8))
	r := NewRoutes(g)
	for a := range 8 {
		for b := range 8 {
			if a == b {
				continue
			}
			src, dst, err := r.Pair(a, b, 0)
			if err != nil {
				t.Fatal(err)
			}
			from, to := r.Endpoints[src], r.Endpoints[dst]
			if from.Host != a || to.Host != b || from.Attach != b || from.AttachPort != to.Port || r.Distance(src, dst) != 1 {
				t.Errorf("from h%d to h%d by %+v and %+v", a, b, from, to)
			}
			want := []Step{{a, from.Port}, {b, to.Port}}
			if diff := cmp.Diff(want, r.Path(src, dst, nil)); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestEndpointsOfAnotherCableCannotBeReachedDirectly(t *testing.T) {
	r := NewRoutes(mustBuild(t, fullMesh(3)))
	// Endpoint 0 is h0's cable to h1; endpoint 4 is h2's cable to h0's other port.
	if got := r.Distance(0, 4); got != -1 {
		t.Errorf("distance %d, want none", got)
	}
	if path := r.Path(0, 4, nil); path != nil {
		t.Errorf("path %v, want none", path)
	}
	if classes := NewClasses(r).Between(0, 4); classes != nil {
		t.Errorf("classes %v, want none", classes)
	}
}

func TestASwitchCannotReachACableBetweenHosts(t *testing.T) {
	c := &Custom{Hosts: []string{"h[0-1]"}, Switches: []string{"sw0"}, Links: []CustomLink{
		{A: "h[0-1]", B: "sw0", Rate: units.Gbps, Delay: 1, Count: 1}, {A: "h0", B: "h1", Rate: units.Gbps, Delay: 1, Count: 1},
	}}
	g := mustBuild(t, c)
	r := NewRoutes(g)
	direct := r.EndpointsOf(0)[1]
	if got := r.NextHops(node(t, g, "sw0"), direct); len(got) != 0 {
		t.Errorf("next hops %v, want none", got)
	}
}

func TestConnectionsTakeTheNICsOfBothHostsInTurn(t *testing.T) {
	star := mustBuild(t, &Star{Hosts: 2, NICsPerHost: 2, Link: host100G})
	both := &Custom{Hosts: []string{"h[0-1]"}, Switches: []string{"sw0"}, Links: []CustomLink{
		{A: "h[0-1]", B: "sw0", Rate: units.Gbps, Delay: 1, Count: 1}, {A: "h0", B: "h1", Rate: units.Gbps, Delay: 1, Count: 2},
	}}
	rails := &Custom{Hosts: []string{"h[0-1]"}, Switches: []string{"rail[0-2]"}, Links: []CustomLink{
		{A: "h[0-1]", B: "rail0", Rate: units.Gbps, Delay: 1, Count: 1},
		{A: "h[0-1]", B: "rail1", Rate: units.Gbps, Delay: 1, Count: 1},
		{A: "h[0-1]", B: "rail2", Rate: units.Gbps, Delay: 1, Count: 1},
	}}
	for _, c := range []struct {
		name  string
		graph *Graph
		want  string // ports of both hosts for connection 0, 1, 2 …
	}{
		{"all at one switch", star, "00 11 01 10 00 11"},
		{"cables are nearer than the switch", mustBuild(t, both), "11 22 11 22 11 22"},
		{"rails stay apart", mustBuild(t, rails), "00 11 22 00 11 22"},
	} {
		r := NewRoutes(c.graph)
		var got []byte
		for i := range 6 {
			src, dst, err := r.Pair(0, 1, i)
			if err != nil {
				t.Fatal(err)
			}
			got = fmt.Appendf(got, " %d%d", r.Endpoints[src].Port, r.Endpoints[dst].Port)
		}
		if string(got[1:]) != c.want {
			t.Errorf("%s: NICs %s, want %s", c.name, got[1:], c.want)
		}
	}
}

func TestPairWithoutAPathIsAnError(t *testing.T) {
	r := NewRoutes(mustBuild(t, &Pair{Link: host100G}))
	_, _, err := r.Pair(0, 0, 0)
	wantError(t, err, "no path from h0 to h0")
}

func TestLookingUpARouteAllocatesNothing(t *testing.T) {
	g := mustBuild(t, fatTree(4))
	r := NewRoutes(g)
	table, d := r.Switch(g.Switches()[0]), r.Dest(15)
	if n := testing.AllocsPerRun(100, func() { table.NextHops(d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRoutesAreTheSameEachTime(t *testing.T) {
	g := mustBuild(t, fatTree(8))
	a, b := NewRoutes(g), NewRoutes(g)
	if diff := cmp.Diff(a.switches, b.switches, cmp.AllowUnexported(SwitchRoutes{}, sibling{})); diff != "" {
		t.Error(diff)
	}
}

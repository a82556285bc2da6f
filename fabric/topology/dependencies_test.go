package topology

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// aRing is a ring of switches with a host at each: hosts 0 to n-1, switches from n on. Port 0
// of a switch leads to its host; the cable to the next switch is port 1 of the first and
// port 2 of all others.
func aRing(n int, routes RoutePolicy) *Graph {
	g, err := ring(n, 1, routes).Build()
	if err != nil {
		panic(err)
	}
	return g
}

// around is the clockwise way around a ring from the host at one switch to another's.
func around(g *Graph, n, from, to int) []Step {
	path := []Step{{from, 0}}
	for at := from; at != to; at = (at + 1) % n {
		next := slices.IndexFunc(g.ports[n+at], func(p Port) bool { return p.Peer == n+(at+1)%n })
		path = append(path, Step{n + at, next})
	}
	return append(path, Step{n + to, 0}, Step{to, 0})
}

// Three flows of two hops each around a ring of three switches close one circle of three
// channels. Any two of them do not, nor do flows of one hop.
func TestARingOfThreeHasACycle(t *testing.T) {
	g := aRing(3, ShortestPaths)
	d := NewDependencies(g)
	for from := range 3 {
		d.AddPath(around(g, 3, from, (from+1)%3))
	}
	for from := range 3 {
		if cycle := d.Cycle(); cycle != nil {
			t.Errorf("a cycle %v before flow %d", cycle, from)
		}
		d.AddPath(around(g, 3, from, (from+2)%3))
	}
	if got, want := d.Cycle(), []Channel{{3, 1}, {4, 2}, {5, 2}}; !slices.Equal(got, want) {
		t.Errorf("cycle %v, want %v", got, want)
	}
}

// In a ring of three all shortest ways are of one hop; in one of five there are two. All
// clockwise ways together close the circle in any ring, up-down ways in none.
func TestRoutesInARing(t *testing.T) {
	for _, c := range []struct {
		switches int
		routes   RoutePolicy
		want     int // channels of the cycle
	}{
		{3, ShortestPaths, 0}, {5, ShortestPaths, 5}, {3, Clockwise, 3}, {4, Clockwise, 4}, {7, Clockwise, 7},
		{3, UpDown, 0}, {4, UpDown, 0}, {5, UpDown, 0}, {8, UpDown, 0},
	} {
		g := aRing(c.switches, c.routes)
		d := NewDependencies(g)
		d.AddRoutes(NewRoutes(g))
		if got := d.Cycle(); len(got) != c.want {
			t.Errorf("%d switches, %s: cycle %v, want one of %d", c.switches, c.routes, got, c.want)
		}
	}
}

// Of a circle of five and one of three the shorter is named.
func TestTheShortestCycleIsNamed(t *testing.T) {
	g := aRing(5, ShortestPaths)
	d := NewDependencies(g)
	for from := range 5 {
		d.AddPath(around(g, 5, from, (from+2)%5))
	}
	// From s1 to s2, back to s1 and on to s2: two channels that wait for each other.
	d.AddPath([]Step{{1, 0}, {6, 2}, {7, 1}, {6, 2}, {7, 0}, {2, 0}})
	if got := d.Cycle(); len(got) != 2 {
		t.Errorf("cycle %v, want that of two channels", got)
	}
}

// Shortest paths in a Clos network go up and then down: no cycle. One path that bounces,
// up again at a leaf because the cable down is broken, is none yet; with a second one the
// circle is closed.
func TestBouncingClosesACycleInAClos(t *testing.T) {
	g := mustBuild(t, leafSpine(2, 2, 2))
	d := NewDependencies(g)
	d.AddRoutes(NewRoutes(g))
	if cycle := d.Cycle(); cycle != nil {
		t.Fatalf("cycle %v in a Clos", cycle)
	}
	// Hosts 0 to 3, leaves 4 and 5, spines 6 and 7; a leaf's ports 2 and 3 lead to the
	// spines, a spine's ports 0 and 1 to the leaves.
	d.AddPath([]Step{{0, 0}, {4, 2}, {6, 1}, {5, 3}, {7, 0}, {4, 1}, {1, 0}})
	if cycle := d.Cycle(); cycle != nil {
		t.Errorf("cycle %v with one bounce", cycle)
	}
	d.AddPath([]Step{{2, 0}, {5, 3}, {7, 0}, {4, 2}, {6, 1}, {5, 1}, {3, 0}})
	if got := d.Cycle(); len(got) != 4 {
		t.Errorf("cycle %v, want the four channels between the leaves and the spines", got)
	}
}

// Against the definition: a channel is in a cycle exactly if it can be reached from itself.
func TestCyclesAreFoundInAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(t, "switches")
		g := aRing(n, ShortestPaths)
		d := NewDependencies(g)
		for range rapid.IntRange(0, 8).Draw(t, "paths") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			d.AddPath(around(g, n, from, (from+rapid.IntRange(1, n-1).Draw(t, "hops"))%n))
		}
		want := false
		for start := range d.channels {
			reached, todo := map[int32]bool{}, slices.Collect(d.after(int32(start)))
			for len(todo) > 0 && !reached[int32(start)] {
				at := todo[0]
				if todo = todo[1:]; !reached[at] {
					reached[at] = true
					todo = slices.AppendSeq(todo, d.after(at))
				}
			}
			want = want || reached[int32(start)]
		}
		cycle := d.Cycle()
		if (cycle != nil) != want {
			t.Fatalf("cycle %v, one exists: %v", cycle, want)
		}
		for i, c := range cycle {
			next := cycle[(i+1)%len(cycle)]
			if !slices.Contains(slices.Collect(d.after(d.number[c.Node][c.Port])), d.number[next.Node][next.Port]) {
				t.Fatalf("%v does not wait for %v", c, next)
			}
		}
	})
}

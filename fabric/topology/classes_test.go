package topology

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

func TestAFatTreeHasOneClassOfPathBetweenPods(t *testing.T) {
	g := mustBuild(t, fatTree(8))
	r := NewRoutes(g)
	classes := NewClasses(r).Between(0, 127)
	if len(classes) != 1 || len(classes[0]) != 6 {
		t.Fatalf("%d classes, the first of %d links; want 1 of 6", len(classes), len(classes[0]))
	}
	for i, hop := range classes[0] {
		want := Hop{Rate: 400 * units.Gbps, Delay: 500 * units.Nanosecond, Switch: hop.Switch}
		if i == 0 || i == 5 {
			want.Rate = 100 * units.Gbps
		}
		if hop != want || (hop.Switch == -1) != (i == 5) {
			t.Errorf("link %d is %+v", i, hop)
		}
	}
}

func TestClassesOfADirectCable(t *testing.T) {
	r := NewRoutes(mustBuild(t, &Pair{Link: host100G}))
	want := [][]Hop{{{Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond, Switch: -1}}}
	if diff := cmp.Diff(want, NewClasses(r).Between(0, 1)); diff != "" {
		t.Error(diff)
	}
}

// middles joins the leaves of h0 and h1 over one switch for each of the given links.
func middles(links ...HostCable) *Custom {
	c := &Custom{Hosts: []string{"h[0-1]"}, Switches: []string{"leaf[0-1]"}}
	add := func(a, b string, l HostCable) {
		c.Links = append(c.Links, CustomLink{A: a, B: b, Rate: l.Rate, Delay: l.Delay, Count: 1})
	}
	add("h0", "leaf0", host100G)
	add("h1", "leaf1", host100G)
	for i, link := range links {
		name := fmt.Sprint("mid", i)
		c.Switches = append(c.Switches, name)
		add("leaf0", name, link)
		add(name, "leaf1", link)
	}
	return c
}

func TestOnlyPathsThatMayBeTheBestMakeAClass(t *testing.T) {
	fastLong := HostCable{Rate: 400 * units.Gbps, Delay: 2 * units.Microsecond}
	slowShort := HostCable{Rate: 100 * units.Gbps, Delay: 1 * units.Microsecond}
	slowLong := HostCable{Rate: 100 * units.Gbps, Delay: 2 * units.Microsecond}
	r := NewRoutes(mustBuild(t, middles(slowLong, fastLong, slowShort, fastLong)))
	var got []string
	for _, class := range NewClasses(r).Between(0, 1) {
		got = append(got, fmt.Sprint(class[1].Rate, " ", class[1].Delay))
	}
	if diff := cmp.Diff([]string{"400Gbps 2us", "100Gbps 1us"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTooManyClassesGiveWayToABoundThatNoPathBeats(t *testing.T) {
	var links []HostCable
	for i := range MaxClasses + 1 { // ever faster, ever longer: none beats another
		links = append(links, HostCable{Rate: units.Rate(i+1) * 10 * units.Gbps, Delay: units.Time(i+1) * units.Microsecond})
	}
	r := NewRoutes(mustBuild(t, middles(links...)))
	classes := NewClasses(r).Between(0, 1)
	if len(classes) != 1 || classes[0][2].Rate != 330*units.Gbps || classes[0][2].Delay != units.Microsecond {
		t.Errorf("classes %+v; want one of the best rate, 330G, and the best delay, 1us", classes)
	}
}

// Where switches are told apart, neither a faster link nor another kind of switch
// makes a way better; a shorter cable does.
func TestWaysThroughDifferentSwitchesAreKeptApart(t *testing.T) {
	near, far := HostCable{Rate: 400 * units.Gbps, Delay: units.Microsecond}, HostCable{Rate: 400 * units.Gbps, Delay: 2 * units.Microsecond}
	slow := HostCable{Rate: 100 * units.Gbps, Delay: units.Microsecond}
	r := NewRoutes(mustBuild(t, middles(near, far, far, slow)))
	classes := NewClasses(r)
	odd := r.graph.Switches()[4] // mid2
	classes.Distinguish(func(sw int) int {
		if sw == odd {
			return 1
		}
		return 0
	})
	var got []string
	for _, class := range classes.Between(0, 1) {
		got = append(got, r.graph.Nodes[class[1].Switch].Name)
	}
	if diff := cmp.Diff([]string{"mid0", "mid2", "mid3"}, got); diff != "" {
		t.Error(diff)
	}
}

// asGood reports whether each hop of a is as fast and as short as that of b.
func asGood(c *Classes, a, b []Hop) bool { return c.asGood(c.steps[c.addAll(a)], c.steps[c.addAll(b)]) }

func TestNoPathIsBetterThanAllClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		r := NewRoutes(g)
		classes := NewClasses(r)
		for range 5 {
			src := int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "src"))
			dst := int32(rapid.IntRange(0, len(r.Endpoints)-1).Draw(t, "dst"))
			path := r.Path(src, dst, func(_, n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
			between := classes.Between(src, dst)
			if path == nil {
				continue
			}
			var way []Hop
			for _, step := range path[:len(path)-1] {
				way = append(way, classes.hop(step.Node, step.Port))
			}
			covered := false
			for _, class := range between {
				covered = covered || len(class) == len(way) && asGood(classes, class, way)
			}
			if !covered {
				t.Fatalf("path %v is not covered by %v", way, between)
			}
		}
	})
}

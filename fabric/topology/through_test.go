package topology

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// twins is two leaves of two hosts, two spines, and two cables from each leaf to each spine.
func twins(t *testing.T) *Graph {
	t.Helper()
	link := CustomLink{Rate: 100 * units.Gbps, Delay: units.Microsecond, Count: 1}
	cable := func(a, b string, count int) CustomLink {
		l := link
		l.A, l.B, l.Count = a, b, count
		return l
	}
	return mustBuild(t, &Custom{Hosts: []string{"h[0-3]"}, Switches: []string{"leaf[0-1]", "spine[0-1]"}, Links: []CustomLink{
		cable("h[0-1]", "leaf0", 1), cable("h[2-3]", "leaf1", 1),
		cable("leaf0", "spine0", 2), cable("leaf0", "spine1", 2), cable("leaf1", "spine0", 2), cable("leaf1", "spine1", 2),
	}})
}

// names spells a way out: each switch with the port by which it is left.
func (w Pinned) names(g *Graph) string {
	var names []string
	for _, s := range w {
		if s.Port == ToNIC {
			names = append(names, g.Nodes[s.Node].Name)
		} else {
			names = append(names, g.PortName(s.Node, s.Port))
		}
	}
	return strings.Join(names, " ")
}

// Ports 0 and 1 of a leaf are those of its hosts, 2 and 3 lead to spine0, 4 and 5 to spine1.
func TestAWayTakesTheFirstOfSeveralCablesUnlessOneIsNamed(t *testing.T) {
	g := twins(t)
	for _, tc := range []struct{ stops, way, back string }{
		{"leaf0 spine1 leaf1", "leaf0:4 spine1:2 leaf1", "leaf1:4 spine1:0 leaf0"},
		{"leaf0:5 spine1:3 leaf1", "leaf0:5 spine1:3 leaf1", "leaf1:5 spine1:1 leaf0"},
		{"leaf0", "leaf0", "leaf0"},
		{"leaf0 spine0 leaf1 spine1", "leaf0:2 spine0:2 leaf1:4 spine1", "spine1:2 leaf1:2 spine0:0 leaf0"},
	} {
		way, err := g.Through("path", strings.Fields(tc.stops))
		if err != nil {
			t.Fatal(err)
		}
		if got := way.names(g); got != tc.way {
			t.Errorf("%s: %s, want %s", tc.stops, got, tc.way)
		}
		if got := g.Back(way).names(g); got != tc.back {
			t.Errorf("back from %s: %s, want %s", tc.stops, got, tc.back)
		}
		if twice := g.Back(g.Back(way)); !slices.Equal(twice, way) {
			t.Errorf("there and back from %s: %s", tc.stops, twice.names(g))
		}
	}
}

func TestAWayThatIsNoneSaysWhereItFails(t *testing.T) {
	g := twins(t)
	for _, tc := range []struct{ stops, key, problem, want string }{
		{"", "path", "no switches", "leaf0, spine1"},
		{"leaf0 spime1 leaf1", "path[1]", "no switch of this name", `did you mean "spine1"?`},
		{"h0 leaf0", "path[0]", "no switch of this name", ""},
		{"leaf0 leaf1", "path[0]", "no cable to the next switch, leaf1", "neighbours of leaf0: spine0, spine1"},
		{"leaf0:9 spine0 leaf1", "path[0]", "no such port", "leaf0:0 to leaf0:5"},
		{"leaf0:x spine0 leaf1", "path[0]", "no such port", "leaf0:0 to leaf0:5"},
		{"leaf0:4 spine0 leaf1", "path[0]", "leads to spine1 and not to spine0", "a port with a cable to spine0"},
		{"leaf0 spine0 leaf1 spine1 leaf0", "path[4]", "a loop: the way has been there, at path[0]", "each switch once"},
		{"leaf0 spine0 leaf1:0", "path[2]", "the last switch is left by the cable to the destination", "leaf1"},
	} {
		_, err := g.Through("path", strings.Fields(tc.stops))
		var field *units.FieldError
		if !errors.As(err, &field) {
			t.Errorf("%q: %v", tc.stops, err)
			continue
		}
		if field.Key != tc.key || !strings.Contains(field.Problem, tc.problem) || !strings.Contains(field.Want, tc.want) {
			t.Errorf("%q: %v at %s, want %q at %s; %q", tc.stops, err, field.Key, tc.problem, tc.key, tc.want)
		}
	}
}

// Host 0 has a cable to each of two racks' switches; a way decides by which NIC it is left.
func TestTheEndsOfAWayDecideWhichNICsAreUsed(t *testing.T) {
	g := mustBuild(t, &Custom{Hosts: []string{"h[0-1]"}, Switches: []string{"a", "b"}, Links: []CustomLink{
		{A: "h[0-1]", B: "a", Rate: units.Gbps, Delay: 1, Count: 1},
		{A: "h[0-1]", B: "b", Rate: units.Gbps, Delay: 1, Count: 2},
		{A: "a", B: "b", Rate: units.Gbps, Delay: 1, Count: 1},
	}})
	through := func(stops ...string) Pinned {
		way, err := g.Through("path", stops)
		if err != nil {
			t.Fatal(err)
		}
		return way
	}
	ab, b := through("a", "b"), through("b")
	for i, want := range [][2]int{{0, 1}, {0, 2}, {0, 1}} {
		from, to, err := g.PairThrough(0, 1, ab, g.Back(ab), i)
		if err != nil || from != want[0] || to != want[1] {
			t.Errorf("connection %d through a and b: ports %d and %d (%v), want %v", i, from, to, err, want)
		}
	}
	for i, want := range [][2]int{{1, 1}, {2, 2}, {1, 2}, {2, 1}, {1, 1}} {
		from, to, err := g.PairThrough(0, 1, b, b, i)
		if err != nil || from != want[0] || to != want[1] {
			t.Errorf("connection %d through b: ports %d and %d (%v), want %v", i, from, to, err, want)
		}
	}
	_, _, err := g.PairThrough(0, 1, ab, b, 0)
	wantError(t, err, `return_path[0]: "b": not where path begins; a`)
}

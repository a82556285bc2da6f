package topology

import "testing"

// With one of two spines cut off from a leaf, the leaf and all others go round it; the
// spine itself reaches the leaf by way of another one.
func TestRoutesGoRoundADeadUplink(t *testing.T) {
	g := mustBuild(t, leafSpine(3, 2, 1))
	whole := NewRoutes(g)
	leaf, spine := node(t, g, "leaf0"), node(t, g, "spine0")
	dead := -1
	for i, link := range g.Links {
		if link.A == leaf && link.B == spine || link.A == spine && link.B == leaf {
			dead = i
		}
	}
	left := whole.Without(g, []int{dead})
	for _, tc := range []struct {
		at        string
		to        int32
		was, want int
	}{
		{"leaf0", 1, 2, 1},
		{"leaf1", 0, 2, 1},
		{"leaf1", 2, 2, 2},
		{"spine0", 0, 1, 2},
		{"spine1", 0, 1, 1},
	} {
		sw := node(t, g, tc.at)
		if was, got := len(whole.NextHops(sw, tc.to)), len(left.NextHops(sw, tc.to)); was != tc.was || got != tc.want {
			t.Errorf("%s to host %d: %d next hops, then %d; want %d, then %d", tc.at, tc.to, was, got, tc.was, tc.want)
		}
	}
	if got := left.Distance(0, 1); got != 4 {
		t.Errorf("%d links from rack 0 to rack 1, want 4", got)
	}
}

func TestNoNextHopLeadsToAHostThatIsCutOff(t *testing.T) {
	g := mustBuild(t, &Star{Hosts: 3, NICsPerHost: 1, Link: host100G})
	left := NewRoutes(g).Without(g, []int{1})
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
}

package topology

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

func TestRacksArePlacesThatHostsShareAndPodsWhatIsJoinedBelowTheTop(t *testing.T) {
	for _, c := range []struct {
		name    string
		network Builder
		racks   []int
		pods    []int
	}{
		{"a pair", &Pair{Link: host100G}, []int{0, 0}, []int{0, 0}},
		{"a star is one rack", &Star{Hosts: 3, NICsPerHost: 1, Link: host100G}, []int{0, 0, 0}, []int{0, 0, 0}},
		{"a leaf and its hosts", leafSpine(3, 2, 2), []int{0, 0, 1, 1, 2, 2}, []int{0, 0, 1, 1, 2, 2}},
		{"a fat-tree", fatTree(4), []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}},
		{"three tiers", threeTier(2, 2, 1, 2, 2), []int{0, 1, 2, 3}, []int{0, 0, 1, 1}},
		{"two switches that share their hosts", &DualToR{Racks: 2, HostsPerRack: 2, NICsPerToR: 1, Spines: 1, HostLink: host100G, FabricLink: fabric400G},
			[]int{0, 0, 1, 1}, []int{0, 0, 1, 1}},
		{"the rails of a pod", &RailOptimised{Pods: 2, HostsPerPod: 2, Rails: 3, Spines: 1, HostLink: host100G, FabricLink: fabric400G},
			[]int{0, 0, 1, 1}, []int{0, 0, 1, 1}},
		{"a ring is one pod", ring(3, 1, ""), []int{0, 1, 2}, []int{0, 0, 0}},
		{"a parking lot", &ParkingLot{Senders: []int{1, 2}, Receivers: 1, HostLink: host100G, SwitchLink: host100G}, []int{0, 1, 1, 1}, []int{0, 0, 0, 0}},
	} {
		p := mustBuild(t, c.network).Placement()
		if diff := cmp.Diff(c.racks, p.Rack); diff != "" {
			t.Errorf("%s: racks:\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.pods, p.Pod); diff != "" {
			t.Errorf("%s: pods:\n%s", c.name, diff)
		}
	}
}

func TestUplinksAreTheCablesThatLeaveARackOrAPod(t *testing.T) {
	// A rack has 2 uplinks of 400G; a pod has 2 leaves with 2 cores each.
	p := mustBuild(t, threeTier(2, 3, 1, 2, 4)).Placement()
	for i, rate := range p.RackUplinks {
		if rate != 800*units.Gbps {
			t.Errorf("rack %d has uplinks of %v, want 800Gbps", i, rate)
		}
	}
	if diff := cmp.Diff([]units.Rate{1600 * units.Gbps, 1600 * units.Gbps}, p.PodUplinks); diff != "" {
		t.Errorf("uplinks of the pods:\n%s", diff)
	}
	if p := mustBuild(t, &Star{Hosts: 2, NICsPerHost: 1, Link: host100G}).Placement(); p.RackUplinks[0] != 0 || p.PodUplinks[0] != 0 {
		t.Errorf("a star has uplinks of %v and %v", p.RackUplinks, p.PodUplinks)
	}
}

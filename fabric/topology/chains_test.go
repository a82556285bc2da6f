package topology

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// neighbours writes the nodes at the ports of a node, in the order of ports.
func neighbours(g *Graph, node int) string {
	var names []string
	for _, port := range g.Ports(node) {
		names = append(names, g.Nodes[port.Peer].Name)
	}
	return strings.Join(names, " ")
}

// wantNeighbours compares the ports of some nodes with the names of those they lead to.
func wantNeighbours(t *testing.T, g *Graph, want map[string]string) {
	t.Helper()
	for name, peers := range want {
		if got := neighbours(g, node(t, g, name)); got != peers {
			t.Errorf("the ports of %s lead to %s, want %s", name, got, peers)
		}
	}
}

func TestADumbbellHasOneCableBetweenItsHalves(t *testing.T) {
	g := mustBuild(t, &Dumbbell{Left: 2, Right: 3, NICsPerHost: 1, HostLink: host100G, Bottleneck: HostCable{Rate: 40 * units.Gbps, Delay: 1}})
	wantNeighbours(t, g, map[string]string{"left": "h0 h1 right", "right": "h2 h3 h4 left"})
	if rate := g.Links[len(g.Links)-1].Rate; rate != 40*units.Gbps {
		t.Errorf("the bottleneck runs at %v", rate)
	}
}

// The parking lot and the victim flow of DCQCN (SIGCOMM 2015, section 2.2) are chains of two switches.
func TestAParkingLotIsAChainWithSendersAtEachSwitch(t *testing.T) {
	lot := ParkingLot{Senders: []int{3, 0, 1}, Receivers: 2, HostLink: host100G, SwitchLink: host100G}
	g := mustBuild(t, &lot)
	wantNeighbours(t, g, map[string]string{
		"sw0": "h0 h1 h2 sw1", "sw1": "sw0 sw2", "sw2": "h3 r0 r1 sw1", "h0": "sw0", "r1": "sw2",
	})
}

func TestParkingLotErrors(t *testing.T) {
	_, err := (&ParkingLot{Receivers: 1}).Build()
	wantError(t, err, "senders: a chain of no switch; such as [1, 1, 1]")
	_, err = (&ParkingLot{Senders: []int{0, 1}, Receivers: 1}).Build()
	wantError(t, err, `senders[0]: "0": the chain begins with a switch that nobody uses; at least 1`)
}

func TestAFatTreeMayHaveSeveralNICsAHost(t *testing.T) {
	tree := fatTree(4)
	tree.NICsPerHost = 2
	wantNeighbours(t, mustBuild(t, tree), map[string]string{"pod0-tor0": "h0 h0 h1 h1 pod0-agg0 pod0-agg1"})
}

func TestNetworksTooLargeForMemoryAreRefused(t *testing.T) {
	tree := fatTree(64)
	tree.NICsPerHost = 32
	for want, network := range map[string]Builder{
		`nics_per_host: "32": 2097152 host ports in all are too many; at most 1048576`:       tree,
		`hosts_per_switch: "4096": 16777216 host ports in all are too many; at most 1048576`: ring(4096, 4096, ""),
		`hosts_per_rack: "4096": 16384000 host ports in all are too many; at most 1048576`:   &DualToR{Racks: 2000, HostsPerRack: 4096, NICsPerToR: 1, Spines: 1},
		`hosts_per_pod: "4096": 4194304 host ports in all are too many; at most 1048576`:     &RailOptimised{Pods: 1024, HostsPerPod: 4096, Rails: 1, Spines: 1},
		`spines: "4096": 16777216 cables between switches are too many; at most 3145728`:     &LeafSpine{Leaves: 4096, HostsPerLeaf: 1, NICsPerHost: 1, Spines: 4096},
		`spines: "4000": 16384000 cables between switches are too many; at most 3145728`:     &DualToR{Racks: 2048, HostsPerRack: 1, NICsPerToR: 1, Spines: 4000},
		`spines: "4000": 4096000 cables between switches are too many; at most 3145728`:      &RailOptimised{Pods: 1024, HostsPerPod: 1, Rails: 1, Spines: 4000},
		`pods: "1024": 8389632 cables between switches are too many; at most 3145728`:        &ThreeTier{Pods: 1024, RacksPerPod: 1, HostsPerRack: 1, NICsPerHost: 1, LeavesPerPod: 1, Cores: 8192},
	} {
		_, err := network.Build()
		wantError(t, err, want)
	}
}

func ring(switches, hosts int, routes RoutePolicy) *Ring {
	return &Ring{Switches: switches, HostsPerSwitch: hosts, NICsPerHost: 1, HostLink: host100G, SwitchLink: host100G, Routes: routes}
}

func TestARingClosesItsCircle(t *testing.T) {
	wantNeighbours(t, mustBuild(t, ring(4, 2, "")), map[string]string{
		"sw0": "h0 h1 sw1 sw3", "sw1": "h2 h3 sw0 sw2", "sw3": "h6 h7 sw2 sw0",
	})
}

// On a ring of n switches the way to the k-th switch ahead takes k cables clockwise, and the fewer of k and n-k
// otherwise; each host adds one.
func TestAroundARingTheWayIsClockwiseOrTheShorterOne(t *testing.T) {
	for n := 3; n <= 8; n++ {
		around, shorter := NewRoutes(mustBuild(t, ring(n, 1, Clockwise))), NewRoutes(mustBuild(t, ring(n, 1, ShortestPaths)))
		for a := range n {
			for k := 1; k < n; k++ {
				src, dst := int32(a), int32((a+k)%n)
				if got := around.Distance(src, dst); got != k+2 {
					t.Errorf("ring of %d, clockwise: %d links from h%d to h%d, want %d", n, got, a, dst, k+2)
				}
				if got, want := shorter.Distance(src, dst), min(k, n-k)+2; got != want {
					t.Errorf("ring of %d, shortest: %d links from h%d to h%d, want %d", n, got, a, dst, want)
				}
			}
		}
	}
}

func TestFullMeshHasACablePerPair(t *testing.T) {
	g := mustBuild(t, fullMesh(5))
	if got, want := len(g.Links), 10; got != want {
		t.Errorf("%d cables, want %d", got, want)
	}
	wantNeighbours(t, g, map[string]string{"h0": "h1 h2 h3 h4", "h3": "h0 h1 h2 h4"})
}

func TestNICiOfEveryHostIsAtRailSwitchIOfItsPod(t *testing.T) {
	g := mustBuild(t, &RailOptimised{Pods: 2, HostsPerPod: 3, Rails: 4, Spines: 2, HostLink: host100G, FabricLink: fabric400G})
	wantNeighbours(t, g, map[string]string{
		"h1":         "pod0-rail0 pod0-rail1 pod0-rail2 pod0-rail3",
		"h5":         "pod1-rail0 pod1-rail1 pod1-rail2 pod1-rail3",
		"pod1-rail2": "h3 h4 h5 spine0 spine1",
	})
	r := NewRoutes(g)
	for rail := range 4 {
		src, dst, err := r.Pair(0, 2, rail)
		if err != nil || r.Endpoints[src].Port != rail || r.Endpoints[dst].Port != rail || r.Distance(src, dst) != 2 {
			t.Errorf("connection %d inside a pod leaves its rail: %v, %d to %d", rail, err, src, dst)
		}
		src, dst, err = r.Pair(0, 5, rail)
		if err != nil || r.Endpoints[src].Port != rail || r.Endpoints[dst].Port != rail || r.Distance(src, dst) != 4 {
			t.Errorf("connection %d between pods does not stay between NICs %d: %v, %d to %d", rail, rail, err, src, dst)
		}
	}
}

func TestRailsMayStayApartInOnePodOnly(t *testing.T) {
	mustBuild(t, &RailOptimised{Pods: 1, HostsPerPod: 3, Rails: 4, HostLink: host100G, FabricLink: fabric400G})
	_, err := (&RailOptimised{Pods: 2, HostsPerPod: 3, Rails: 4}).Build()
	wantError(t, err, `spines: "0": nothing joins the pods; at least 1, or pods: 1`)
}

func TestEveryHostOfADualToRRackHasANICAtBothSwitches(t *testing.T) {
	g := mustBuild(t, &DualToR{Racks: 2, HostsPerRack: 2, NICsPerToR: 2, Spines: 2, HostLink: host100G, FabricLink: fabric400G})
	wantNeighbours(t, g, map[string]string{
		"h0":         "rack0-tor0 rack0-tor1 rack0-tor0 rack0-tor1",
		"rack1-tor1": "h2 h2 h3 h3 spine0 spine1",
	})
}

func threeTier(pods, racks, hosts, leaves, cores int) *ThreeTier {
	return &ThreeTier{
		Pods: pods, RacksPerPod: racks, HostsPerRack: hosts, NICsPerHost: 1, LeavesPerPod: leaves, Cores: cores,
		HostLink: host100G, LeafLink: fabric400G, CoreLink: fabric400G,
	}
}

// Each of the leaves of a pod reaches cores/leaves cores, and a core one leaf of each pod: so many paths between pods.
func TestThreeTiersHaveAPathPerCore(t *testing.T) {
	for _, c := range []struct{ racks, hosts, leaves, cores int }{{4, 8, 2, 4}, {24, 1, 4, 64}, {3, 2, 1, 1}} {
		g := mustBuild(t, threeTier(2, c.racks, c.hosts, c.leaves, c.cores))
		r, last := NewRoutes(g), int32(len(g.Hosts())-1)
		if got := countPaths(r, 0, last); got != c.cores {
			t.Errorf("%+v: %d paths between pods, want %d", c, got, c.cores)
		}
		if got := countPaths(r, 0, int32(c.hosts)); got != c.leaves {
			t.Errorf("%+v: %d paths between racks of a pod, want %d", c, got, c.leaves)
		}
	}
}

func TestThreeTiersAreOversubscribedByTheirCounts(t *testing.T) {
	// A rack has 24 x 100G below and 3 x 400G above, a leaf 12 x 400G below and 4 x 400G above.
	g := mustBuild(t, threeTier(2, 12, 24, 3, 12))
	for name, want := range map[string]string{"pod0-tor5": "2:1", "pod1-leaf2": "3:1"} {
		down, up := g.capacity(node(t, g, name))
		if got := colon(units.Ratio{Num: int64(down), Den: int64(up)}); got != want {
			t.Errorf("%s is oversubscribed %s, want %s", name, got, want)
		}
	}
	if got := neighbours(g, node(t, g, "pod1-leaf2")); !strings.HasSuffix(got, "pod1-tor11 core8 core9 core10 core11") {
		t.Errorf("leaf 2 leads to %s, want the racks of its pod and the third part of the cores", got)
	}
}

func TestThreeTierErrors(t *testing.T) {
	_, err := threeTier(2, 4, 8, 3, 4).Build()
	wantError(t, err, `cores: "4": the 3 leaves of a pod cannot share them evenly; a multiple of 3`)
	_, err = threeTier(1024, 1024, 2, 1, 1).Build()
	wantError(t, err, `hosts_per_rack: "2": 2097152 host ports in all are too many; at most 1048576`)
}

// Guo et al., "RDMA over Commodity Ethernet at Scale" (SIGCOMM 2016), section 5.4: racks 6:1, leaves 3:2, and 64 spines with 128
// links, 5.12 Tb/s of 40G.
func TestTheTwoPodsetsHaveTheSizesOfTheirPaper(t *testing.T) {
	g := mustBuild(t, &TwoPodset{HostsPerRack: 24, Rate: 40 * units.Gbps, HostDelay: 1, LeafDelay: 1, SpineDelay: 1})
	for name, want := range map[string]string{"pod0-tor23": "6:1", "pod1-leaf3": "3:2"} {
		down, up := g.capacity(node(t, g, name))
		if got := colon(units.Ratio{Num: int64(down), Den: int64(up)}); got != want {
			t.Errorf("%s is oversubscribed %s, want %s", name, got, want)
		}
	}
	var bisection units.Rate
	for _, link := range g.Links {
		if g.Nodes[link.A].Tier+g.Nodes[link.B].Tier == 5 {
			bisection += link.Rate
		}
	}
	if want := 5120 * units.Gbps; bisection != want {
		t.Errorf("leaves and spines are joined by %v, want %v", bisection, want)
	}
}

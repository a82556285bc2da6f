package topology

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestEveryFamilyBuildsFromItsDefaults(t *testing.T) {
	want := map[string]string{
		"pair":           "2 hosts, 0 switches, 1 link (1 x 100Gbps)",
		"star":           "3 hosts, 1 switch, 3 links (3 x 100Gbps)",
		"leaf-spine":     "32 hosts, 6 switches, 40 links (32 x 100Gbps, 8 x 400Gbps), oversubscription 1:1",
		"fat-tree":       "16 hosts, 20 switches, 48 links (16 x 100Gbps, 32 x 400Gbps), oversubscription 1:1",
		"three-tier":     "64 hosts, 16 switches, 88 links (64 x 100Gbps, 24 x 400Gbps), oversubscription 2:1",
		"two-podset":     "1152 hosts, 120 switches, 1472 links (1472 x 40Gbps), oversubscription 6:1",
		"dual-tor":       "32 hosts, 10 switches, 80 links (64 x 100Gbps, 16 x 400Gbps), oversubscription 1:1",
		"rail-optimised": "16 hosts, 18 switches, 160 links (128 x 100Gbps, 32 x 400Gbps), oversubscription 1:1",
		"dumbbell":       "8 hosts, 2 switches, 9 links (9 x 100Gbps)",
		"parking-lot":    "4 hosts, 3 switches, 6 links (6 x 100Gbps)",
		"ring":           "3 hosts, 3 switches, 6 links (6 x 100Gbps)",
		"full-mesh":      "8 hosts, 0 switches, 28 links (28 x 100Gbps)",
		"custom":         `hosts: a network of 0 hosts; at least two`,
		"hpcc-file":      `file: open : no such file or directory`,
	}
	for _, kind := range Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			b := kind.New()
			setDefaults(t, reflect.ValueOf(b).Elem())
			g, err := b.Build()
			if err != nil {
				wantError(t, err, want[kind.Name])
			} else if got := g.String(); got != want[kind.Name] {
				t.Errorf("%s\nwant %s", got, want[kind.Name])
			}
		})
	}
}

func TestLinksOfEveryRateAreAccepted(t *testing.T) {
	for _, rate := range []string{"1Mbps", "10Gbps", "25Gbps", "40Gbps", "50Gbps", "56Gbps", "100Gbps", "123.456Gbps", "200Gbps", "400Gbps", "800Gbps", "1.6Tbps"} {
		r, err := units.ParseRate(rate)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustBuild(t, &Pair{Link: HostCable{Rate: r, Delay: 1}}).Links[0].Rate; got != r {
			t.Errorf("rate %v, want %v", got, r)
		}
	}
}

// Al-Fares et al. 2008, section 3: k³/4 hosts, k²/4 cores, k² switches in pods, and (k/2)² shortest paths between hosts
// of different pods.
func TestFatTreeHasTheSizesOfItsPaper(t *testing.T) {
	for k := 2; k <= 16; k += 2 {
		t.Run(fmt.Sprint("k=", k), func(t *testing.T) {
			g := mustBuild(t, fatTree(k))
			if got, want := len(g.Hosts()), k*k*k/4; got != want {
				t.Errorf("%d hosts, want %d", got, want)
			}
			if got, want := len(g.Switches()), 5*k*k/4; got != want {
				t.Errorf("%d switches, want %d", got, want)
			}
			for _, sw := range g.Switches() {
				if got := len(g.Ports(sw)); got != k {
					t.Errorf("%s has %d ports, want %d", g.Nodes[sw].Name, got, k)
				}
			}
			last := int32(len(g.Hosts()) - 1)
			if got, want := countPaths(NewRoutes(g), 0, last), k*k/4; got != want {
				t.Errorf("%d paths between pods, want %d", got, want)
			}
		})
	}
}

func TestFatTreeNamesAndTiers(t *testing.T) {
	g := mustBuild(t, fatTree(4))
	for name, want := range map[string]struct{ tier, firstPeer int }{
		"h0":        {0, node(t, g, "pod0-tor0")},
		"h15":       {0, node(t, g, "pod3-tor1")},
		"pod1-tor1": {1, node(t, g, "h6")},
		"pod1-agg0": {2, node(t, g, "pod1-tor0")},
		"core0":     {3, node(t, g, "pod0-agg0")},
		"core3":     {3, node(t, g, "pod0-agg1")},
	} {
		n := node(t, g, name)
		if got := g.Nodes[n].Tier; got != want.tier {
			t.Errorf("%s is in tier %d, want %d", name, got, want.tier)
		}
		if got := g.Ports(n)[0].Peer; got != want.firstPeer {
			t.Errorf("port 0 of %s leads to %s", name, g.Nodes[got].Name)
		}
	}
}

func TestFatTreeTakesEvenNumbersOfPortsOnly(t *testing.T) {
	for _, k := range []int{-2, 0, 3, 66} {
		_, err := fatTree(k).Build()
		wantError(t, err, fmt.Sprintf(`k: "%d": no fat-tree of that many ports a switch; an even number from 2 to 64`, k))
	}
}

func TestLeafSpineHasAPathPerSpine(t *testing.T) {
	for _, spines := range []int{1, 2, 5, 16} {
		r := NewRoutes(mustBuild(t, leafSpine(3, spines, 2)))
		if got := countPaths(r, 0, 5); got != spines {
			t.Errorf("%d paths between leaves, want %d", got, spines)
		}
		if got := countPaths(r, 0, 1); got != 1 {
			t.Errorf("%d paths below a leaf, want 1", got)
		}
	}
}

func TestOversubscriptionSetsTheNumberOfSpines(t *testing.T) {
	// A leaf has 16 x 100G below; spine links are 400G: 4 spines make 1:1.
	for _, c := range []struct {
		text   string
		spines int
		want   string
	}{
		{"1", 0, "oversubscription 1:1"},
		{"2", 0, "oversubscription 2:1"},
		{"4/1", 1, "oversubscription 4:1"},
		{"50%", 0, "oversubscription 1:2"},
		{"4/3", 3, "oversubscription 4:3"},
		{"2", 3, `spines: "3": gives an oversubscription of 4:3, not 2:1; leave one of them out, or write spines: 2`},
		{"3", 0, `oversubscription: "3": would take 4/3 spines; 1 spine would make it 4:1, 2 spines would make it 2:1`},
		{"5", 0, `oversubscription: "5": would take 4/5 spines; 1 spine would make it 4:1`},
	} {
		l := leafSpine(2, c.spines, 16)
		if err := l.Oversubscription.UnmarshalText([]byte(c.text)); err != nil {
			t.Fatal(err)
		}
		g, err := l.Build()
		if err != nil {
			wantError(t, err, c.want)
			continue
		}
		ratio, _ := g.Oversubscription()
		if got := "oversubscription " + colon(ratio); got != c.want {
			t.Errorf("oversubscription %s, spines %d: built %s, want %s", c.text, c.spines, got, c.want)
		}
	}
}

func TestLeafSpineWithSeveralNICsAHostCountsThemAll(t *testing.T) {
	l := leafSpine(2, 0, 4)
	l.NICsPerHost, l.Oversubscription = 2, units.Ratio{Num: 1, Den: 1}
	g := mustBuild(t, l) // 8 x 100G below each leaf: 2 spines at 400G
	if got, want := g.String(), "8 hosts, 4 switches, 20 links (16 x 100Gbps, 4 x 400Gbps), oversubscription 1:1"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestAnAbsurdlyLargeNetworkIsRefusedBeforeItFillsTheMemory(t *testing.T) {
	_, err := leafSpine(4096, 2, 4096).Build()
	wantError(t, err, `hosts_per_leaf: "4096": 16777216 host ports in all are too many; at most 1048576`)
}

package topology

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/sim/units"
)

// twoTiers is h0 and h1 at leaf, cabled twice to spine.
func twoTiers() ([]Node, []Link) {
	nodes := []Node{{Name: "spine", Kind: Switch}, {Name: "h0"}, {Name: "leaf", Kind: Switch}, {Name: "h1"}}
	links := []Link{
		{A: 1, B: 2, Rate: 100 * units.Gbps, Delay: 5000},
		{A: 0, B: 2, Rate: 50 * units.Gbps, Delay: 5000},
		{A: 2, B: 3, Rate: 100 * units.Gbps, Delay: 5000},
		{A: 2, B: 0, Rate: 50 * units.Gbps, Delay: 5000},
	}
	return nodes, links
}

func TestPortsAreNumberedInTheOrderOfLinks(t *testing.T) {
	g, err := New(twoTiers())
	if err != nil {
		t.Fatal(err)
	}
	want := []Port{{Link: 0, Peer: 1, PeerPort: 0}, {Link: 1, Peer: 0, PeerPort: 0}, {Link: 2, Peer: 3, PeerPort: 0}, {Link: 3, Peer: 0, PeerPort: 1}}
	if diff := cmp.Diff(want, g.Ports(2)); diff != "" {
		t.Error(diff)
	}
	if got := g.PortName(2, 3); got != "leaf:3" {
		t.Errorf("PortName = %s", got)
	}
}

func TestTierIsTheDistanceToTheNearestHost(t *testing.T) {
	nodes, links := twoTiers()
	g, err := New(nodes, links)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"h0": 0, "h1": 0, "leaf": 1, "spine": 2} {
		if got := g.Nodes[node(t, g, name)].Tier; got != want {
			t.Errorf("tier of %s is %d, want %d", name, got, want)
		}
	}
	if nodes[0].Tier != 0 {
		t.Error("New wrote into its caller's nodes")
	}
}

func TestANetworkDescribesItselfInOneLine(t *testing.T) {
	g, err := New(twoTiers())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		graph *Graph
		want  string
	}{
		// 2 x 100G down, 2 x 50G up.
		{g, "2 hosts, 2 switches, 4 links (2 x 50Gbps, 2 x 100Gbps), oversubscription 2:1"},
		{mustBuild(t, &Pair{Link: host100G}), "2 hosts, 0 switches, 1 link (1 x 100Gbps)"},
		{mustBuild(t, &Star{Hosts: 3, NICsPerHost: 1, Link: host100G}), "3 hosts, 1 switch, 3 links (3 x 100Gbps)"},
		// A leaf has 8 x 100G down and 3 x 400G up.
		{mustBuild(t, leafSpine(4, 3, 8)), "32 hosts, 7 switches, 44 links (32 x 100Gbps, 12 x 400Gbps), oversubscription 2:3"},
	} {
		if got := c.graph.String(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestOversubscriptionIsThatOfTheWorstSwitch(t *testing.T) {
	// leaf0 has 2 x 100G below and 100G above, leaf1 100G below and 100G above.
	c := &Custom{
		Hosts: []string{"h[0-2]"}, Switches: []string{"leaf[0-1]", "spine"},
		Links: []CustomLink{
			{A: "h[0-1]", B: "leaf0", Rate: 100 * units.Gbps, Delay: 1, Count: 1},
			{A: "h2", B: "leaf1", Rate: 100 * units.Gbps, Delay: 1, Count: 1},
			{A: "leaf[0-1]", B: "spine", Rate: 100 * units.Gbps, Delay: 1, Count: 1},
		},
	}
	if got, ok := mustBuild(t, c).Oversubscription(); !ok || got != (units.Ratio{Num: 2, Den: 1}) {
		t.Errorf("oversubscription %v, %v; want 2:1", got, ok)
	}
}

func TestImpossibleNetworksAreRefused(t *testing.T) {
	hosts := []Node{{Name: "h0"}, {Name: "h1"}}
	cable := Link{A: 0, B: 1, Rate: 100 * units.Gbps, Delay: 1}
	const noRoom = "is impossible: nodes are simulated ahead of each other by as much as a signal needs between them; a positive delay, such as 5ns for a metre of cable"
	for name, c := range map[string]struct {
		nodes []Node
		links []Link
		want  []string
	}{
		"two of a name": {[]Node{{Name: "a"}, {Name: "a", Kind: Switch}}, []Link{cable},
			[]string{`switches: "a": two nodes of this name; give every node a name of its own, such as h0`}},
		"no name": {[]Node{{Name: "a"}, {}}, []Link{cable},
			[]string{`hosts: a node without a name; give every node a name of its own, such as h0`}},
		"comma in a name": {[]Node{{Name: "a,b"}, {Name: "c"}}, []Link{cable},
			[]string{`hosts: "a,b": a name with a space, a quote or one of , : [ ] * in it; give every node a name of its own, such as h0`}},
		"self link": {hosts, []Link{cable, {A: 1, B: 1, Rate: units.Gbps, Delay: 1}},
			[]string{`links: "h1-h1": a link from a node to itself; join two different nodes`}},
		"link to nowhere": {hosts, []Link{{A: 0, B: 2, Rate: units.Gbps, Delay: 1}},
			[]string{`links: "0-2": link 0 ends at a node that does not exist; nodes are numbered from 0 to 1`}},
		"no rate and no delay": {hosts, []Link{{A: 0, B: 1, Delay: 1}, {A: 0, B: 1, Rate: units.Gbps}, {A: 0, B: 1, Rate: units.Gbps, Delay: units.Never}},
			[]string{
				`links: "h0-h1": a rate of 0bps is too low; at least 1Mbps`,
				`links: "h0-h1": a delay of 0s ` + noRoom,
				`links: "h0-h1": a delay of never ` + noRoom,
			}},
		"no hosts": {nil, nil, []string{`hosts: a network of 0 hosts; at least two`}},
		"a host alone": {append(hosts, Node{Name: "h2"}), []Link{cable},
			[]string{`links: "h2": a host without a link; link it to a switch or to another host`}},
		"hosts do not forward": {append(hosts, Node{Name: "h2"}), []Link{cable, {A: 1, B: 2, Rate: units.Gbps, Delay: 1}},
			[]string{`links: "h0-h2": these two hosts cannot reach each other; join them over switches or by a cable; hosts do not forward`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(c.nodes, c.links)
			wantError(t, err, c.want...)
		})
	}
}

func TestANodeMayHaveManyPortsButNotMoreThanCanBeCounted(t *testing.T) {
	nodes := []Node{{Name: "h0"}, {Name: "h1"}}
	links := make([]Link, MaxPorts+1)
	for i := range links {
		links[i] = Link{A: 0, B: 1, Rate: units.Gbps, Delay: 1}
	}
	if _, err := New(nodes, links[:MaxPorts]); err != nil {
		t.Error(err)
	}
	_, err := New(nodes, links)
	wantError(t, err,
		`links: "h0": a node with 65536 ports; at most 65535`,
		`links: "h1": a node with 65536 ports; at most 65535`)
}

func TestRailsJoinHostsThatShareNoOtherSwitch(t *testing.T) {
	// h0 and h1 meet at rail0, h1 and h2 at rail1, h0 and h2 by a cable: no switch has all three.
	c := &Custom{Hosts: []string{"h[0-2]"}, Switches: []string{"rail[0-1]"}}
	for _, ends := range [][2]string{{"h[0-1]", "rail0"}, {"h[1-2]", "rail1"}, {"h0", "h2"}} {
		c.Links = append(c.Links, CustomLink{A: ends[0], B: ends[1], Rate: units.Gbps, Delay: 1, Count: 1})
	}
	mustBuild(t, c)
	c.Links = c.Links[:2]
	_, err := c.Build()
	wantError(t, err, `links: "h0-h2": these two hosts cannot reach each other; join them over switches or by a cable; hosts do not forward`)
}

package topology

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

func TestCustomNetworksAreListedByPattern(t *testing.T) {
	c := &Custom{
		Hosts: []string{"h[0-3]", "storage"}, Switches: []string{"leaf[0-1]", "spine"},
		Links: []CustomLink{
			{A: "h[0-1]", B: "leaf0", Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond, Count: 1},
			{A: "h[2-3],storage", B: "leaf1", Rate: 100 * units.Gbps, Delay: 500 * units.Nanosecond, Count: 1},
			{A: "leaf[0-1]", B: "spine", Rate: 400 * units.Gbps, Delay: units.Microsecond, Count: 2},
		},
	}
	g := mustBuild(t, c)
	if got, want := g.String(), "5 hosts, 3 switches, 9 links (5 x 100Gbps, 4 x 400Gbps), oversubscription 3:8"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r := NewRoutes(g)
	if got := countPaths(r, r.EndpointsOf(node(t, g, "h0"))[0], r.EndpointsOf(node(t, g, "storage"))[0]); got != 4 {
		t.Errorf("%d paths over two doubled links, want 4", got)
	}
}

// Of what is wrong a hundred times the first hundred are told; and cables are counted before they are laid.
func TestCustomNetworksAreBounded(t *testing.T) {
	link := CustomLink{A: "h[0-999]", B: "s[0-999]", Rate: units.Gbps, Delay: 1, Count: 4}
	_, err := (&Custom{Hosts: []string{"h[0-999]"}, Switches: []string{"s[0-999]"}, Links: []CustomLink{link}}).Build()
	wantError(t, err, `links[0]: "h[0-999] - s[0-999]": 4000000 cables in all are too many; at most 3145728`)
	_, err = (&Custom{Hosts: []string{"h[0-1048575]", "g"}, Links: []CustomLink{{A: "h0", B: "gate", Count: 1}}}).Build()
	wantError(t, err, `hosts[1]: "g": too many nodes in all; at most 1048576`,
		`links[0].b: "gate": no node of this name; one of h0, h1, h2 … h1048575`)
	_, err = (&Custom{Hosts: []string{"h[0-9999]"}, Links: []CustomLink{{A: "h0", B: "h1", Rate: units.Gbps, Delay: 1, Count: 1}}}).Build()
	if got := strings.Count(err.Error(), "a host without a link"); got != maxProblems {
		t.Errorf("%d hosts without a link are told, want %d", got, maxProblems)
	}
}

func TestCustomNetworksNameTheEntryThatIsWrong(t *testing.T) {
	link := func(a, b string) CustomLink { return CustomLink{A: a, B: b, Rate: units.Gbps, Delay: 1, Count: 1} }
	c := &Custom{
		Hosts: []string{"host[0-3]", "host2", "host[4"}, Switches: []string{"leaf0", "host1"},
		Links: []CustomLink{link("host0", "leef0"), link("host[1-2]", "host[2-3]"), link("gateway", "leaf0"), {A: "host0", B: "leaf0"}},
	}
	_, err := c.Build()
	wantError(t, err,
		`hosts[1]: "host2": two nodes of this name; give every node a name of its own`,
		`hosts[2]: "host[4": "host[4": [ without ]; a name, or a pattern such as h[0-3]`,
		`switches[1]: "host1": two nodes of this name; give every node a name of its own`,
		`links[0].b: "leef0": no node of this name; did you mean "leaf0"?`,
		`links[1].b: "host2": a link from a node to itself; join two different nodes`,
		`links[2].a: "gateway": no node of this name; one of host0, host1, host2 … leaf0`,
		`links[3].count: "0": no cable at all; at least 1`)
}

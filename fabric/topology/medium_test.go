package topology

import (
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// A metre of fibre takes 5 ns, a metre of copper 4.5 ns. RS(528,514) waits for a code word
// of 5280 bits, 211.2 ns at 25 Gb/s, and decodes for 40 ns; RS(544,514) for 5440 bits, 54.4
// ns at 100 Gb/s, and decodes for 60 ns.
func TestTheDelayOfACableFollowsFromItsMake(t *testing.T) {
	metres := func(m units.Length) *units.Length {
		m *= units.Metre
		return &m
	}
	for _, tc := range []struct {
		name string
		c    HostCable
		want units.Time
	}{
		{"given", HostCable{Rate: 100 * units.Gbps, Delay: 77}, 77},
		{"fibre", HostCable{Rate: 100 * units.Gbps, Make: Make{Length: metres(40), Medium: Fibre}}, 200 * units.Nanosecond},
		{"copper", HostCable{Rate: 100 * units.Gbps, Make: Make{Length: metres(3), Medium: Copper}}, 13_500},
		{"given, with FEC", HostCable{Rate: 25 * units.Gbps, Delay: 500 * units.Nanosecond, Make: Make{FEC: RS528}}, 751_200},
		{"fibre, with FEC", HostCable{Rate: 100 * units.Gbps, Make: Make{Length: metres(100), FEC: RS544}}, 614_400},
	} {
		if got := tc.c.delay(); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// The delay reaches the graph from each kind of cable.
func TestEveryFamilyTakesTheLengthOfItsCables(t *testing.T) {
	length := 20 * units.Metre
	by := Make{Length: &length, Medium: Fibre}
	for _, b := range []Builder{
		&Pair{Link: HostCable{Rate: units.Gbps, Make: by}},
		&LeafSpine{
			Leaves: 2, Spines: 1, HostsPerLeaf: 1, NICsPerHost: 1,
			HostLink: HostCable{Rate: units.Gbps, Make: by}, FabricLink: FabricCable{Rate: units.Gbps, Make: by},
		},
		&Custom{Hosts: []string{"a", "b"}, Links: []CustomLink{{A: "a", B: "b", Rate: units.Gbps, Make: by, Count: 1}}},
	} {
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range g.Links {
			if link.Delay != 100*units.Nanosecond {
				t.Errorf("%T: a delay of %v, want 100ns", b, link.Delay)
			}
		}
	}
}

func TestAMediumWithoutALengthIsRefused(t *testing.T) {
	if err := (&Make{Medium: Copper}).Validate(); err == nil || !strings.Contains(err.Error(), "without a length") {
		t.Errorf("error %v", err)
	}
	if err := (&Make{Medium: Fibre}).Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
}

package results

import (
	"math"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Half a core for two seconds, four NIC ports and six of switches, for 10 GB in those two seconds.
func usedBy() Uses {
	return Uses{Core: units.Second, UnderWay: 2 * units.Second, NICs: 4, Ports: 6, Moved: 10 * units.GB}
}

// Each term is its price times what was used: a second of a core at 0.036 an hour is 1e-5; four ports at 789 over a
// year of 8766 hours for two seconds are 4 x 789 / (8766 x 1800) = 2e-4; 100 W of a core for a second at 0.36 a kWh are 1e-5.
func TestABillIsTheSumOfItsTerms(t *testing.T) {
	b := NewBill(Prices{Currency: "EUR", CoreHour: 0.036, NIC: 788.94, Years: 1, KilowattHour: 0.36, CoreWatts: 100}, usedBy())
	want := map[string]float64{"cores": 1e-5, "NICs": 2e-4, "switch ports": 0, "power of cores": 1e-5, "power of NICs": 0, "power of switch ports": 0}
	sum := 0.0
	for _, term := range b.Terms {
		if got := term.Cost; math.Abs(got-want[term.Name]) > 1e-9 {
			t.Errorf("%s cost %v, want %v", term.Name, got, want[term.Name])
		}
		if math.Abs(*term.PerGB-term.Cost/10) > 1e-12 {
			t.Errorf("%s cost %v a GB of ten", term.Name, *term.PerGB)
		}
		sum += term.Cost
	}
	if math.Abs(b.Cost-sum) > 1e-15 || math.Abs(*b.PerGB-sum/10) > 1e-15 || len(b.Terms) != len(want) {
		t.Errorf("in all %v, %v a GB, of %v", b.Cost, *b.PerGB, sum)
	}
	text := strings.Join(b.lines(), "\n")
	for _, line := range []string{
		"2.2e-05 EUR for each GB delivered (0.00022 EUR for 10GB)", "cores: 1e-06 EUR a GB, at 0.036 EUR a core-hour (1s of processor time)",
		"NICs: 2e-05 EUR a GB, at 788.9 EUR a NIC port over 1 years (4 NIC ports for 2s)", "switch ports: not priced",
		"power of cores: 1e-06 EUR a GB, at 0.36 EUR a kWh, each drawing 100 W (cores busy for 1s)",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

// Without a price nothing is counted, and that is said; without anything delivered there is nothing to divide by.
func TestNoPriceIsHidden(t *testing.T) {
	b := NewBill(Prices{}, usedBy())
	if b.Cost != 0 || strings.Count(strings.Join(b.lines(), "\n"), "not priced") != len(b.Terms) {
		t.Errorf("%v %q", b.Cost, b.lines())
	}
	used := usedBy()
	used.Moved = 0
	if b = NewBill(Prices{CoreHour: 1}, used); b.PerGB != nil || b.Terms[0].PerGB != nil || b.Cost == 0 {
		t.Errorf("%+v", b)
	}
}

package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A threshold that rounds down to nothing is reached by a group that holds nothing;
// still it asks for no pause, for nothing would end that, least of all where pauses
// do not expire.
func TestAGroupThatHoldsNothingAsksForNoPause(t *testing.T) {
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.Fabric.PFC.Alpha = units.Ratio{Num: 1, Den: 100_000_000}
	n.Fabric.PFC.Sticky = true
	c, r := n.Do(t, simtest.Flow(0, 1, units.MB))
	if _, ideal := c.Ideal(0); c.Transfer(0).End != ideal {
		t.Errorf("%v after %v, want the ideal of %v", r.Outcome, c.Transfer(0).End, ideal)
	}
}

package host_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// allToAll is the time of an exchange of 100 KB between any two of the hosts of so many leaves of four, below one spine
// with links of the given rate.
func allToAll(t *testing.T, leaves int, uplink units.Rate) units.Time {
	t.Helper()
	const perLeaf = 4
	n := simtest.Build(&topology.LeafSpine{
		Leaves: leaves, Spines: 1, HostsPerLeaf: perLeaf, NICsPerHost: 1,
		HostLink:   topology.HostCable{Rate: gbps100, Delay: 500 * units.Nanosecond},
		FabricLink: topology.FabricCable{Rate: uplink, Delay: 500 * units.Nanosecond},
	})
	hosts := leaves * perLeaf
	var flows []host.Flow
	for a := range hosts {
		for k := 1; k < hosts; k++ {
			flows = append(flows, simtest.Flow(a, (a+k)%hosts, 100*units.KB))
		}
	}
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	end := units.Time(0)
	for flow := range flows {
		end = max(end, c.Transfer(flow).End)
	}
	return end
}

// With n hosts, h of them at each leaf, a host port carries n-1 flows and a leaf's uplink h·(n-h). At 1:1 the host ports bound the
// exchange, at 4:1 the uplinks, so that it takes 4·(n-h)/(n-1) times as long: the more leaves, the nearer to 4.
func TestOversubscriptionSlowsWhatLeavesTheRackAndNothingElse(t *testing.T) {
	last := 0.0
	for _, leaves := range []int{2, 4, 8} {
		const h = 4
		n := float64(leaves * h)
		ratio := float64(allToAll(t, leaves, gbps100)) / float64(allToAll(t, leaves, 400*units.Gbps))
		if want := 4 * (n - h) / (n - 1); math.Abs(ratio-want) > 0.05*want {
			t.Errorf("%d leaves: at 4:1 an all-to-all takes %.3f times as long as at 1:1, want %.3f within 5 %%", leaves, ratio, want)
		}
		if ratio <= last || ratio > 4 {
			t.Errorf("%d leaves: a ratio of %.3f after %.3f, want it to grow towards 4", leaves, ratio, last)
		}
		last = ratio
	}
}

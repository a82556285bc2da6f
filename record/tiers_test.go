package record_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// One flow of 1 MB stays in its rack, another one of 2 MB leaves it: the hosts send both, the leaves only the second upwards.
func TestTrafficIsToldByTier(t *testing.T) {
	link := topology.HostCable{Rate: 100 * units.Gbps, Delay: units.Microsecond}
	n := simtest.Build(&topology.LeafSpine{
		Leaves: 2, Spines: 2, HostsPerLeaf: 2, NICsPerHost: 1, HostLink: link, FabricLink: topology.FabricCable(link),
	})
	r := ended(t, n, "none", simtest.Flow(0, 1, units.MB), simtest.Flow(0, 2, 2*units.MB))
	tiers := rows(t, r.Tiers())
	sent := func(from, to string) int64 {
		return where(tiers, "from_tier", from, "to_tier", to)[0].count(t, "tx_bytes")
	}
	// 245 and 489 packets with 62 B around the payload, and a RETH of 16 B in the first; an acknowledgement of 66 B each.
	const rack, away, ack = 1_000_000 + 245*62 + 16, 2_000_000 + 489*62 + 16, 66
	for _, c := range []struct {
		from, to string
		want     int64
	}{{"0", "1", rack + away + 2*ack}, {"1", "0", rack + away + 2*ack}, {"1", "2", away + ack}, {"2", "1", away + ack}} {
		if got := sent(c.from, c.to); got != c.want {
			t.Errorf("from tier %s to tier %s: %d bytes, want %d", c.from, c.to, got, c.want)
		}
	}
	if up := where(tiers, "from_tier", "1", "to_tier", "2")[0]; up.count(t, "links") != 4 || up["rate_gbps"] != "400" {
		t.Errorf("the uplinks are %v", up)
	}
}

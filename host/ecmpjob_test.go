package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A job of equal flows between two pods takes as long as the link on which ECMP put most of them, and uses the mean of what links
// carry over the most of the bisection: little more than half. No more is lost to pauses than a few percent, and no packet.
func TestAJobUnderECMPTakesAsLongAsItsFullestLink(t *testing.T) {
	cable := topology.HostCable{Rate: 40 * units.Gbps, Delay: 500 * units.Nanosecond}
	const size = 400 * units.KB
	onWire := 0
	for _, bytes := range wireSizes(size, 4096) {
		onWire += bytes
	}
	for seed := range uint64(3) {
		n := simtest.Build(&topology.ThreeTier{
			Pods: 2, RacksPerPod: 6, HostsPerRack: 4, NICsPerHost: 1, LeavesPerPod: 4, Cores: 16,
			HostLink: cable, LeafLink: topology.FabricCable(cable), CoreLink: topology.FabricCable(cable),
		})
		n.Fabric.PathSeed = seed
		hosts := len(n.Graph.Hosts())
		var flows []host.Flow
		for i := range hosts {
			for range 4 {
				flows = append(flows, simtest.Flow(i, (i+hosts/2)%hosts, size))
			}
		}
		c, r := n.Do(t, flows...)
		mustBe(t, r, host.Done)
		onLink := map[topology.Step]int{} // flows, by the port at which they enter a link
		most, end := 0, units.Time(0)
		for flow := range flows {
			for _, step := range c.Path(flow)[:6] {
				onLink[step]++
				most = max(most, onLink[step])
			}
			end = max(end, c.Transfer(flow).End)
		}
		fullest := units.Time(most) * cable.Rate.Serialise(onWire)
		if end < fullest || end > fullest+fullest/10 {
			t.Errorf("seed %d: the job takes %v, want at least %v, as long as %d flows on one link, and at most a tenth more", seed, end, fullest, most)
		}
		if drops := dropped(c, 3); drops > 0 {
			t.Errorf("seed %d: %d packets were dropped", seed, drops)
		}
	}
}

package host_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// chain is a parking lot of two switches with senders at each, without congestion control; flows run for 20 ms.
func chain(rate units.Rate, far, near, receivers int) *simtest.Net {
	cable := topology.HostCable{Rate: rate, Delay: 500 * units.Nanosecond}
	n := simtest.Build(&topology.ParkingLot{Senders: []int{far, near}, Receivers: receivers, HostLink: cable, SwitchLink: cable})
	n.Run.Limit, n.Run.UntilDone = 20*units.Millisecond, false
	return n
}

// shares are the rates on the wire at which the data of the flows arrived.
func shares(t *testing.T, n *simtest.Net, flows ...host.Flow) []float64 {
	t.Helper()
	c, r := n.Do(t, flows...)
	if drops := dropped(c, 3); drops > 0 {
		t.Errorf("%d packets were dropped", drops)
	}
	var rates []float64
	for flow := range flows {
		rates = append(rates, float64(receiver(c, flow).Packets)*4178*8/r.Now.Seconds()/1e9)
	}
	return rates
}

func wantShares(t *testing.T, name string, got []float64, want ...float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.1*want[i] {
			t.Errorf("%s: flows get %.2f Gb/s, want %.2f within 10 %%", name, got, want)
			return
		}
	}
}

// Zhu et al., DCQCN (SIGCOMM 2015), section 2.2: PFC shares the last port among its inputs. A sender of its own input gets half;
// three that share the other one a sixth each.
func TestPFCGivesEachInputOfAPortTheSameShare(t *testing.T) {
	const far, near, r0 = 3, 1, 4
	n := chain(40*units.Gbps, far, near, 1)
	var flows []host.Flow
	for i := range far + near {
		flows = append(flows, simtest.Flow(i, r0, units.GB))
	}
	wantShares(t, "parking lot", shares(t, n, flows...), 20.0/3, 20.0/3, 20.0/3, 20)
}

// Behind a flow to a port that k others use as well, a flow to an idle port gets a share of C/(k+1) too, and not the C - C/(k+1)
// that it could have.
func TestAPauseHoldsUpFlowsToIdlePorts(t *testing.T) {
	for k := 1; k <= 4; k++ {
		r0 := k + 1
		n := chain(gbps100, 1, k, 2)
		flows := []host.Flow{simtest.Flow(0, r0+1, units.GB), simtest.Flow(0, r0, units.GB)}
		want := []float64{100 / float64(k+1), 100 / float64(k+1)}
		for i := range k {
			flows = append(flows, simtest.Flow(i+1, r0, units.GB))
			want = append(want, 100/float64(k+1))
		}
		wantShares(t, "victim", shares(t, n, flows...), want...)
	}
}

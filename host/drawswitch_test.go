package host_test

import (
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// drawSwitches draws what switches may have beyond strict priority, a buffer given
// out by the byte, and storing and forwarding; and perhaps has one of them differ.
func drawSwitches(t *rapid.T, n *simtest.Net) {
	n.NIC.NotECT = rapid.Bool().Draw(t, "not ECT")
	n.NIC.Tagged = rapid.Bool().Draw(t, "tagged")
	n.Fabric.MaxFrame = units.Bytes(n.NIC.MTU + 82)
	drawSwitch(t, &n.Fabric)
	if rapid.Bool().Draw(t, "one differs") {
		own := n.Fabric
		drawSwitch(t, &own)
		own.Pipeline = units.Time(rapid.IntRange(0, 500_000).Draw(t, "its pipeline"))
		switches := n.Graph.Switches()
		n.Fabric.Switches = map[int]*fabric.Config{switches[len(switches)-1]: &own}
	}
}

func drawSwitch(t *rapid.T, f *fabric.Config) {
	f.Header = rapid.SampledFrom([]int{0, 0, 64, 128}).Draw(t, "header")
	f.HoldToLastBit = rapid.Bool().Draw(t, "hold to last bit")
	f.Memory.Cell = units.Bytes(rapid.SampledFrom([]int{0, 96, 208, 254}).Draw(t, "cell"))
	f.Memory.Small = units.Ratio{Num: rapid.Int64Range(0, 4).Draw(t, "small"), Den: 4}
	f.PFC.Oversubscription = units.Ratio{Num: rapid.Int64Range(1, 4).Draw(t, "oversubscription"), Den: 1}
	f.Groups = rapid.SampledFrom([]*[pfc.Priorities]uint8{nil, {0, 0, 0, 3, 4, 0, 0, 7}}).Draw(t, "groups")
	f.Egress.Limit = units.Bytes(rapid.SampledFrom([]int{0, 0, 10_000}).Draw(t, "egress limit"))
	f.Egress.Alpha = units.Ratio{Num: rapid.Int64Range(0, 2).Draw(t, "egress alpha"), Den: 2}
	f.Egress.Minimum = units.Bytes(rapid.SampledFrom([]int{0, 1500, 5000}).Draw(t, "egress minimum"))
	drawSchedule(t, &f.Schedule, f.MaxFrame)
	f.ECN.AtEnqueue = rapid.Bool().Draw(t, "mark at enqueue")
	f.ECN.DropNotECT = rapid.Bool().Draw(t, "drop not-ECT")
	f.ECN.Averaging = rapid.SampledFrom([]int{0, 0, 1, 9}).Draw(t, "averaging")
	f.ECN.Classes[1] = rapid.SampledFrom([]*fabric.ECN{
		nil, {}, {Kmin: units.KB, Kmax: 9 * units.KB, Pmax: units.Ratio{Num: 1, Den: 3}},
	}).Draw(t, "ECN of priority 1")
}

func drawSchedule(t *rapid.T, s *fabric.Schedule, largest units.Bytes) {
	for _, p := range []int{1, 3, 6} {
		s.Weights[p] = rapid.SampledFrom([]int{0, 0, 1, 3, 50}).Draw(t, "weight")
		if rapid.IntRange(0, 4).Draw(t, "shaped") == 0 {
			s.Shapers[p] = drawShaper(t, largest)
		}
	}
	s.PerFlow = rapid.SampledFrom([]uint8{0, 0, 1 << 3, 1<<1 | 1<<3}).Draw(t, "per flow")
	if s.PerFlow != 0 {
		s.Quantum = rapid.SampledFrom([]units.Bytes{0, 500, 9000}).Draw(t, "quantum")
	}
	if rapid.IntRange(0, 4).Draw(t, "port shaped") == 0 {
		s.Port = drawShaper(t, largest)
	}
}

func drawShaper(t *rapid.T, largest units.Bytes) fabric.Shaper {
	return fabric.Shaper{
		Rate:  rapid.SampledFrom([]units.Rate{3, 7, 40}).Draw(t, "shaper") * units.Gbps,
		Burst: largest + units.Bytes(rapid.IntRange(0, 20_000).Draw(t, "burst")),
	}
}

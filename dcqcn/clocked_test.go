package dcqcn_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// clocked is the machine with the published values: 1 us, 4 us and 300 us.
func clocked() cc.Clocked {
	c := dcqcn.Scaled()
	c.RAI, c.RHAI, c.MinRate = 20*units.Mbps, 200*units.Mbps, units.Gbps
	return dcqcn.Clocked{Config: c}.New(cc.Line{Rate: 100 * units.Gbps}).(cc.Clocked)
}

// The clocks stand still until the first mark. From then on α is updated every
// microsecond, and whether to cut is looked at every 4 us, the first time a nanosecond
// later, so that α is always updated first.
func TestTheFirstEchoedMarkStartsTheClocks(t *testing.T) {
	x := clocked()
	for k := range cc.Clocks {
		if x.Due(k) != units.Never {
			t.Errorf("clock %d is due at %v before any mark", k, x.Due(k))
		}
	}
	x.OnAck(10*units.Microsecond, &cc.Ack{})
	if x.Due(0) != units.Never {
		t.Error("an acknowledgement without a mark started a clock")
	}
	x.OnAck(10*units.Microsecond, &cc.Ack{CE: true})
	if x.Due(0) != 11*units.Microsecond || x.Due(1) != 14*units.Microsecond+units.Nanosecond || x.Due(2) != units.Never {
		t.Errorf("due at %v, %v, %v", x.Due(0), x.Due(1), x.Due(2))
	}
}

// The first mark does not count into α, which starts at 1 and decays once a
// microsecond. After four updates the cut is by half of 255^4/256^4, in whole bits per
// second: 100e9 (1 - 0.984466314/2) = 50776684272. The target stays at the line, and the
// first step of recovery, 300 us after the cut, goes half of the way: 25388342136 and
// 50000000000 are 75388342136.
func TestClockedCutsAndRecovers(t *testing.T) {
	x := clocked()
	x.OnCNP(0)
	for us := units.Time(1); us <= 4; us++ {
		x.Tick(0, us*units.Microsecond)
	}
	cut := 4*units.Microsecond + units.Nanosecond
	if got := x.Tick(1, cut).Rate; got != 50_776_684_272 {
		t.Errorf("cut to %d bit/s", int64(got))
	}
	if x.Due(1) != cut+4*units.Microsecond || x.Due(2) != cut+300*units.Microsecond {
		t.Errorf("after the cut due at %v and %v", x.Due(1), x.Due(2))
	}
	if got := x.Tick(1, cut+4*units.Microsecond).Rate; got != 50_776_684_272 {
		t.Errorf("a look without a mark changed the rate to %d", int64(got))
	}
	for i, want := range []units.Rate{75_388_342_136, 87_694_171_068, 93_847_085_534} {
		if got := x.Tick(2, cut+units.Time(i+1)*300*units.Microsecond).Rate; got != want {
			t.Errorf("step %d of recovery: %d bit/s, want %d", i, int64(got), int64(want))
		}
	}
}

// A second cut after a step of recovery takes the rate before it as its target; one
// that follows a cut at once does not. None goes below the least rate.
func TestClockedTargetsFollowRecovery(t *testing.T) {
	x := clocked()
	x.OnCNP(0)
	var rates []units.Rate
	for i := range 12 {
		x.OnCNP(0)
		rates = append(rates, x.Tick(1, units.Time(i+1)*4*units.Microsecond).Rate)
	}
	if rates[0] != 50*units.Gbps || rates[1] != 25*units.Gbps || rates[11] != units.Gbps {
		t.Errorf("cuts by half: %v", rates)
	}
	if got := x.State(0).Target; got != 100*units.Gbps {
		t.Errorf("the target followed cuts in a row to %v", got)
	}
	x.Tick(2, units.Millisecond)
	x.OnCNP(units.Millisecond)
	before := x.State(0).Rate
	x.Tick(1, 2*units.Millisecond)
	if got := x.State(0).Target; got != before {
		t.Errorf("the target is %v, the rate before the cut was %v", got, before)
	}
}

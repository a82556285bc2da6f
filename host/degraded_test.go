package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// degraded is a link that is slower or longer for a time.
func degraded(link int, from, to units.Time, rate units.Rate, longer units.Time) host.Faults {
	return host.Faults{Faults: fabric.Faults{Degradations: []fabric.Degradation{
		{Link: link, Span: fabric.Span{From: from, To: to}, Rate: rate, Delay: longer},
	}}}
}

const hundredFrames = 100 * 4096

// From frame 50 on the cable has a tenth of its rate, both ways: the other fifty take
// ten times as long, and so does the acknowledgement.
func TestASlowerLinkTakesLonger(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := injected(t, n, degraded(0, frameStart(50), units.Never, gbps100/10, 0), simtest.Flow(0, 1, hundredFrames))
	mustBe(t, n.Finish(t, c), host.Done)
	last := frameStart(50) + 50*10*fullFrame + units.Microsecond
	mustTake(t, c, 0, last, last+10*ackFrame+units.Microsecond)
}

// The rate comes back with frame 60.
func TestALinkThatRecoversHasItsRateAgain(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	c := injected(t, n, degraded(0, frameStart(50), frameStart(50)+10*10*fullFrame, gbps100/10, 0), simtest.Flow(0, 1, hundredFrames))
	mustBe(t, n.Finish(t, c), host.Done)
	last := frameStart(50) + 10*10*fullFrame + 40*fullFrame + units.Microsecond
	mustTake(t, c, 0, last, last+ackFrame+units.Microsecond)
}

// The cable is 5 us longer for 10 us from frame 50 on. In that time frames 50 to 79 are
// sent; frame 80 would follow and be 5 us too fast, so the transmitter waits for as long
// first.
func TestNoFrameOvertakesAnotherWhenALinkGetsShorter(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	const longer = 5 * units.Microsecond
	c := injected(t, n, degraded(0, frameStart(50), frameStart(50)+10*units.Microsecond, 0, longer), simtest.Flow(0, 1, hundredFrames))
	mustBe(t, n.Finish(t, c), host.Done)
	last := frameStart(80) + longer + 20*fullFrame + units.Microsecond
	mustTake(t, c, 0, last, last+ackFrame+units.Microsecond)
	if got := receiver(c, 0); got.OutOfSequence != 0 || got.Duplicates != 0 {
		t.Errorf("received %+v", got)
	}
}

// While it is longer the last frame arrives that much later.
func TestALongerLinkTakesLonger(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	const longer = 5 * units.Microsecond
	c := injected(t, n, degraded(0, frameStart(50), units.Never, 0, longer), simtest.Flow(0, 1, hundredFrames))
	mustBe(t, n.Finish(t, c), host.Done)
	last := frameStart(100) + units.Microsecond + longer
	mustTake(t, c, 0, last, last+ackFrame+units.Microsecond+longer)
}

// Of two degradations at a time the slower rate holds, and both delays.
func TestDegradationsAddUp(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	faults := degraded(0, 0, units.Never, gbps100/2, units.Microsecond)
	faults.Degradations = append(faults.Degradations, degraded(0, 0, units.Never, gbps100/4, 2*units.Microsecond).Degradations...)
	c := injected(t, n, faults, simtest.Flow(0, 1, 0))
	mustBe(t, n.Finish(t, c), host.Done)
	const empty = 98 * 80 * 4 // WRITE Only without payload, at a quarter of the rate
	mustTake(t, c, 0, empty+4*units.Microsecond, empty+4*units.Microsecond+4*ackFrame+4*units.Microsecond)
}

// What would break the look-ahead is refused.
func TestALinkCannotBecomeFasterOrShorter(t *testing.T) {
	for _, f := range []host.Faults{
		degraded(0, 0, units.Never, gbps100+1, 0), degraded(0, 0, units.Never, 0, -1), degraded(0, 0, units.Never, -1, 0),
	} {
		n := simtest.Chain(1, gbps100, units.Microsecond)
		if err := n.Cluster(t).Inject(f); err == nil {
			t.Errorf("%+v was accepted", f.Degradations)
		}
	}
}

package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// longestPause is 65535 quanta of 512 bit times at 100 Gb/s.
const longestPause units.Time = 65535 * 5120

func inPriority(priority int) func(*wire.Packet) bool {
	return func(p *wire.Packet) bool { return int(p.DSCP>>3) == priority }
}

// within are the times in [from, to).
func within(at []units.Time, from, to units.Time) (inside []units.Time) {
	for _, t := range at {
		if t >= from && t < to {
			inside = append(inside, t)
		}
	}
	return inside
}

// A pause of 100 quanta of which the last bit arrives at t: the frame being sent is
// finished, and no other of that class starts before t + 512 ns; then one does.
func TestPauseExpiresAfterItsQuanta(t *testing.T) {
	const delay = 200 * units.Nanosecond
	n := simtest.Chain(1, gbps100, delay)
	n.Fabric.PFC.Quanta = 100
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const arrived = pfcFrame + delay
	starts := tap.Starts(nil)
	if want := []units.Time{0, arrived + 512*units.Nanosecond}; !slices.Equal(starts[:2], want) {
		t.Errorf("first frames start at %v, want %v", starts[:2], want)
	}
}

// While priority 3 is paused, priority 1 has the wire to itself.
func TestAPausedClassDoesNotHoldUpOthers(t *testing.T) {
	const delay = 200 * units.Nanosecond
	n := simtest.Chain(1, gbps100, delay)
	n.Fabric.PFC.Quanta = 1000 // 5.12 us
	n.Fabric.Priorities = []int{1, 3, 6}
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB), inClass(simtest.Flow(0, 1, units.MB), 1))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const from, to = pfcFrame + delay, pfcFrame + delay + 5120*units.Nanosecond
	if held := within(tap.Starts(inPriority(3)), from, to); len(held) > 0 {
		t.Errorf("frames of priority 3 start at %v, while it is paused", held)
	}
	// Of the 5.12 us, 128.8 ns go to the frame that had started before; then a frame
	// starts every 334.24 ns, the first, with its RETH, being 1.28 ns longer: 15 in all.
	if free := within(tap.Starts(inPriority(1)), from, to); len(free) != 15 || free[14]-free[0] != 14*fullFrame+1280 {
		t.Errorf("%d frames of priority 1 start meanwhile, at %v; want 15 back to back", len(free), free)
	}
	next := within(tap.Starts(inPriority(3)), to, units.Never)[0]
	if last := within(tap.Starts(inPriority(1)), 0, next); next != last[len(last)-1]+fullFrame {
		t.Errorf("priority 3 goes on at %v, want it with the next frame", next)
	}
}

// 65535 quanta, and a PAUSE of 0 quanta at 10 us: the next frame starts when that has
// arrived and the port has responded, not after 335.5 us. The switch asks for the
// pause of its own accord, finds its buffer empty when the pause is due to be
// repeated, and ends it instead.
func TestZeroQuantaEndAPauseAtOnce(t *testing.T) {
	const delay, response, at = units.Microsecond, 500 * units.Nanosecond, 10 * units.Microsecond
	for _, workers := range []int{1, 3} { // the resume is then all that is on its way, from one worker to another
		n := simtest.Star(2, gbps100, delay)
		n.Run.Workers = workers
		n.Fabric.PFC.Response = response
		n.Fabric.PFC.Refresh = units.Ratio{Num: int64(at), Den: int64(longestPause)}
		flow := simtest.Flow(0, 1, units.MB)
		flow.Start = 2 * units.Microsecond // when the pause has come
		c := n.Cluster(t, flow)
		simtest.PauseAtStart(c, 2, 0, 3)
		sender, sw := simtest.Watch(c, 0, 0), simtest.Watch(c, 2, 0)
		mustBe(t, n.Finish(t, c), host.Done)
		if got := sw.XONs(3); !slices.Equal(got, []units.Time{at}) {
			t.Fatalf("resumed at %v, want %v", got, at)
		}
		if got, want := sender.Starts(nil)[0], at+pfcFrame+delay+response; got != want {
			t.Errorf("first frame starts at %v, want %v", got, want)
		}
	}
}

// A switch obeys like a host: what has queued at its port meanwhile goes out when the
// resume is there.
func TestASwitchResumesAtOnce(t *testing.T) {
	const delay, at = units.Microsecond, 10 * units.Microsecond
	n := simtest.Chain(3, gbps100, delay)
	n.Fabric.PFC.Refresh = units.Ratio{Num: int64(at), Den: int64(longestPause)}
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	simtest.PauseAtStart(c, 3, 0, 3) // the second switch asks the first
	tap := simtest.Watch(c, 2, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	if got, want := tap.Starts(nil)[0], at+pfcFrame+delay; got != want {
		t.Errorf("first frame leaves the first switch at %v, want %v", got, want)
	}
}

// A pause of 65535 quanta that nobody repeats and nobody ends silences the switch's
// port for 335.54 us; then the traffic goes on.
func TestAPauseNobodyRepeatsRunsOut(t *testing.T) {
	const delay = 200 * units.Nanosecond
	n := simtest.Star(2, gbps100, delay)
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 2, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	const arrived = pfcFrame + delay // before the first frame is at the switch
	if got, want := tap.Starts(nil)[0], arrived+longestPause; got != want {
		t.Errorf("first frame leaves the switch at %v, want %v", got, want)
	}
}

// Of a 2:1 incast one sender's XONs are all lost. Its pause then lasts 65535 quanta,
// and no longer.
func TestALostResumeCostsTheQuanta(t *testing.T) {
	const delay = units.Microsecond
	n := simtest.Star(3, gbps100, delay)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	c := n.Cluster(t, incast(2, 2*units.MB)...)
	sender, sw := simtest.Watch(c, 1, 0), simtest.Watch(c, 3, 1)
	sw.LosePFC = func(f *wire.PFC, _ units.Time) bool { return f.Quanta[3] == 0 }
	mustBe(t, n.Finish(t, c), host.Done)
	if len(sw.XOFFs(3)) != 1 || len(sw.XONs(3)) != 1 {
		t.Fatalf("paused at %v, resumed in vain at %v: want one of each", sw.XOFFs(3), sw.XONs(3))
	}
	obeyed := sw.XOFFs(3)[0] + pfcFrame + delay
	if got, want := within(sender.Starts(nil), obeyed, units.Never)[0], obeyed+longestPause; got != want {
		t.Errorf("the sender, paused since %v, goes on at %v, want %v", obeyed, got, want)
	}
	if got := c.Net.Ports(3)[1].Counters.LostPFC; got != 1 {
		t.Errorf("%d PFC frames lost, want 1", got)
	}
}

// A PFC frame is a frame of 64 bytes, on the wire for 6.72 ns at 100 Gb/s: it waits
// for the frame being sent, goes ahead of everything queued, and is never paused.
func TestPFCFramesGoAheadOfEverything(t *testing.T) {
	const delay = 200 * units.Nanosecond
	n := simtest.Star(3, gbps100, delay)
	n.Fabric.PFC.XOFF = 100 * units.KB
	// Host 0 sends to host 1, which has paused the switch. Two hosts send to host 0, so
	// that frames for it wait in the switch all the time.
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB), simtest.Flow(1, 0, units.MB), simtest.Flow(2, 0, units.MB))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 3, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	// Of the frames of 4158 B, the first 4174, the 25th is the first beyond 100 kB.
	const decided = firstFrame + 24*fullFrame + delay
	xoff := tap.XOFFs(3)[0]
	earlier := within(tap.Starts(nil), 0, xoff)
	if sent := earlier[len(earlier)-1]; sent > decided || xoff != sent+fullFrame {
		t.Errorf("decided at %v, a frame sent since %v: PFC leaves at %v, want at its end", units.Time(decided), sent, xoff)
	}
	if next := within(tap.Starts(nil), xoff, units.Never)[0]; next != xoff+pfcFrame {
		t.Errorf("PFC leaves at %v, the next frame at %v, want 6.72ns between", xoff, next)
	}
}

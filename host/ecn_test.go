package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

func step(k units.Bytes) fabric.ECN {
	return fabric.ECN{Kmin: k, Kmax: k, Pmax: units.Ratio{Num: 1, Den: 1}}
}

// A hundred packets wait in the switch for a pause to run out. With step marking each
// that leaves is marked exactly if more than K = 100 kB is left behind it, 25 packets of
// 4158 B or more: the first 75. The receiver counts as many.
func TestStepMarkingFollowsTheQueueLeftBehind(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.ECN = step(100 * units.KB)
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	simtest.PauseAtStart(c, 1, 0, 3)
	tap := simtest.Watch(c, 2, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	for i := range tap.Packets {
		want := wire.ECT0
		if (99-i)*4158 > 100_000 {
			want = wire.CE
		}
		if got := tap.Packets[i].ECN; got != want {
			t.Errorf("packet %d leaves with codepoint %d, want %d", i, got, want)
		}
	}
	if marked, seen := c.Net.Ports(2)[1].Counters.Class[3].Marked, receiver(c, 0).Marked; marked != 75 || seen != 75 {
		t.Errorf("%d packets marked, %d received with a mark, want 75", marked, seen)
	}
}

// The receiver answers the first mark after its latency, and then one in each interval at
// most; a notification has 98 bytes on the wire and goes in its own class.
func TestNotificationsKeepTheirInterval(t *testing.T) {
	const latency, interval = 700 * units.Nanosecond, 2 * units.Microsecond
	n := crowded(9)
	n.NIC.CNPLatency = latency
	c := n.Cluster(t, incast(8, 2*units.MB)...)
	egress, receiver := simtest.Watch(c, 9, 0), simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	last, count := map[uint32]units.Time{}, 0
	for _, p := range receiver.Packets {
		if p.Op != wire.CNP {
			continue
		}
		count++
		if int(p.Frame)+wire.Interframe != 98 || p.DSCP != 48 {
			t.Errorf("a CNP of %d bytes with DSCP %d", int(p.Frame)+wire.Interframe, p.DSCP)
		}
		// The one before may have waited for a frame being sent, an acknowledgement.
		if before, any := last[p.Flow]; any && p.At-before < interval-ackFrame {
			t.Errorf("CNPs at %v and %v", before, p.At)
		}
		last[p.Flow] = p.At
	}
	if count < 100 || len(last) != 8 {
		t.Errorf("%d CNPs for %d flows", count, len(last))
	}
	marks := egress.Starts(func(p *wire.Packet) bool { return p.ECN == wire.CE })
	cnps := receiver.Starts(func(p *wire.Packet) bool { return p.Op == wire.CNP })
	arrived := marks[0] + gbps100.Serialise(1106) + units.Microsecond
	if d := cnps[0] - arrived - latency; d < 0 || d > ackFrame {
		t.Errorf("first marked packet is there at %v, the first CNP leaves at %v, want %v later", arrived, cnps[0], latency)
	}
}

// incastUnder runs 16 senders into one under a congestion control.
func incastUnder(t *testing.T, control cc.Params) (*host.Cluster, host.Report) {
	n := simtest.Star(17, gbps100, units.Microsecond)
	n.NIC.MTU, n.NIC.AckEvery, n.Fabric.MaxFrame, n.NIC.Control = 1024, 16, 1024+78, control
	n.Fabric.ECN = fabric.ECN{Kmin: 4 * units.KB, Kmax: 16 * units.KB, PerGbps: true, Pmax: units.Ratio{Num: 1, Den: 5}}
	n.Fabric.PFC.XONOffset = 50 * units.KB
	n.Fabric.QueueSamples = units.Microsecond
	c, r := n.Do(t, incast(16, 2*units.MB)...)
	mustBe(t, r, host.Done)
	return c, r
}

// meanQueue is the time average of the queue to host 0, to the end of the first flow,
// from samples that were kept when they changed.
func meanQueue(c *host.Cluster, sw int) float64 {
	end := units.Never
	for flow := range c.Flows {
		end = min(end, c.Transfer(flow).End)
	}
	var sum float64
	var last, bytes units.Time
	c.Net.Switch(sw).QueueSamples(func(at units.Time, port, priority int, b units.Bytes) {
		if port == 0 && priority == 3 {
			at = min(at, end)
			sum += float64(at-last) * float64(bytes)
			last, bytes = at, units.Time(b)
		}
	})
	return (sum + float64(end-last)*float64(bytes)) / float64(end)
}

// Of 16 senders at line rate PFC alone lets the queue stand at its thresholds; DCQCN
// cuts their rates and takes it down. A flow that meets no queue does not notice its
// congestion control.
func TestDCQCNShortensTheQueueOfAnIncast(t *testing.T) {
	none, a := incastUnder(t, cc.None.Params(""))
	control, b := incastUnder(t, dcqcn.Kind.Params("scaled"))
	if with, without := meanQueue(control, 17), meanQueue(none, 17); with > without/3 {
		t.Errorf("queue of %.0f B on average with DCQCN, %.0f B without; want less than a third", with, without)
	}
	if with, without := xoffs(control, 3), xoffs(none, 3); with >= without || without == 0 {
		t.Errorf("%d pauses with DCQCN, %d without", with, without)
	}
	if sender(control, 0).CNPs == 0 || sender(none, 0).CNPs != 0 || a.Digest == b.Digest {
		t.Errorf("%d CNPs with DCQCN, %d without", sender(control, 0).CNPs, sender(none, 0).CNPs)
	}
	var digests []uint64
	for _, params := range []cc.Params{cc.None.Params(""), dcqcn.Kind.Params("scaled"), dcqcn.Kind.Params("paper")} {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.Fabric.ECN, n.NIC.Control = step(100*units.KB), params
		_, r := n.Do(t, simtest.Flow(0, 1, units.MB))
		digests = append(digests, uint64(r.Digest))
	}
	if digests[0] != digests[1] || digests[0] != digests[2] {
		t.Errorf("a flow alone runs differently under different controls: %#x", digests)
	}
}

// Acknowledgements go in a class of their own. If that is the class of data, and data
// is paused in their direction, the sender's window never opens; in another class they
// pass, and the flow takes its ideal time.
func TestAcknowledgementsPassInAClassOfTheirOwn(t *testing.T) {
	for _, tc := range []struct {
		class int
		want  host.Outcome
	}{{6, host.Done}, {3, host.Stalled}} {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.Fabric.PFC.Sticky = true
		n.NIC.AckEvery, n.NIC.Window = 4, 256*units.KB
		n.NIC.Ack.DSCP, n.NIC.Ack.Priority = uint8(tc.class<<3), tc.class
		c := n.Cluster(t, simtest.Flow(0, 1, 2*units.MB), simtest.Flow(1, 0, 2*units.MB))
		simtest.PauseAtStart(c, 0, 0, 3)
		r := n.Finish(t, c)
		mustBe(t, r, host.Stalled) // the reverse flow, at any rate
		if done := c.Transfer(0).Done(); done != (tc.want == host.Done) {
			t.Errorf("acknowledgements in priority %d: forward flow done %v", tc.class, done)
		}
		if _, ideal := c.Ideal(0); tc.want == host.Done && c.Transfer(0).End > ideal+ideal/100 {
			t.Errorf("forward flow takes %v, ideal %v", c.Transfer(0).End, ideal)
		}
	}
}

package host_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Two hosts send to a third in two lossless classes of weights 1 and 3 at the switch.
// While both wait there, their shares of its port are 25 and 75 %. That an ingress
// group is paused when it is full changes nothing, since the hosts refill it.
func TestClassesShareAPortByWeight(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.Priorities = []int{3, 4}
	n.Fabric.PFC.Lossless = 1<<3 | 1<<4
	n.Fabric.Schedule.Weights[3], n.Fabric.Schedule.Weights[4] = 1, 3
	n.NIC.CNP = simtest.Data
	c := n.Cluster(t, inClass(simtest.Flow(1, 0, 20*units.MB), 3), inClass(simtest.Flow(2, 0, 20*units.MB), 4))
	tap := simtest.Watch(c, 3, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	from, to := 100*units.Microsecond, 2000*units.Microsecond // both wait
	three, four := len(within(tap.Starts(inPriority(3)), from, to)), len(within(tap.Starts(inPriority(4)), from, to))
	if share := float64(three) / float64(three+four); math.Abs(share-0.25) > 0.001 {
		t.Errorf("priority 3 sends %d packets, priority 4 %d: a share of %.4f, want .250", three, four, share)
	}
}

// A port bound to 40 Gb/s of frames sends at that rate, 4158 B each 831.6 ns, though
// its wire takes 100; the pause frames that this costs the sender keep it lossless.
func TestAPortIsShaped(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.Schedule.Port.Rate, n.Fabric.Schedule.Port.Burst = 40*units.Gbps, 10*units.KB
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	c := n.Cluster(t, simtest.Flow(0, 1, 10*units.MB))
	tap := simtest.Watch(c, 2, 1)
	mustBe(t, n.Finish(t, c), host.Done)
	starts := tap.Starts(isData)
	gap := (starts[len(starts)-2] - starts[100]) / units.Time(len(starts)-102)
	if want := 831_600 * units.Picosecond; gap != want {
		t.Errorf("a frame each %v, want %v", gap, want)
	}
	if dropped(c, 3) != 0 || c.Net.Ports(2)[0].Counters.PauseTx[3].XOFF == 0 {
		t.Error("want pauses and no loss")
	}
}

// Two queue pairs on a NIC, fewer than the number of the priority that is paused and
// resumed, packets of 1000 B, 9 MB of buffer: all of it arrives.
func TestAPriorityAboveTheNumberOfQueuePairsIsResumed(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.Buffer, n.NIC.MTU = 9*units.MB, 1000
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 100*units.KB, 20*units.KB
	c, r := n.Do(t, incast(2, units.MB)...)
	mustBe(t, r, host.Done)
	if got := c.Net.Ports(1)[0].Counters.PauseRx[3]; got.XOFF == 0 || got.XON == 0 {
		t.Errorf("the sender was paused %d times and resumed %d times; want both", got.XOFF, got.XON)
	}
}

// Two hosts send to a third, each in two lossless classes at 35 % of the wire and in
// two lossy ones at 25 %, in all more than the port takes; meanwhile the receiver
// pauses the lossless classes for 335 us. Pauses are asked of the senders for the
// lossless classes only, and these lose nothing.
func TestPausesConcernLosslessClassesOnly(t *testing.T) {
	n := simtest.Star(3, gbps100, 200*units.Nanosecond)
	n.Fabric.Priorities = []int{1, 2, 3, 4}
	n.Fabric.PFC.Lossless = 1<<3 | 1<<4
	n.Fabric.Buffer = 2 * units.MB
	n.NIC.Timeout, n.NIC.CNP = 8, simtest.Data
	var flows []host.Flow
	for src := 1; src <= 2; src++ {
		for _, priority := range []int{1, 2, 3, 4} {
			flows = append(flows, inClass(simtest.Flow(src, 0, 2*units.MB), priority))
		}
	}
	c := n.Cluster(t, flows...)
	simtest.PauseAtStart(c, 0, 0, 3, 4)
	n.Finish(t, c)
	for src := 1; src <= 2; src++ {
		sent := c.Net.Ports(3)[src].Counters
		for priority := range 8 {
			lossless := priority == 3 || priority == 4
			if paused := sent.PauseTx[priority].XOFF > 0; paused != lossless {
				t.Errorf("host %d, priority %d: %d pauses", src, priority, sent.PauseTx[priority].XOFF)
			}
		}
	}
	if dropped(c, 3) != 0 || dropped(c, 4) != 0 || dropped(c, 1)+dropped(c, 2) == 0 {
		t.Errorf("lossless dropped %d and %d, lossy %d and %d; want none and some", dropped(c, 3), dropped(c, 4), dropped(c, 1), dropped(c, 2))
	}
}

// Host 0 sends to host 1. The reverse direction of its link is full of data of the
// same class, and paused for 335 us. With acknowledgements in a class of their own
// the flow goes on as if nothing were; in the class of the data they wait, and a flow
// with a window waits with them.
func TestAcknowledgementsInTheDataClassWaitWithIt(t *testing.T) {
	took := func(ack rnic.Class) units.Time {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.Ack, n.NIC.AckEvery, n.NIC.Window = ack, 4, 200*units.KB
		c := n.Cluster(t, simtest.Flow(0, 1, units.MB), simtest.Flow(1, 0, 4*units.MB))
		simtest.PauseAtStart(c, 0, 0, 3) // of what comes to host 0, its acknowledgements among it
		mustBe(t, n.Finish(t, c), host.Done)
		return c.Transfer(0).End
	}
	alone := func() units.Time {
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.AckEvery, n.NIC.Window = 4, 200*units.KB
		c, _ := n.Do(t, simtest.Flow(0, 1, units.MB))
		return c.Transfer(0).End
	}()
	if apart := took(rnic.Class{DSCP: 48, Priority: 6}); float64(apart) > 1.01*float64(alone) {
		t.Errorf("acknowledgements in a class of their own: %v, alone %v; want within 1 %%", apart, alone)
	}
	if together := took(simtest.Data); together < longestPause {
		t.Errorf("acknowledgements with the data: %v, want longer than the pause of %v", together, longestPause)
	}
}

// Data that cannot be marked is dropped by RED in a class without PFC, counted at the
// queue that refused it, and sent again; nothing is marked.
func TestDataThatCannotBeMarkedIsDropped(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.PFC.Lossless = 0
	n.Fabric.ECN.Kmin, n.Fabric.ECN.Kmax, n.Fabric.ECN.Pmax = 50*units.KB, 200*units.KB, units.Ratio{Num: 1, Den: 10}
	n.Fabric.ECN.DropNotECT = true
	n.NIC.NotECT, n.NIC.Timeout = true, 8
	c, r := n.Do(t, incast(2, units.MB)...)
	mustBe(t, r, host.Done)
	refused := c.Net.Switch(3).Queue(0, 3).Refused
	if refused.RED.Packets == 0 || refused.Limit.Packets != 0 || dropped(c, 3) != 0 {
		t.Errorf("refused %+v, dropped %d for want of buffer; want RED to drop alone", refused, dropped(c, 3))
	}
	if sender(c, 0).Naks == 0 || receiver(c, 0).Marked != 0 {
		t.Errorf("%d NAKs, %d marks; want some and none", sender(c, 0).Naks, receiver(c, 0).Marked)
	}
}

// An 802.1Q tag adds 4 bytes to every frame, acknowledgements included.
func TestATagCostsFourBytesAFrame(t *testing.T) {
	const packets = 256
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.Tagged = true
	n.Fabric.MaxFrame += wire.VLANTag
	c, r := n.Do(t, simtest.Flow(0, 1, packets*4096))
	mustBe(t, r, host.Done)
	const tag = 4 * 80
	bytes := 2*(firstFrame+tag) + (packets-1)*(fullFrame+tag) + 2*units.Microsecond
	mustTake(t, c, 0, bytes, bytes+2*(ackFrame+tag)+2*units.Microsecond)
	if i, _ := c.Ideal(0); i != bytes {
		t.Errorf("ideal %v, want %v", i, bytes)
	}
}

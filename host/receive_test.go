package host_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// slowly gives the first NIC of a host a receive buffer of 1 MB with 100 kB of headroom.
func slowly(c *host.Cluster, at int, drain units.Rate) {
	c.Hosts[at].NIC(0).Limit(rnic.ReceiveBuffer{
		Drain: drain, Size: units.MB, XOFF: 900 * units.KB, XON: 890 * units.KB, Lossless: 1 << 3,
	})
}

// refused is what a host's NIC dropped in a priority.
func refused(c *host.Cluster, at, priority int) uint64 {
	return c.Net.Ports(c.Net.Graph.Hosts()[at])[0].Counters.Class[priority].Dropped.Packets
}

// The receiver takes in 80 of 100 Gb/s. Its NIC pauses the switch, this one the next, and
// that one the NIC of the sender. From the first packet on the host is never without one:
// 5000 payloads of 4096 B take it 409.6 ns each, and not a packet is lost.
func TestASlowReceiverGetsWhatItTakesIn(t *testing.T) {
	const delay = units.Microsecond
	n := simtest.Chain(3, gbps100, delay)
	n.Fabric.PFC.XOFF, n.Fabric.PFC.XONOffset = 200*units.KB, 20*units.KB
	c := n.Cluster(t, simtest.Flow(0, 1, 5000*4096))
	slowly(c, 1, 80*units.Gbps)
	r := n.Finish(t, c)
	mustBe(t, r, host.Done)
	first := units.Time(3 * (firstFrame + delay))
	if got, want := lastByte(c, 0), first+5000*409_600; got != want {
		t.Errorf("last byte with the host at %v, want %v", got, want)
	}
	if refused(c, 1, 3) != 0 || dropped(c, 3) != 0 {
		t.Errorf("%d packets lost at the NIC, %d in switches", refused(c, 1, 3), dropped(c, 3))
	}
	sender, receiver := &c.Net.Ports(0)[0], &c.Net.Ports(1)[0]
	if sender.Counters.PauseRx[3].XOFF == 0 || sender.PausedFor(3, r.Now) == 0 {
		t.Error("the pause did not reach the NIC of the sender")
	}
	if receiver.Counters.PauseTx[3].XOFF == 0 || receiver.Counters.PauseTx[3].XON == 0 {
		t.Errorf("the NIC of the receiver sent %+v", receiver.Counters.PauseTx[3])
	}
	if i, _ := c.Hosts[1].NIC(0).ReceiveBufferOf(3); i.Peak < i.XOFF || i.Peak > i.Size || i.Held != 0 {
		t.Errorf("receive buffer: %d B at most, %d B at the end; XOFF at %d", i.Peak, i.Held, i.XOFF)
	}
}

// The level of the buffer follows from when packets arrive and when the host has taken
// them in. XOFF is sent when it first reaches its threshold, XON when it has fallen to its.
func TestANICPausesAtXOFFAndResumesAtXON(t *testing.T) {
	const delay, drain = 200 * units.Nanosecond, 1_000_000 // 4096 B in a microsecond
	n := simtest.Chain(1, gbps100, delay)
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{
		Drain: 4096 * 8 * units.Mbps, Size: units.MB, XOFF: 40 * units.KB, XON: 20 * units.KB, Lossless: 1 << 3,
	})
	sender, receiver := simtest.Watch(c, 0, 0), simtest.Watch(c, 1, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	type frame struct {
		leaves units.Time // for the host
		size   units.Bytes
	}
	var buffer []frame
	var held units.Bytes
	var free units.Time
	var xoffs, xons []units.Time
	empty := func(now units.Time) {
		for ; len(buffer) > 0 && buffer[0].leaves <= now; buffer = buffer[1:] {
			held -= buffer[0].size
			if held <= 20*units.KB && len(xons) < len(xoffs) {
				xons = append(xons, buffer[0].leaves)
			}
		}
	}
	for i, start := range sender.Starts(isData) {
		now, size := start+fullFrame+delay, units.Bytes(4158)
		if i == 0 {
			now, size = start+firstFrame+delay, 4174
		}
		empty(now)
		free = max(free, now) + drain
		buffer, held = append(buffer, frame{free, size}), held+size
		if held >= 40*units.KB && len(xons) == len(xoffs) {
			xoffs = append(xoffs, now)
		}
	}
	empty(units.Never)
	if got := receiver.XOFFs(3); !slices.Equal(got, xoffs) || len(got) < 2 {
		t.Errorf("XOFF at %v, want %v", got, xoffs)
	}
	if got := receiver.XONs(3); !slices.Equal(got, xons) {
		t.Errorf("XON at %v, want %v", got, xons)
	}
}

// Without PFC the receive buffer overflows, and what it drops is counted at the host and
// sent again.
func TestAReceiveBufferWithoutPFCDropsAndCounts(t *testing.T) {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.Fabric.PFC.Lossless, n.NIC.Timeout = 0, 8
	c := n.Cluster(t, simtest.Flow(0, 1, 4*units.MB))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{Drain: 50 * units.Gbps, Size: 100 * units.KB})
	mustBe(t, n.Finish(t, c), host.Done)
	// 24 frames fit. One comes each 334.24 ns and one leaves each 655.36 ns.
	if got := refused(c, 1, 3); got == 0 || dropped(c, 3) != 0 {
		t.Errorf("%d packets dropped at the NIC, %d in switches", got, dropped(c, 3))
	}
	if i, _ := c.Hosts[1].NIC(0).ReceiveBufferOf(3); i.Peak < 24*4158 || i.Peak > i.Size {
		t.Errorf("receive buffer: %d B at most of %d B", i.Peak, i.Size)
	}
	if got := receiver(c, 0).Payload; got != 4_000_000 {
		t.Errorf("%d bytes delivered", got)
	}
}

// Headroom that is too small for its link overflows at a NIC as it does at a switch.
func TestAReceiveBufferWithTooLittleHeadroomLoses(t *testing.T) {
	for _, tc := range []struct {
		headroom units.Bytes
		loses    bool
	}{{5 * units.KB, true}, {37_646, false}} { // what 40 m need, 17,646 B, and 160 m more of cable both ways
		n := simtest.Star(2, gbps100, units.Microsecond)
		n.NIC.Timeout = 8
		c := n.Cluster(t, simtest.Flow(0, 1, 2*units.MB))
		c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{
			Drain: 20 * units.Gbps, Size: 200*units.KB + tc.headroom, XOFF: 200 * units.KB, XON: 190 * units.KB, Lossless: 1 << 3,
		})
		if needs := c.Net.Reaction(1, 0).Headroom(); needs != 37_646 {
			t.Fatalf("the link needs %d B", needs)
		}
		mustBe(t, n.Finish(t, c), host.Done)
		if got := refused(c, 1, 3); (got > 0) != tc.loses {
			t.Errorf("headroom %d: %d packets lost", tc.headroom, got)
		}
	}
}

// A priority without PFC has a part of the buffer of its own: when that is full its
// packets are dropped, nobody is paused, and the lossless priority loses nothing.
func TestTheLossyPartOfAReceiveBufferIsItsOwn(t *testing.T) {
	n := simtest.Star(3, gbps100, units.Microsecond)
	n.Fabric.Priorities, n.NIC.Timeout = []int{1, 3, 6}, 8
	lossy := inClass(simtest.Flow(1, 0, 2*units.MB), 1)
	lossless := simtest.Flow(2, 0, 100*units.KB) // less than its part of the buffer
	c := n.Cluster(t, lossy, lossless)
	c.Hosts[0].NIC(0).Limit(rnic.ReceiveBuffer{
		Drain: 30 * units.Gbps, Size: 200 * units.KB, XOFF: 150 * units.KB, XON: 140 * units.KB, Lossless: 1 << 3,
	})
	mustBe(t, n.Finish(t, c), host.Done)
	if refused(c, 0, 1) == 0 || refused(c, 0, 3) != 0 {
		t.Errorf("%d lossy packets dropped, %d lossless", refused(c, 0, 1), refused(c, 0, 3))
	}
	if got := c.Net.Ports(0)[0].Counters.PFCTx; got != 0 {
		t.Errorf("%d pause frames", got)
	}
}

// The host takes in the highest priority first: of two packets that wait, the one that
// came later.
func TestAHostTakesInTheHighestPriorityFirst(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	n.Fabric.Priorities = []int{1, 3, 6}
	// Three packets of priority 1, then one of priority 3, while the first is moved.
	c := n.Cluster(t, inClass(simtest.Flow(0, 1, 3*4096), 1), late(simtest.Flow(0, 1, 4096), 3*fullFrame))
	c.Hosts[1].NIC(0).Limit(rnic.ReceiveBuffer{Drain: units.Gbps, Size: units.MB, XOFF: 900 * units.KB, Lossless: 1 << 3})
	mustBe(t, n.Finish(t, c), host.Done)
	const move = 4096 * 8 * 1000 // at 1 Gb/s
	first := units.Time(firstFrame + 1_000_000 + move)
	if got := lastByte(c, 1); got != first+move {
		t.Errorf("priority 3 with the host at %v, want %v, right after the first packet", got, first+move)
	}
	if got := lastByte(c, 0); got != first+3*move {
		t.Errorf("priority 1 with the host at %v, want %v", got, first+3*move)
	}
}

// late gives a flow a start.
func late(f host.Flow, start units.Time) host.Flow {
	f.Start = start
	return f
}

// Packets without payload go to the host in no time, but in their turn.
func TestAcknowledgementsWaitBehindDataOfTheirClass(t *testing.T) {
	n := simtest.Chain(1, gbps100, units.Microsecond)
	// Host 0 sends one packet and host 1 five. The acknowledgement of the first comes to
	// host 0, which is slow, behind three packets or so of the five.
	c := n.Cluster(t, simtest.Flow(0, 1, 4096), simtest.Flow(1, 0, 5*4096))
	c.Hosts[0].NIC(0).Limit(rnic.ReceiveBuffer{Drain: units.Gbps, Size: units.MB, XOFF: 900 * units.KB, Lossless: 1 << 3})
	tap := simtest.Watch(c, 1, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	ack := tap.Starts(isAck)[0]
	before := len(within(tap.Starts(isData), 0, ack))
	const move = 4096 * 8 * 1000
	want := units.Time(firstFrame + 1_000_000 + before*move)
	if got := c.Transfer(0).End; before == 0 || got != want {
		t.Errorf("acknowledged at %v behind %d packets, want %v", got, before, want)
	}
}

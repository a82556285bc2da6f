package host_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// tcpAck is an acknowledgement of TCP on the wire: 58 bytes, padded to 64, and 20.
const tcpAck = 84

// fpdus are the packets of a WRITE over iWARP: full ones have 1440 bytes of payload in 1538, and
// a shorter one 16 bytes of length and headers before it, padding to a multiple of four and a CRC
// behind it, and 78 around.
func fpdus(size units.Bytes) (sizes []int) {
	for left := int(size); left > 0 || len(sizes) == 0; left -= 1440 {
		sizes = append(sizes, (2+14+min(left, 1440)+3)/4*4+4+78)
	}
	return sizes
}

// offloaded has all flows travel as iWARP.
func offloaded(class rnic.Class, flows ...host.Flow) []host.Flow {
	for i := range flows {
		flows[i].Data = class
	}
	return flows
}

// What fits into the initial window of ten packets takes its time on the wire, and is done when the
// acknowledgement of the last packet is back.
func TestAMessageOverIWARPTakesItsTimeOnTheWire(t *testing.T) {
	legs := []rnic.Leg{{Rate: gbps100, Delay: 500 * units.Nanosecond}, {Rate: gbps100, Delay: 500 * units.Nanosecond}}
	for _, size := range []units.Bytes{0, 1, 64, 1440, 1441, 4096, 14400} {
		n := simtest.Chain(2, gbps100, 500*units.Nanosecond)
		c, r := n.Do(t, offloaded(n.IWARP(1500), simtest.Flow(0, 1, size))...)
		mustBe(t, r, host.Done)
		bytes := recursion(fpdus(size), legs)
		mustTake(t, c, 0, bytes, bytes+recursion([]int{tcpAck}, legs))
		if ideal, idealAck := c.Ideal(0); ideal != bytes || idealAck != c.Transfer(0).End {
			t.Errorf("%v: ideal %v and %v, want %v and %v", size, ideal, idealAck, bytes, c.Transfer(0).End)
		}
	}
}

// With packets of 1500 B, 1440 of 1538 B on the wire are payload; with packets of 9000 B, 8940 of 9038.
func TestALongMessageOverIWARPFillsTheWire(t *testing.T) {
	for mtu, share := range map[units.Bytes]float64{1500: 1440.0 / 1538, 9000: 8940.0 / 9038} {
		n := simtest.Chain(2, gbps100, 500*units.Nanosecond)
		c, r := n.Do(t, offloaded(n.IWARP(mtu), simtest.Flow(0, 1, 100*units.MB))...)
		mustBe(t, r, host.Done)
		got := float64(100*units.MB) * 8 / c.Transfer(0).End.Seconds() / 1e11
		if got > share || got < 0.999*share {
			t.Errorf("MTU %d: %.4f of the line, want %.4f less the time in which the window grows", mtu, got, share)
		}
	}
}

// With one packet of a thousand lost in either direction, acknowledgements among them, and without PFC, all bytes come
// once, no timer runs out, and the flow goes on at half the line or more.
func TestIWARPMovesOnUnderLossWithoutPFC(t *testing.T) {
	n := simtest.Chain(2, gbps100, 500*units.Nanosecond)
	n.Fabric.PFC.Lossless = 0
	c := n.Cluster(t, offloaded(n.IWARP(1500), simtest.Flow(0, 1, 50*units.MB))...)
	all := disturb(c, 1, 5e-4) // on each of two cables
	mustBe(t, n.Finish(t, c), host.Done)
	var data, acks int
	for _, noise := range all {
		data, acks = data+noise.lost[wire.TCPData], acks+noise.lost[wire.TCPAck]
	}
	if data == 0 || acks == 0 {
		t.Errorf("%d packets and %d acknowledgements were lost, want some of either", data, acks)
	}
	sent, got := sender(c, 0), receiver(c, 0)
	if got.Payload != uint64(50*units.MB) || sent.Retransmitted == 0 || sent.Timeouts > 0 || c.Transfer(0).Retransmitted == 0 {
		t.Errorf("%d bytes received, %d packets sent again (%v of payload), %d timeouts; want 50 MB, some and none",
			got.Payload, sent.Retransmitted, c.Transfer(0).Retransmitted, sent.Timeouts)
	}
	if rate := float64(50*units.MB) * 8 / c.Transfer(0).End.Seconds(); rate < 50e9 {
		t.Errorf("%.1f Gb/s", rate/1e9)
	}
}

// An incast into a port with half a MiB of buffer and no PFC loses packets, and ends all the same: TCP repairs
// what is lost, and its windows come down.
func TestAnIncastOverIWARPNeedsNoPFC(t *testing.T) {
	for _, mtu := range []units.Bytes{1500, 9000} {
		n := simtest.Star(9, gbps100, 500*units.Nanosecond)
		n.Fabric.PFC.Lossless, n.Fabric.Buffer = 0, 512*units.KiB
		c, r := n.Do(t, offloaded(n.IWARP(mtu), incast(8, 10*units.MB)...)...)
		mustBe(t, r, host.Done)
		if dropped(c, 3) == 0 {
			t.Error("nothing was dropped")
		}
		least := (gbps100 * 1440 / 1538).Serialise(int(80 * units.MB))
		if mtu == 9000 {
			least = (gbps100 * 8940 / 9038).Serialise(int(80 * units.MB))
		}
		if r.Now < least || r.Now > 2*least {
			t.Errorf("MTU %d: 80 MB took %v, want no more than twice the %v of the wire", mtu, r.Now, least)
		}
	}
}

// A queue pair over UDP and one over TCP share an adapter and its port, packet by packet: of two
// full packets in turn one has 4178 bytes and one 1538.
func TestIWARPSharesAnAdapterWithRoCE(t *testing.T) {
	n := simtest.Chain(2, gbps100, 500*units.Nanosecond)
	over := n.IWARP(1500)
	flows := []host.Flow{simtest.Flow(0, 1, 40960*units.KB), simtest.Flow(0, 1, 14400*units.KB)}
	flows[1].Data = over
	c, r := n.Do(t, flows...)
	mustBe(t, r, host.Done)
	// 10,000 packets of each take 457.28 ns a pair.
	for i := range flows {
		if end := c.Transfer(i).End; end < 4570*units.Microsecond || end > 4580*units.Microsecond {
			t.Errorf("flow %d ends at %v, want 4.573ms", i, end)
		}
	}
}

// A connection that gets no answer is given up after as many timeouts as TCP allows, and its messages
// end as those of a queue pair do.
func TestAnIWARPConnectionGivesUp(t *testing.T) {
	n := simtest.Chain(2, gbps100, 500*units.Nanosecond)
	over := n.IWARP(1500)
	cfg := &n.NIC.IWARP.TCP
	cfg.Retries, cfg.InitialRTO, cfg.MinRTO = 3, units.Millisecond, units.Millisecond
	c := n.Cluster(t, offloaded(over, simtest.Flow(0, 1, units.MB))...)
	disturb(c, 1, 1)
	r := n.Finish(t, c)
	mustBe(t, r, host.Failed)
	if got := c.Transfer(0); got.Status != rnic.RetryExceeded || sender(c, 0).Timeouts != 4 {
		t.Errorf("%v after %d timeouts, want RETRY_EXC_ERR after 3 in vain and a fourth", got.Status, sender(c, 0).Timeouts)
	}
	if lasts := n.NIC.IWARP.Lasts(); c.Transfer(0).End > lasts {
		t.Errorf("given up at %v, want %v at the latest", c.Transfer(0).End, lasts)
	}
	if why := c.Waits(r.Now)[0].Cause; why == "" {
		t.Error("nothing is said of why")
	}
}

// Flows over iWARP under loss give the same bits on any number of workers.
func TestIWARPGivesTheSameBitsOnAnyNumberOfWorkers(t *testing.T) {
	var want host.Report
	for i, workers := range []int{1, 2, 3} {
		n := simtest.Star(9, gbps100, 500*units.Nanosecond)
		n.Fabric.PFC.Lossless, n.Fabric.Buffer = 0, 512*units.KiB
		n.Run.Workers = workers
		c := n.Cluster(t, offloaded(n.IWARP(1500), incast(8, 2*units.MB)...)...)
		disturb(c, 7, 1e-3)
		r := n.Finish(t, c)
		mustBe(t, r, host.Done)
		if i == 0 {
			want = r
		} else if r.Digest != want.Digest || r.Events != want.Events || r.Now != want.Now {
			t.Errorf("%d workers: digest %v after %d events at %v, want %v after %d at %v",
				workers, r.Digest, r.Events, r.Now, want.Digest, want.Events, want.Now)
		}
	}
}

// Over iWARP too a packet costs no allocation once rings are as long as they get, which here and there they are late.
func TestAPacketOverIWARPCostsNoAllocation(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets: left to the whole suite")
	}
	count := func(size units.Bytes) (mallocs, hops uint64) {
		n := simtest.Star(9, gbps100, 500*units.Nanosecond)
		c := n.Cluster(t, offloaded(n.IWARP(1500), incast(8, size)...)...)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := c.Run(context.Background(), n.Run)
		runtime.ReadMemStats(&after)
		if err != nil || r.Outcome != host.Done {
			t.Fatal(err, r.Outcome)
		}
		return after.Mallocs - before.Mallocs, r.Hops
	}
	short, few := count(20 * units.MB)
	long, many := count(40 * units.MB)
	if more := int64(long) - int64(short); more > 100 {
		t.Errorf("%d packet-hops more cost %d allocations more (%d after %d)", many-few, more, long, short)
	}
}

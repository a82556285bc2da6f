package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// equipped is two hosts at a switch, with adapters of a profile.
func equipped(profile string, rate units.Rate) *simtest.Net {
	n := simtest.Star(2, rate, 25*units.Nanosecond)
	n.Fabric.Pipeline = 300 * units.Nanosecond
	n.NIC.Hardware = hardware.New(profile)
	return n
}

// ideal is a configuration that costs nothing, to be changed.
func ideal() *hardware.Config {
	c := *hardware.New("connectx5")
	bare := hardware.Config{BlueFlame: c.BlueFlame, Inline: c.Inline, WQEBatch: c.WQEBatch, Memory: c.Memory, PCIe: c.PCIe}
	bare.PCIe.Generation, bare.PCIe.ReadLatency, bare.PCIe.WriteLatency = 0, 0, 0
	bare.Contexts.Outstanding, bare.Translations.Outstanding = 1, 1
	return &bare
}

// writes is so many messages of a size, over so many queue pairs, posted together.
func writes(size units.Bytes, messages, qps int) (flows []host.Flow) {
	for i := range qps {
		flows = append(flows, host.Flow{Src: 0, Dst: 1, Size: size, Messages: messages / qps, Data: simtest.Data, Lane: i + 1})
	}
	return flows
}

// pace is how much payload and how many messages a second flows came to.
func pace(t *testing.T, n *simtest.Net, flows ...host.Flow) (gbps, millions float64) {
	t.Helper()
	c, r := n.Do(t, flows...)
	if r.Outcome != host.Done {
		t.Fatalf("%v: %v", r.Outcome, c.Waits(r.Now))
	}
	var end units.Time
	var bytes, messages float64
	for i, f := range flows {
		end = max(end, c.Transfer(i).End)
		bytes += float64(f.Payload())
		messages += float64(f.Messages)
	}
	return bytes * 8 / end.Seconds() / 1e9, messages / end.Seconds() / 1e6
}

func expectNear(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if got < want*(1-within) || got > want*(1+within) {
		t.Errorf("%s is %.4g, want %.4g within %.2g", what, got, want, within)
	}
}

// WRITEs of 64 KiB at MTU 4096 fill a link of 100 Gb/s from a PCIe 3.0 x16 slot: of 4178 B
// on the wire 4096 are payload, 98.04 %. In a slot with 8 lanes (63.0 Gb/s raw) the
// link data layer's 9.8 % go and of 276 B for each completion of 256 B the headers: 52.7 Gb/s.
func TestASlotOfEightLanesCapsWhatSixteenCarry(t *testing.T) {
	n := equipped("connectx5", 100*units.Gbps)
	wide, _ := pace(t, n, writes(64*units.KiB, 2000, 1)...)
	expectNear(t, "goodput from 16 lanes", wide, 98.0, 0.001)
	n.NIC.Hardware.PCIe.Width = 8
	narrow, _ := pace(t, n, writes(64*units.KiB, 2000, 1)...)
	expectNear(t, "goodput from 8 lanes", narrow, 63.015*(1-0.098)*256/276, 0.002)
	n.NIC.Hardware.PCIe.DLLP = units.Ratio{}
	if most, _ := pace(t, n, writes(64*units.KiB, 2000, 1)...); most > 63.0 {
		t.Errorf("%v Gb/s of payload from a slot of 63.0", most)
	}
}

// A small WRITE takes what its stages take: 120 ns to post it, 150 to write it to the adapter, 150 in
// each pipeline, 250 until it is in memory, and the network's 300 ns switch, two times 25 ns of
// cable and 2 x 8.48 ns for 106 B (8 B of payload, at 100 Gb/s); besides, some ns on the bus.
func TestASmallWriteTakesWhatItsStagesTake(t *testing.T) {
	n := equipped("connectx5", 100*units.Gbps)
	c, _ := n.Do(t, simtest.Flow(0, 1, 8))
	network, _ := c.Ideal(0)
	want := network + (120+150+150+150+250)*units.Nanosecond
	if got := lastByte(c, 0); got < want || got > want+20*units.Nanosecond {
		t.Errorf("in memory after %v, want %v and up to 20 ns on buses", got, want)
	}
	if got := lastByte(c, 0); got < 900*units.Nanosecond || got > 1600*units.Nanosecond {
		t.Errorf("%v, want 0.9 to 1.6 us", got)
	}
}

// A payload that does not fit its work request has to be read, and so has a work request that
// is not written to the adapter: each costs a round trip over PCIe.
func TestWhatIsReadCostsARoundTrip(t *testing.T) {
	at := func(set func(*hardware.Config)) units.Time {
		n := equipped("connectx5", 100*units.Gbps)
		set(n.NIC.Hardware)
		c, _ := n.Do(t, simtest.Flow(0, 1, 8))
		return lastByte(c, 0)
	}
	inline := at(func(*hardware.Config) {})
	read := at(func(c *hardware.Config) { c.Inline = 0 })
	fetched := at(func(c *hardware.Config) { c.Inline, c.BlueFlame = 0, 0 })
	expectNear(t, "payload read, ns", (read-inline).Seconds()*1e9, 550, 0.05)
	expectNear(t, "work request fetched, ns", (fetched-read).Seconds()*1e9, 550, 0.05)
}

// One queue pair starts a work request every 50 ns, 20 million in a second; several are bound by the
// wire (162 B: 77.16 million, with nothing in the way) or by what the port can start.
func TestMessageRatesAreThoseOfQueuePairAndPort(t *testing.T) {
	n := equipped("connectx5", 100*units.Gbps)
	_, one := pace(t, n, writes(64, 40_000, 1)...)
	expectNear(t, "one queue pair, millions a second", one, 20, 0.01)
	_, three := pace(t, n, writes(64, 60_000, 3)...)
	expectNear(t, "three queue pairs", three, 60, 0.02)

	n.NIC.Hardware = ideal()
	_, wire := pace(t, n, writes(64, 100_000, 8)...)
	expectNear(t, "a wire of 100 Gb/s", wire, 77.160, 0.002)
	n.NIC.Hardware.PortGap = 12_500
	_, gap := pace(t, n, writes(48, 100_000, 8)...) // 146 B on the wire: 85.6 million
	expectNear(t, "a port that starts a packet every 12.5 ns", gap, 80, 0.002)
}

// As long as an adapter has the contexts of all queue pairs, their number does not matter. With
// twice as many, in turn, next to none is there when it is wanted, and 16 reads at once of 700 ns each bring at most 22.9 million in
// a second; some take longer, since the bus carries 336 B for each, and work requests besides.
func TestTheKneeMovesWithTheEntries(t *testing.T) {
	rate := func(entries, qps int) float64 {
		n := equipped("connectx5", 100*units.Gbps)
		n.NIC.Hardware.Contexts.Entries = entries
		_, millions := pace(t, n, writes(64, 20_480, qps)...)
		return millions
	}
	for _, entries := range []int{256, 1024} {
		fits, thrashes := rate(entries, entries), rate(entries, 2*entries)
		if fits < 70 || thrashes < 17 || thrashes > 22.9 {
			t.Errorf("%d entries: %.1f million a second with as many queue pairs, %.1f with twice as many", entries, fits, thrashes)
		}
	}
}

// Payload from a GPU under the same switch leaves a 200G adapter at the rate of the wire; from the
// far socket, 32 tags of 512 B go round in 1.4 us, and no more is under way: about 23 and 11 GB/s.
func TestAFarGPUIsSlowBecauseItIsFar(t *testing.T) {
	rate := func(memory string) float64 {
		n := equipped("connectx6", 200*units.Gbps)
		n.NIC.Hardware.Memory = memory
		gbps, _ := pace(t, n, writes(units.MiB, 40, 1)...)
		return gbps
	}
	near, far := rate(hardware.Near), rate(hardware.Far)
	expectNear(t, "near, Gb/s", near, 196, 0.01)
	expectNear(t, "far", far, 32*512*8/1420., 0.02)
	expectNear(t, "near to far", near/far, 23./11, 0.05)
	if bounce := rate(hardware.Bounce); bounce > 0.9*near || bounce < far {
		t.Errorf("bounced %.1f Gb/s, near %.1f, far %.1f", bounce, near, far)
	}
}

// A receiver in a narrow slot pauses its switch, which pauses the sender: nothing is lost, and
// what comes is what posted writes of 256 B with 24 B of headers carry.
func TestANarrowSlotPausesTheSwitch(t *testing.T) {
	n := equipped("connectx5", 100*units.Gbps)
	c := n.Cluster(t, simtest.Flow(0, 1, 20*units.MB))
	narrow := *n.NIC.Hardware
	narrow.PCIe.Width = 8
	to := c.Conns[0].To
	to.Equip(&narrow)
	to.Limit(rnic.ReceiveBuffer{Size: units.MiB, XOFF: 800 * units.KiB, XON: 700 * units.KiB, Lossless: 1 << 3})
	r := n.Finish(t, c)
	gbps := 20e6 * 8 / c.Transfer(0).End.Seconds() / 1e9
	if hostXOFFs := c.Net.Ports(c.Net.Graph.Hosts()[1])[0].Counters.PauseTx[3].XOFF; r.Outcome != host.Done || hostXOFFs == 0 || sender(c, 0).Retransmitted != 0 {
		t.Errorf("%v, %d XOFFs, %d packets sent again", r.Outcome, hostXOFFs, sender(c, 0).Retransmitted)
	}
	if paused := c.Net.Ports(c.Net.Graph.Hosts()[0])[0].PausedFor(3, r.Now); paused == 0 {
		t.Error("the sender was never paused")
	}
	// What is still in the receive buffer when the last packet has arrived does not hold it up.
	expectNear(t, "goodput", gbps, 63.015*(1-0.098)*256/280, 0.05)
}

// drawHardware draws an adapter.
func drawHardware(t *rapid.T) *hardware.Config {
	c := *hardware.New(rapid.SampledFrom([]string{"connectx5", "connectx6", "connectx7"}).Draw(t, "profile"))
	if rapid.Bool().Draw(t, "no bus") {
		c.PCIe.Generation = 0
	} else {
		c.PCIe.Generation, c.PCIe.Width = rapid.IntRange(1, 5).Draw(t, "generation"), rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "width")
		c.PCIe.Tags = rapid.IntRange(1, 40).Draw(t, "tags")
		c.Memory = rapid.SampledFrom([]string{"host", "near", "far", "bounce"}).Draw(t, "memory")
	}
	c.Inline = units.Bytes(rapid.SampledFrom([]int{0, 220}).Draw(t, "inline"))
	c.TxBuffer = units.Bytes(rapid.SampledFrom([]int{0, 10_000, 100_000}).Draw(t, "tx buffer"))
	for _, at := range []*units.Time{&c.Post, &c.Doorbell, &c.Poll, &c.TxPipeline, &c.RxPipeline, &c.QPGap, &c.PortGap, &c.PCIe.WriteLatency, &c.PCIe.ReadLatency} {
		*at = units.Time(rapid.SampledFrom([]int{0, 1, 50_000, 777_777}).Draw(t, "time"))
	}
	c.Contexts.Entries = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "entries")
	c.WQEBatch = rapid.IntRange(1, 4).Draw(t, "batch")
	return &c
}

// Whatever adapters cost, the books balance, no flow beats its ideal, and any number of workers comes
// to the same bits, with anything going wrong in any network.
func TestHardwareKeepsTheBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNet(t)
		n.NIC.Hardware = drawHardware(t)
		expectEndsWithFaults(t, n)
	})
}

// Nothing is allocated for a packet that passes an adapter.
func TestAnAdapterCostsNoAllocation(t *testing.T) {
	mallocs := func(size units.Bytes) float64 {
		return testing.AllocsPerRun(1, func() {
			n := equipped("connectx5", 100*units.Gbps)
			n.Do(t, simtest.Flow(0, 1, size))
		})
	}
	short, long := mallocs(5*units.MB), mallocs(10*units.MB)
	if long-short > 20 {
		t.Errorf("%v allocations for 5 MB, %v for 10", short, long)
	}
}

package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

func nanos(ns float64) units.Time { return units.Time(ns*1000 + 0.5) }

// cutting is a fabric that forwards with 64 bytes of a frame.
func cutting() Config {
	cfg := plain()
	cfg.Header = 64
	return cfg
}

func repeat(p wire.Packet, n int) []wire.Packet {
	ps := make([]wire.Packet, n)
	for i := range ps {
		ps[i] = p
	}
	return ps
}

// 256 frames of 4178 B on the wire at 100 Gb/s, links of 500 ns. A switch that stores
// and forwards costs a frame more, 334.24 ns; one that cuts through, a header of 64 B,
// 5.12 ns.
func TestCuttingThroughCostsAHeaderAtEachSwitch(t *testing.T) {
	for _, tc := range []struct {
		links              int
		storing, cutsAfter float64 // ns
	}{{3, 87_733.92, 87_075.68}, {5, 89_402.40, 88_085.92}} {
		rates := []units.Rate{100, 100, 100, 100, 100}[:tc.links]
		for _, way := range []struct {
			cfg  Config
			want float64
		}{{plain(), tc.storing}, {cutting(), tc.cutsAfter}} {
			r := rigOf(t, way.cfg, rates...)
			r.from.send = repeat(r.frame(4158), 256)
			r.run(t)
			if got := r.to.came[255]; got != nanos(way.want) {
				t.Errorf("%d links, header %d: last byte after %v, want %v ns", tc.links, way.cfg.Header, got, way.want)
			}
		}
	}
}

// A frame can go on before its last bit is in only if the output is no faster than
// the input: it would run dry. Towards a slower link it may.
func TestOnlyToLinksNoFasterThanItsOwnAFrameCutsThrough(t *testing.T) {
	const onWire, header = 4178 * 8, 64 * 8 // bits
	for _, tc := range []struct {
		rates []units.Rate
		want  float64 // ns: the way of one frame
	}{
		{[]units.Rate{100, 400}, onWire/100. + onWire/400. + 1000},
		{[]units.Rate{400, 100}, header/400. + onWire/100. + 1000},
		{[]units.Rate{100, 400, 400, 100}, onWire/100. + 2*header/400. + onWire/100. + 2000},
	} {
		r := rigOf(t, cutting(), tc.rates...)
		r.from.send = repeat(r.frame(4158), 1)
		r.run(t)
		if got := r.to.came[0]; got != nanos(tc.want) {
			t.Errorf("rates %v: last byte after %v, want %v ns", tc.rates, got, tc.want)
		}
	}
}

// With cut-through the pipeline is passed by the header; a frame smaller than the
// header is complete with its last bit.
func TestAHeaderPassesThePipelineToo(t *testing.T) {
	cfg := cutting()
	cfg.Header, cfg.Pipeline = 128, 300*units.Nanosecond
	for size, header := range map[int]int{4158: 128, 64: 84} {
		r := rigOf(t, cfg, 100, 100)
		r.from.send = repeat(r.frame(size), 1)
		r.run(t)
		if got, want := r.to.came[0], units.Time(header+size+20)*80+1300*units.Nanosecond; got != want {
			t.Errorf("frame of %d: last byte after %v, want %v", size, got, want)
		}
	}
}

// The second frame starts so long after the first that its header meets a busy output
// towards a slower link: it is stored, and starts when the output is free, which here
// is after its last bit has come. The third, long after, cuts through again.
func TestAFrameThatFindsItsOutputBusyIsStored(t *testing.T) {
	r := rigOf(t, cutting(), 400, 100)
	const sent = 4178 * 20 // on the wire at 400 Gb/s, in ps
	r.from.send = repeat(r.frame(4158), 3)
	r.from.starts = []units.Time{0, sent, 10 * units.Microsecond}
	r.run(t)
	const header, out = 64 * 20, 4178 * 80
	const ways = units.Microsecond
	want := []units.Time{header + out + ways, header + 2*out + ways, 10*units.Microsecond + header + out + ways}
	for i := range want {
		if r.to.came[i] != want[i] {
			t.Errorf("frame %d: last byte after %v, want %v", i, r.to.came[i], want[i])
		}
	}
	if passed, stored := r.net.Switch(2).CutThrough(); passed != 2 || stored != 1 {
		t.Errorf("%d frames cut through and %d were stored, want 2 and 1", passed, stored)
	}
}

// A header that comes while its frame's class is paused does not start; the frame is
// stored, charged to its group with its last bit, and goes when the pause has ended.
func TestAPausedClassDoesNotCutThrough(t *testing.T) {
	r := rigOf(t, cutting(), 100, 100)
	s := r.net.Switch(2)
	s.ports[1].pauser.Pause(3, 0, units.Never)
	r.from.send = repeat(r.frame(4158), 2)
	r.run(t)
	if len(r.to.came) != 0 || s.Queue(1, 3).Bytes != 2*4158 || s.Group(0, 3).Peak != 2*4158 {
		t.Errorf("%d frames came through; %d bytes are queued", len(r.to.came), s.Queue(1, 3).Bytes)
	}
}

// What passes through is charged like everything else: a group whose headroom is full
// loses the frame though its output is free.
func TestAFrameThatCutsThroughNeedsBufferToo(t *testing.T) {
	cfg := cutting()
	cfg.PFC.XOFF, cfg.PFC.Headroom = 1000, 3000
	r := rigOf(t, cfg, 100, 100)
	r.from.send = repeat(r.frame(4158), 1)
	r.run(t)
	if got := r.net.Switch(2).ports[0].Counters.Class[3].Dropped.Packets; got != 1 || len(r.to.came) != 0 {
		t.Errorf("%d frames dropped, %d came through; want 1 and 0", got, len(r.to.came))
	}
}

// The memory of a frame is given back when it starts to leave, or, if a switch holds
// it to the last bit, when that has left: with two frames one behind the other, the
// second comes in while the first is still stored.
func TestMemoryIsHeldToTheLastBitIfAskedFor(t *testing.T) {
	for _, tc := range []struct {
		hold bool
		peak units.Bytes
	}{{false, 4158}, {true, 2 * 4158}} {
		cfg := plain()
		cfg.HoldToLastBit = tc.hold
		r := rigOf(t, cfg, 100, 50)
		r.from.send = repeat(r.frame(4158), 2)
		// The second frame is in 334.24 ns after the first, which is on the wire for 668.48.
		r.run(t)
		if got := r.net.Switch(2).Group(0, 3).Peak; got != tc.peak {
			t.Errorf("held to the last bit %v: the group held %d at the most, want %d", tc.hold, got, tc.peak)
		}
		if len(r.to.came) != 2 {
			t.Errorf("%d frames came through", len(r.to.came))
		}
	}
}

func TestTheLookAheadOfCutThroughIsAHeader(t *testing.T) {
	for header, want := range map[int]units.Time{0: 84 * 80, 64: 64 * 80, 128: 84 * 80} {
		cfg := plain()
		cfg.Header, cfg.PFC.Lossless = header, 0
		if got := rigOf(t, cfg, 100, 100).net.lookAhead(0, 0); got != want+500*units.Nanosecond {
			t.Errorf("header %d: look-ahead %v, want %v", header, got, want+500*units.Nanosecond)
		}
	}
}

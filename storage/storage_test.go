package storage_test

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/storage"
)

func stream(name string) *sim.Stream {
	s := sim.NewStream(1, "test", name)
	return &s
}

// The units of NVMe over TCP are as long as its specification has them, those of iSCSI as RFC 7143: a header, what it
// announces, and four bytes for each digest.
func TestUnitsOverTCPAreAsLongAsStandardsHaveThem(t *testing.T) {
	const kib = units.KiB
	for _, tc := range []struct {
		what     string
		protocol string
		change   func(*storage.Framing)
		of       func(*storage.Framing) (units.Bytes, int)
		want     units.Bytes
		pieces   int
	}{
		{"CapsuleCmd", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.CommandSize(false, 0), 1 }, 72, 1},
		{"CapsuleCmd with data", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.CommandSize(true, 4*kib), 1 }, 72 + 4*kib, 1},
		{"CapsuleResp", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.AnswerSize(false), 1 }, 24, 1},
		{"R2T", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.AskSize(), 1 }, 24, 1},
		{"C2HData", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.DataSize(false, 300*kib) }, 24 + 300*kib, 1},
		{"H2CData by MAXH2CDATA", "nvmeof", nil, func(f *storage.Framing) (units.Bytes, int) { return f.DataSize(true, 300*kib) }, 3*24 + 300*kib, 3},
		{"C2HData with SUCCESS", "nvmeof", func(f *storage.Framing) { f.Collapsed = true }, func(f *storage.Framing) (units.Bytes, int) { return f.AnswerSize(false), 0 }, 0, 0},
		{"the answer of a write beside SUCCESS", "nvmeof", func(f *storage.Framing) { f.Collapsed = true }, func(f *storage.Framing) (units.Bytes, int) { return f.AnswerSize(true), 1 }, 24, 1},
		{"CapsuleCmd with digests", "nvmeof", digests, func(f *storage.Framing) (units.Bytes, int) { return f.CommandSize(true, 4*kib), 1 }, 72 + 4 + 4*kib + 4, 1},
		{"H2CData with digests", "nvmeof", digests, func(f *storage.Framing) (units.Bytes, int) { return f.DataSize(true, 300*kib) }, 3*(24+4+4) + 300*kib, 3},
		{"R2T with a digest", "nvmeof", digests, func(f *storage.Framing) (units.Bytes, int) { return f.AskSize(), 1 }, 28, 1},
		{"Data-In", "iscsi", nil, func(f *storage.Framing) (units.Bytes, int) { return f.DataSize(false, 300*kib) }, 2*48 + 300*kib, 2},
		{"SCSI Command", "iscsi", nil, func(f *storage.Framing) (units.Bytes, int) { return f.CommandSize(false, 0), 1 }, 48, 1},
		{"data in a reply of NFS", "nfs", nil, func(f *storage.Framing) (units.Bytes, int) { return f.DataSize(false, 300*kib) }, 300 * kib, 0},
	} {
		p := storage.Named(tc.protocol)
		f := &storage.Framing{Protocol: p, Pieces: p.Pieces}
		if tc.change != nil {
			tc.change(f)
		}
		if got, pieces := tc.of(f); got != tc.want || pieces != tc.pieces {
			t.Errorf("%s: %d bytes in %d, want %d in %d", tc.what, got, pieces, tc.want, tc.pieces)
		}
	}
}

func digests(f *storage.Framing) { f.HeaderDigest, f.DataDigest = true, true }

// Each channel does one command after the other, and data of all goes over one bus: of a read after its channel, of a
// write before.
func TestChannelsWorkBesideEachOtherAndShareTheBus(t *testing.T) {
	const us = units.Microsecond
	// 1,000 bytes take a microsecond on the bus.
	d := storage.NewDisk(&storage.Device{Channels: 2, Read: 10 * us, Write: 3 * us, Rate: 8 * units.Gbps}, nil)
	for i, want := range []units.Time{10 * us, 10 * us, 20 * us, 20 * us, 30 * us} {
		if got := d.Step(0, false, 1000, 0); got != want {
			t.Errorf("a channel has done read %d at %v, want %v", i, got, want)
		}
	}
	for i, want := range []units.Time{11 * us, 12 * us} {
		if got := d.Step(1, false, 1000, 10*us); got != want {
			t.Errorf("read %d is over the bus at %v, want %v", i, got, want)
		}
	}
	at := 100 * us
	for stage, want := range []units.Time{100 * us, 101 * us, 104 * us} {
		if at = d.Step(stage, true, 1000, at); at != want {
			t.Errorf("stage %d of a write is over at %v, want %v", stage, at, want)
		}
	}
	if got := d.Step(2, false, 1000, at); got != at {
		t.Errorf("a read of two stages is over at %v, want no third", got)
	}
}

// A cache takes writes until it is full, and from then on as fast as they go on to where they stay.
func TestACacheTakesBurstsAndThenWhatIsSustained(t *testing.T) {
	const us = units.Microsecond
	// 1,000 bytes drain in a microsecond; 3,000 find room.
	d := storage.NewDisk(&storage.Device{Channels: 1, Cache: 3000, Sustained: 8 * units.Gbps}, nil)
	for i, want := range []units.Time{0, 0, 0, us, 2 * us} {
		if got := d.Step(0, true, 1000, 0); got != want {
			t.Errorf("write %d has room at %v, want %v", i, got, want)
		}
	}
	if got := d.Step(0, true, 3000, 5*us); got != 5*us {
		t.Errorf("when the cache is empty a write has room at %v, want 5 us", got)
	}
	if got := d.Step(0, true, 1000, 5*us); got != 6*us {
		t.Errorf("when it is full, at %v, want 6 us", got)
	}
}

// Whatever their distribution, times have the mean that is given; and so often as is given a command meets garbage collection.
func TestTimesOfDevicesHaveTheMeanThatIsGiven(t *testing.T) {
	const n, mean = 40_000, 80 * units.Microsecond
	for _, tc := range []struct {
		times     storage.Distribution
		sigma     float64
		deviation float64 // by the mean
	}{{storage.Constant, 0, 0}, {storage.Exponential, 0, 1}, {storage.LogNormal, 0.3, math.Sqrt(math.Exp(0.09) - 1)}} {
		d := storage.NewDisk(&storage.Device{Channels: 1, Read: mean, Times: tc.times, Sigma: tc.sigma}, stream("times"))
		for range n {
			d.Step(0, false, 1, 0)
		}
		if got, most := float64(d.Busy)/n/float64(mean)-1, 4*tc.deviation/math.Sqrt(n); math.Abs(got) > most {
			t.Errorf("%s times are %+.4f off the mean, want four standard errors at most: %.4f", storage.Distributions[tc.times], got, most)
		}
	}
	stalls := &storage.Device{Channels: 1, Read: mean, Stall: units.Millisecond, StallChance: 10_000}
	d := storage.NewDisk(stalls, stream("stalls"))
	for range n {
		d.Step(0, false, 1, 0)
	}
	if d.Stalls < 320 || d.Stalls > 480 { // 400 and four standard deviations of 20
		t.Errorf("%d of %d commands met garbage collection, want 400", d.Stalls, n)
	}
	if want := mean*n + units.Time(d.Stalls)*units.Millisecond; d.Busy != want {
		t.Errorf("channels were busy for %v, want %v", d.Busy, want)
	}
	if got := stalls.Mean(false); got != float64(90*units.Microsecond) {
		t.Errorf("a command takes %v in the mean, want 90 us", units.Time(got))
	}
}

// Commands of a Poisson process wait for one channel as long as Pollaczek and Khinchine have it; for more channels
// half of Erlang's formula is some hundredths off.
func TestCommandsWaitAsTheTheoryOfQueuesHasIt(t *testing.T) {
	const n, takes = 200_000, units.Microsecond
	for _, tc := range []struct {
		channels int
		load     float64
		within   float64
	}{{1, 0.3, 0.02}, {1, 0.8, 0.06}, {4, 0.7, 0.08}, {32, 0.9, 0.15}} {
		d := storage.NewDisk(&storage.Device{Channels: tc.channels, Read: takes}, nil)
		random := stream("arrivals")
		gap := float64(takes) / (tc.load * float64(tc.channels))
		at, waited := 0.0, 0.0
		for range n {
			at += gap * variate.Exponential(random)
			now := units.Time(at)
			waited += float64(d.Step(0, false, 1, now) - now - takes)
		}
		want, ok := storage.DeterministicWait(tc.channels, 1/gap, float64(takes))
		if tc.channels == 1 {
			if exact := tc.load * float64(takes) / (2 * (1 - tc.load)); math.Abs(want/exact-1) > 1e-9 {
				t.Errorf("load %.1f: theory gives %.0f ps, want ρS/2(1-ρ), %.0f", tc.load, want, exact)
			}
		}
		if got := waited / n; !ok || math.Abs(got/want-1) > tc.within {
			t.Errorf("%d channels at load %.1f: %.1f ns waited, want %.1f", tc.channels, tc.load, got/1e3, want/1e3)
		}
	}
	if _, ok := storage.DeterministicWait(4, 5/float64(takes), float64(takes)); ok {
		t.Error("theory gives a wait where more comes than is served")
	}
}

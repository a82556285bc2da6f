package pcie

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
)

// slot is a PCIe 3.0 slot of 8 lanes: headers of 24 B, completions with 20 B, no share for the data link layer.
func slot(mps units.Bytes) *Config {
	return &Config{
		Generation: 3, Width: 8, MPS: mps, MRRS: 512, RCB: 64, Header: 24, Completion: 20, Tags: 32,
		ReadLatency: 550 * units.Nanosecond, WriteLatency: 250 * units.Nanosecond,
	}
}

func expectGbps(t *testing.T, what string, got units.Rate, want, within float64) {
	t.Helper()
	if got.Gbps() < want-within || got.Gbps() > want+within {
		t.Errorf("%s: %.3f Gb/s, want %.2f", what, got.Gbps(), want)
	}
}

// Of 8 GT/s on 8 lanes 128/130 are data: 63.0 Gb/s. A completion of 128 B brings 20 B with it, which leaves 128/148:
// 54.5; one of 256 B 58.4. Writes have 24 B: 53.1 and 57.6.
func TestTheCapsFollowFromPayloadAndHeaders(t *testing.T) {
	expectGbps(t, "raw", slot(256).Raw(), 63.015, 0.001)
	for _, c := range []struct {
		mps         units.Bytes
		read, write float64
	}{{128, 54.50, 53.07}, {256, 58.45, 57.61}} {
		expectGbps(t, "reads", slot(c.mps).ReadRate(4096, 550*units.Nanosecond), c.read, 0.01)
		expectGbps(t, "writes", slot(c.mps).WriteRate(4096), c.write, 0.01)
	}
	for generation, raw := range map[int]float64{1: 2, 2: 4, 3: 7.877, 4: 15.754, 5: 31.508, 6: 59} {
		c := slot(256)
		c.Generation, c.Width = generation, 1
		expectGbps(t, "a lane", c.Raw(), raw, 0.001)
	}
}

// rate is what a slot brings of payload that is read, or written, in pieces as fast as it can, once it is under way.
func rate(size units.Bytes, step func(now units.Time) units.Time) units.Rate {
	const pieces = 5000
	var begun, done units.Time
	for i := range 2 * pieces {
		if done = step(0); i == pieces-1 {
			begun = done
		}
	}
	return units.Rate(float64(size) * pieces * 8 / (done - begun).Seconds())
}

// What a slot does when asked for more than it has is what it is reckoned to be able to.
func TestTheLinkComesToItsCaps(t *testing.T) {
	for _, mps := range []units.Bytes{128, 256, 512} {
		for _, size := range []units.Bytes{64, 512, 1000, 4096} {
			c := slot(mps)
			l := New(c)
			read := rate(size, func(now units.Time) units.Time { return l.Read(now, c.Host(), 0, size) })
			expectGbps(t, "reads", read, c.ReadRate(size, c.ReadLatency).Gbps(), 0.05)
			l = New(c)
			write := rate(size, func(now units.Time) units.Time { on, _ := l.Write(now, c.Host(), size); return on })
			expectGbps(t, "writes", write, c.WriteRate(size).Gbps(), 0.05)
		}
	}
}

// With 4 tags of 512 B and 10 us to a memory there are 2048 B under way in each round trip, however
// wide the slot is: twice the tags bring twice as much.
func TestAFarMemoryIsBoundByTags(t *testing.T) {
	far := Memory{Read: 10 * units.Microsecond}
	for _, tags := range []int{4, 8} {
		c := slot(256)
		c.Tags = tags
		l := New(c)
		got := rate(4096, func(now units.Time) units.Time { return l.Read(now, far, 0, 4096) })
		trip := 10e-6 + float64(24+512+2*20)*8/63.015e9
		expectGbps(t, "reads", got, float64(tags)*512*8/trip/1e9, 0.01)
		expectGbps(t, "as reckoned", c.ReadRate(4096, far.Read), got.Gbps(), 0.01)
	}
}

// One read of 512 B takes its request over the bus (24 B), the memory's 550 ns, and two completions of 256 B with
// 20 B each over the bus. One that begins in the midst of a completion's room takes one more.
func TestAReadTakesARoundTrip(t *testing.T) {
	c := slot(256)
	raw := c.Raw()
	if got, want := New(c).Read(1000, c.Host(), 0, 512), 1000+raw.Serialise(24)+c.ReadLatency+raw.Serialise(512+40); got != want {
		t.Errorf("aligned: %v, want %v", got, want)
	}
	if got, want := c.completionBytes(100, 400), units.Bytes(400+40); got != want {
		t.Errorf("400 B from 100 on come as %d B, want %d", got, want)
	}
	if got, want := c.completionBytes(100, 512), units.Bytes(512+60); got != want {
		t.Errorf("512 B from 100 on come as %d B, want %d", got, want)
	}
}

// The two directions do not hold each other up, a doorbell goes past completions, and a request
// that waits for its tag holds up no write. All take the bus's time from each other.
func TestDirectionsAndSmallThingsPass(t *testing.T) {
	c := slot(256)
	c.Tags = 1
	l := New(c)
	for range 10 {
		l.Read(0, c.Host(), 0, 512)
	}
	if onBus, visible := l.Write(0, c.Host(), 256); onBus > 100*units.Nanosecond || visible != onBus+c.WriteLatency {
		t.Errorf("a write is on the bus at %v and visible at %v", onBus, visible)
	}
	if rung := l.Push(0, 8); rung > 5*units.Nanosecond {
		t.Errorf("a doorbell is there at %v", rung)
	}
	if got := l.Fetch(0, 64); got > 650*units.Nanosecond {
		t.Errorf("a work request is there at %v", got)
	}
	before, want := New(c), New(c).Read(0, c.Host(), 0, 512)
	before.Read(0, c.Host(), 0, 256)
	if got := before.Read(0, c.Host(), 0, 512); got <= want {
		t.Errorf("a second read is done at %v, though the first had the tag", got)
	}
}

// Posted writes are seen in order, even where one goes to a nearer memory than the one before.
func TestWritesAreSeenInOrder(t *testing.T) {
	c := slot(256)
	l := New(c)
	_, far := l.Write(0, Memory{Write: units.Microsecond}, 64)
	if _, near := l.Write(0, c.Host(), 64); near < far {
		t.Errorf("the second is seen at %v, the first at %v", near, far)
	}
}

// Bytes that have to be copied first come piece by piece: the first after its copy, the second while
// the first is read, each after its start and its time on the way. What nobody has asked for is not copied.
func TestABounceIsCopiedPieceByPiece(t *testing.T) {
	c := NewCopier(&Bounce{Rate: 80 * units.Gbps, Launch: 5 * units.Microsecond, Piece: 10_000})
	const each = 6 * units.Microsecond // 5 us, and 10 kB at 10 B/ns
	for i, want := range []units.Time{each, each, 2 * each, 2 * each, 3 * each, 3 * each} {
		if got := c.Ready(0, 5000, units.Bytes(5-i)*5000); got != want {
			t.Errorf("half a piece %d: ready at %v, want %v", i, got, want)
		}
	}
	const later = units.Millisecond
	if got, want := c.Ready(later, 5000, 0), later+5500*units.Nanosecond; got != want {
		t.Errorf("a message of its own: %v, want %v", got, want)
	}
}

func TestABusThatTakesNoTimeTakesNone(t *testing.T) {
	c := &Config{Width: 16, MPS: 256, MRRS: 512, RCB: 64, Tags: 1}
	l := New(c)
	onBus, visible := l.Write(7, c.Host(), 4096)
	if read := l.Read(7, c.Host(), 0, 4096); read != 7 || onBus != 7 || visible != 7 || l.Push(7, 8) != 7 || c.ReadRate(4096, 0) != 0 || c.WriteRate(1) != 0 {
		t.Errorf("read at %v, written at %v, seen at %v", read, onBus, visible)
	}
}

// Nothing is allocated by what a slot is asked for.
func TestACallAllocatesNothing(t *testing.T) {
	c := slot(256)
	l := New(c)
	var now units.Time
	if n := testing.AllocsPerRun(1000, func() {
		now = l.Read(now, c.Host(), 0, 4096)
		l.Write(now, c.Host(), 4096)
		l.Fetch(now, 64)
		l.Push(now, 64)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

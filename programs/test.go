package programs

import (
	"fmt"

	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
)

// Test is one of the tests of the perftest suite.
type Test uint8

// The tests.
const (
	WriteLat Test = iota
	SendLat
	ReadLat
	AtomicLat
	WriteBW
	SendBW
	ReadBW
)

var testNames = [...]string{"ib_write_lat", "ib_send_lat", "ib_read_lat", "ib_atomic_lat", "ib_write_bw", "ib_send_bw", "ib_read_bw"}

// String is the name of the test's program.
func (t Test) String() string { return testNames[t] }

// TestNames are the names of all programs.
func TestNames() []string { return testNames[:] }

// TestNamed is the test of a program's name.
func TestNamed(name string) (Test, bool) {
	for t, n := range testNames {
		if n == name {
			return Test(t), true
		}
	}
	return 0, false
}

// MeasuresLatency tells the tests of latency from those of bandwidth.
func (t Test) MeasuresLatency() bool { return t <= AtomicLat }

// roundTrip tells whether a latency is that of the whole round trip, as of what brings its
// answer along, and not half of it.
func (t Test) roundTrip() bool { return t == ReadLat || t == AtomicLat }

// sends tells whether the other end has to post receives.
func (t Test) sends() bool { return t == SendLat || t == SendBW }

// verb is the operation that is measured.
func (o *Options) verb() rnic.Verb {
	switch o.Test {
	case WriteLat, WriteBW:
		return rnic.Write
	case ReadLat, ReadBW:
		return rnic.Read
	case AtomicLat:
		return o.Atomic
	}
	return rnic.Send
}

// Options are those of a test. Zero is the default of perftest where it says so.
type Options struct {
	Test    Test
	Service rnic.Service
	// Sizes of messages, one after the other; none for the default: 2 bytes for latency, 64 KiB for
	// bandwidth, 8 bytes for atomics.
	Sizes []units.Bytes
	// Iterations on each queue pair, at least 5; 0 for the default: 1000 for latency,
	// 5000 for bandwidth.
	Iterations int
	// QPs is the number of queue pairs, of bandwidth tests only; 0 for one.
	QPs int
	// TxDepth and RxDepth are the depths of queues; 0 for the default: 1 and 512 for latency,
	// 128 and 512 for bandwidth.
	TxDepth, RxDepth int
	// Inline is the greatest payload that is posted inline; nil for the default: in latency
	// tests 220 bytes for WRITE, 236 for SEND, 188 on UD; none in others.
	Inline *units.Bytes
	// CQMod asks for a completion for every so many messages only; 0 for the default: 100,
	// or 1 for a single size above 8 KiB.
	CQMod int
	// PostList is the number of requests under one doorbell; 0 for one. With more, it is
	// CQMod too.
	PostList int
	// Atomic is rnic.FetchAdd or rnic.CompareSwap.
	Atomic rnic.Verb
	// Bidirectional has both ends send, in bandwidth tests.
	Bidirectional bool
	// Events has threads sleep until there is a completion.
	Events bool
	// Gbits has bandwidth printed in Gb/s (--report_gbits) and not in MiB/s.
	Gbits bool
	Start units.Time
	Data  rnic.Class
	// Transport is how messages travel. Over TCP each queue pair is a connection, and what is said of
	// Service, RxDepth, Inline and CQMod means nothing; see [New].
	Transport Transport
}

// Limits and defaults of perftest.
const (
	MinIterations  = 5
	MaxSize        = 8 * units.MiB // of a sweep over all sizes
	largeMessage   = 8192          // above it each message has its completion
	defaultCQMod   = 100
	peakIterations = 20000 // above it no peak is worked out
)

// AllSizes are those of perftest's option -a: 2 bytes to 8 MiB in powers of two.
func AllSizes() (sizes []units.Bytes) {
	for size := units.Bytes(2); size <= MaxSize; size *= 2 {
		sizes = append(sizes, size)
	}
	return sizes
}

// withDefaults fills in what is not given.
func (o Options) withDefaults(mtu units.Bytes) Options {
	latency := o.Test.MeasuresLatency()
	or := func(v *int, forLatency, forBandwidth int) {
		switch {
		case *v != 0:
		case latency:
			*v = forLatency
		default:
			*v = forBandwidth
		}
	}
	if len(o.Sizes) == 0 {
		o.Sizes = []units.Bytes{o.defaultSize(mtu)}
	}
	or(&o.Iterations, 1000, 5000)
	or(&o.TxDepth, 1, 128)
	or(&o.RxDepth, 512, 512)
	or(&o.QPs, 1, 1)
	or(&o.PostList, 1, 1)
	o.TxDepth = min(o.TxDepth, o.Iterations)
	o.RxDepth = min(o.RxDepth, o.Iterations)
	if o.CQMod == 0 {
		o.CQMod = defaultCQMod
		if len(o.Sizes) == 1 && o.Sizes[0] > largeMessage {
			o.CQMod = 1
		}
	}
	o.CQMod = min(o.CQMod, o.TxDepth)
	if o.PostList > 1 {
		o.CQMod = o.PostList
	}
	if o.Inline == nil {
		inline := o.defaultInline()
		o.Inline = &inline
	}
	return o
}

func (o *Options) defaultSize(mtu units.Bytes) units.Bytes {
	switch {
	case o.Test == AtomicLat:
		return 8
	case o.Test.MeasuresLatency():
		return 2
	case o.Service == rnic.UD:
		return min(64*units.KiB, mtu)
	}
	return 64 * units.KiB
}

func (o *Options) defaultInline() units.Bytes {
	switch {
	case o.Test == WriteLat:
		return 220
	case o.Test == SendLat && o.Service == rnic.UD:
		return 188
	case o.Test == SendLat:
		return 236
	}
	return 0
}

// largest is the largest of the sizes.
func (o *Options) largest() (size units.Bytes) {
	for _, s := range o.Sizes {
		size = max(size, s)
	}
	return size
}

// Check finds options that perftest would refuse, given the MTU of the path. Errors are
// *[units.FieldError] with keys as scenarios spell them.
func (o *Options) Check(mtu units.Bytes) error {
	for i, size := range o.Sizes {
		key := fmt.Sprintf("sizes[%d]", i)
		switch {
		case o.Test == AtomicLat && size != 8:
			return units.Field(key, size, "atomics act on words of 8 bytes", "8B")
		case size < 1 || size > units.GiB:
			return units.Field(key, size, "not the size of a message", "1B to 1GiB")
		case o.Service == rnic.UD && size > mtu && o.Transport != TCP:
			return units.Field(key, size, "a datagram is one packet", "at most the MTU, "+mtu.String())
		}
	}
	switch {
	case o.PostList > 1 && o.TxDepth != 0 && o.PostList > o.TxDepth:
		return units.Field("post_list", o.PostList, "more than a send queue holds", fmt.Sprintf("at most tx_depth, %d", o.TxDepth))
	case o.Service != rnic.RC && o.Test.roundTrip() || o.Service != rnic.RC && o.Test == ReadBW:
		return units.Field("connection", o.Service, "READ and atomics need a reliable connection", "RC")
	case o.Service == rnic.UD && !o.Test.sends():
		return units.Field("connection", o.Service, "datagrams can only be sent", "RC or UC")
	case o.Events && o.Test == WriteLat && o.Transport != TCP:
		return units.Field("events", true, "ib_write_lat looks at memory, and memory has no events", "false")
	}
	return nil
}

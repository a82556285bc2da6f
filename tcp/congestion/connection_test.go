package congestion_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rdmasim/rdmasim/internal/strictyaml"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/tcp/congestion"
	"pgregory.net/rapid"
)

const (
	mss = 1460 * units.Byte // of Ethernet's 1500 bytes without options
	us  = units.Microsecond
	ms  = units.Millisecond
)

// connection is a control with the state of a sender that always has data: the window is what binds it.
type connection struct {
	congestion.Control
	now  units.Time
	last congestion.Ack
}

// open starts a connection with a window of some segments.
func open(control congestion.Control, segments units.Bytes) *connection {
	control.Init(mss, segments*mss, 0)
	return &connection{Control: control}
}

// ack acknowledges n bytes after an interval.
func (c *connection) ack(n units.Bytes, after units.Time, a congestion.Ack) {
	c.now += after
	a.Acked, a.InFlight, a.Limited = n, c.Window()-n, true
	c.last = a
	c.OnAck(&c.last, c.now)
}

// round acknowledges a window packet by packet in one round trip.
func (c *connection) round(rtt units.Time) {
	packets := int64(c.Window() / mss)
	for i := range packets {
		c.ack(mss, rtt/units.Time(packets), congestion.Ack{RTT: rtt, RoundStart: i == 0})
	}
}

// lose loses a packet of a full window and recovers from it.
func (c *connection) lose() {
	c.OnLoss(c.Window(), c.now)
	c.OnRecovered(c.now)
}

// segments is the window in segments.
func (c *connection) segments() float64 { return float64(c.Window()) / float64(mss) }

// near fails the test if got is not within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v ± %v", what, got, want, tolerance)
	}
}

func each(t *testing.T, test func(t *testing.T, kind congestion.Kind)) {
	for _, kind := range congestion.Kinds {
		t.Run(kind.Name, func(t *testing.T) { test(t, kind) })
	}
}

func TestEveryParameterHasASource(t *testing.T) {
	each(t, func(t *testing.T, kind congestion.Kind) {
		for _, f := range strictyaml.Fields(reflect.TypeOf(kind.Params())) {
			if !f.HasDefault || f.Source == "" || f.Doc == "" {
				t.Errorf("%s: default %q, source %q, doc %q", f.Key, f.Default, f.Source, f.Doc)
			}
		}
	})
}

func TestParametersAreThoseOfAScenarioThatSetsNone(t *testing.T) {
	each(t, func(t *testing.T, kind congestion.Kind) {
		want := reflect.New(reflect.TypeOf(kind.Params()).Elem()).Interface()
		if _, problems := strictyaml.Parse("none.yaml", []byte("{}")).Decode(want, nil); len(problems) > 0 {
			t.Fatal(problems)
		}
		if diff := cmp.Diff(want, kind.Params()); diff != "" {
			t.Errorf("tags say -, Params says +\n%s", diff)
		}
	})
}

// busy makes one of each call, and a hundred acknowledgements.
func busy(c *connection) {
	for i := range 100 {
		c.ack(mss, us, congestion.Ack{RTT: 100 * us, Rate: units.Gbps, RoundStart: i == 50, Marked: units.Bytes(i%2) * mss})
	}
	c.OnECN(c.Window(), c.now)
	c.lose()
	c.OnTimeout(c.Window(), c.now)
	c.State()
}

func TestCallsDoNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, kind congestion.Kind) {
		c := open(kind.Params().New(), 10)
		if allocs := testing.AllocsPerRun(100, func() { busy(c) }); allocs != 0 {
			t.Errorf("%v allocations, want 0", allocs)
		}
	})
}

func TestAWindowThatBindsNobodyDoesNotGrow(t *testing.T) {
	for _, kind := range []congestion.Kind{congestion.NewReno, congestion.CUBIC} {
		c := open(kind.Params().New(), 10)
		for range 100 {
			c.now += us
			c.OnAck(&congestion.Ack{Acked: mss, RTT: 10 * us}, c.now)
		}
		if got := c.Window(); got != 10*mss {
			t.Errorf("%s: window %v, want %v", kind.Name, got, 10*mss)
		}
	}
}

// Whatever happens, a connection may send a segment, and no more than the standard's headers can express.
func TestWindowStaysInItsBounds(t *testing.T) {
	each(t, func(t *testing.T, kind congestion.Kind) {
		rapid.Check(t, func(t *rapid.T) {
			c := open(kind.Params().New(), 10)
			for range rapid.IntRange(1, 300).Draw(t, "calls") {
				size := units.Bytes(rapid.Int64Range(0, int64(units.GiB)).Draw(t, "bytes"))
				switch c.now += units.Time(rapid.Int64Range(-2_000_000, 1e12).Draw(t, "after")); rapid.IntRange(0, 6).Draw(t, "call") {
				case 0:
					c.OnLoss(size, c.now)
				case 1:
					c.OnECN(size, c.now)
				case 2:
					c.OnTimeout(size, c.now)
				case 3:
					c.OnRecovered(c.now)
				case 4:
					if r, ok := c.Control.(congestion.Restarter); ok {
						r.OnRestart(units.Time(size)*ms, 200*ms, c.now)
					}
				default:
					c.OnAck(&congestion.Ack{
						Acked: size, Marked: size / units.Bytes(rapid.Int64Range(1, 9).Draw(t, "share")), RTT: units.Time(size), Limited: true,
						Rate: units.Rate(size), RoundStart: rapid.Bool().Draw(t, "round"), Recovery: rapid.Bool().Draw(t, "recovery"),
					}, c.now)
				}
				if got := c.Window(); got < mss || got > congestion.MaxWindow {
					t.Fatalf("window %v", got)
				}
				if got := c.Threshold(); got < mss {
					t.Fatalf("threshold %v", got)
				}
			}
		})
	})
}

package host_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// allocations counts what a run with PFC, ECN and DCQCN acting allocates, the
// building of its network left out.
func allocations(t *testing.T, size units.Bytes, faults host.Faults, perFlow uint8) (mallocs, packets uint64) {
	n := crowded(9)
	n.Fabric.Schedule.PerFlow = perFlow
	n.NIC.Control = dcqcn.Kind.Params("scaled")
	c := injected(t, n, faults, incast(8, size)...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := c.Run(context.Background(), n.Run)
	runtime.ReadMemStats(&after)
	if err != nil || r.Outcome != host.Done || xoffs(c, 3) == 0 || sender(c, 0).CNPs == 0 {
		t.Fatal(err, r.Outcome, xoffs(c, 3), sender(c, 0).CNPs)
	}
	return after.Mallocs - before.Mallocs, r.Hops
}

// Rings and heaps grow until they are as long as they ever get; from then on a packet
// costs no allocation. Twice the bytes cost next to nothing more.
func TestAPacketCostsNoAllocation(t *testing.T) {
	var noisy host.Faults // one frame of a thousand lost at each host, and bit errors
	for h := range 9 {
		noisy.Losses = append(noisy.Losses,
			fabric.Loss{Node: h, Span: fabric.Span{To: units.Never}, Frames: fabric.AllFrames, Chance: units.Ratio{Num: 1, Den: 1000}},
			fabric.Loss{Node: 9, Port: h, Span: fabric.Span{To: units.Never}, Frames: fabric.AllFrames, BitErrors: 1e-9})
	}
	for _, tc := range []struct {
		name    string
		faults  host.Faults
		perFlow uint8
	}{{name: "sound cables"}, {name: "faulty ones", faults: noisy}, {name: "queues for flows", perFlow: 1 << 3}} {
		short, few := allocations(t, 5*units.MB, tc.faults, tc.perFlow)
		long, many := allocations(t, 10*units.MB, tc.faults, tc.perFlow)
		if more := int64(long) - int64(short); more > 20 {
			t.Errorf("%s: %d packet-hops more cost %d allocations more (%d after %d)", tc.name, many-few, more, long, short)
		}
	}
}

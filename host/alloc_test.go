package host_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/sim/units"
)

// allocations counts what a run with PFC, ECN and DCQCN acting allocates, the
// building of its network left out.
func allocations(t *testing.T, size units.Bytes) (mallocs, packets uint64) {
	n := crowded(9)
	n.NIC.Control = dcqcn.Kind.Params("scaled")
	c := n.Cluster(t, incast(8, size)...)
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
	short, few := allocations(t, 5*units.MB)
	long, many := allocations(t, 10*units.MB)
	if more := int64(long) - int64(short); more > 20 {
		t.Errorf("%d packet-hops more cost %d allocations more (%d after %d)", many-few, more, long, short)
	}
}

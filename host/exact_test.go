package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ns is a time given in nanoseconds with picosecond digits.
func ns(x float64) units.Time { return units.Time(x*1000 + 0.5) }

// lastByte is when the receiver of a flow had it all.
func lastByte(c *host.Cluster, flow int) units.Time {
	at := units.Never
	c.Conns[flow].To.Deliveries(func(id int, t units.Time) {
		if id == flow {
			at = t
		}
	})
	return at
}

// The store-and-forward pipeline: packets of equal size take
// (N + h - 1) serialisations, h propagation delays and h - 1 pipelines; the first
// carries 16 bytes of RETH more; the acknowledgement of 86 bytes goes back alone.
func TestSingleFlowTakesItsPipelineTimeExactly(t *testing.T) {
	for _, tc := range []struct {
		bytes          units.Bytes
		mtu            int
		rate           units.Rate
		links          int
		delay, proc    units.Time
		lastByte, acks float64 // ns
	}{
		{64, 1024, 100, 2, 500, 0, 1025.92, 2039.68},
		{4096, 1024, 100, 2, 500, 0, 1444.96, 2458.72},
		{65536, 1024, 100, 2, 500, 0, 6753.76, 7767.52},
		{1048576, 1024, 100, 2, 1000, 0, 92694.56, 94708.32},
		{1048576, 4096, 100, 2, 500, 300, 87202.24, 88516.00},
		{1048576, 4096, 400, 4, 500, 300, 24543.32, 27450.20},
	} {
		n := simtest.Chain(tc.links, tc.rate*units.Gbps, tc.delay*units.Nanosecond)
		n.Fabric.Pipeline = tc.proc * units.Nanosecond
		n.NIC.MTU = tc.mtu
		c, r := n.Do(t, simtest.Flow(0, 1, tc.bytes))
		if r.Outcome != host.Done {
			t.Fatalf("%d bytes: %v", tc.bytes, r.Outcome)
		}
		if got := lastByte(c, 0); got != ns(tc.lastByte) {
			t.Errorf("%d bytes over %d links: last byte after %v, want %v", tc.bytes, tc.links, got, ns(tc.lastByte))
		}
		if got := c.Transfer(0).End; got != ns(tc.acks) {
			t.Errorf("%d bytes over %d links: last ACK after %v, want %v", tc.bytes, tc.links, got, ns(tc.acks))
		}
		ideal, idealAck := c.Ideal(0)
		if ideal != ns(tc.lastByte) || idealAck != ns(tc.acks) {
			t.Errorf("%d bytes: ideal %v and %v, want %v and %v", tc.bytes, ideal, idealAck, ns(tc.lastByte), ns(tc.acks))
		}
	}
}

package rnic_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// In the midst of a flow, acknowledgements of what was acknowledged long ago, and of what
// was never sent, change nothing.
func TestStaleAcknowledgementsAreIgnored(t *testing.T) {
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.NIC.AckEvery, n.NIC.Timeout, n.Run.Limit = 1, 8, 50*units.Microsecond
	c := n.Cluster(t, simtest.Flow(0, 1, 2*units.MB))
	if _, err := c.Run(context.Background(), n.Run); err != nil {
		t.Fatal(err)
	}
	nic := c.Conns[0].From
	acknowledged := nic.Acknowledged(0)
	if acknowledged == 0 || acknowledged == 2*units.MB {
		t.Fatalf("%v acknowledged at the limit", acknowledged)
	}
	for _, psn := range []wire.PSN{0, 5, 400, 487, 5000, 0xFFFFFF} {
		for _, s := range []wire.Syndrome{wire.Ack, wire.NakSequence} {
			nic.Receive(&wire.Packet{Op: wire.Acknowledge, Syndrome: s, QPN: rnic.QPN(0), PSN: psn}, 50*units.Microsecond)
			if got := nic.Acknowledged(0); got != acknowledged {
				t.Fatalf("PSN %d, syndrome %#x: %v acknowledged, %v before", psn, s, got, acknowledged)
			}
		}
	}
	if got := nic.QueuePairs()[0].Sent().Retransmitted; got != 0 {
		t.Errorf("%d packets sent again", got)
	}
}

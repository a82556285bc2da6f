package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// thousandBytes is a network in which a packet carries 1000 bytes.
func thousandBytes() *simtest.Net {
	n := simtest.Star(2, gbps100, units.Microsecond)
	n.NIC.MTU, n.Fabric.MaxFrame = 1000, 1078
	return n
}

// A flow of 1 MB in packets of 1000 bytes, an acknowledgement every 20 packets: 50 of
// them, under every congestion control.
func TestAcknowledgementsAreCoalesced(t *testing.T) {
	for name, control := range map[string]cc.Params{
		"none":     cc.None.Params(""),
		"fixed":    &cc.FixedParams{Rate: 40 * units.Gbps},
		"paper":    dcqcn.Kind.Params("paper"),
		"firmware": dcqcn.Kind.Params("firmware"),
		"scaled":   dcqcn.Kind.Params("scaled"),
	} {
		n := thousandBytes()
		n.NIC.AckEvery, n.NIC.Control = 20, control
		c, r := n.Do(t, simtest.Flow(0, 1, units.MB))
		mustBe(t, r, host.Done)
		if got, acked := receiver(c, 0).Acks, sender(c, 0).Acks; got != 50 || acked != 50 {
			t.Errorf("%s: %d acknowledgements sent, %d received, want 50", name, got, acked)
		}
	}
}

// The last packet of a message asks for an acknowledgement, whatever the interval: 7
// packets at an interval of 5 make two, and 3 messages six.
func TestEachMessageEndsWithAnAcknowledgement(t *testing.T) {
	for every, want := range map[int]uint64{0: 1, 1: 7, 5: 2, 7: 1, 64: 1} {
		n := thousandBytes()
		n.NIC.AckEvery = every
		f := simtest.Flow(0, 1, 7000)
		f.Messages = 3
		c, _ := n.Do(t, f)
		if got := sender(c, 0).Acks; got != 3*want {
			t.Errorf("every %d packets: %d acknowledgements, want %d", every, got, 3*want)
		}
	}
}

// A window of five packets and an acknowledgement every twenty: the packet that closes
// the window asks for one, or nobody ever would.
func TestAWindowBelowTheAckIntervalDoesNotStall(t *testing.T) {
	n := thousandBytes()
	n.NIC.AckEvery, n.NIC.Window = 20, 5000
	c, r := n.Do(t, simtest.Flow(0, 1, units.MB))
	mustBe(t, r, host.Done)
	if got := sender(c, 0).Acks; got != 200 {
		t.Errorf("%d acknowledgements, want one for each of 200 windows", got)
	}
}

// With a window of W bytes below rate times round trip, and every packet acknowledged,
// W bytes go each round trip: the eleventh packet starts when the first was acknowledged.
func TestAWindowBoundsTheThroughput(t *testing.T) {
	const delay, packets = 10 * units.Microsecond, 10
	n := simtest.Star(2, gbps100, delay)
	n.NIC.AckEvery, n.NIC.Window = 1, packets*4096
	c := n.Cluster(t, simtest.Flow(0, 1, units.MB))
	tap := simtest.Watch(c, 0, 0)
	mustBe(t, n.Finish(t, c), host.Done)
	const roundTrip = 2*fullFrame + 2*ackFrame + 4*delay
	starts := tap.Starts(isData)
	for i := packets; i+packets < len(starts)-1; i++ { // the last packet is shorter
		if got := starts[i+packets] - starts[i]; got != roundTrip {
			t.Fatalf("packet %d starts %v after packet %d, want a round trip of %v", i+packets, got, i, units.Time(roundTrip))
		}
	}
	if got := starts[packets] - starts[0]; got != 2*firstFrame+2*ackFrame+4*delay {
		t.Errorf("the window opens after %v", got)
	}
}

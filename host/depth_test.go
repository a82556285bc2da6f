package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Ten messages one at a time take ten times as long as one; two at a time share the way back,
// and all at once the whole of it.
func TestMessagesOneAtATimeWaitForEachOther(t *testing.T) {
	took := func(depth int) units.Time {
		n := simtest.Star(2, gbps100, units.Microsecond)
		f := simtest.Flow(0, 1, 4*4096)
		f.Messages, f.Depth = 10, depth
		c, r := n.Do(t, f)
		mustBe(t, r, host.Done)
		if got := receiver(c, 0); got.Packets != 40 {
			t.Errorf("depth %d: %d packets", depth, got.Packets)
		}
		return c.Transfer(0).End
	}
	n := simtest.Star(2, gbps100, units.Microsecond)
	_, alone := n.Cluster(t, simtest.Flow(0, 1, 4*4096)).Ideal(0)
	if got := took(1); got != 10*alone {
		t.Errorf("one at a time: %v, want %v", got, 10*alone)
	}
	all := took(0)
	if two, ten, eleven := took(2), took(10), took(11); two <= all || two >= 10*alone || ten != all || eleven != all {
		t.Errorf("two at a time %v, ten %v, eleven %v; all at once %v, one at a time %v", two, ten, eleven, all, 10*alone)
	}
}

// A message of more than a gibibyte goes in pieces, and the next follows the last of them.
func TestMessagesOneAtATimeMayHavePieces(t *testing.T) {
	n := simtest.Star(2, 100*gbps100, units.Microsecond)
	f := simtest.Flow(0, 1, rnic.MaxMessage+4096)
	f.Messages, f.Depth = 2, 1
	c, r := n.Do(t, f)
	mustBe(t, r, host.Done)
	if got := units.Bytes(receiver(c, 0).Payload); got != f.Payload() {
		t.Errorf("%v delivered, want %v", got, f.Payload())
	}
}

// When the queue pair fails, the messages that were never posted are given up with it.
func TestMessagesThatWaitAreGivenUpWithTheQueuePair(t *testing.T) {
	n := tenPackets(1)
	f := simtest.Flow(0, 1, 4096)
	f.Messages, f.Depth = 1000, 1
	c := n.Cluster(t, f)
	sent := 0
	simtest.Watch(c, 0, 0).Lose = func(*wire.Packet, units.Time) bool { sent++; return sent > 3 }
	mustBe(t, n.Finish(t, c), host.Failed)
	if tr := c.Transfer(0); !tr.Done() || tr.Status != rnic.RetryExceeded || receiver(c, 0).Packets != 3 {
		t.Errorf("%+v after %d packets", tr, receiver(c, 0).Packets)
	}
}

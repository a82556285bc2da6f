package rnic_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
)

// A datagram with another Q_Key than the receiver's is dropped and takes no receive request; a key with its highest bit set
// stands for that of the sender's queue pair.
func TestADatagramNeedsTheKeyOfItsReceiver(t *testing.T) {
	e := connect(t, rnic.UD, func(_ *simtest.Net, a *rnic.Attributes) { a.QKey = 0x1234 })
	e.b.receives(4, 4096)
	for i, key := range []uint32{0x1234, 0x1235, 1 << 31, 0} {
		e.post(&e.a, rnic.SendRequest{ID: uint64(i), Verb: rnic.SendImm, Imm: uint32(i), Local: e.a.slice(0, 8), To: e.a.nic.CreateAH(e.b.qp.Handle(0), key)})
	}
	e.run()
	if len(e.b.seen) != 2 || e.b.seen[0].Imm != 0 || e.b.seen[1].Imm != 2 {
		t.Errorf("received %s, want the first and the third", told(e.b.seen))
	}
	if got := e.b.qp.Counted.Discarded; got != 2 || e.b.qp.Receives() != 2 {
		t.Errorf("%d datagrams dropped and %d receives left, want 2 and 2", got, e.b.qp.Receives())
	}
}

package rnic_test

import (
	"context"
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/sim/units"
)

// clerk is a congestion control that asks for a report every 10 kB and writes down what
// it is told.
type clerk struct {
	rate     units.Rate
	reported units.Bytes
	reports  int
	acked    units.Bytes
	marked   uint64
	now      units.Time
	backward bool
}

func (k *clerk) New(line cc.Line) cc.Controller           { k.rate = line.Rate; return k }
func (k *clerk) CNPs() (interval units.Time, wanted bool) { return 0, false }
func (k *clerk) State(units.Time) cc.State                { return cc.State{} }
func (k *clerk) OnCNP(now units.Time) cc.Pace             { return k.pace(now) }
func (k *clerk) OnLoss(now units.Time, _ cc.Loss) cc.Pace { return k.pace(now) }
func (k *clerk) OnTimer(now units.Time) cc.Pace           { return k.pace(now) }
func (k *clerk) Start(now units.Time) cc.Pace             { return k.pace(now) }
func (k *clerk) OnAck(now units.Time, ack *cc.Ack) cc.Pace {
	k.acked += ack.Acked
	if ack.CE {
		k.marked++
	}
	return k.pace(now)
}
func (k *clerk) OnSend(now units.Time, b units.Bytes) cc.Pace {
	k.reports++
	k.reported += b
	return k.pace(now)
}

func (k *clerk) pace(now units.Time) cc.Pace {
	k.backward = k.backward || now < k.now
	k.now = now
	return cc.Pace{Rate: k.rate, Timer: now + 3*units.Microsecond, Bytes: 10 * units.KB}
}

// A congestion control hears of each byte on the wire once, before anything else it is
// told; of each byte that is acknowledged once; and time never goes back.
func TestCongestionControlHearsOfEveryByteOnce(t *testing.T) {
	var control clerk
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.NIC.AckEvery, n.NIC.Control = 3, &control
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	if _, err := c.Run(context.Background(), n.Run); err != nil {
		t.Fatal(err)
	}
	// The last acknowledgement comes after the last packet, so nothing is left to report.
	if want := units.Bytes(100*4178 + 16); control.reported != want || control.reports < 30 {
		t.Errorf("%d bytes reported in %d reports, want %d", control.reported, control.reports, want)
	}
	if control.acked != 100*4096 || control.backward {
		t.Errorf("%d bytes acknowledged; time went back: %v", control.acked, control.backward)
	}
}

// An acknowledgement echoes the mark of the packet it answers: with one for each
// packet, the sender hears of as many marks as the receiver saw. The packets have waited
// behind a pause, so that all but the last few leave a queue of more than 50 kB.
func TestAcknowledgementsEchoMarks(t *testing.T) {
	var control clerk
	n := simtest.Star(2, 100*units.Gbps, units.Microsecond)
	n.NIC.AckEvery, n.NIC.Control = 1, &control
	n.Fabric.ECN = fabric.ECN{Kmin: 50 * units.KB, Kmax: 50 * units.KB, Pmax: units.Ratio{Num: 1, Den: 1}}
	c := n.Cluster(t, simtest.Flow(0, 1, 100*4096))
	simtest.PauseAtStart(c, 1, 0, 3)
	n.Finish(t, c)
	seen := c.Conns[0].To.QueuePairs()[0].Received().Marked
	// 50,000 B are 13 frames of 4158 B, one of them not quite: 99 - 12 leave more behind.
	if seen != 87 || control.marked != seen {
		t.Errorf("%d marks seen by the receiver, %d heard of by the sender, want 87", seen, control.marked)
	}
}

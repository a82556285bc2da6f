package host_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/internal/simtest"
	"github.com/rdmasim/rdmasim/rnic"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// answered are, of the marked packets of a flow that left the last switch, the times at
// which those did that a receiver answers: one in each interval.
func answered(tap *simtest.Tap, flow uint32, interval units.Time) (marks []units.Time) {
	var next units.Time
	for i := range tap.Packets {
		p := &tap.Packets[i]
		if arrives := p.At + gbps100.Serialise(int(p.Frame)+wire.Interframe) + units.Microsecond; p.Flow == flow && p.ECN == wire.CE && arrives >= next {
			marks, next = append(marks, p.At), arrives+interval
		}
	}
	return marks
}

// The delay from a mark to the cut it causes is what taps on both ways see: from when
// the switch sends the packet that it marks to when the notification is with the sender,
// which cuts its rate at once (the paper's machine).
func TestTheDelayFromAMarkToItsCutIsThatOnTheWire(t *testing.T) {
	n := simtest.Star(4, gbps100, units.Microsecond)
	n.Fabric.ECN, n.NIC.Control, n.NIC.CNPLatency = step(20*units.KB), dcqcn.Kind.Params("paper"), 500*units.Nanosecond
	c := n.Cluster(t, incast(3, units.MB)...)
	out := simtest.Watch(c, 4, 0)
	var back []*simtest.Tap
	for i := range 3 {
		back = append(back, simtest.Watch(c, 4, i+1))
	}
	mustBe(t, n.Finish(t, c), host.Done)
	interval, _ := n.NIC.Control.CNPs()
	for flow, tap := range back {
		qp := &c.Conns[flow].From.QueuePairs()[c.Conns[flow].FromQP]
		marks := answered(out, qp.FlowHash(), interval)
		var want rnic.Feedback
		for i, at := range tap.Starts(func(p *wire.Packet) bool { return p.Op == wire.CNP }) {
			delay := at + 98*80 + units.Microsecond - marks[i]
			want.Add(rnic.Feedback{Cuts: 1, Sum: delay, Min: delay, Max: delay})
		}
		got := qp.Feedback()
		near := func(a, b units.Time) bool { return a-b < 4096 && b-a < 4096 }
		if got.Cuts != want.Cuts || got.Cuts < 3 || !near(got.Min, want.Min) || !near(got.Max, want.Max) || !near(got.Mean(), want.Mean()) {
			t.Errorf("flow %d: %+v, on the wire %+v", flow, got, want)
		}
		if got.Cuts != sender(c, flow).CNPs || int(got.Cuts) > len(marks) {
			t.Errorf("flow %d: %d cuts after %d notifications of %d marks", flow, got.Cuts, sender(c, flow).CNPs, len(marks))
		}
	}
}

// A notification that finds the rate at its minimum lowers nothing, and its mark is not
// taken for the cause of a later cut.
func TestACNPAtTheMinimumRateIsNoCut(t *testing.T) {
	n := simtest.Star(9, gbps100, units.Microsecond)
	control := *dcqcn.Kind.Params("scaled").(*dcqcn.Config)
	control.MinRate = 90 * units.Gbps
	n.Fabric.ECN, n.NIC.Control = step(20*units.KB), &control
	c, r := n.Do(t, incast(8, units.MB)...)
	mustBe(t, r, host.Done)
	qp := &c.Conns[0].From.QueuePairs()[0]
	if f, cnps := qp.Feedback(), sender(c, 0).CNPs; f.Cuts == 0 || f.Cuts >= cnps/2 {
		t.Errorf("%d notifications lowered a rate of at least 90 of 100 Gb/s %d times", cnps, f.Cuts)
	}
}

// With the notification point off marks come and nobody hears of them; with an interval
// of its own the NIC's stands in for that of the congestion control.
func TestTheNotificationPointCanBeSetByItself(t *testing.T) {
	run := func(set func(*rnic.Config)) (marked, sent uint64) {
		n := crowded(9)
		set(&n.NIC)
		c, r := n.Do(t, incast(8, units.MB)...)
		mustBe(t, r, host.Done)
		for flow := range c.Flows {
			marked += receiver(c, flow).Marked
			sent += receiver(c, flow).CNPsSent
		}
		return marked, sent
	}
	if marked, sent := run(func(c *rnic.Config) { c.CNPsOff = true }); marked == 0 || sent != 0 {
		t.Errorf("off: %d marks, %d notifications", marked, sent)
	}
	var each units.Time
	if marked, sent := run(func(c *rnic.Config) { c.CNPInterval = &each }); sent != marked || sent == 0 {
		t.Errorf("each mark answered: %d marks, %d notifications", marked, sent)
	}
}

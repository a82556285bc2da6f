package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/sim/units"
)

// The congestion control of a queue pair decides by values only: the NIC tells
// it what happened and caches the pace it answers with.

// setPace adopts a pace. If the rate changed while the gap after the last packet
// was running, the gap is stretched or shrunk to the new rate.
func (n *NIC) setPace(i int, pace cc.Pace, now units.Time) {
	qp := &n.qps[i]
	changed := qp.adopt(pace, now)
	if n.turns != nil {
		n.setClocks(i)
		return
	}
	if pace.Timer < qp.controlAt {
		qp.controlAt = pace.Timer
		n.timer(controlTimer, pace.Timer, i)
	}
	if changed && qp.nextStart > now {
		gap := min(pace.Rate, n.port.Rate()).Serialise(qp.lastWire)
		qp.nextStart, qp.remainder = max(qp.lastStart+gap, now), 0
		n.enrol(i, now)
	}
}

// controllerOf makes the congestion control of a program's queue pair, with the round trip of a full
// packet through the empty network.
func (n *NIC) controllerOf(qp *QP, baseRTT units.Time) cc.Controller {
	if qp.stream != nil {
		return n.leftToTCP()
	}
	return n.cfg.Control.New(cc.Line{Rate: n.port.Rate(), MTU: units.Bytes(n.cfg.MTU), BaseRTT: baseRTT})
}

// leftToTCP is the congestion control of a queue pair whose TCP has its own.
func (n *NIC) leftToTCP() cc.Controller {
	return cc.None.Params("").New(cc.Line{Rate: n.port.Rate(), MTU: units.Bytes(n.cfg.MTU)})
}

// reportSent tells the congestion control of bytes it has asked to hear of,
// before it is told of anything else.
func (n *NIC) reportSent(qp *QP, now units.Time) {
	if qp.unreported > 0 {
		qp.adopt(qp.controller.OnSend(now, qp.unreported), now)
		qp.unreported = 0
	}
}

// onControlTimer calls the congestion control when it wanted to be called. A
// queue pair with nothing to do lets the timer lapse; the control catches up
// when it is needed again. Who answers READs has something to do.
func (n *NIC) onControlTimer(i int, now units.Time) {
	qp := &n.qps[i]
	if qp.controlAt > now {
		return // an earlier deadline replaced it
	}
	qp.controlAt = units.Never
	if qp.una == qp.end && !(qp.verbs != nil && qp.verbs.answering()) {
		return
	}
	n.catchUp(i, now)
}

// catchUp makes a call that is due and sets the timer for the next one.
func (n *NIC) catchUp(i int, now units.Time) {
	qp := &n.qps[i]
	pace := qp.pace
	if pace.Timer <= now {
		n.reportSent(qp, now)
		pace = qp.controller.OnTimer(now)
	}
	n.setPace(i, pace, now)
}

// onCNP handles the congestion notification of a mark.
func (n *NIC) onCNP(i int, mark, now units.Time) {
	qp := &n.qps[i]
	qp.counted.CNPs++
	qp.marked = min(qp.marked, mark)
	n.reportSent(qp, now)
	n.setPace(i, qp.controller.OnCNP(now), now)
}

// ControlState is what the congestion control of a queue pair shows of itself;
// that of one that only receives is empty.
func (n *NIC) ControlState(i int, now units.Time) cc.State {
	if c := n.qps[i].controller; c != nil {
		return c.State(now)
	}
	return cc.State{}
}

package rnic

import (
	"math/bits"
	"slices"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/fabric"
	"github.com/rdmasim/rdmasim/sim/units"
)

// turns is how a NIC takes its queue pairs in turn in a serial run: by the rules of the
// simulator published with HPCC (qbb-net-device.cc, rdma-hw.cc), so that the two can be
// compared packet by packet. Queue pairs stand in the order in which they began, and
// the turn goes round from the one served last. A packet's gap is reckoned at the rate
// at which it was sent, and nothing changes it afterwards. If nothing may go, the NIC
// sets one alarm for the earliest that may later, and never moves it.
type turns struct {
	group  []int32 // queue pairs under way
	last   int     // place in the group of the one served last
	alarm  units.Time
	clocks map[int32]*[cc.Clocks]units.Time // by queue pair, when its control's clocks are set for
}

// takeTurns has a NIC do so.
func (n *NIC) takeTurns() {
	n.turns = &turns{alarm: units.Never, clocks: map[int32]*[cc.Clocks]units.Time{}}
}

// join puts a queue pair at the end of the group, unless it is there from a transfer before.
func (t *turns) join(qp int32) {
	if !slices.Contains(t.group, qp) {
		t.group = append(t.group, qp)
	}
}

// IsStart tells whether a timer of that key is the start of a transfer. The starts of
// a serial run come in the order of the flows; see [NIC.StartKey].
func IsStart(key uint64) bool { kind, _ := fabric.TimerKind(key); return kind == startTimer }

// StartKey is the key of the timer that starts a transfer.
func (n *NIC) StartKey(transfer int) uint64 { return n.timerKey(startTimer, transfer) }

// HandleSerially handles a timer of a serial run, and tells whether the NIC is to be
// asked for something to send. A flow begins two events after its time has come, as
// an application does that has to be installed and initialised first.
func (n *NIC) HandleSerially(kind int, id uint64, now units.Time) (kick bool) {
	if n.turns == nil {
		n.OnTimer(kind, id, now)
		return true
	}
	i := int(uint32(id))
	switch kind {
	case startTimer:
		n.timer(installTimer, now, i)
		return false
	case installTimer:
		n.timer(beginTimer, now, i)
		return false
	case beginTimer:
		n.turns.join(int32(n.transfers[i].QP))
		n.begin(i, now)
		return true
	case alarmTimer:
		n.turns.alarm = units.Never
		return true
	case clockTimer, clockTimer + 1, clockTimer + 2:
		n.onClock(kind-clockTimer, i, now)
		return false
	}
	n.OnTimer(kind, id, now)
	return true
}

// TransmitSerially sends what is to be sent now: acknowledgements before data. If
// there is nothing, it sets the alarm.
func (n *NIC) TransmitSerially(now units.Time) bool {
	if n.turns == nil {
		sent := n.Transmit(now)
		n.awaitPace()
		return sent
	}
	n.observe(now)
	if mask := n.controlMask &^ n.port.Paused(now); mask != 0 {
		priority := bits.Len8(mask) - 1
		n.port.Transmit(now, n.nextControl(priority), priority)
		return true
	}
	i, found := n.nextTurn(now)
	if !found {
		n.setAlarm(now)
		return false
	}
	p := n.segment(&n.qps[i], now)
	n.port.Transmit(now, p, n.qps[i].data.Priority)
	n.account(i, p, now)
	n.enrol(i, now)
	return true
}

// awaitPace sets the alarm for the first of the queue pairs that wait for their pace.
func (n *NIC) awaitPace() {
	if at := n.paced.Next(); at != units.Never && at != n.awaited {
		n.awaited = at
		n.timer(alarmTimer, at, 0)
	}
}

// nextTurn finds the queue pair whose turn it is. Of those found finished on the way
// the first in the group leaves it, with all that are finished behind it, and the turn
// is then counted on in what remains.
func (n *NIC) nextTurn(now units.Time) (qp int, found bool) {
	t := n.turns
	paused := n.port.Paused(now)
	at, finished := -1, len(t.group)
	for k := 1; k <= len(t.group); k++ {
		place := (k + t.last) % len(t.group)
		qp := &n.qps[t.group[place]]
		switch held := paused&(1<<qp.data.Priority) != 0; {
		case !held && n.maySend(qp):
			if qp.nextStart <= now {
				at = place
			}
		case qp.una == qp.end:
			finished = min(finished, place)
		}
		if at >= 0 {
			break
		}
	}
	if at >= 0 {
		qp = int(t.group[at])
	}
	if finished < len(t.group) {
		rest := slices.DeleteFunc(t.group[finished:], func(i int32) bool { return n.qps[i].una == n.qps[i].end })
		t.group = t.group[:finished+len(rest)]
	}
	if at < 0 {
		return 0, false
	}
	t.last = slices.Index(t.group, int32(qp))
	return qp, true
}

// setAlarm wakes the NIC when the first queue pair with anything left may send, if
// that is not now or past: then it is something else that it waits for.
func (n *NIC) setAlarm(now units.Time) {
	at := units.Never
	for _, i := range n.turns.group {
		if qp := &n.qps[i]; qp.next < qp.end || qp.irn != nil && qp.irn.repairing() {
			at = min(at, qp.nextStart)
		}
	}
	if n.turns.alarm == units.Never && at != units.Never && at > now {
		n.turns.alarm = at
		n.timer(alarmTimer, at, 0)
	}
}

// waitingInTurn is the set of priorities in which a queue pair may send, now or at its pace.
func (n *NIC) waitingInTurn() (mask uint8) {
	for _, i := range n.turns.group {
		if qp := &n.qps[i]; n.maySend(qp) {
			mask |= 1 << qp.data.Priority
		}
	}
	return mask
}

// noteTurn books what bounds a queue pair.
func (n *NIC) noteTurn(qp *QP, now units.Time) {
	switch {
	case !n.maySend(qp):
		n.boundBy(qp, resting(qp), now)
	case qp.nextStart > now:
		n.boundBy(qp, moving(qp, ByPacing), now)
	default:
		n.boundBy(qp, moving(qp, ByLink), now)
	}
}

// onClock has a clock of a queue pair's congestion control tick.
func (n *NIC) onClock(clock, i int, now units.Time) {
	qp := &n.qps[i]
	if set := n.turns.clocks[int32(i)]; set == nil || set[clock] != now || qp.una == qp.end {
		return // it has been set for another time since, or its queue pair is done
	}
	n.turns.clocks[int32(i)][clock] = units.Never
	n.setPace(i, qp.controller.(cc.Clocked).Tick(clock, now), now)
}

// setClocks sets the clocks that a congestion control has changed.
func (n *NIC) setClocks(i int) {
	control, clocked := n.qps[i].controller.(cc.Clocked)
	if !clocked {
		return
	}
	set := n.turns.clocks[int32(i)]
	if set == nil {
		set = &[cc.Clocks]units.Time{units.Never, units.Never, units.Never}
		n.turns.clocks[int32(i)] = set
	}
	for k := range set {
		due := control.Due(k)
		if due == set[k] {
			continue
		}
		set[k] = due
		if due != units.Never {
			n.timer(clockTimer+k, due, i)
		}
	}
}

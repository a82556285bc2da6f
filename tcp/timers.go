package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// Deadline returns when [Endpoint.OnTimer] is to be called next: the time of the earliest timer, or
// of the next segment if it waits for its pace; units.Never if there is none.
func (e *Endpoint) Deadline() units.Time {
	d := min(e.rtoAt, e.probeAt, e.reorderAt, e.delackAt, e.persistAt, e.endAt)
	if e.waits == forPace {
		d = min(d, e.pace.next)
	}
	return d
}

// OnTimer handles the timers that have run out at the time now. Called early it does nothing.
func (e *Endpoint) OnTimer(now units.Time) {
	now = e.tick(now)
	if e.endAt <= now {
		e.end(nil)
		return
	}
	if e.delackAt <= now {
		e.delackAt = units.Never
		e.ackDue = true
	}
	if e.reorderAt <= now {
		e.detectByTime()
		if e.phase == open && e.board.losts > 0 {
			e.startRecovery(0)
		}
	}
	if e.persistAt <= now {
		e.persist()
	}
	if e.probeAt <= now {
		e.probeAt = units.Never
		e.probe.due = true
		e.rtoAt = now + e.rtt.rto // RFC 8985, section 7.3
	}
	if e.rtoAt <= now {
		e.timeout()
	}
}

// persist asks after the peer's window, or sends what little fits into it.
func (e *Endpoint) persist() {
	e.persistAt = units.Never
	if e.board.bytes > 0 {
		return
	}
	if e.unheard > e.cfg.Retries {
		e.end(ErrTimedOut)
		return
	}
	e.persists++
	e.unheard++
	e.persisted = true
}

// timeout is the retransmission timeout (RFC 6298, section 5).
func (e *Endpoint) timeout() {
	e.rtoAt, e.probeAt, e.reorderAt = units.Never, units.Never, units.Never
	e.probe = probe{}
	if !e.state.Synchronised() {
		if e.synRetries >= e.cfg.SynRetries {
			e.end(ErrTimedOut)
			return
		}
		e.synRetries++
		e.synRetransmits = true
		e.counters.Timeouts++
		e.rtt.backOff(e.cfg)
		e.synDue = true
		return
	}
	if e.board.bytes == 0 {
		return
	}
	e.counters.Timeouts++
	if e.retries >= e.cfg.Retries {
		e.end(ErrTimedOut)
		return
	}
	flight := e.nxt - e.una
	e.loseOnTimeout()
	if e.retries == 0 || e.phase != restarting {
		e.control.OnTimeout(units.Bytes(flight), e.clock)
	}
	e.retries++
	e.phase = restarting
	e.recover = e.nxt
	e.dups, e.inflation = 0, 0
	e.reduced, e.cwr = e.nxt, e.ecn
	e.mustSend = true
	e.rtt.backOff(e.cfg)
	e.rtoAt = e.clock + e.rtt.rto
}

// loseOnTimeout marks as lost what was sent long enough ago, and the first chunk in any case (RFC 8985,
// section 6.3).
func (e *Endpoint) loseOnTimeout() {
	b := &e.board
	for i := b.head; i != 0; i = b.at(i).next {
		c := b.at(i)
		if c.sacked {
			continue
		}
		if i == b.head || !e.sack || !e.cfg.RACK || c.sent+e.rack.rtt+e.rack.window(e) <= e.clock {
			e.lose(i)
		}
	}
}

// setTimers restarts the timers after an acknowledgement.
func (e *Endpoint) setTimers(advanced bool, in *intake) {
	if !advanced && in.delivered == 0 {
		return
	}
	if e.board.bytes == 0 {
		e.rtoAt, e.probeAt, e.reorderAt = units.Never, units.Never, units.Never
		e.probe.due = false
		return
	}
	if advanced {
		e.rtoAt = e.clock + e.rtt.rto
		e.armProbe(e.clock)
	} else {
		e.probeAt = units.Never
	}
}

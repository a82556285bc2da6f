package congestion

import "github.com/rdmasim/rdmasim/sim/units"

// Growth are the parameters that controls with slow start have in common.
type Growth struct {
	ABCLimit int  `key:"abc_limit" default:"0" min:"0" doc:"packets that one acknowledgement counts for at most when the window grows; 1 is RFC 5681, 2 RFC 3465, 0 sets no limit, as receivers that merge packets and acknowledge whole aggregates need it" source:"driver: Linux, tcp_slow_start since 3.18 (RFC 9406, section 4.3, for paced senders)"`
	Restart  bool `key:"slow_start_after_idle" default:"true" doc:"a connection that was idle for longer than its retransmission timeout loses half of its window for each such time, down to the initial window" source:"driver: Linux, tcp_slow_start_after_idle (RFC 2861, section 3)"`
}

// reno is slow start and congestion avoidance of RFC 5681 with byte counting: the window of several controls.
type reno struct {
	mss, initial   units.Bytes
	cwnd, ssthresh units.Bytes
	limit          units.Bytes // payload that one acknowledgement counts for; 0: all it has
	restart        bool
	credit         units.Bytes // MSS·bytes acknowledged in avoidance that have not made a byte of window yet
	recovering     bool
	timedOut       bool // the timer has expired, and nothing new was acknowledged since
	packets        int  // limit, before the size of one is known
}

func newReno(g Growth) reno { return reno{packets: g.ABCLimit, restart: g.Restart} }

func (r *reno) Init(mss, initialWindow units.Bytes, _ units.Time) {
	r.mss, r.initial, r.cwnd, r.ssthresh = mss, initialWindow, bounded(initialWindow, mss), Unbounded
	r.limit = units.Bytes(r.packets) * mss
}

// bounded keeps a window where every control has it.
func bounded(window, mss units.Bytes) units.Bytes { return min(max(window, mss), max(MaxWindow, mss)) }

// counted is how much of an acknowledgement lets the window grow. What came marked does not (RFC 3168, section 6.1.2).
func counted(a *Ack, limit units.Bytes) units.Bytes {
	if a.Recovery || !a.Limited {
		return 0
	}
	n := max(a.Acked-a.Marked, 0)
	if limit > 0 {
		n = min(n, limit)
	}
	return n
}

func (r *reno) OnAck(a *Ack, _ units.Time) {
	if a.Acked > 0 {
		r.timedOut = false
	}
	r.grow(counted(a, r.limit))
}

// grow is slow start for as much of n as it takes to the threshold, and avoidance for the rest: a segment for each window
// of acknowledged bytes.
func (r *reno) grow(n units.Bytes) {
	if r.cwnd < r.ssthresh {
		step := min(n, r.ssthresh-r.cwnd)
		r.cwnd += step
		n -= step
	}
	r.credit += n * r.mss
	r.cwnd, r.credit = r.cwnd+r.credit/r.cwnd, r.credit%r.cwnd
	r.cwnd = bounded(r.cwnd, r.mss)
}

// flight is FlightSize without what limited transmit has sent beyond the window (RFC 3042, section 2).
func (r *reno) flight(inFlight units.Bytes) units.Bytes { return min(inFlight, r.cwnd) }

// reduce sets threshold and window.
func (r *reno) reduce(to units.Bytes) {
	r.ssthresh = bounded(max(to, 2*r.mss), r.mss)
	r.cwnd, r.credit = r.ssthresh, 0
}

// timeout is the loss of everything: the threshold is to, the window one segment. A timer that expires again for the same
// segment leaves the threshold (RFC 5681, section 3.1).
func (r *reno) timeout(to units.Bytes) {
	if !r.timedOut {
		r.ssthresh = bounded(max(to, 2*r.mss), r.mss)
	}
	r.cwnd, r.credit = r.mss, 0
	r.timedOut, r.recovering = true, false
}

func (r *reno) OnRecovered(units.Time) { r.recovering = false }

func (r *reno) OnRestart(idle, timeout, _ units.Time) {
	if !r.restart || timeout <= 0 || idle <= timeout {
		return
	}
	r.ssthresh = max(r.ssthresh, r.cwnd-r.cwnd/4)
	r.cwnd, r.credit = decayed(r.cwnd, r.initial, idle, timeout), 0
}

// decayed is a window after idleness: half for each timeout, and not less than a new connection has.
func decayed(window, initial units.Bytes, idle, timeout units.Time) units.Bytes {
	for ; idle > timeout && window > initial; idle -= timeout {
		window = max(window/2, min(initial, window))
	}
	return window
}

func (r *reno) Window() units.Bytes    { return r.cwnd }
func (r *reno) Threshold() units.Bytes { return r.ssthresh }
func (r *reno) Pacing() units.Rate     { return 0 }

func (r *reno) State() State {
	return State{Phase: r.phase(), Window: r.cwnd, Threshold: r.ssthresh}
}

func (r *reno) phase() string {
	switch {
	case r.recovering:
		return Recovering
	case r.cwnd < r.ssthresh:
		return SlowStart
	}
	return Avoidance
}

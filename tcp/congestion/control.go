package congestion

import (
	"math"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Ack is what an acknowledgement tells.
type Ack struct {
	Acked      units.Bytes // payload acknowledged for the first time, cumulatively or selectively
	RTT        units.Time  // sample of the round trip; 0 if there is none, as when all that is acknowledged was sent twice
	InFlight   units.Bytes // payload believed under way after this acknowledgement
	Marked     units.Bytes // the part of Acked that the receiver saw marked by the network (ECE)
	Lost       units.Bytes // payload found lost since the acknowledgement before
	RoundStart bool        // it acknowledges something sent after the acknowledgement that began the current round trip
	Recovery   bool        // the sender is in fast recovery; after a timeout it is not, it starts slowly again
	AppLimited bool        // Rate was measured while the sender had nothing to send
	Rate       units.Rate  // sample of the delivery rate; 0 if there is none
	Limited    bool        // the window was what bound the sender; a window that binds nobody does not grow
}

// Control is the congestion control of one connection. Times of calls may step back by microseconds, as the clocks of two
// cores of one host do.
//
// Sizes in flight given to OnLoss, OnECN and OnTimeout are what RFC 5681 calls FlightSize: payload sent and not yet
// acknowledged cumulatively, before the sender has taken anything back.
type Control interface {
	// Init is called once, before any other call: mss is the largest payload of a packet, greater than 0.
	Init(mss, initialWindow units.Bytes, now units.Time)
	// OnAck reports an acknowledgement of something new, or one that ends a round trip. Right after Init it may report the
	// round trip of the handshake, and nothing else. The control does not keep a.
	OnAck(a *Ack, now units.Time)
	// OnLoss reports that the sender enters fast recovery, which it does once for each window. Threshold is from then on
	// what the sender brings what it has in flight down to, and Window the same.
	OnLoss(inFlight units.Bytes, now units.Time)
	// OnECN reports the first echo of a mark in a window. It comes after OnAck of the same acknowledgement.
	OnECN(inFlight units.Bytes, now units.Time)
	// OnTimeout reports that the retransmission timer has expired; it ends recovery.
	OnTimeout(inFlight units.Bytes, now units.Time)
	// OnRecovered reports the end of fast recovery: all that was in flight when it began is acknowledged.
	OnRecovered(now units.Time)
	// Window bounds the payload in flight.
	Window() units.Bytes
	// Threshold is the slow start threshold; Unbounded before the first loss, and always in a control that has none. A
	// sender whose control has none is bound by Window alone in recovery too.
	Threshold() units.Bytes
	// Pacing is the rate at which packets are spread; 0 leaves them to leave as they come.
	Pacing() units.Rate
	// State returns what series and tables show.
	State() State
}

// Restarter is a control that wants to know when a connection that was silent sends again.
type Restarter interface {
	// OnRestart comes before the first transmission after the sender has had nothing in flight for the time idle; timeout is
	// its present retransmission timeout.
	OnRestart(idle, timeout, now units.Time)
}

// ExactMarks is a control that must know of each mark: both ends use ECN whatever the configuration says, every packet of
// the connection is ECN-capable, and the receiver echoes marks as RFC 8257, section 3.2, has it.
type ExactMarks interface {
	// WantsExactMarks tells that it is one.
	WantsExactMarks() bool
}

// MaxWindow is the largest window of TCP: 2^16-1 scaled by 14 (RFC 7323, section 2.3), rounded up.
const MaxWindow = units.GiB

// Unbounded is the slow start threshold of a control that has (yet) none.
const Unbounded units.Bytes = math.MaxInt64

// The names of phases in State.
const (
	SlowStart  = "slow-start"
	Avoidance  = "congestion-avoidance"
	Recovering = "recovery"
)

// State is what a control shows of itself. A control that has no such quantity leaves it zero.
type State struct {
	Phase     string      // SlowStart, Avoidance, Recovering; BBR has names of its own
	Window    units.Bytes // payload that may be in flight
	Threshold units.Bytes // slow start threshold; Unbounded if there is none
	Pacing    units.Rate  // rate at which packets are spread
	Alpha     float64     // DCTCP: estimate of the share of marked bytes, 0 to 1
	MaxWindow units.Bytes // CUBIC: the window at which its curve is flat, W_max
	Bandwidth units.Rate  // BBR: estimate of the bottleneck's rate
	MinRTT    units.Time  // BBR: estimate of the round trip without queues
}

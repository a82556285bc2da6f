package cc

import "github.com/rdmasim/rdmasim/sim/units"

// Pace is what a QP may do from now on. It holds until the controller returns another one.
type Pace struct {
	// Rate paces the QP: after a packet of b bytes on the wire the next may start 8·b/Rate later. It is at least 1 bit/s
	// and at most the rate of the line.
	Rate units.Rate
	// Window bounds the payload that is sent but not acknowledged. Zero sets no bound.
	Window units.Bytes
	// Timer is the time at which the QP must call OnTimer, later than the call that returned it; units.Never for none.
	Timer units.Time
	// Bytes asks for OnSend as soon as this many bytes on the wire were sent since this Pace was returned. A QP that has
	// another call to make before reports what it has sent so far first, so that no byte is lost to the count. Zero asks
	// for no report.
	Bytes units.Bytes
}

// Ack is what an acknowledgement tells.
type Ack struct {
	Acked units.Bytes // payload acknowledged for the first time
	RTT   units.Time  // from the sending of the acknowledged packet to now; 0 if unknown, as after a retransmission
	CE    bool        // the acknowledgement echoes a congestion mark
}

// Loss is how a QP learned that packets were lost.
type Loss uint8

// The two ways in which a reliable connection learns of loss (IBTA volume 1, section 9.7).
const (
	SequenceNAK Loss = iota // the receiver answered "PSN sequence error"
	Timeout                 // no acknowledgement in time
)

// Line is the port a QP sends on and the path it sends over, as far as controllers adapt to them.
type Line struct {
	Rate    units.Rate  // of the port; greater than 0
	MTU     units.Bytes // largest payload of a packet
	BaseRTT units.Time  // round trip of one packet through an empty fabric
}

// Controller is the congestion control of one QP. Times never decrease from call to call. A call at or after
// Pace.Timer, because nobody was there to make it sooner, has the same outcome as if OnTimer had been called in time.
type Controller interface {
	// Start is called once, before any other call, when the QP may send for the first time.
	Start(now units.Time) Pace
	// OnSend reports bytes sent on the wire since the last report, as Pace.Bytes asked for it.
	OnSend(now units.Time, bytes units.Bytes) Pace
	// OnAck reports an acknowledgement. The controller does not keep ack.
	OnAck(now units.Time, ack *Ack) Pace
	// OnCNP reports a congestion notification packet for this QP.
	OnCNP(now units.Time) Pace
	// OnLoss reports that the QP is going to retransmit.
	OnLoss(now units.Time, loss Loss) Pace
	// OnTimer is called at Pace.Timer.
	OnTimer(now units.Time) Pace
	// State returns what series and reports show of the controller at the time now. Reading it changes nothing that the
	// QP could notice.
	State(now units.Time) State
}

// State is what a controller shows of itself. A controller that has no such quantity leaves it zero.
type State struct {
	Rate      units.Rate // the rate the QP is paced at
	Target    units.Rate // the rate it is recovering to (DCQCN: RT)
	Alpha     float64    // its estimate of congestion, 0 to 1 (DCQCN: α)
	Cuts      uint64     // how often it reduced the rate
	Increases uint64     // how often it took a step of increase
}

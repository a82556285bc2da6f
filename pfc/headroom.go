package pfc

import (
	"fmt"

	"github.com/rdmasim/rdmasim/sim/units"
)

// QuantumBits is the length of a pause quantum in bit times of the port.
const QuantumBits = 512

// QuantaTime is how long a number of quanta last on a port of that rate.
func QuantaTime(quanta int, rate units.Rate) units.Time {
	return rate.Serialise(quanta * QuantumBits / 8)
}

// responseTable is the longest time, in quanta, that a port of a rate may take
// to obey (IEEE 802.3 annex 31B.3.7 for 10-400G; SONiC's buffer manager uses
// the same row for 800G). Faster ports are assumed to keep the last value.
var responseTable = []struct {
	rate   units.Rate
	quanta int
}{
	{10 * units.Gbps, 67},
	{25 * units.Gbps, 80},
	{40 * units.Gbps, 118},
	{50 * units.Gbps, 147},
	{100 * units.Gbps, 394},
	{200 * units.Gbps, 453},
	{400 * units.Gbps, 905},
}

// StandardResponse is the longest response to a pause that the standard allows
// a port of that rate. A rate between two of its rows takes the lower row's
// quanta, one below 10G those of 10G.
func StandardResponse(rate units.Rate) units.Time {
	quanta := responseTable[0].quanta
	for _, row := range responseTable {
		if rate >= row.rate {
			quanta = row.quanta
		}
	}
	return QuantaTime(quanta, rate)
}

// Reaction is what lies between the decision to pause and the last byte that
// still arrives, on one link.
type Reaction struct {
	Rate       units.Rate
	Delay      units.Time  // propagation, one way
	Response   units.Time  // of the peer to the pause frame
	Pipeline   units.Time  // of the receiver, if it admits frames only after it
	Forward    units.Bytes // largest L2 frame towards the receiver
	Reverse    units.Bytes // largest L2 frame in the other direction
	PFCWire    units.Bytes // the pause frame on the wire
	Interframe units.Bytes // preamble and gap of every frame
	Memory     Memory      // in which the receiver stores frames
}

// Headroom is the bytes that a lossless group must be able to take in after it
// asked for a pause: a reverse frame that the pause has to wait for, the pause
// itself, the cable both ways, the peer's response and our pipeline, a forward
// frame that had just started, and the frame that crossed the threshold; all of it
// in the cells of its memory.
func (r Reaction) Headroom() units.Bytes {
	wait := r.Reverse + r.Interframe + r.PFCWire
	started := r.Forward + r.Interframe
	return r.Memory.storing(wait+r.inTransit()+started, r.Forward, r.Interframe) + r.Memory.Of(r.Forward)
}

// inTransit is what a sender at full rate puts on the wire while the pause and
// the last bits travel and the two ends react; rounded up.
func (r Reaction) inTransit() units.Bytes {
	return sentIn(r.Rate, 2*r.Delay+r.Response+r.Pipeline)
}

// String is the sum that Headroom makes, with its numbers.
func (r Reaction) String() string {
	return fmt.Sprintf("%d B for a reverse frame that the pause waits for + %d B for the pause"+
		" + (2 x %v of cable + %v until the peer responds + %v of pipeline) x %v = %d B"+
		" + %d B for a frame just started + %d B for the frame that crosses the threshold",
		r.Reverse+r.Interframe, r.PFCWire, r.Delay, r.Response, r.Pipeline, r.Rate, r.inTransit(), r.Forward+r.Interframe, r.Forward)
}

package wire

import "github.com/rdmasim/rdmasim/sim/units"

// Framing is what frames look like on the wire, and how the time is reckoned that
// they take. [RoCEv2] is the truth; the others are the simplifications of other
// simulators, to be compared with them. All sizes are bytes.
type Framing struct {
	// Around is what a data packet's frame has around its payload.
	Around int
	// Extended adds the extension headers of the opcode, and pads the payload to a
	// multiple of four.
	Extended bool
	// Full gives the last packet of a message the size of the others.
	Full bool
	// Ack and CNP are the frames of an acknowledgement and of a notification, Pause is
	// a pause frame, gap included; one of 0 takes no time.
	Ack, CNP, Pause int
	// Smallest is the size to which shorter frames are padded.
	Smallest int
	// Gap is what every frame occupies on the wire beyond its size.
	Gap int
	// WholeNanoseconds cuts the time of every frame to whole nanoseconds, downwards,
	// as [units.Rate.WholeNanoseconds] does.
	WholeNanoseconds bool
}

// RoCEv2 is the framing of the standards: see [FrameBytes], [Interframe] and [PFCWire].
var RoCEv2 = Framing{
	Around: Overhead, Extended: true, Ack: Overhead + aeth, CNP: Overhead + cnpReserved, Pause: PFCWire, Smallest: MinFrame, Gap: Interframe,
}

// FrameBytes is the size of the frame of a packet with that opcode and payload, of
// which a full packet carries mtu.
func (f *Framing) FrameBytes(o Opcode, payload, mtu int) int {
	switch {
	case o == Acknowledge:
		return f.Ack
	case o == CNP:
		return f.CNP
	case f.Full:
		payload = mtu
	}
	if f.Extended {
		payload = (payload+3)&^3 + o.extension()
	}
	return max(payload+f.Around, f.Smallest)
}

// Least is the size on the wire of the smallest frame that is no pause.
func (f *Framing) Least() int {
	return min(f.Ack, f.CNP, max(f.Around, f.Smallest)) + f.Gap
}

// Serialise is how long a frame of that size on the wire occupies a link.
func (f *Framing) Serialise(rate units.Rate, wire int) units.Time {
	if f.WholeNanoseconds {
		return rate.WholeNanoseconds(wire)
	}
	return rate.Serialise(wire)
}

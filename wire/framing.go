package wire

import "github.com/rdmasim/rdmasim/sim/units"

// Framing is what frames look like on the wire, and how the time is reckoned that
// they take, where that is not RoCEv2 over Ethernet: on other links, such as those of
// [InfiniBand], or in another simulator that is to be compared with. The nil framing is
// RoCEv2: [FrameBytes], [Interframe] and [PFCWire]. All sizes are bytes.
type Framing struct {
	// Around is what a data packet's frame has around its payload.
	Around int
	// Headers has every packet carry the extension headers of its opcode beside Around,
	// and pad its payload to a multiple of four; Ack and CNP then count for nothing.
	Headers bool
	// Full gives the last packet of a message the size of the others.
	Full bool
	// Ack and CNP are the frames of an acknowledgement and of a notification, Pause is
	// a pause frame on the wire; one of 0 takes no time.
	Ack, CNP, Pause int
	// Gap is what every other frame occupies on the wire beyond its size.
	Gap int
	// WholeNanoseconds cuts the time of every frame to whole nanoseconds, downwards,
	// as [units.Rate.WholeNanoseconds] does.
	WholeNanoseconds bool
}

// FrameBytes is the size of the frame of a packet with that opcode and payload, of
// which a full packet carries mtu.
func (f *Framing) FrameBytes(o Opcode, payload, mtu int) int {
	switch {
	case f == nil:
		return FrameBytes(o, payload)
	case f.Headers:
		return padded(payload) + f.Around + o.extension()
	case o == Acknowledge:
		return f.Ack
	case o == CNP:
		return f.CNP
	case f.Full:
		payload = mtu
	}
	return payload + f.Around
}

// Interframe is what every frame but a pause occupies on the wire beyond its size.
func (f *Framing) Interframe() int {
	if f == nil {
		return Interframe
	}
	return f.Gap
}

// PauseFrame is a pause frame on the wire.
func (f *Framing) PauseFrame() int {
	if f == nil {
		return PFCWire
	}
	return f.Pause
}

// Least is the size on the wire of the smallest frame that is no pause.
func (f *Framing) Least() int {
	switch {
	case f == nil:
		return MinWire
	case f.Headers:
		return f.Around + f.Gap
	}
	return min(f.Ack, f.CNP, f.Around) + f.Gap
}

// Serialise is how long a frame of that size on the wire occupies a link.
func (f *Framing) Serialise(rate units.Rate, wire int) units.Time {
	if f != nil && f.WholeNanoseconds {
		return rate.WholeNanoseconds(wire)
	}
	return rate.Serialise(wire)
}

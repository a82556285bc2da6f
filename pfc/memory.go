package pfc

import "github.com/rdmasim/rdmasim/sim/units"

// Memory is how a switch gives out its packet memory: in cells, so that a frame
// takes up the next whole number of them. The zero value gives it out by the byte.
type Memory struct {
	// Cell is the size of a cell; 0 and 1 are a byte.
	Cell units.Bytes
	// Small is the share of the bytes on the wire, 0 to 1, that headroom takes to
	// come in frames of the worst size; the others come in full frames.
	Small units.Ratio
}

// smallestFrame is the L2 size of the smallest Ethernet frame.
const smallestFrame units.Bytes = 64

// Of is what a frame takes up.
func (m Memory) Of(frame units.Bytes) units.Bytes {
	if m.Cell <= 1 {
		return frame
	}
	return (frame + m.Cell - 1) / m.Cell * m.Cell
}

// storing is what a number of bytes on the wire may take up: a part in frames of
// the worst size, the rest in full frames. It is never less than those bytes.
func (m Memory) storing(wire, full, interframe units.Bytes) units.Bytes {
	if m.Cell <= 1 {
		return wire
	}
	small := m.Small.Of(wire)
	need := m.inFrames(small, m.worst(interframe), interframe) + m.inFrames(wire-small, full, interframe)
	return max(wire, need)
}

// worst is the frame that takes up most for each byte it occupies the wire: the
// smallest, or the smallest that has to begin another cell.
func (m Memory) worst(interframe units.Bytes) units.Bytes {
	next := m.Of(smallestFrame) + 1
	if m.Of(smallestFrame)*(next+interframe) >= m.Of(next)*(smallestFrame+interframe) {
		return smallestFrame
	}
	return next
}

// inFrames is what bytes on the wire take up in frames of one size, rounded up.
func (m Memory) inFrames(wire, frame, interframe units.Bytes) units.Bytes {
	onWire := frame + interframe
	return (wire*m.Of(frame) + onWire - 1) / onWire
}

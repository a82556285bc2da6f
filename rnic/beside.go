package rnic

import (
	"github.com/rdmasim/rdmasim/rnic/memory"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What a packet says in its extension headers (where a WRITE goes, what a READ asks for,
// immediates, operands), and the words of memory that it carries, does not fit into the
// value that stands for it on the wire. It travels beside the packet: the sender writes it
// down before the packet leaves, and the receiver reads it when it takes the packet in.
// Each end of a connection writes two such lists, for its requests and for its responses.
// A list only grows, and what is in it never changes; so its reader, who may run on another
// core, needs no more than the order of windows that packets need too, and what has been
// read is forgotten by both.

// header is what travels beside one packet.
type header struct {
	packet  int64 // running number of a request's packet, or of the header among responses
	remote  uint64
	key     uint32 // R_Key, or the one to invalidate
	length  units.Bytes
	imm     uint32
	compare uint64 // or what to add
	swap    uint64
	words   []memory.Word // by their place in the payload
}

// headersPerBlock is how many headers are made at a time.
const headersPerBlock = 64

type headerBlock struct {
	headers [headersPerBlock]header
	next    *headerBlock
}

// headerWriter is the end of a list.
type headerWriter struct {
	block   *headerBlock
	used    int
	written int64
}

func newHeaderWriter() headerWriter { return headerWriter{block: new(headerBlock)} }

// add writes a header at the end.
func (w *headerWriter) add(h header) {
	if w.used == headersPerBlock {
		w.block.next = new(headerBlock)
		w.block, w.used = w.block.next, 0
	}
	w.block.headers[w.used] = h
	w.used++
	w.written++
}

// headerReader is how far a list has been read.
type headerReader struct {
	block *headerBlock
	read  int
	next  int64 // packet that the next header is of, at the least
}

// take reads on to the header of a packet, of which is known that it has one. Those before
// it are of packets that were lost.
func (r *headerReader) take(packet int64) *header {
	for {
		if r.read == headersPerBlock {
			r.block, r.read = r.block.next, 0
		}
		h := &r.block.headers[r.read]
		r.read++
		if h.packet == packet {
			r.next = packet + 1
			return h
		}
	}
}

// beyond tells whether the header of a packet has been read, or passed by. Of the answers to a
// READ that was asked for twice one may come when a later one has: on another way.
func (r *headerReader) beyond(packet int64) bool { return packet < r.next }

// back has the header that was read last be read again.
func (r *headerReader) back() {
	r.read--
	r.next--
}

package host

import "github.com/rdmasim/rdmasim/sim/units"

// Message is what a program sends as one unit. Tag, A, B and C stand for what is in it.
type Message struct {
	Size    units.Bytes
	Tag     uint32
	A, B, C uint64
}

// What messages say does not fit into packets: it travels beside them. Who sends writes down
// where in its stream a message ends and what it says, before the packets leave, and who
// receives reads it when all bytes up to there have come. A list only grows, and what is in
// it never changes; so its reader, who may run on another core, needs no more than the order
// of windows that packets need too.

// mark is a message, by where it ends in its stream.
type mark struct {
	end units.Bytes
	Message
}

const marksPerBlock = 32

type markBlock struct {
	marks [marksPerBlock]mark
	next  *markBlock
}

// markWriter is the end of a list.
type markWriter struct {
	block *markBlock
	used  int
}

func (w *markWriter) add(m mark) {
	if w.used == marksPerBlock {
		w.block.next = new(markBlock)
		w.block, w.used = w.block.next, 0
	}
	w.block.marks[w.used] = m
	w.used++
}

// markReader is how far a list has been read.
type markReader struct {
	block *markBlock
	read  int
}

// front is the first message that has not been read. There must be one: something of it has
// come.
func (r *markReader) front() *mark {
	if r.read == marksPerBlock {
		r.block, r.read = r.block.next, 0
	}
	return &r.block.marks[r.read]
}

func (r *markReader) pop() { r.read++ }

// SACK blocks travel beside acknowledgements likewise. An acknowledgement has the number of
// what stands beside it; of those that overtake each other, the later counts.

// sackNote is the SACK blocks of one acknowledgement.
type sackNote struct {
	number int64
	count  int
	blocks sackBlocks
	next   *sackNote
}

// noteWriter is the end of a list: its last note.
type noteWriter struct{ last *sackNote }

// add writes a note, and tells the number that stands for it in a packet, which is not 0.
func (w *noteWriter) add(count int, blocks sackBlocks) uint16 {
	number := w.last.number + 1
	if uint16(number) == 0 {
		number++
	}
	w.last.next = &sackNote{number: number, count: count, blocks: blocks}
	w.last = w.last.next
	return uint16(number)
}

// noteReader is how far a list has been read: its last note that has.
type noteReader struct{ last *sackNote }

// take reads on to the note with a number; none if it has been passed by.
func (r *noteReader) take(number uint16) *sackNote {
	want := r.last.number + int64(int16(number-uint16(r.last.number)))
	if want <= r.last.number {
		return nil
	}
	for r.last.number != want {
		r.last = r.last.next
	}
	return r.last
}

package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// chunk is a part of the stream that was sent in one go and of which nothing is known that is not
// known of all of it. A FIN counts as a byte.
type chunk struct {
	start, end     int64
	sent           units.Time // last
	order          int64      // of that among all sendings of the connection
	snapshot       snapshot   // of the sampler, when it was sent last
	next, prev     int32      // by offset
	later, earlier int32      // by time of sending; both 0 and not the only one: not listed
	sacked         bool
	lost           bool // taken for lost, and not sent again
	again          bool // has been sent more than once
	listed         bool // by time
}

// scoreboard is what has been sent and not been acknowledged, in two orders: by offset, and by the
// time at which it was last sent. The latter has neither what is sacked nor what is lost. Chunks lie
// in a slab and refer to each other by index; 0 is none.
type scoreboard struct {
	slab        []chunk
	free        int32
	head, tail  int32
	first, last int32 // by time
	hint        int32 // where a selective acknowledgement was last found
	nextLost    int32 // no chunk before it is lost; 0: none is

	bytes  int64 // on the board
	sacked int64
	lost   int64
	sacks  int64 // packets sacked
	losts  int   // chunks lost

	sendings int64 // all there were
}

// at returns chunk i.
func (b *scoreboard) at(i int32) *chunk { return &b.slab[i] }

// alloc returns a blank chunk.
func (b *scoreboard) alloc() int32 {
	if b.free != 0 {
		i := b.free
		b.free = b.slab[i].next
		b.slab[i] = chunk{}
		return i
	}
	if len(b.slab) == 0 {
		b.slab = append(b.slab, chunk{}) // index 0 is none
	}
	b.slab = append(b.slab, chunk{})
	return int32(len(b.slab) - 1)
}

// add appends what has just been sent.
func (b *scoreboard) add(start, end int64, now units.Time, s snapshot) int32 {
	i := b.alloc()
	c := b.at(i)
	b.sendings++
	c.start, c.end, c.sent, c.order, c.snapshot = start, end, now, b.sendings, s
	c.prev = b.tail
	if b.tail != 0 {
		b.at(b.tail).next = i
	} else {
		b.head = i
	}
	b.tail = i
	b.bytes += end - start
	b.enlist(i, b.last)
	return i
}

// enlist puts i into the order of time, after another or first (0).
func (b *scoreboard) enlist(i, after int32) {
	c := b.at(i)
	c.listed = true
	c.earlier = after
	if after != 0 {
		c.later = b.at(after).later
		b.at(after).later = i
	} else {
		c.later = b.first
		b.first = i
	}
	if c.later != 0 {
		b.at(c.later).earlier = i
	} else {
		b.last = i
	}
}

// delist takes i out of the order of time.
func (b *scoreboard) delist(i int32) {
	c := b.at(i)
	if !c.listed {
		return
	}
	if c.earlier != 0 {
		b.at(c.earlier).later = c.later
	} else {
		b.first = c.later
	}
	if c.later != 0 {
		b.at(c.later).earlier = c.earlier
	} else {
		b.last = c.earlier
	}
	c.listed, c.earlier, c.later = false, 0, 0
}

// split cuts i at an offset inside it; what is after it becomes the next chunk.
func (b *scoreboard) split(i int32, at, mss int64) {
	j := b.alloc()
	c, d := b.at(i), b.at(j)
	if c.sacked {
		b.sacks -= packets(c.end-c.start, mss)
	}
	*d = *c
	d.start, c.end = at, at
	d.prev, c.next = i, j
	if d.next != 0 {
		b.at(d.next).prev = j
	} else {
		b.tail = j
	}
	if c.sacked {
		b.sacks += packets(c.end-c.start, mss) + packets(d.end-d.start, mss)
	}
	if c.lost {
		b.losts++
	}
	d.listed, d.earlier, d.later = false, 0, 0
	if c.listed {
		b.enlist(j, i)
	}
}

// remove takes i off the board.
func (b *scoreboard) remove(i int32, mss int64) {
	c := b.at(i)
	b.delist(i)
	n := c.end - c.start
	b.bytes -= n
	if c.sacked {
		b.sacked -= n
		b.sacks -= packets(n, mss)
	}
	if c.lost {
		b.lost -= n
		b.losts--
	}
	if b.hint == i {
		b.hint = c.prev
	}
	if b.nextLost == i {
		b.nextLost = c.next
	}
	if c.prev != 0 {
		b.at(c.prev).next = c.next
	} else {
		b.head = c.next
	}
	if c.next != 0 {
		b.at(c.next).prev = c.prev
	} else {
		b.tail = c.prev
	}
	*c = chunk{next: b.free}
	b.free = i
}

// trim takes off the board what i has before an offset inside it.
func (b *scoreboard) trim(i int32, to, mss int64) {
	c := b.at(i)
	n := to - c.start
	b.bytes -= n
	if c.sacked {
		b.sacked -= n
		b.sacks += packets(c.end-to, mss) - packets(c.end-c.start, mss)
	}
	if c.lost {
		b.lost -= n
	}
	c.start = to
}

// find returns the chunk that holds an offset; 0 if none does.
func (b *scoreboard) find(at int64) int32 {
	i := b.hint
	if i == 0 {
		i = b.head
	}
	for i != 0 && b.at(i).start > at {
		i = b.at(i).prev
	}
	if i == 0 {
		return 0
	}
	for i != 0 && b.at(i).end <= at {
		i = b.at(i).next
	}
	return i
}

// markSacked notes that i has come. Chunks of sacked data next to each other become one.
func (b *scoreboard) markSacked(i int32, mss int64) {
	c := b.at(i)
	n := c.end - c.start
	b.unlose(i)
	b.delist(i)
	c.sacked = true
	b.sacked += n
	b.sacks += packets(n, mss)
	b.hint = i
	if p := c.prev; p != 0 && b.at(p).sacked {
		b.merge(p, i, mss)
		i = p
		c = b.at(i)
	}
	if next := c.next; next != 0 && b.at(next).sacked {
		b.merge(i, next, mss)
	}
	b.hint = i
}

// merge makes two sacked neighbours one.
func (b *scoreboard) merge(i, next int32, mss int64) {
	end := b.at(next).end
	b.remove(next, mss)
	c := b.at(i)
	n := end - c.end
	b.sacks -= packets(c.end-c.start, mss)
	c.end = end
	b.bytes += n
	b.sacked += n
	b.sacks += packets(c.end-c.start, mss)
}

// lose notes that i counts as lost.
func (b *scoreboard) lose(i int32) {
	c := b.at(i)
	if c.lost || c.sacked {
		return
	}
	b.delist(i)
	c.lost = true
	b.lost += c.end - c.start
	b.losts++
	if b.nextLost == 0 || c.start < b.at(b.nextLost).start {
		b.nextLost = i
	}
}

// unlose notes that i no longer counts as lost.
func (b *scoreboard) unlose(i int32) {
	c := b.at(i)
	if c.lost {
		c.lost = false
		b.lost -= c.end - c.start
		b.losts--
	}
}

// firstLost returns the first chunk that counts as lost; 0 if none does.
func (b *scoreboard) firstLost() int32 {
	if b.losts == 0 {
		b.nextLost = 0
		return 0
	}
	for i := b.nextLost; i != 0; i = b.at(i).next {
		if b.at(i).lost {
			b.nextLost = i
			return i
		}
	}
	return 0
}

// sentAgain notes that i has been sent once more.
func (b *scoreboard) sentAgain(i int32, now units.Time, s snapshot) {
	b.unlose(i)
	b.delist(i)
	c := b.at(i)
	b.sendings++
	c.sent, c.order, c.snapshot, c.again = now, b.sendings, s, true
	b.enlist(i, b.last)
}

// packets is how many packets n bytes make.
func packets(n, mss int64) int64 { return max((n+mss-1)/mss, 1) }

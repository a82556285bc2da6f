package rnic

import (
	"github.com/rdmasim/rdmasim/rnic/contexts"
	"github.com/rdmasim/rdmasim/sim/units"
)

// lookup is when what a cache keeps under a key is on the adapter. What is not there is read over the bus,
// of which that takes its part.
func (a *adapter) lookup(c *contexts.Cache, cfg *contexts.Config, key uint32, now units.Time) units.Time {
	misses := c.Misses
	at := c.Lookup(key, now)
	if c.Misses != misses {
		at = max(at, a.bus.Fetch(now, cfg.Bytes))
		c.Postpone(at)
	}
	return at
}

// translated is when the adapter knows where registered memory is: first it needs what there is to know of the
// region, then the addresses of the pages.
func (n *NIC) translated(key uint32, va uint64, length units.Bytes, now units.Time) units.Time {
	a := n.adapter
	if a == nil || a.cfg.Translations.Entries == 0 {
		return now
	}
	region, page, pages := n.objects.memory.Translations(key, va, length)
	if pages == 0 {
		return now
	}
	cfg := &a.cfg.Translations
	found := a.lookup(a.pages, cfg, region, now)
	at := found
	for range pages {
		found = max(found, a.lookup(a.pages, cfg, page, at))
		page++
	}
	return found
}

// hasSource tells whether the adapter knows where the payload is that a program's queue pair sends next.
// If not, it finds out, and the queue pair is held until it has.
func (n *NIC) hasSource(i int, now units.Time) bool {
	v, q := n.qps[i].verbs, n.adapter.queue(i)
	if v == nil || n.adapter.cfg.Translations.Entries == 0 {
		return true
	}
	if q.located { // it has been waited for, and may be gone again where there is room for few
		q.located = false
		return true
	}
	key, va, length := v.source()
	if length == 0 || q.come(n.translated(key, va, length, now), now) {
		return true
	}
	q.located = true
	return false
}

// source is the memory in which the payload of the next packet is; nothing for one that has none there.
func (q *VerbsQP) source() (key uint32, va uint64, length units.Bytes) {
	qp, mtu := q.qp(), units.Bytes(q.nic.cfg.MTU)
	if qp.stream != nil {
		return qp.stream.payloadAt(qp)
	}
	if q.answering() {
		a := q.answers.Front()
		from := units.Bytes(a.next-a.first) * mtu
		return a.key, a.remote + uint64(from), min(mtu, a.length-from)
	}
	if !q.mayRequest(qp) || q.missing || qp.irn != nil && qp.irn.repairing() {
		return 0, 0, 0
	}
	r := qp.queue.At(qp.current)
	if w := r.work; !w.Inline && !w.Verb.reads() {
		from := units.Bytes(qp.next-r.first) * mtu
		return w.Local.Key, w.Local.Addr + uint64(from), min(mtu, r.size-from)
	}
	return 0, 0, 0
}

// holdIntake has what is written into memory from now on be written at a time at the earliest, in the order of
// arrival: before that the adapter does not know where it goes.
func (a *adapter) holdIntake(until units.Time) {
	a.memory, a.seen = max(a.memory, until), max(a.seen, until)
}

// atomicUnit carries out atomic operations. It is when the next one on a word may begin, by its address.
type atomicUnit map[uint64]units.Time

// operate is when the outcome of an atomic operation on a word is known: the word has to be found and read, and
// operations on one word have their turns.
func (n *NIC) operate(key uint32, va uint64, now units.Time) units.Time {
	a := n.adapter
	if a == nil {
		return now
	}
	found := n.translated(key, va, wordBytes, now)
	turn := max(found, a.words[va])
	if a.cfg.Atomic > 0 {
		a.words[va] = turn + a.cfg.Atomic
	}
	return n.ReadMemory(wordBytes, 0, now) + turn - now
}

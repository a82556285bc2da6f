// Package contexts is the memory on an adapter in which it keeps what it needs of
// queue pairs and of translations of addresses: the most recently used of them. What is
// not there is read from host memory, which takes its time, and of such reads only so
// many go on at once. So an adapter slows down when more queue pairs are active than it
// has room for, and not before.
//
// A [Cache] is fed with times and schedules nothing. Looking something up takes the same
// few steps whatever the number of entries, and allocates nothing once the greatest key is known.
package contexts

import "github.com/rdmasim/rdmasim/sim/units"

// Config is how much is kept, and what it costs if something is not.
type Config struct {
	Entries     int        `key:"entries" default:"0" min:"0" max:"16777216" doc:"what the adapter has room for; 0: for all there are" source:"assumed: an ideal host"`
	Miss        units.Time `key:"miss" default:"700ns" max:"1ms" doc:"time to read from host memory what is not there" source:"assumed: a PCIe read takes 500 to 900 ns"`
	Outstanding int        `key:"outstanding" default:"16" min:"1" max:"4096" doc:"such reads at once" source:"assumed"`
	// Bytes is for the bus: the cache itself does not look at it.
	Bytes units.Bytes `key:"bytes" default:"64B" min:"0B" max:"4KiB" doc:"bytes of such a read, which the bus carries beside all else" source:"assumed: a line of memory"`
}

// Cache is a Config at work.
type Cache struct {
	cfg   *Config
	where []int32      // by key: its entry and one, 0 if it is not there
	seen  []bool       // by key: whether it was there before
	list  []entry      // those in use
	head  int32        // the most recently used
	tail  int32        // the least recently used
	reads []units.Time // when each of the reads at once is free again, in turn
	next  int
	Counts
}

// Counts are how many look-ups found what was there, and how many what had to be read.
type Counts struct{ Hits, Misses uint64 }

// entry is a link of the list in the order of use.
type entry struct {
	key          uint32
	newer, older int32
	ready        units.Time // when it was or will be read
}

const none = -1

// New makes a cache with room for nothing yet.
func New(cfg *Config) *Cache {
	return &Cache{cfg: cfg, head: none, tail: none, reads: make([]units.Time, cfg.Outstanding)}
}

// Lookup is when what is kept under a key is at hand: now, or once it has been read. What
// is set up while there is room is there without a read. Keys are small numbers: memory
// grows with the greatest.
func (c *Cache) Lookup(key uint32, now units.Time) (ready units.Time) {
	if c.cfg.Entries == 0 {
		return now
	}
	for int(key) >= len(c.where) {
		c.where, c.seen = append(c.where, 0), append(c.seen, false)
	}
	if at := c.where[key] - 1; at >= 0 {
		c.use(at)
		c.Hits++
		return max(now, c.list[at].ready)
	}
	ready = now
	if c.fresh(key) {
		c.Hits++
	} else {
		c.Misses++
		ready = c.read(now)
	}
	c.seen[key] = true
	at := c.room()
	c.list[at] = entry{key: key, newer: none, older: c.head, ready: ready}
	if c.head != none {
		c.list[c.head].newer = at
	} else {
		c.tail = at
	}
	c.head = at
	c.where[key] = at + 1
	return ready
}

// fresh tells whether a key is looked up for the first time and there is room for it.
func (c *Cache) fresh(key uint32) bool { return !c.seen[key] && len(c.list) < c.cfg.Entries }

// From is from when on a lookup of a key would not have to wait for the reads of others: now, unless
// it needs a read and none is free.
func (c *Cache) From(key uint32, now units.Time) units.Time {
	if c.cfg.Entries == 0 || int(key) < len(c.where) && (c.where[key] > 0 || c.fresh(key)) ||
		int(key) >= len(c.where) && len(c.list) < c.cfg.Entries {
		return now
	}
	return max(now, c.reads[c.next])
}

// read is when a read that is asked for now is done.
func (c *Cache) read(now units.Time) units.Time {
	slot := &c.reads[c.next]
	if c.next++; c.next == len(c.reads) {
		c.next = 0
	}
	*slot = max(now, *slot) + c.cfg.Miss
	return *slot
}

// Postpone has what the last lookup had to read be there at a time at the earliest, as where the bus is busy.
func (c *Cache) Postpone(at units.Time) {
	slot := &c.reads[(c.next+len(c.reads)-1)%len(c.reads)]
	*slot = max(*slot, at)
	e := &c.list[c.head]
	e.ready = max(e.ready, at)
}

// room gives a place that is free, that of the least recently used if there is no other.
func (c *Cache) room() int32 {
	if len(c.list) < c.cfg.Entries {
		c.list = append(c.list, entry{})
		return int32(len(c.list) - 1)
	}
	at := c.tail
	c.where[c.list[at].key] = 0
	c.unlink(at)
	return at
}

// use makes an entry the most recently used.
func (c *Cache) use(at int32) {
	if at == c.head {
		return
	}
	c.unlink(at)
	e := &c.list[at]
	e.newer, e.older = none, c.head
	c.list[c.head].newer = at
	c.head = at
}

// unlink takes an entry out of the order.
func (c *Cache) unlink(at int32) {
	e := c.list[at]
	if e.newer != none {
		c.list[e.newer].older = e.older
	} else {
		c.head = e.older
	}
	if e.older != none {
		c.list[e.older].newer = e.newer
	} else {
		c.tail = e.newer
	}
}

package pcie

import "github.com/rdmasim/rdmasim/sim/units"

// Memory is how far from the slot a memory is.
type Memory struct {
	// Read is from a request on the bus to the first completion, Write from the last bit
	// of a posted write on the bus until who reads that memory sees it.
	Read, Write units.Time
}

// Host is host memory.
func (c *Config) Host() Memory { return Memory{Read: c.ReadLatency, Write: c.WriteLatency} }

// Link is the slot of an adapter. Up is from the adapter to the root, down towards it.
type Link struct {
	cfg     *Config
	rate    units.Rate
	up      units.Time   // when all that has been put on the bus towards the root is through
	down    units.Time   // when the last completion asked for so far is in
	fetched units.Time   // likewise of what is fetched in small
	pushed  units.Time   // likewise of what the processor has written to the adapter
	seen    units.Time   // when all posted writes so far are seen
	tags    []units.Time // when each is free, in the order in which they come up
	next    int          // tag
}

// New makes the slot of an adapter, idle.
func New(cfg *Config) *Link {
	return &Link{cfg: cfg, rate: cfg.rate(), tags: make([]units.Time, cfg.Tags)}
}

// serialise is the time of so many bytes on the bus, one way.
func (l *Link) serialise(size units.Bytes) units.Time { return l.rate.Serialise(int(size)) }

// Read reads from a memory, from an address on of which only the place within a page
// matters, and returns when the last byte is in. Requests wait for tags and completions for
// each other. It takes what the adapter asks for at the same time in the order of the calls.
func (l *Link) Read(now units.Time, from Memory, address uint64, size units.Bytes) (done units.Time) {
	if l.rate == 0 || size <= 0 {
		return now + from.Read
	}
	header := l.serialise(l.cfg.Header)
	for size > 0 {
		part := min(size, l.cfg.MRRS-units.Bytes(address%uint64(l.cfg.MRRS)))
		tag := &l.tags[l.next]
		l.up = max(l.up, now) + header
		sent := max(l.up, *tag+header) // a request that waits for its tag holds up no write
		l.down = max(sent+from.Read, l.down) + l.serialise(l.cfg.completionBytes(address, part))
		*tag = l.down
		if l.next++; l.next == len(l.tags) {
			l.next = 0
		}
		address, size = address+uint64(part), size-part
	}
	return l.down
}

// Fetch reads a few bytes of what the adapter needs to go on, such as a work request, from host memory. It
// has a tag of its own and goes past what is read in bulk, from which it takes the time on the bus.
func (l *Link) Fetch(now units.Time, size units.Bytes) (done units.Time) {
	from := l.cfg.Host()
	if l.rate == 0 || size <= 0 {
		return now + from.Read
	}
	l.up = max(l.up, now) + l.serialise(l.cfg.Header)
	took := l.serialise(l.cfg.completionBytes(0, size))
	l.fetched = max(l.up+from.Read, l.fetched) + took
	l.delay(now, took)
	return l.fetched
}

// delay takes time from the completions under way for something that goes between them.
func (l *Link) delay(now, took units.Time) {
	if l.down > now {
		l.down += took
	}
}

// Write is a posted write of so many bytes into a memory: when its last bit is on the
// bus, so that the adapter may forget it, and when it is seen there. Writes are seen in order.
func (l *Link) Write(now units.Time, to Memory, size units.Bytes) (onBus, visible units.Time) {
	onBus = now
	if l.rate != 0 && size > 0 {
		l.up = max(l.up, now) + l.serialise(l.cfg.writeBytes(size))
		onBus = l.up
	}
	l.seen = max(l.seen, onBus+to.Write)
	return onBus, l.seen
}

// Push is a write of the processor to the adapter, such as a doorbell: when its last bit is in, to which the caller adds
// how long a posted write takes from the core to the slot.
func (l *Link) Push(now units.Time, size units.Bytes) (done units.Time) {
	if l.rate == 0 {
		return now
	}
	took := l.serialise(l.cfg.writeBytes(size))
	l.pushed = max(l.pushed, now) + took
	l.delay(now, took)
	return l.pushed
}

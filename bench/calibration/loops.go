package calibration

// random is xorshift64 (Marsaglia, 2003): fixed here, since a library may change its own.
type random uint64

func (r *random) next() uint64 {
	x := *r
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = x
	return uint64(x)
}

// agenda is the state of the loop "events".
type agenda struct {
	heap  [256]uint64 // the earliest first; children of i are 2i+1 and 2i+2
	nodes [64]uint64
	rand  random
}

func newAgenda() *agenda {
	a := &agenda{rand: 0x9E3779B97F4A7C15}
	for i := range a.heap {
		a.heap[i] = uint64(i)
	}
	return a
}

// run handles so many events and returns a checksum of what has come of all so far.
//
//go:noinline
func (a *agenda) run(events int) uint64 {
	for range events {
		x := a.rand.next()
		at := a.heap[0] + x>>54 + 1
		a.replaceFirst(at)
		node := &a.nodes[x>>8&63]
		switch x & 3 {
		case 0:
			*node = at
		case 1:
			*node ^= x
		case 2:
			*node = *node*31 + at
		case 3:
			a.nodes[x>>16&63] += *node
		}
	}
	sum := a.heap[0]
	for _, n := range a.nodes {
		sum = sum*31 + n
	}
	return sum
}

// replaceFirst takes the earliest event and puts in one at a later time.
func (a *agenda) replaceFirst(at uint64) {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(a.heap) {
			break
		}
		if child+1 < len(a.heap) && a.heap[child+1] < a.heap[child] {
			child++
		}
		if at <= a.heap[child] {
			break
		}
		a.heap[i] = a.heap[child]
		i = child
	}
	a.heap[i] = at
}

// line is a cache line that names the next one.
type line struct {
	next uint32
	_    [60]byte
}

// circle is the state of a walk: lines that form one circle in a random order.
type circle struct {
	lines []line
	at    uint32
	sum   uint64
}

func newCircle(bytes int) *circle {
	c := &circle{lines: make([]line, bytes/64)}
	for i := range c.lines {
		c.lines[i].next = uint32(i)
	}
	// Sattolo's algorithm: a random permutation with a single cycle.
	r := random(0xD1B54A32D192ED03)
	for i := len(c.lines) - 1; i > 0; i-- {
		j := r.next() % uint64(i)
		c.lines[i].next, c.lines[j].next = c.lines[j].next, c.lines[i].next
	}
	return c
}

// run goes so many steps and returns a checksum of all so far.
//
//go:noinline
func (c *circle) run(steps int) uint64 {
	at, sum := c.at, c.sum
	for range steps {
		at = c.lines[at].next
		sum += uint64(at)
	}
	c.at, c.sum = at, sum
	return sum
}

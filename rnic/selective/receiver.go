package selective

// Arrival is what a packet is to the receiver it comes to.
type Arrival uint8

// What a packet can be.
const (
	Next      Arrival = iota // the one that was expected
	Ahead                    // new, and behind a gap: kept
	Duplicate                // received before
	Beyond                   // new, and further ahead than there is room for: not kept
)

// Passed is what is complete in order, all packets before it included.
type Passed struct {
	Packets  int64
	Messages int64
	Bytes    uint64
}

// Receiver keeps what has come of a sequence of packets. Its memory is made when a
// packet first comes out of order.
type Receiver struct {
	expected int64
	window   int
	held     int
	slots    []uint16 // ring, by packet: what came ahead of a gap
}

// A slot holds the size of a packet and two flags.
const (
	there    = 1 << 15
	ends     = 1 << 14
	slotSize = ends - 1
)

// NewReceiver expects a packet first, and keeps packets that come less than a window, 1 to
// [MaxWindow] packets, after the one expected.
func NewReceiver(first int64, window int) Receiver {
	return Receiver{expected: first, window: window}
}

// Expected is the first packet that has not come.
func (r *Receiver) Expected() int64 { return r.expected }

// Held is how many packets are kept that came ahead of a gap.
func (r *Receiver) Held() int { return r.held }

// Take takes in a packet with a payload of so many bytes (0 to 16383), and whether it is the last of
// a message. Messages count as passed in order, and each once, however their packets come.
func (r *Receiver) Take(packet int64, bytes int, endsMessage bool) (Arrival, Passed) {
	switch ahead := packet - r.expected; {
	case ahead < 0:
		return Duplicate, Passed{}
	case ahead == 0:
		return Next, r.pass(slot(bytes, endsMessage))
	case ahead >= int64(r.window):
		return Beyond, Passed{}
	}
	if r.slots == nil {
		r.slots = make([]uint16, ring(r.window))
	}
	at := &r.slots[int(packet)&(len(r.slots)-1)]
	if *at != 0 {
		return Duplicate, Passed{}
	}
	*at = slot(bytes, endsMessage)
	r.held++
	return Ahead, Passed{}
}

func slot(bytes int, endsMessage bool) uint16 {
	s := uint16(there | bytes)
	if endsMessage {
		s |= ends
	}
	return s
}

// pass counts the packet that was expected, and those kept that follow it without a gap.
func (r *Receiver) pass(s uint16) (p Passed) {
	for {
		p.Packets++
		p.Bytes += uint64(s & slotSize)
		if s&ends != 0 {
			p.Messages++
		}
		r.expected++
		if r.held == 0 {
			return p
		}
		at := &r.slots[int(r.expected)&(len(r.slots)-1)]
		if *at == 0 {
			return p
		}
		s, *at = *at, 0
		r.held--
	}
}

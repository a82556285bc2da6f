package selective

// Sender is the scoreboard of a sequence of packets that are sent. Its memory is made at
// the first report.
type Sender struct {
	una        int64 // first packet that is not acknowledged
	window     int
	lostBelow  int64 // packets before it that were not reported count as lost
	cursor     int64 // no packet before it has yet to be sent again
	until      int64 // the first packet sent after the recovery began
	recovering bool
	reported   []uint64 // ring of bits, by packet
}

// NewSender begins with a packet, and never has more than a window of packets, 1 to
// [MaxWindow], in flight.
func NewSender(first int64, window int) Sender {
	return Sender{una: first, window: window, cursor: first}
}

// Recovering tells whether a recovery is under way: it lasts until all packets are
// acknowledged that had been sent when it began.
func (s *Sender) Recovering() bool { return s.recovering }

// Acknowledge takes all packets before one as received.
func (s *Sender) Acknowledge(una int64) {
	if una <= s.una {
		return
	}
	if s.reported != nil {
		for packet := s.una; packet < min(una, s.una+int64(s.window)); packet++ {
			s.word(packet, func(w *uint64, bit uint64) { *w &^= bit })
		}
	}
	s.una, s.cursor = una, max(s.cursor, una)
	if s.recovering && una >= s.until {
		s.recovering = false
	}
}

// Report takes a packet as received, and those before it that were not reported as lost.
func (s *Sender) Report(packet int64) {
	if packet <= s.una || packet >= s.una+int64(s.window) {
		return
	}
	if s.reported == nil {
		s.reported = make([]uint64, ring(s.window)/64)
	}
	s.word(packet, func(w *uint64, bit uint64) { *w |= bit })
	s.lostBelow = max(s.lostBelow, packet)
}

// Forget has a packet that was reported count as not received: it was, but what it asked for
// has not come.
func (s *Sender) Forget(packet int64) {
	if s.reported != nil && packet >= s.una && packet < s.una+int64(s.window) {
		s.word(packet, func(w *uint64, bit uint64) { *w &^= bit })
	}
}

// Recover begins a recovery, unless one is under way or nothing is lost, and tells whether
// it does: each lost packet may then be sent again once. Packets before next have been sent.
func (s *Sender) Recover(next int64) bool {
	if s.recovering || s.lostBelow <= s.una {
		return false
	}
	s.begin(next)
	return true
}

// Expire takes all packets before next as lost that were not reported, and begins a
// recovery, in place of the one under way if there is one. The oldest is sent again even if
// it was reported: then it is its acknowledgement that was lost.
func (s *Sender) Expire(next int64) {
	s.Forget(s.una)
	s.lostBelow = next
	s.begin(next)
}

func (s *Sender) begin(next int64) {
	s.recovering, s.until, s.cursor = next > s.una, next, s.una
}

// Lost is the first lost packet that has yet to be sent again in this recovery.
func (s *Sender) Lost() (packet int64, found bool) {
	for s.cursor < s.lostBelow && s.isReported(s.cursor) {
		s.cursor++
	}
	return s.cursor, s.cursor < s.lostBelow
}

// Resent notes that the packet that [Sender.Lost] named is being sent again.
func (s *Sender) Resent() { s.cursor++ }

func (s *Sender) isReported(packet int64) (is bool) {
	if s.reported == nil || packet >= s.una+int64(s.window) {
		return false
	}
	s.word(packet, func(w *uint64, bit uint64) { is = *w&bit != 0 })
	return is
}

// word hands a packet's bit to f.
func (s *Sender) word(packet int64, f func(w *uint64, bit uint64)) {
	at := int(packet) & (64*len(s.reported) - 1)
	f(&s.reported[at/64], 1<<(at%64))
}

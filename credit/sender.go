package credit

// Sender is the sending side of a lane. The zero value has been granted nothing.
type Sender struct {
	sent  Count // FCTBS
	limit Count // FCCL of the flow-control packet that came last
}

// Sent is the count of blocks sent, FCTBS.
func (s *Sender) Sent() Count { return s.sent }

// Limit is the count up to which blocks may be sent, FCCL.
func (s *Sender) Limit() Count { return s.limit }

// Left is how many blocks may still be sent.
func (s *Sender) Left() int {
	if left := s.limit.Minus(s.sent); left <= MostFree {
		return left
	}
	return 0 // granted less than has been sent: the receiver has not heard of all of it
}

// May tells whether a packet of so many blocks may be sent: if (FCCL - (FCTBS + blocks))
// mod 4096 is at most 2048.
func (s *Sender) May(blocks int) bool { return s.limit.Minus(s.sent.Plus(blocks)) <= MostFree }

// Send counts a packet of so many blocks, which [Sender.May] has allowed.
func (s *Sender) Send(blocks int) {
	if !s.May(blocks) {
		panic("credit: a packet was sent without credits for it")
	}
	s.sent = s.sent.Plus(blocks)
}

// Grant takes over the limit that a flow-control packet brings.
func (s *Sender) Grant(limit Count) { s.limit = limit }

package pcie

import "github.com/rdmasim/rdmasim/sim/units"

// Bounce is memory that the adapter cannot reach, so that what it sends has first to be
// copied to host memory by somebody else, piece by piece, into one of two buffers: while
// the adapter reads one piece the next is being copied.
type Bounce struct {
	Rate   units.Rate  `key:"rate" default:"200Gbps" min:"1Mbps" doc:"rate at which a piece is copied" source:"assumed: the useful rate of a PCIe 4.0 x16 slot"`
	Launch units.Time  `key:"launch" default:"5us" max:"1s" doc:"time to start the copy of a piece and to learn that it is done" source:"assumed"`
	Piece  units.Bytes `key:"piece" default:"512KiB" min:"4KiB" doc:"bytes copied at a time" source:"assumed: as communication libraries cut messages"`
}

// Copier is a Bounce at work, in one direction.
type Copier struct {
	cfg     *Bounce
	free    units.Time // when the copies asked for are done
	current piece
	next    piece
}

// piece is a buffer with what is left of a piece, and when that was copied.
type piece struct {
	left units.Bytes
	at   units.Time
}

// NewCopier makes one that is idle.
func NewCopier(cfg *Bounce) *Copier { return &Copier{cfg: cfg} }

// Ready is when the next so many bytes have been copied. Behind them there is a number of
// bytes that are to be sent too, and that are worth copying already.
func (c *Copier) Ready(now units.Time, size, behind units.Bytes) (at units.Time) {
	at = now
	for size > 0 {
		if c.current.left == 0 {
			if c.current, c.next = c.next, (piece{}); c.current.left == 0 {
				c.current = c.copy(now, size+behind)
			}
			if more := size + behind - c.current.left; more > 0 {
				c.next = c.copy(max(now, c.current.at), more)
			}
		}
		part := min(size, c.current.left)
		c.current.left -= part
		size -= part
		at = max(at, c.current.at)
	}
	return at
}

// copy begins the copy of a piece.
func (c *Copier) copy(now units.Time, size units.Bytes) piece {
	size = min(size, c.cfg.Piece)
	c.free = max(c.free, now) + c.cfg.Launch + c.cfg.Rate.Serialise(int(size))
	return piece{left: size, at: c.free}
}

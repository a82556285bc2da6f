package fabric

import (
	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// cable is what is wrong with a cable in one direction, kept at the end that
// sends. Whether a frame arrives is decided when its transmission starts: outages
// are known in advance, so nothing has to be taken back from the other end.
type cable struct {
	fault    Fault // from outside; nil for none
	losses   []loss
	outages  []Span // apart from each other, in order; those that are over are cut off
	pipeline units.Time
	changes  []change
	lost     [Reasons][FrameKinds]ClassCount
}

// passing is a frame that is about to be sent.
type passing struct {
	kind Frame
	wire int
	to   Address
	id   uint16
}

// losesPacket decides about a packet whose transmission starts now, and books it
// if it is lost.
func (c *cable) losesPacket(p *wire.Packet, now units.Time, out *link) bool {
	f := passing{
		kind: frameOf(p), wire: out.wireBytes(p), id: p.ID,
		to: Address{topology.Dest{Edge: int32(p.Edge), Port: p.EdgePort}, p.QPN},
	}
	arrives := now + out.serialise(f.wire) + out.delay - c.pipeline
	why, lost := c.judge(&f, now, arrives)
	if c.fault != nil && c.asks(p, now) && !lost {
		why, lost = Random, true
	}
	if lost {
		c.book(why, f.kind, int(p.Frame))
	}
	return lost
}

// losesPFC decides about a PFC frame. One that has arrived before an outage, and
// would be obeyed in it, is forgotten.
func (c *cable) losesPFC(f *wire.PFC, now units.Time, out *link) bool {
	about := passing{kind: pfcFrameOf(f), wire: int(out.pfcWire)}
	obeyed := now + out.serialise(int(out.pfcWire)) + out.pfcDelay
	why, lost := c.judge(&about, now, obeyed)
	if c.fault != nil && c.asksPFC(*f, now) && !lost {
		why, lost = Random, true
	}
	if lost {
		c.book(why, about.kind, wire.MinFrame)
	}
	return lost
}

// asks asks the fault from outside about a copy, since what is passed to an
// interface has to live on the heap.
func (c *cable) asks(p *wire.Packet, now units.Time) bool {
	about := *p
	return c.fault.Loses(&about, now)
}

func (c *cable) asksPFC(f wire.PFC, now units.Time) bool { return c.fault.LosesPFC(&f, now) }

// judge tells whether a frame is lost that is sent from now on and takes effect at
// arrives. Every fault sees every frame it is about, whatever the others make of it.
func (c *cable) judge(f *passing, now, arrives units.Time) (why Reason, lost bool) {
	for i := range c.losses {
		if l := &c.losses[i]; l.takes(f, now) && !lost {
			why, lost = l.reason, true
		}
	}
	for len(c.outages) > 0 && c.outages[0].To <= now {
		c.outages = c.outages[1:]
	}
	if len(c.outages) > 0 && c.outages[0].From < arrives {
		return LinkDown, true
	}
	return why, lost
}

func (c *cable) book(why Reason, kind Frame, bytes int) {
	count := &c.lost[why][kind]
	count.Packets++
	count.Bytes += uint64(bytes)
}

// loss is a [Loss] at work.
type loss struct {
	Loss
	reason Reason
	chance float64
	coins  sim.Stream
	seen   int64 // frames it is about
	taken  int64
}

func newLoss(l Loss, seed uint64, port string) loss {
	made := loss{Loss: l, reason: Random, chance: l.Chance.Float(), coins: sim.NewStream(seed, port, "fault/"+l.Name)}
	switch {
	case l.Corrupts:
		made.reason = Corrupted
	case l.Pick != nil:
		made.reason = Picked
	}
	return made
}

// takes tells whether the fault takes a frame.
func (l *loss) takes(f *passing, now units.Time) bool {
	if !l.Frames.Holds(f.kind) || !l.holds(now) || len(l.To) > 0 && !l.isFor(f) {
		return false
	}
	switch {
	case l.Pick != nil:
		return l.picks(f)
	case l.BitErrors > 0:
		return l.coins.Float64() < frameErrors(l.BitErrors, 8*f.wire)
	}
	return l.coins.Float64() < l.chance
}

func (l *loss) isFor(f *passing) bool {
	if f.kind >= PauseFrame {
		return false
	}
	for _, to := range l.To {
		if to == f.to {
			return true
		}
	}
	return false
}

func (l *loss) picks(f *passing) bool {
	p := l.Pick
	if p.ID != nil && (f.kind >= PauseFrame || uint8(f.id) != *p.ID) {
		return false
	}
	l.seen++
	if l.seen < p.First || (l.seen-p.First)%p.Every != 0 || p.Count > 0 && l.taken == p.Count {
		return false
	}
	l.taken++
	return true
}

// frameErrors is the probability 1-(1-e)^n that one of n bits is wrong, of which
// each is so with probability e. It builds the answer up from the bits of n, by
// q(2n) = q(n)(2-q(n)) and q(n+1) = q(n)+e(1-q(n)), which stays exact for the
// smallest e.
func frameErrors(e float64, n int) float64 {
	q := 0.0
	for bit := 1 << 20; bit > 0; bit >>= 1 {
		q = float64(q * (2 - q))
		if n&bit != 0 {
			q += float64(e * (1 - q))
		}
	}
	return q
}

// Lost is how many frames of a kind that the port sent were lost for a reason, and
// their L2 bytes.
func (p *Port) Lost(why Reason, kind Frame) ClassCount {
	if p.cable == nil {
		return ClassCount{}
	}
	return p.cable.lost[why][kind]
}

// faulty is what is wrong with the cable away from the port, to be added to.
func (p *Port) faulty() *cable {
	if p.cable == nil {
		p.cable, p.watched = new(cable), true
	}
	return p.cable
}

// change is what becomes of a cable at an instant.
type change struct {
	at    units.Time
	rate  units.Rate
	delay units.Time // added to that of the cable
	reset bool       // the link goes down or comes up
}

// ChangeLink makes the k-th change of the port's cable, which is due now. Where
// that makes the cable shorter the transmitter stays silent (and counts as busy)
// for as long, so that no frame overtakes another.
func (p *Port) ChangeLink(k int, now units.Time) {
	c := &p.cable.changes[k]
	switch {
	case !c.reset:
	case p.in.credits != nil:
		p.in.credits.initialiseCredits()
	default:
		p.pauser.Clear(now)
		p.Requester.Forget()
	}
	var before change
	if k > 0 {
		before = p.cable.changes[k-1]
	}
	p.out.setRate(c.rate)
	p.out.delay += c.delay - before.delay
	p.out.pfcDelay += c.delay - before.delay
	if silent := before.delay - c.delay; silent > 0 {
		p.FreeAt = max(p.FreeAt, now) + silent
		p.Busy += silent
	}
}

// longestPause is how long a pause can hold a class at the slowest the cable gets.
func (c *cable) longestPause(quanta int) (longest units.Time) {
	for i := range c.changes {
		longest = max(longest, pfc.QuantaTime(quanta, c.changes[i].rate))
	}
	return longest
}

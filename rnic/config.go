package rnic

import (
	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/rdmacm"
	"github.com/rdmasim/rdmasim/rnic/hardware"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// CongestionControls are the kinds a scenario may name; the first is the default.
var CongestionControls = []cc.Kind{dcqcn.Kind, cc.None, cc.Fixed}

// MaxMessage is the longest message posted as one work request. The standard
// allows 2 GiB; longer transfers are cut into several messages.
const MaxMessage = units.GiB

// Config is how the NICs of a run behave.
type Config struct {
	// Framing is what frames look like on the wire; nil for the true ones.
	Framing *wire.Framing
	// MTU is the payload of a full packet, in bytes.
	MTU int
	// AckEvery asks for an acknowledgement every so many packets, beside the one
	// at the end of each message; 0 asks for none besides.
	AckEvery int
	// Window bounds the unacknowledged payload of a queue pair, below what its
	// congestion control allows; 0 sets no bound.
	Window units.Bytes
	// WindowByRate reduces the window in proportion to the rate, as the variable window
	// of the simulator published with HPCC.
	WindowByRate bool
	// Serial has the NICs send by the rules of another simulator, in a serial run only;
	// see [sim.Serial]. SilentOnDuplicates has them not answer duplicates.
	Serial, SilentOnDuplicates bool
	// CutOnGaps has receivers send a report of a gap as if the packet behind it had been marked.
	CutOnGaps bool
	// Timeout is the exponent t of the retransmission timer 4.096 us * 2^t, 1 to
	// 31; 0 switches the timer off.
	Timeout int
	// TimerFactor is how many times that long the timer takes, 1 to 4, which the standard
	// leaves open; 0 is 1.
	TimerFactor int
	// Retries is how many rounds of retransmission without progress are allowed.
	Retries int
	// Recovery says what a requester does when a packet is missing, unless a queue pair
	// has a recovery of its own; see [NIC.Recover].
	Recovery Recovery
	// Selective and Adaptive are the parameters of two of them.
	Selective SelectiveRepeat
	Adaptive  AdaptiveTimer
	// NakRearm is the time after which a responder that still gets packets behind a
	// gap repeats its NAK; 0 for never.
	NakRearm units.Time
	// InitialPSN is the sequence number of the first packet of a queue pair.
	InitialPSN wire.PSN
	// NotECT sends data packets that switches must not mark (RFC 3168).
	NotECT bool
	// Tagged sends all packets with an 802.1Q tag, whose PCP is the priority.
	Tagged bool
	// Priorities and DSCPs of the three kinds of packet.
	Data, Ack, CNP Class
	// Management is that of the packets by which connections are made during a run.
	Management Class
	// Connections is what it takes to make them; nil for hosts that cost nothing
	// ([rdmacm.Costless]).
	Connections *rdmacm.Params
	// CNPsOff switches the notification point off: marks are not answered.
	CNPsOff bool
	// CNPInterval is the least time between two notifications of a queue pair, 0 to
	// answer each mark; nil leaves it to the congestion control.
	CNPInterval *units.Time
	// CNPLatency is the time from a marked packet to its notification's queueing.
	CNPLatency units.Time
	// Page is the size of the pages of registered memory; 0 for [memory.SmallPage].
	Page units.Bytes
	// IWARP is how queue pairs travel whose class asks for that; nil if none does.
	IWARP *IWARP
	// Hardware is what adapters and hosts cost; nil for nothing.
	Hardware *hardware.Config
	// Control makes the congestion control of each queue pair.
	Control cc.Params
	// RateSamples and AlphaSamples, if not zero, are the period at which the rates of
	// queue pairs and their estimates of congestion are sampled, or [fabric.OnChange].
	// They must not differ unless one is zero.
	RateSamples, AlphaSamples units.Time
	// Sampled picks the endpoints whose queue pairs are sampled; nil picks all.
	Sampled func(endpoint int32) bool
}

// Class is how a kind of packet is marked, and what that makes of it.
type Class struct {
	DSCP uint8
	// IWARP says, of the data of queue pairs, that they travel over TCP: see [IWARP].
	IWARP    bool
	Priority int
}

// FrameBytes is the L2 size of a packet with that opcode and payload.
func (c *Config) FrameBytes(op wire.Opcode, payload int) int {
	frame := c.Framing.FrameBytes(op, payload, c.MTU)
	if c.Tagged {
		frame += wire.VLANTag
	}
	return frame
}

// wireBytes is its size on the wire.
func (c *Config) wireBytes(op wire.Opcode, payload int) int {
	return c.FrameBytes(op, payload) + c.Framing.Interframe()
}

// Cut is how messages are cut into packets, and how large those are.
type Cut struct {
	cfg  *Config
	over *IWARP // nil but for iWARP
	// MTU is the payload of a full packet of a WRITE, in bytes, or of a SEND.
	MTU   int
	sends bool
}

// Cut is how messages of a class are cut.
func (c *Config) Cut(class Class) Cut {
	if class.IWARP {
		return Cut{cfg: c, over: c.IWARP, MTU: c.IWARP.Payload()}
	}
	return Cut{cfg: c, MTU: c.MTU}
}

// Sending is how SENDs are cut, whose first packet does not say where the data belongs; a WRITE is what a Cut is about else.
func (c Cut) Sending() Cut {
	c.sends = true
	if c.over != nil {
		c.MTU = c.over.full(wire.RDMAPSend)
	}
	return c
}

// Packets is how many packets a message of that size takes; an empty one takes one.
func (c Cut) Packets(size units.Bytes) int64 {
	mtu := units.Bytes(c.MTU)
	return int64(max(1, (size+mtu-1)/mtu))
}

// Full is the payload of a full packet in the middle of a message, and what it takes on the wire, gap and preamble included.
func (c Cut) Full() (payload, onWire units.Bytes) {
	return units.Bytes(c.MTU), units.Bytes(c.wireBytes(wire.WriteMiddle, c.MTU))
}

// wireBytes is the size on the wire of a packet with that opcode and payload, or of what is there in
// its place.
func (c Cut) wireBytes(op wire.Opcode, payload int) int {
	if c.over == nil {
		return c.cfg.wireBytes(op, payload)
	}
	frame := c.over.frameBytes(op, payload)
	if c.cfg.Tagged {
		frame += wire.VLANTag
	}
	return frame + c.cfg.Framing.Interframe()
}

// dataECN is the codepoint of data packets.
func (c *Config) dataECN() wire.ECN {
	if c.NotECT {
		return wire.NotECT
	}
	return wire.ECT0
}

// RetransmitAfter is the retransmission timer, or [units.Never] if it is off.
func (c *Config) RetransmitAfter() units.Time {
	return c.timerOf(c.Timeout)
}

// timerOf is the timer of an exponent.
func (c *Config) timerOf(timeout int) units.Time {
	if timeout == 0 {
		return units.Never
	}
	return timerUnit << timeout * units.Time(max(1, c.TimerFactor))
}

// GiveUpAfter is how long a queue pair with a recovery goes on without progress before it
// fails, at the most; [units.Never] if it never fails.
func (c *Config) GiveUpAfter(r Recovery) units.Time {
	if r == Adaptive {
		return c.Adaptive.lasts(c.Retries)
	}
	return times(c.RetransmitAfter(), c.Retries+1)
}

// times is so many times as long, or never if that is longer than any run.
func times(t units.Time, n int) units.Time {
	if t > units.Never/units.Time(n) {
		return units.Never
	}
	return t * units.Time(n)
}

// notifications tells whether marks are answered, and the least time between two answers.
func (c *Config) notifications() (interval units.Time, wanted bool) {
	interval, wanted = c.Control.CNPs()
	if c.CNPInterval != nil {
		interval = *c.CNPInterval
	}
	return interval, wanted && !c.CNPsOff
}

// timerUnit is the unit of the local ACK timeout (IBTA volume 1, 9.7.6.1.3).
const timerUnit = 4096 * units.Nanosecond

// Packets is how many packets a message of that size takes; an empty one takes one.
func (c *Config) Packets(size units.Bytes) int64 {
	mtu := units.Bytes(c.MTU)
	return int64(max(1, (size+mtu-1)/mtu))
}

package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/sim/variate"
	"github.com/rdmasim/rdmasim/wire"
)

// Config is everything about a fabric but its shape.
type Config struct {
	// Switches are the switches that differ from what is said here, by node; of
	// theirs count the settings of a switch, from Buffer to Forwarding.
	Switches map[int]*Config
	// Buffer is the packet memory of each switch.
	Buffer units.Bytes
	// Memory is how it is given out; the zero value is by the byte.
	Memory pfc.Memory
	// HoldToLastBit keeps a frame's memory until its last bit has left; otherwise it
	// is given back when the frame starts to leave.
	HoldToLastBit bool
	// Pipeline is the time from a frame's last bit at a switch (with cut-through,
	// the last of its header) to its admission.
	Pipeline units.Time
	// Header is how many bytes of a frame a switch has to have before it may pass the
	// frame on (cut-through); 0 stores every frame first.
	Header int
	// PriorityOf maps a DSCP to a priority, at switches and hosts alike.
	PriorityOf [64]uint8
	// Priorities are those in use: every priority that PriorityOf yields for a
	// packet of the run, and every lossless one.
	Priorities []int
	// Groups are the priority groups to which frames are charged, by priority; nil
	// gives every priority its own. A lossless priority shares its group with none.
	Groups *[pfc.Priorities]uint8
	// Framing is what frames look like on the wire; nil for the true ones. It is the
	// same everywhere, and counts only in the configuration that all nodes share.
	Framing *wire.Framing
	// MaxFrame is the largest L2 frame that any host sends.
	MaxFrame units.Bytes
	PFC      PFC
	// Credits, if not nil, has links flow-controlled by credits; then all priorities in use
	// are lossless and sticky in PFC, Framing is that of InfiniBand, and Memory has cells of
	// a block. HostCredits are those of the hosts' ports.
	Credits, HostCredits *Credits

	ECN      ECN
	Lossy    Lossy
	Egress   Egress
	Schedule Schedule
	// Seed and PathSeed seed the ECN coins and the ECMP salts; each entity draws
	// from streams of its own.
	Seed, PathSeed uint64
	// HashTuples has switches choose paths by [Tuple.Murmur], SplitAccounts has them
	// keep their buffers' accounts as another simulator does, and SharedCoins, if not
	// nil, has all switches of a serial run draw their ECN coins from one source.
	HashTuples, SplitAccounts bool
	SharedCoins               *variate.MRG32k3a
	// Chained has a serial run schedule each step of a frame with the one before; see
	// fabric/chained.go.
	Chained bool
	// SharedSalt gives this switch the same ECMP salt as every other that has it set and
	// the same PathSeed, so that they hash alike.
	SharedSalt bool
	// RecordPauses keeps every pause of every port, for timelines.
	RecordPauses bool
	Watchdog     Watchdog
	// QueueSamples and GroupSamples, if not zero, are the period at which the lengths of
	// queues and the levels of priority groups are sampled, or [OnChange]. They must not
	// differ unless one is zero.
	QueueSamples, GroupSamples units.Time
	// UsageSamples, if positive, is the length of the buckets of time for which it is
	// recorded how long transmitters were busy.
	UsageSamples units.Time
	// Sampled picks the ports for which all these are recorded; nil picks all.
	Sampled func(node, port int) bool
}

// PFC says which priorities are lossless and how that is kept.
type PFC struct {
	// Lossless is the set of priorities (bit = priority); empty switches PFC off.
	Lossless uint8
	// XOFF is a static threshold of each priority group; 0 means dynamic.
	XOFF units.Bytes
	// Alpha is the dynamic threshold's share of the free pool.
	Alpha units.Ratio
	// XONOffset is how far below its threshold a group must fall to let go.
	XONOffset units.Bytes
	// Headroom of each lossless group; negative means by Provision, and where that
	// is nil or has no figure, by the rule of [pfc.Reaction] for each link.
	Headroom  units.Bytes
	Provision pfc.Provision
	// HeadroomPool is the memory from which the groups of a switch draw their
	// headroom; 0 means the sum of it all, divided by Oversubscription (the
	// zero value: by 1).
	HeadroomPool     units.Bytes
	Oversubscription units.Ratio
	// Minimum is guaranteed to each lossless group.
	Minimum units.Bytes
	// Quanta of each pause asked for, 1 to 65535.
	Quanta uint16
	// Refresh is the share of the quanta's time after which a pause is repeated.
	Refresh units.Ratio
	// Response is how long a port takes to obey; negative means as long as the
	// standard allows a port of its rate.
	Response units.Time
	// ResponseAt, if not nil, gives Response for the ports that differ from what their
	// node says; it is asked of the configuration that all nodes share.
	ResponseAt func(node, port int) (response units.Time, differs bool)
	// Sticky pauses never expire.
	Sticky bool
	// Off has the ports towards these nodes neither ask for pauses nor obey them.
	Off map[int]bool
}

// ECN says when packets are marked; with Pmax zero they are not.
type ECN struct {
	// Kmin and Kmax of a port of 1 Gb/s are scaled by its rate if PerGbps is set.
	Kmin, Kmax units.Bytes
	PerGbps    bool
	Pmax       units.Ratio
	// Classes are the thresholds of priorities that differ; nil where they do not.
	Classes [pfc.Priorities]*ECN
	// AtEnqueue decides when a packet joins the queue, by the length with it;
	// otherwise when it leaves, by what it leaves behind.
	AtEnqueue bool
	// Averaging is the exponent n of an average of the length with weight 2^-n; 0
	// takes the length as it is.
	Averaging int
	// DropNotECT drops the packets that RED picks and that cannot be marked, when
	// they would join the queue; otherwise they are spared.
	DropNotECT bool
}

// Of are the settings of a priority.
func (e *ECN) Of(priority int) *ECN {
	if own := e.Classes[priority]; own != nil {
		return own
	}
	return e
}

// Marks tells whether any priority may be marked.
func (e *ECN) Marks() bool {
	for p := range e.Classes {
		if e.Of(p).Pmax.Num != 0 {
			return true
		}
	}
	return false
}

// Thresholds are Kmin and Kmax at a port of that rate, rounded down.
func (e *ECN) Thresholds(rate units.Rate) (kmin, kmax units.Bytes) {
	if !e.PerGbps {
		return e.Kmin, e.Kmax
	}
	share := units.Ratio{Num: int64(rate), Den: int64(units.Gbps)}
	return share.Of(e.Kmin), share.Of(e.Kmax)
}

// Lossy says how much buffer the groups of priorities without PFC may take.
type Lossy struct {
	// Limit is a static threshold; 0 means dynamic, by Alpha.
	Limit   units.Bytes
	Alpha   units.Ratio
	Minimum units.Bytes
}

// Egress says how long the queues of priorities without PFC may become. The zero
// value sets no bound: they are bounded at their ingress alone.
type Egress struct {
	// Pool is what all such queues of a switch may take together beside their
	// minima; 0 is the whole buffer.
	Pool units.Bytes
	// Limit is a static bound of a queue, beside its minimum; 0 means dynamic, the
	// share Alpha of what is free of the pool.
	Limit   units.Bytes
	Alpha   units.Ratio
	Minimum units.Bytes
}

// limits tells whether it sets any bound.
func (e *Egress) limits() bool { return e.Limit > 0 || e.Alpha.Num > 0 }

// IsLossless tells whether a priority is under PFC.
func (p PFC) IsLossless(priority int) bool { return p.Lossless&(1<<priority) != 0 }

// response is how long a port of that rate takes to obey a pause.
func (p PFC) response(rate units.Rate) units.Time {
	if p.Response < 0 {
		return pfc.StandardResponse(rate)
	}
	return p.Response
}

// headroomPool is the memory set aside for all headroom of a switch.
func (c *Config) headroomPool(sum units.Bytes) units.Bytes {
	switch r := c.PFC.Oversubscription; {
	case c.PFC.HeadroomPool > 0:
		return c.PFC.HeadroomPool
	case r.Num > 0:
		return units.Ratio{Num: r.Den, Den: r.Num}.Of(sum)
	}
	return sum
}

// GroupOf is the priority group of a priority.
func (c *Config) GroupOf(priority int) int {
	if c.Groups == nil {
		return priority
	}
	return int(c.Groups[priority])
}

func (c *Config) reaction(rate units.Rate, delay units.Time) pfc.Reaction {
	return pfc.Reaction{
		Rate:       rate,
		Delay:      delay,
		Response:   c.PFC.response(rate),
		Pipeline:   c.Pipeline,
		Forward:    c.MaxFrame,
		Reverse:    c.MaxFrame,
		PFCWire:    units.Bytes(c.Framing.PauseFrame()),
		Interframe: units.Bytes(c.Framing.Interframe()),
		Memory:     c.Memory,
	}
}

func (c *Config) threshold(priority int) pfc.Threshold {
	if !c.PFC.IsLossless(priority) {
		return threshold(c.Lossy.Limit, c.Lossy.Alpha)
	}
	return threshold(c.PFC.XOFF, c.PFC.Alpha)
}

// threshold is static if a limit is given, else dynamic.
func threshold(limit units.Bytes, alpha units.Ratio) pfc.Threshold {
	if limit > 0 {
		return pfc.StaticThreshold(limit)
	}
	return pfc.DynamicThreshold(alpha)
}

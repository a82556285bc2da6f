package fabric

import (
	"github.com/rdmasim/rdmasim/pfc"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// Config is everything about a fabric but its shape.
type Config struct {
	// Buffer is the packet memory of each switch.
	Buffer units.Bytes
	// Pipeline is the time from a frame's last bit at a switch to its admission.
	Pipeline units.Time
	// PriorityOf maps a DSCP to a priority, at switches and hosts alike.
	PriorityOf [64]uint8
	// Priorities are those in use: every priority that PriorityOf yields for a
	// packet of the run, and every lossless one.
	Priorities []int
	// MaxFrame is the largest L2 frame that any host sends.
	MaxFrame units.Bytes
	PFC      PFC
	ECN      ECN
	Lossy    Lossy
	// Seed and PathSeed seed the ECN coins and the ECMP salts; each entity draws
	// from streams of its own.
	Seed, PathSeed uint64
	// RecordPauses keeps every pause of every port, for timelines.
	RecordPauses bool
	// QueueSamples, if positive, is the period at which queue lengths are sampled.
	QueueSamples units.Time
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
	// Headroom of each lossless group; negative means by the rule of
	// [pfc.Reaction] for each link.
	Headroom units.Bytes
	// Minimum is guaranteed to each lossless group.
	Minimum units.Bytes
	// Quanta of each pause asked for, 1 to 65535.
	Quanta uint16
	// Refresh is the share of the quanta's time after which a pause is repeated.
	Refresh units.Ratio
	// Response is how long a port takes to obey; negative means as long as the
	// standard allows a port of its rate.
	Response units.Time
	// Sticky pauses never expire.
	Sticky bool
}

// ECN says when packets are marked; with Pmax zero they are not.
type ECN struct {
	// Kmin and Kmax of a port of 1 Gb/s are scaled by its rate if PerGbps is set.
	Kmin, Kmax units.Bytes
	PerGbps    bool
	Pmax       units.Ratio
}

// Thresholds are Kmin and Kmax at a port of that rate, rounded down.
func (e ECN) Thresholds(rate units.Rate) (kmin, kmax units.Bytes) {
	if !e.PerGbps {
		return e.Kmin, e.Kmax
	}
	share := units.Ratio{Num: int64(rate), Den: int64(units.Gbps)}
	return share.Of(e.Kmin), share.Of(e.Kmax)
}

// Lossy says how much buffer the groups of priorities without PFC may take.
type Lossy struct {
	Alpha   units.Ratio
	Minimum units.Bytes
}

// IsLossless tells whether a priority is under PFC.
func (p PFC) IsLossless(priority int) bool { return p.Lossless&(1<<priority) != 0 }

// response is how long a port of that rate takes to obey a pause.
func (p PFC) response(rate units.Rate) units.Time {
	if p.Response < 0 {
		return pfc.StandardResponse(rate)
	}
	return p.Response
}

// HeadroomOf is the headroom of a lossless group at a switch port with that
// cable.
func (c *Config) HeadroomOf(rate units.Rate, delay units.Time) units.Bytes {
	if c.PFC.Headroom >= 0 {
		return c.PFC.Headroom
	}
	return c.NeededHeadroom(rate, delay)
}

// NeededHeadroom is the headroom that holds in the worst case of a link.
func (c *Config) NeededHeadroom(rate units.Rate, delay units.Time) units.Bytes {
	return c.reaction(rate, delay).Headroom()
}

func (c *Config) reaction(rate units.Rate, delay units.Time) pfc.Reaction {
	return pfc.Reaction{
		Rate:       rate,
		Delay:      delay,
		Response:   c.PFC.response(rate),
		Pipeline:   c.Pipeline,
		Forward:    c.MaxFrame,
		Reverse:    c.MaxFrame,
		PFCWire:    wire.PFCWire,
		Interframe: wire.Interframe,
	}
}

func (c *Config) threshold(priority int) pfc.Threshold {
	switch {
	case !c.PFC.IsLossless(priority):
		return pfc.DynamicThreshold(c.Lossy.Alpha)
	case c.PFC.XOFF > 0:
		return pfc.StaticThreshold(c.PFC.XOFF)
	}
	return pfc.DynamicThreshold(c.PFC.Alpha)
}

package congestion

import "github.com/rdmasim/rdmasim/sim/units"

// HyStart are the parameters of HyStart++ (RFC 9406).
type HyStart struct {
	Enabled      bool       `key:"hystart" default:"true" doc:"the first slow start slows down when round trips grow (HyStart++), before packets are lost" source:"RFC 9438, section 4.10; RFC 9406"`
	MinThreshold units.Time `key:"hystart_min_rtt_thresh" default:"4ms" doc:"growth of the round trip that is none; at 4 ms nothing happens in a data centre" source:"RFC 9406, section 4.3"`
	MaxThreshold units.Time `key:"hystart_max_rtt_thresh" default:"16ms" doc:"growth of the round trip that always is one; between the two, an eighth of the round trip" source:"RFC 9406, section 4.3"`
}

// The constants of RFC 9406, section 4.3.
const (
	hystartDivisor = 8 // of the round trip, for the growth that counts
	hystartSamples = 8 // in a round, before it is judged
	hystartGrowth  = 4 // divisor of growth in conservative slow start
	hystartRounds  = 5 // of conservative slow start, until it is avoidance
)

// hystart watches round trips during the first slow start.
type hystart struct {
	HyStart
	last, current units.Time // least of the last and the present round; 0: not known
	samples       int
	conservative  bool
	baseline      units.Time // least round trip when that began
	rounds        int
}

// observe takes an acknowledgement; over says that slow start is to end.
func (h *hystart) observe(a *Ack) (over bool) {
	if !h.Enabled {
		return false
	}
	if a.RoundStart {
		h.last, h.current, h.samples = h.current, 0, 0
		if h.conservative {
			h.rounds++
		}
	}
	if a.RTT > 0 {
		if h.current == 0 || a.RTT < h.current {
			h.current = a.RTT
		}
		h.samples++
	}
	if h.samples >= hystartSamples {
		h.judge()
	}
	return h.conservative && h.rounds >= hystartRounds
}

// judge compares the present round with the last one, or with the one that was too slow.
func (h *hystart) judge() {
	switch {
	case h.conservative:
		if h.current < h.baseline {
			h.conservative = false
		}
	case h.last > 0 && h.current >= h.last+max(h.MinThreshold, min(h.last/hystartDivisor, h.MaxThreshold)):
		h.conservative, h.baseline, h.rounds = true, h.current, 0
	}
}

// share is what of n counts for growth.
func (h *hystart) share(n float64) float64 {
	if h.conservative {
		return n / hystartGrowth
	}
	return n
}

package tcp

import "github.com/rdmasim/rdmasim/sim/units"

// estimator measures round trips (RFC 6298, section 2).
type estimator struct {
	srtt, rttvar units.Time
	min          units.Time // least of the window
	minAt        units.Time
	rto          units.Time
}

// minWindow is how long a least round trip holds (Linux: tcp_min_rtt_wlen).
const minWindow = 300 * units.Second

// sample takes in a round trip.
func (r *estimator) sample(rtt, now units.Time, cfg *Config) {
	rtt = max(rtt, 1)
	if r.srtt == 0 {
		r.srtt, r.rttvar = rtt, rtt/2
	} else {
		d := r.srtt - rtt
		if d < 0 {
			d = -d
		}
		r.rttvar = (3*r.rttvar + d) / 4
		r.srtt = (7*r.srtt + rtt) / 8
	}
	r.rto = min(max(cfg.MinRTO, r.srtt+max(cfg.Granularity, 4*r.rttvar)), cfg.MaxRTO)
	r.least(rtt, now)
}

// least keeps the least round trip.
func (r *estimator) least(rtt, now units.Time) {
	if r.min == 0 || rtt <= r.min || now-r.minAt > minWindow {
		r.min, r.minAt = max(rtt, 1), now
	}
}

// backOff doubles the timeout (RFC 6298 (5.5)).
func (r *estimator) backOff(cfg *Config) { r.rto = min(2*r.rto, cfg.MaxRTO) }

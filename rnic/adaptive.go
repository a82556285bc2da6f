package rnic

import "github.com/rdmasim/rdmasim/sim/units"

// AdaptiveTimer is a retransmission timer that does not wait for what the standard's
// exponent says: it begins short, doubles when it has run out in vain, and begins anew with
// every progress. What is sent again is as with go-back-N.
//
// Source: adaptive retransmission of NVIDIA's adapters (register ROCE_ACCL, field
// adp_retrans: values that double, each tried a number of times). What the values are is not
// published; from 16 us to 16 ms is assumed.
type AdaptiveTimer struct {
	// Start is the first value, Limit the greatest.
	Start, Limit units.Time
	// Tries is how often each value but the greatest is tried, at least 1. The
	// greatest is tried as often as the retries of the configuration say.
	Tries int
}

// after is the value after so many that have run out in vain.
func (a *AdaptiveTimer) after(expiries int) units.Time {
	t := a.Start
	for expiries -= a.Tries; expiries >= 0 && t < a.Limit; expiries -= a.Tries {
		t *= 2
	}
	return min(t, a.Limit)
}

// rounds is how many rounds there are, of which so many with the greatest value.
func (a *AdaptiveTimer) rounds(retries int) int {
	for t := a.Start; t < a.Limit; t *= 2 {
		retries += a.Tries
	}
	return retries
}

// lasts is how long all rounds take, and the wait before the queue pair fails.
func (a *AdaptiveTimer) lasts(retries int) (sum units.Time) {
	for t := a.Start; t < a.Limit; t *= 2 {
		sum += t * units.Time(a.Tries)
	}
	return sum + times(a.Limit, retries+1)
}

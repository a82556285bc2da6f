package fabric

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

func TestMarkingBeginsAboveKmin(t *testing.T) {
	coins := sim.NewStream(1, "port", "ecn")
	linear := newMarker(100*units.KB, 400*units.KB, 0.2, &coins)
	step := newMarker(100*units.KB, 100*units.KB, 0.2, &coins)
	empty := newMarker(0, 0, 1, &coins)
	none := noMarker()
	for _, tc := range []struct {
		name  string
		m     *marker
		queue units.Bytes
		want  bool
	}{
		{"linear at Kmin", &linear, 100_000, false},
		{"linear above Kmax", &linear, 400_001, true},
		{"step at K", &step, 100_000, false},
		{"step above K", &step, 100_001, true},
		{"step at zero, nothing behind", &empty, 0, false},
		{"step at zero", &empty, 1, true},
		{"no marking", &none, 1 << 40, false},
	} {
		for range 100 { // no coin has a say
			if tc.m.marks(tc.queue) != tc.want {
				t.Errorf("%s: marks %v", tc.name, !tc.want)
				break
			}
		}
	}
}

// Half way from Kmin to Kmax a packet is marked with half of Pmax = 20 %. Of n
// packets the share lies within three standard deviations, sqrt(p(1-p)/n).
func TestMarkingIsLinearBetweenTheThresholds(t *testing.T) {
	const n = 1_000_000
	for _, tc := range []struct{ queue, p float64 }{{175_000, 0.05}, {250_000, 0.10}, {400_000, 0.20}} {
		coins := sim.NewStream(1, "port", "ecn")
		m := newMarker(100*units.KB, 400*units.KB, 0.2, &coins)
		marked := 0
		for range n {
			if m.marks(units.Bytes(tc.queue)) {
				marked++
			}
		}
		share, sigma := float64(marked)/n, math.Sqrt(tc.p*(1-tc.p)/n)
		if math.Abs(share-tc.p) > 3*sigma {
			t.Errorf("queue of %.0f: %.5f marked, want %.3f ± %.5f", tc.queue, share, tc.p, 3*sigma)
		}
	}
}

// Ten packets wait; each one that leaves is marked exactly if more than K is left
// behind it, and only if its sender can do with a mark (RFC 3168).
func TestOnlyECNCapablePacketsAreMarked(t *testing.T) {
	const size, k = 1000, 4500
	for _, ecn := range []wire.ECN{wire.NotECT, wire.ECT0} {
		s := star(t, 2, func(c *Config) { c.ECN = ECN{Kmin: k, Kmax: k, Pmax: units.Ratio{Num: 1, Den: 1}} }).Switch(2)
		s.ports[1].pauser.Pause(3, 0, units.Never)
		for range 10 {
			s.enqueue(1, 3, &wire.Packet{Frame: size, DSCP: 26, ECN: ecn}, 0)
		}
		for left := 9; left >= 0; left-- {
			want := ecn
			if ecn == wire.ECT0 && left*size > k {
				want = wire.CE
			}
			if p := s.dequeue(1, 3, 0); p.ECN != want {
				t.Errorf("codepoint %d, %d packets left behind: leaves with %d, want %d", ecn, left, p.ECN, want)
			}
		}
	}
}

func TestMarkingThresholdsScaleWithTheRate(t *testing.T) {
	perGbps := ECN{Kmin: 4 * units.KB, Kmax: 16 * units.KB, PerGbps: true}
	for _, tc := range []struct {
		ecn        ECN
		rate       units.Rate
		kmin, kmax units.Bytes
	}{
		{perGbps, 25 * units.Gbps, 100_000, 400_000},
		{perGbps, 100 * units.Gbps, 400_000, 1_600_000},
		{perGbps, 1600 * units.Gbps, 6_400_000, 25_600_000},
		{perGbps, 100 * units.Mbps, 400, 1600},
		{ECN{Kmin: 5 * units.KB, Kmax: 200 * units.KB}, 40 * units.Gbps, 5_000, 200_000},
	} {
		if kmin, kmax := tc.ecn.Thresholds(tc.rate); kmin != tc.kmin || kmax != tc.kmax {
			t.Errorf("at %v: %d and %d, want %d and %d", tc.rate, kmin, kmax, tc.kmin, tc.kmax)
		}
	}
}

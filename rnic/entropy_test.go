package rnic

import (
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/sim"
)

// Worked out by hand from the two queue pair numbers, as drivers do it: v = 0x123·0x77 =
// 0x8745, nothing to fold; label 0x08745; 0xC000 | (0x0745 ^ 0x2) = 0xC747.
func TestSourcePortsAreThoseOfRoCEDrivers(t *testing.T) {
	for _, tc := range []struct {
		local, remote uint32
		want          uint16
	}{
		{0x123, 0x77, 0xC747},
		{0x77, 0x123, 0xC747},
		{0xABCDEF, 0x123456, 0xC3C8},
	} {
		if got := SourcePort(tc.local, tc.remote); got != tc.want {
			t.Errorf("queue pairs %#x and %#x: port %#x, want %#x", tc.local, tc.remote, got, tc.want)
		}
	}
	for qpn := range uint32(10_000) {
		if got := SourcePort(qpn, qpn+1); got < 49152 {
			t.Fatalf("port %d is not an ephemeral one", got)
		}
	}
}

// Hashes of 10^5 random 5-tuples spread evenly, by their low bits as by their high
// ones: with k cells chi-square has mean k-1 and variance 2(k-1).
func TestFlowHashesAreUniform(t *testing.T) {
	const cells = 256
	var low, high [cells]int
	draw := sim.NewStream(1, "tuples", "test")
	const n = 100_000
	for range n {
		h := TupleHash(int32(draw.Uint64N(1000)), int32(draw.Uint64N(1000)), uint16(0xC000|draw.Uint64N(0x4000)))
		low[h%cells]++
		high[h>>24]++
	}
	for name, counts := range map[string][cells]int{"low": low, "high": high} {
		var x float64
		for _, c := range counts {
			d := float64(c) - float64(n)/cells
			x += d * d / (float64(n) / cells)
		}
		if bound := cells - 1 + 5*math.Sqrt(2*(cells-1)); x > bound {
			t.Errorf("%s bits: chi-square %.1f above %.1f", name, x, bound)
		}
	}
}

// Neighbouring hosts, neighbouring ports, and the two directions of a flow hash apart.
func TestFlowHashesTellFlowsApart(t *testing.T) {
	seen := map[uint32][3]int32{}
	for src := range int32(40) {
		for dst := range int32(40) {
			for port := range int32(8) {
				h := TupleHash(src, dst, uint16(0xC000+port))
				if other, taken := seen[h]; taken {
					t.Errorf("flows %v and %v hash alike", other, [3]int32{src, dst, port})
				}
				seen[h] = [3]int32{src, dst, port}
			}
		}
	}
}

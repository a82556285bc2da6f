package fabric_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/fabric"
)

// The hashes are those that the simulator published with HPCC computes.
func TestTuplesHashLikeTheOtherSimulator(t *testing.T) {
	for _, tc := range []struct {
		tuple fabric.Tuple
		seed  uint32
		want  uint32
	}{
		{fabric.Tuple{Src: 0x0b000001, Dst: 0x0b000501, SrcPort: 10000, DstPort: 100}, 16, 0x3a8cb60f},
		{fabric.Tuple{Src: 0x0b000301, Dst: 0x0b000c01, SrcPort: 10001, DstPort: 100}, 17, 0xc0c01688},
		{fabric.Tuple{Src: 0x0b013f01, Dst: 0x0b000201, SrcPort: 10000, DstPort: 100}, 339, 0xa6cce640},
		{fabric.Tuple{Src: 0x0b000201, Dst: 0x0b013f01, SrcPort: 100, DstPort: 10000}, 375, 0x951d81ac},
	} {
		if got := tc.tuple.Murmur(tc.seed); got != tc.want {
			t.Errorf("%+v with seed %d: %08x, want %08x", tc.tuple, tc.seed, got, tc.want)
		}
	}
}

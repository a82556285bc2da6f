package wire_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

func TestSequenceNumbersCompareAcrossTheWrap(t *testing.T) {
	for _, tc := range []struct {
		a, b wire.PSN
		want int32
	}{
		{5, 5, 0},
		{6, 5, 1},
		{5, 6, -1},
		{0, 0xFFFFFF, 1},
		{0xFFFFFF, 0, -1},
		{0x10, 0xFFFFF0, 0x20},
		{0xFFFFF0, 0x10, -0x20},
		{0x7FFFFF, 0, 0x7FFFFF},
		{0, 0x7FFFFF, -0x7FFFFF},
	} {
		if got := tc.a.Diff(tc.b); got != tc.want {
			t.Errorf("%#x - %#x = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

// A count that is less than 2^23 away from one that is known is found again from
// its 24 bits.
func TestACountIsUnwrappedFromItsSequenceNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Int64Range(1<<23, 1<<40).Draw(t, "near")
		count := near + rapid.Int64Range(-(1<<23)+1, 1<<23-1).Draw(t, "distance")
		if got := wire.PSNOf(count).Unwrap(near); got != count {
			t.Fatalf("count %d near %d unwraps to %d", count, near, got)
		}
		if psn := wire.PSNOf(count); psn > 0xFFFFFF {
			t.Fatalf("PSN %#x has more than 24 bits", psn)
		}
	})
}

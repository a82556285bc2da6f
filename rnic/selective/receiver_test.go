package selective_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/rnic/selective"
)

// came is a packet of a kilobyte, or a shorter one that ends a message.
type came struct {
	packet int64
	ends   bool
}

func (c came) bytes() int {
	if c.ends {
		return 100
	}
	return 1000
}

func TestAReceiverKeepsWhatComesAheadOfAGap(t *testing.T) {
	for _, tc := range []struct {
		name     string
		packets  []came
		arrivals []selective.Arrival
		last     selective.Passed // what the last one completes
		expected int64
		held     int
	}{
		{"in order", []came{{10, false}, {11, true}},
			[]selective.Arrival{selective.Next, selective.Next}, selective.Passed{Packets: 1, Messages: 1, Bytes: 100}, 12, 0},
		{"a gap", []came{{10, false}, {12, true}, {13, false}},
			[]selective.Arrival{selective.Next, selective.Ahead, selective.Ahead}, selective.Passed{}, 11, 2},
		{"a gap filled", []came{{12, true}, {11, false}, {10, false}},
			[]selective.Arrival{selective.Ahead, selective.Ahead, selective.Next}, selective.Passed{Packets: 3, Messages: 1, Bytes: 2100}, 13, 0},
		{"the first of two gaps filled", []came{{11, true}, {13, true}, {10, true}},
			[]selective.Arrival{selective.Ahead, selective.Ahead, selective.Next}, selective.Passed{Packets: 2, Messages: 2, Bytes: 200}, 12, 1},
		{"one that came before, in order and ahead", []came{{10, false}, {12, false}, {10, false}, {12, false}},
			[]selective.Arrival{selective.Next, selective.Ahead, selective.Duplicate, selective.Duplicate}, selective.Passed{}, 11, 1},
		{"too far ahead for a window of 8", []came{{17, false}, {18, false}},
			[]selective.Arrival{selective.Ahead, selective.Beyond}, selective.Passed{}, 10, 1},
	} {
		r := selective.NewReceiver(10, 8)
		var passed selective.Passed
		for i, c := range tc.packets {
			var a selective.Arrival
			if a, passed = r.Take(c.packet, c.bytes(), c.ends); a != tc.arrivals[i] {
				t.Errorf("%s: packet %d is %d; want %d", tc.name, c.packet, a, tc.arrivals[i])
			}
		}
		if passed != tc.last || r.Expected() != tc.expected || r.Held() != tc.held {
			t.Errorf("%s: the last completes %+v, then expects %d and holds %d; want %+v, %d, %d",
				tc.name, passed, r.Expected(), r.Held(), tc.last, tc.expected, tc.held)
		}
	}
}

func TestAReceiverWithoutAGapNeedsNoMemory(t *testing.T) {
	packet := int64(0)
	r := selective.NewReceiver(packet, selective.MaxWindow)
	if n := testing.AllocsPerRun(1000, func() { r.Take(packet, 4096, false); packet++ }); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

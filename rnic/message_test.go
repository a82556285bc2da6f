package rnic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// First and middle packets carry the MTU, the last one what is left, and a message that
// fits in one packet goes as Only (IBTA volume 1, 9.5).
func TestMessagesAreSegmentedAtTheMTU(t *testing.T) {
	for _, tc := range []struct {
		size units.Bytes
		want string
	}{
		{0, "Only 0"},
		{1, "Only 1"},
		{1024, "Only 1024"},
		{1025, "First 1024, Last 1"},
		{2048, "First 1024, Last 1024"},
		{3000, "First 1024, Middle 1024, Last 952"},
	} {
		n := &NIC{cfg: &Config{MTU: 1024}}
		r := &request{packets: n.cfg.Packets(tc.size), size: tc.size}
		got := ""
		for k := range r.packets {
			op, payload := piece(Write, r.size, k, r.packets, n.cfg.MTU)
			if k > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d", op.String()[len("RDMA WRITE "):], payload)
		}
		if got != tc.want {
			t.Errorf("%d bytes: %s; want %s", tc.size, got, tc.want)
		}
	}
}

// The runs from which ideal times are worked out are the packets that are sent.
func TestRunsListThePacketsOfAMessage(t *testing.T) {
	cfg := Config{MTU: 1024}
	for size := range units.Bytes(5000) {
		n, r := &NIC{cfg: &cfg}, &request{packets: cfg.Packets(size), size: size}
		var want, got []int
		for k := range r.packets {
			op, payload := piece(Write, r.size, k, r.packets, n.cfg.MTU)
			want = append(want, wire.WireBytes(op, payload))
		}
		for _, run := range cfg.Cut(Class{}).runs(size, 1) {
			for range run.count {
				got = append(got, run.wire)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d bytes: runs of %v, packets of %v", size, got, want)
		}
	}
}

// A transfer goes as messages of 1 GiB at most.
func TestLongTransfersAreCutIntoMessages(t *testing.T) {
	for size, want := range map[units.Bytes]int64{
		0: 1, 1: 1, units.GiB: 1, units.GiB + 1: 2, 5 * units.GB: 5, 4 * units.GiB: 4,
	} {
		if got := pieces(size); got != want {
			t.Errorf("%v goes as %d messages, want %d", size, got, want)
		}
	}
}

// 4.096 us · 2^t: 1.049 ms, 67.1 ms, 4.29 s; none for t = 0.
func TestTheTimerIsAPowerOfTwo(t *testing.T) {
	for timeout, want := range map[int]units.Time{
		0: units.Never, 1: 8192 * units.Nanosecond, 8: 1_048_576 * units.Nanosecond, 10: 4_194_304 * units.Nanosecond,
		14: 67_108_864 * units.Nanosecond, 20: 4_294_967_296 * units.Nanosecond, 22: 17_179_869_184 * units.Nanosecond,
	} {
		if got := (&Config{Timeout: timeout}).RetransmitAfter(); got != want {
			t.Errorf("timeout %d: %v, want %v", timeout, got, want)
		}
	}
}

// Beyond half of the sequence numbers old and new packets could not be told apart
// (IBTA volume 1, 9.7.1): no more than 2^23 - 1 are in flight.
func TestPacketsInFlightStayWithinHalfTheSequenceNumbers(t *testing.T) {
	n := &NIC{cfg: &Config{MTU: 256}}
	for inFlight, want := range map[int64]bool{1<<23 - 2: true, 1<<23 - 1: false, 1 << 23: false} {
		var qp QP
		qp.una, qp.end = 1000, 1<<40
		qp.next = qp.una + inFlight
		if got := n.maySend(&qp); got != want {
			t.Errorf("with %d packets in flight, may send: %v", inFlight, got)
		}
	}
}

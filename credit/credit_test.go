package credit_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/credit"
	"github.com/rdmasim/rdmasim/sim/units"
	"pgregory.net/rapid"
)

// A packet takes up whole blocks of 64 bytes: 4122 bytes, a full packet of 4096, are 64.4 of them.
func TestPacketsTakeUpWholeBlocks(t *testing.T) {
	for _, tc := range []struct {
		bytes units.Bytes
		want  int
	}{{1, 1}, {30, 1}, {64, 1}, {65, 2}, {1050, 17}, {4122, 65}} {
		if got := credit.Blocks(tc.bytes); got != tc.want {
			t.Errorf("%d bytes take up %d blocks, want %d", tc.bytes, got, tc.want)
		}
	}
}

// The rule of the standard: a packet of b blocks may go iff (FCCL - (FCTBS + b)) mod 4096 <= 2048.
func TestAPacketGoesOnlyIfItsBlocksAreGranted(t *testing.T) {
	for _, tc := range []struct {
		sent, limit credit.Count
		blocks      int
		may         bool
	}{
		{0, 0, 1, false},
		{0, 1, 1, true},
		{0, 65, 65, true},
		{0, 64, 65, false},
		{0, 2048, 2048, true},
		{4090, 10, 16, true}, // across the wrap: 16 are left
		{4090, 10, 17, false},
		{10, 4090, 1, false}, // granted less than was sent
		{4095, 2047, 2048, true},
	} {
		var s credit.Sender
		for s.Sent() != tc.sent {
			s.Grant(s.Sent().Plus(1))
			s.Send(1)
		}
		s.Grant(tc.limit)
		if got := s.May(tc.blocks); got != tc.may {
			t.Errorf("FCTBS %d, FCCL %d: may a packet of %d blocks go? %v, want %v", tc.sent, tc.limit, tc.blocks, got, tc.may)
		}
	}
}

func TestAPacketWithoutCreditsIsAnErrorOfItsSender(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a packet was sent without credits")
		}
	}()
	new(credit.Sender).Send(1)
}

// A buffer of more than half of the counts could not be told from one that is overdrawn.
func TestAReceiverGrantsNoMoreThanHalfOfTheCounts(t *testing.T) {
	r := credit.NewReceiver(units.MiB)
	if got := r.Grant(); got != credit.MostFree {
		t.Errorf("an empty buffer of 1 MiB grants %d blocks, want %d", got, credit.MostFree)
	}
	r = credit.NewReceiver(32*units.KiB + 63)
	if got := r.Grant(); got != 512 {
		t.Errorf("32 KiB and 63 bytes grant %d blocks, want 512", got)
	}
}

// One lane, driven at random: packets and flow-control packets are lost or come in order,
// the buffer gives back what it likes. Whatever happens the buffer is never overdrawn;
// and when the link works again one flow-control packet each way makes up for all losses,
// however often the counts have gone round.
func TestALaneLosesNothingForLackOfBufferAndHeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(70, 3000).Draw(t, "blocks of the buffer")
		var s credit.Sender
		r := credit.NewReceiver(units.Bytes(size) * credit.Block)
		s.Grant(r.Grant())
		sent, held := 0, []int{}
		arrive := func(blocks int) {
			if !r.Arrive(blocks) {
				t.Fatalf("%d of %d blocks are in use", r.Held(), r.Size())
			}
			held = append(held, blocks)
		}
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				for b := rapid.IntRange(1, 65).Draw(t, "packet"); s.May(b); sent += b {
					s.Send(b)
					arrive(b)
				}
			case 2:
				if b := rapid.IntRange(1, 65).Draw(t, "lost packet"); s.May(b) {
					s.Send(b)
					sent += b
				}
			case 3:
				for range rapid.IntRange(0, len(held)).Draw(t, "packets given back") {
					r.Free(held[0])
					held = held[1:]
				}
			case 4:
				r.Synchronise(s.Sent())
			case 5:
				limit := r.Grant()
				if rapid.Bool().Draw(t, "arrives") {
					s.Grant(limit)
				}
			}
		}
		r.Synchronise(s.Sent())
		s.Grant(r.Grant())
		if free := r.Size() - r.Held(); s.Left() != free {
			t.Fatalf("%d blocks are free, but after the counts have been exchanged the sender may send %d (%d sent in all)", free, s.Left(), sent)
		}
	})
}

// The receiver says what is new only once.
func TestTheLimitIsNewsUntilItIsTold(t *testing.T) {
	r := credit.NewReceiver(10 * credit.Block)
	if r.News() != 0 || r.Told() != 10 {
		t.Fatalf("the grant of an empty buffer is known from the start: %d new, %d told", r.News(), r.Told())
	}
	r.Arrive(4)
	if r.News() != 0 || r.Told() != 6 {
		t.Errorf("a packet of 4 that has come: %d new, %d told; want 0 and 6", r.News(), r.Told())
	}
	r.Free(4)
	if r.News() != 4 {
		t.Errorf("4 blocks given back are %d of news", r.News())
	}
	if r.Grant(); r.News() != 0 || r.Told() != 10 {
		t.Errorf("told: %d new, %d told; want 0 and 10", r.News(), r.Told())
	}
}

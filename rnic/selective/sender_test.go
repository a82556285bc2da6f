package selective_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/rnic/selective"
)

// again lists the packets that a sender would send again now, and sends them.
func again(s *selective.Sender) (packets []int64) {
	for {
		packet, found := s.Lost()
		if !found {
			return packets
		}
		s.Resent()
		packets = append(packets, packet)
	}
}

// Packets 0 to 19 are in flight in every case.
func TestASenderSendsAgainWhatWasNotReported(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(s *selective.Sender)
		want []int64
	}{
		{"nothing without a report", func(s *selective.Sender) { s.Acknowledge(5); s.Recover(20) }, nil},
		{"the gap before a report", func(s *selective.Sender) { s.Acknowledge(5); s.Report(6); s.Recover(20) }, []int64{5}},
		{"every gap before the highest report", func(s *selective.Sender) { s.Report(3); s.Report(1); s.Report(6); s.Recover(20) }, []int64{0, 2, 4, 5}},
		{"once a recovery, though reports go on", func(s *selective.Sender) {
			s.Report(2)
			s.Recover(20)
			again(s)
			s.Report(3)
			s.Recover(20)
		}, nil},
		{"what turns out lost while it recovers", func(s *selective.Sender) {
			s.Report(2)
			s.Recover(20)
			again(s)
			s.Report(5)
		}, []int64{3, 4}},
		{"not what was acknowledged meanwhile", func(s *selective.Sender) { s.Report(9); s.Recover(20); s.Acknowledge(7) }, []int64{7, 8}},
		{"a gap left over, in the next recovery", func(s *selective.Sender) {
			s.Report(9)
			s.Recover(9)
			again(s)
			s.Acknowledge(10) // the recovery ends; 9 had been reported
			s.Report(12)
			again(s)
			s.Recover(20)
		}, []int64{10, 11}},
		{"all that is in flight, when the timer runs out", func(s *selective.Sender) { s.Acknowledge(16); s.Report(18); s.Expire(20) }, []int64{16, 17, 19}},
		{"a second time, when it runs out again", func(s *selective.Sender) { s.Acknowledge(18); s.Expire(20); again(s); s.Expire(20) }, []int64{18, 19}},
		{"nothing for a report of what is acknowledged", func(s *selective.Sender) { s.Acknowledge(5); s.Report(4); s.Recover(20) }, nil},
	} {
		s := selective.NewSender(0, 20)
		tc.do(&s)
		if got := again(&s); !slices.Equal(got, tc.want) {
			t.Errorf("%s: sends %v again; want %v", tc.name, got, tc.want)
		}
	}
}

func TestARecoveryEndsWithWhatHadBeenSentWhenItBegan(t *testing.T) {
	s := selective.NewSender(0, 100)
	s.Report(3)
	if !s.Recover(20) || s.Recover(25) {
		t.Fatal("a recovery does not begin, or begins twice")
	}
	if s.Acknowledge(19); !s.Recovering() {
		t.Error("it is over with packet 19 of 20 missing")
	}
	if s.Acknowledge(20); s.Recovering() {
		t.Error("it is not over with all 20 acknowledged")
	}
}

package dcqcn_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/cc"
	"github.com/rdmasim/rdmasim/dcqcn"
	"github.com/rdmasim/rdmasim/sim/units"
)

// busy makes one of each call, 4 us after the last round.
func busy(q *qp, now *units.Time, ack *cc.Ack) {
	*now += 4 * us
	q.pace = q.OnCNP(*now)
	q.pace = q.OnSend(*now, 4*units.KB)
	q.pace = q.OnAck(*now, ack)
	q.pace = q.OnLoss(*now, cc.SequenceNAK)
	q.pace = q.OnTimer(*now)
	q.State(*now)
}

func TestCallsDoNotAllocate(t *testing.T) {
	everyProfile(t, func(t *testing.T, params func() *dcqcn.Config) {
		q, now, ack := newQP(params()), units.Time(0), &cc.Ack{}
		if allocs := testing.AllocsPerRun(1000, func() { busy(q, &now, ack) }); allocs != 0 {
			t.Errorf("%v allocations, want 0", allocs)
		}
	})
}

// BenchmarkCNP is a QP under constant congestion: a CNP every 4 us and the timers it starts.
func BenchmarkCNP(b *testing.B) {
	for _, profile := range dcqcn.Kind.Profiles {
		b.Run(profile.Name, func(b *testing.B) {
			q, now := newQP(dcqcn.Kind.Params(profile.Name)), units.Time(0)
			b.ReportAllocs()
			for b.Loop() {
				now += 4 * us
				q.cnp(now)
			}
		})
	}
}

// BenchmarkAck is the call of each acknowledgement, which does nothing.
func BenchmarkAck(b *testing.B) {
	q, ack := newQP(dcqcn.Scaled()), &cc.Ack{}
	b.ReportAllocs()
	for b.Loop() {
		q.pace = q.OnAck(0, ack)
	}
}

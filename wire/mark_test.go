package wire_test

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// A mark of up to 68 ms of age is known to 4.1 ns, whenever the run is.
func TestAMarkKnowsWhenItWasSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := units.Time(rapid.Int64Range(0, int64(1000*units.Second)).Draw(t, "marked"))
		age := units.Time(rapid.Int64Range(0, int64(68*units.Millisecond)).Draw(t, "age"))
		p := wire.Packet{ECN: wire.ECT0, Op: wire.WriteMiddle}
		p.Mark(at)
		if got := p.Marked(at + age); p.ECN != wire.CE || got-at > 4096 || at-got > 4096 {
			t.Fatalf("marked at %v, looked at %v later: %v", at, age, got)
		}
	})
}

// What an acknowledgement says is not touched by a mark.
func TestAMarkLeavesTheSyndromeOfAnAcknowledgementAlone(t *testing.T) {
	p := wire.Packet{ECN: wire.ECT0, Op: wire.Acknowledge, Syndrome: wire.NakSequence}
	p.Mark(123_456_789)
	if p.ECN != wire.CE || p.Syndrome != wire.NakSequence {
		t.Errorf("marked, it is %+v", p)
	}
}

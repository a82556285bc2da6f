package fabric

import (
	"testing"

	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
	"pgregory.net/rapid"
)

// frameOfFlow is the n-th frame of a flow, which is told by its queue pair.
func frameOfFlow(flow uint32, n int, size units.Bytes) *wire.Packet {
	return &wire.Packet{QPN: flow, PSN: wire.PSN(n), Frame: uint16(size), Ingress: uint16(flow)}
}

// Flows of small frames get as many bytes as one of large frames, and three that wait get
// a third each although one has most of what waits.
func TestFlowsShareByBytes(t *testing.T) {
	f := newFlowQueues(4174)
	sizes := []units.Bytes{4158, 590, 82}
	for flow, size := range sizes {
		for n := range 10_000_000 / int(size) {
			if flow > 0 && n > 1_000_000/int(size) {
				break // the first has ten times as much to send
			}
			f.push(frameOfFlow(uint32(flow), n, size))
		}
	}
	var sent [3]units.Bytes
	for sent[0]+sent[1]+sent[2] < 1_500_000 {
		p := f.pop()
		sent[p.QPN] += units.Bytes(p.Frame)
	}
	for flow, got := range sent {
		if d := got - 500_000; d < -2*4174 || d > 2*4174 {
			t.Errorf("the flow of frames of %d B sent %d of 1,500,000 B, want a third within two turns", sizes[flow], got)
		}
	}
}

// A flow that trickles, of which one frame at a time waits, does not lose its share to one
// that always has more: frames alternate.
func TestAFlowThatTricklesHasItsTurn(t *testing.T) {
	f := newFlowQueues(1000)
	for n := range 10 {
		f.push(frameOfFlow(0, n, 1000))
	}
	for n := range 5 {
		f.push(frameOfFlow(1, n, 1000))
		for _, want := range []uint32{0, 1} {
			if got := f.pop().QPN; got != want {
				t.Fatalf("round %d: a frame of flow %d leaves, want flow %d", n, got, want)
			}
		}
	}
}

// Whatever comes and goes: each flow's frames leave in order, what is next stays next
// until it is taken, the books of what waits are right, and of two flows that always wait
// neither gets ahead by more than two turns and a frame.
func TestFlowsKeepTheirOrderAndTheirShares(t *testing.T) {
	const largest, flows = 1518, 5
	rapid.Check(t, func(t *rapid.T) {
		quantum := units.Bytes(rapid.IntRange(64, 3*largest).Draw(t, "quantum"))
		f := newFlowQueues(quantum)
		var pushed, popped [flows]int
		var held, sent [flows]units.Bytes
		push := func(flow int) {
			size := units.Bytes(rapid.IntRange(64, largest).Draw(t, "frame"))
			f.push(frameOfFlow(uint32(flow), pushed[flow], size))
			pushed[flow]++
			held[flow] += size
		}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			for flow := range 2 { // always wait
				for pushed[flow]-popped[flow] < 2 {
					push(flow)
				}
			}
			if rapid.Bool().Draw(t, "push") {
				push(rapid.IntRange(2, flows-1).Draw(t, "flow"))
			}
			next := *f.front()
			p := *f.pop()
			flow := int(p.QPN)
			if p != next || int(p.PSN) != popped[flow] {
				t.Fatalf("frame %d of flow %d leaves; next was %d of %d, and %d of this flow have left", p.PSN, flow, next.PSN, next.QPN, popped[flow])
			}
			popped[flow]++
			held[flow] -= units.Bytes(p.Frame)
			sent[flow] += units.Bytes(p.Frame)
		}
		if d := sent[0] - sent[1]; d > 2*(quantum+largest) || d < -2*(quantum+largest) {
			t.Fatalf("%d and %d B of two flows that always wait, quantum %d", sent[0], sent[1], quantum)
		}
		expectHeld(t, f, held[:])
	})
}

// expectHeld compares what waits of each flow with what should.
func expectHeld(t *rapid.T, f *flowQueues, want []units.Bytes) {
	got := make([]units.Bytes, len(want))
	for p := range f.all {
		got[p.QPN] += units.Bytes(p.Frame)
	}
	for flow := range want {
		if got[flow] != want[flow] || f.share(flow) != want[flow] {
			t.Fatalf("%d B of flow %d wait, by ports %d; want %d", got[flow], flow, f.share(flow), want[flow])
		}
	}
}

package fabric

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/fabric/topology"
	"github.com/rdmasim/rdmasim/sim/units"
	"github.com/rdmasim/rdmasim/wire"
)

// wholeRun is all of a run.
var wholeRun = Span{To: units.Never}

// taken lists which of n data packets a rule takes, counted from 1.
func taken(p Pick, n int) []int {
	l := newLoss(Loss{Span: wholeRun, Frames: AllFrames, Pick: &p}, 1, "h0:0")
	var numbers []int
	for i := range n {
		if l.takes(&passing{kind: DataFrame, id: uint16(i)}, 0) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

func TestARuleTakesTheFramesItCounts(t *testing.T) {
	low := uint8(0xff)
	for _, tc := range []struct {
		name string
		pick Pick
		want []int
	}{
		{"the third", Pick{First: 3, Every: 1, Count: 1}, []int{3}},
		{"three from the third on", Pick{First: 3, Every: 1, Count: 3}, []int{3, 4, 5}},
		{"every 300th", Pick{First: 300, Every: 300}, []int{300, 600, 900}},
		{"every 300th, twice", Pick{First: 300, Every: 300, Count: 2}, []int{300, 600}},
		{"the fifth, and every 400th after it", Pick{First: 5, Every: 400}, []int{5, 405, 805}},
		{"IP identification ending in 0xff", Pick{First: 1, Every: 1, ID: &low}, []int{256, 512, 768}},
		{"every second of these", Pick{First: 2, Every: 2, ID: &low}, []int{512}},
	} {
		if got := taken(tc.pick, 1000); !slices.Equal(got, tc.want) {
			t.Errorf("%s: took %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A fault is about the frames of its kinds, of its queue pairs, in its time; others it
// neither takes nor counts.
func TestAFaultIsAboutItsFramesOnly(t *testing.T) {
	here := Address{topology.Dest{Edge: 1, Port: 2}, 17}
	l := newLoss(Loss{
		Span: Span{100, 200}, Frames: 1<<DataFrame | 1<<PauseFrame, To: []Address{here}, Pick: &Pick{First: 2, Every: 1},
	}, 1, "h0:0")
	for _, tc := range []struct {
		name string
		f    passing
		at   units.Time
		want bool
	}{
		{"the first", passing{kind: DataFrame, to: here}, 100, false},
		{"an acknowledgement", passing{kind: AckFrame, to: here}, 100, false},
		{"another queue pair", passing{kind: DataFrame, to: Address{here.Dest, 18}}, 100, false},
		{"another host", passing{kind: DataFrame, to: Address{topology.Dest{Edge: 1, Port: 3}, 17}}, 100, false},
		{"a pause, which is of no queue pair", passing{kind: PauseFrame}, 100, false},
		{"too early", passing{kind: DataFrame, to: here}, 99, false},
		{"too late", passing{kind: DataFrame, to: here}, 200, false},
		{"the second", passing{kind: DataFrame, to: here}, 199, true},
	} {
		if got := l.takes(&tc.f, tc.at); got != tc.want {
			t.Errorf("%s: taken %v, want %v", tc.name, got, tc.want)
		}
	}
}

// One of a hundred frames is lost, within four standard deviations; another end, or
// another fault at the same end, loses others.
func TestChanceIsAsGivenAndOfEachFaultsOwn(t *testing.T) {
	const frames = 1_000_000
	var lost [3]map[int]bool
	for i, who := range [3][2]string{{"loss", "h0:0"}, {"loss", "h1:0"}, {"loss-2", "h0:0"}} {
		l := newLoss(Loss{Span: wholeRun, Frames: AllFrames, Name: who[0], Chance: units.Ratio{Num: 1, Den: 100}}, 7, who[1])
		lost[i] = map[int]bool{}
		for k := range frames {
			if l.takes(&passing{}, 0) {
				lost[i][k] = true
			}
		}
		if n := len(lost[i]); math.Abs(float64(n-frames/100)) > 4*math.Sqrt(frames*0.01*0.99) {
			t.Errorf("%v lost %d of %d", who, n, frames)
		}
	}
	for i := 1; i < 3; i++ {
		both := 0
		for k := range lost[0] {
			if lost[i][k] {
				both++
			}
		}
		if math.Abs(float64(both-frames/10_000)) > 4*math.Sqrt(frames*1e-4) {
			t.Errorf("%d frames lost by two faults at a time, want about %d", both, frames/10_000)
		}
	}
}

// 1-(1-e)^n, against the same with 300 bits. At 1e-12 a frame of 4178 bytes on the wire
// is lost with probability 3.3e-8.
func TestAFrameIsCorruptIfAnyBitIs(t *testing.T) {
	for _, e := range []float64{1e-18, 1e-12, 1e-9, 1e-5, 0.01, 0.5, 1} {
		for _, bytes := range []int{84, 86, 1106, 4178, 9000} {
			right := new(big.Float).SetPrec(300).SetFloat64(1)
			good := new(big.Float).SetPrec(300).Sub(right, big.NewFloat(e))
			for range 8 * bytes {
				right.Mul(right, good)
			}
			want, _ := new(big.Float).SetPrec(300).Sub(big.NewFloat(1), right).Float64()
			if got := frameErrors(e, 8*bytes); math.Abs(got-want) > 1e-12*want {
				t.Errorf("bit error rate %g, %d bytes: %g, want %g", e, bytes, got, want)
			}
		}
	}
	if got := frameErrors(1e-12, 8*4178); got < 3.33e-8 || got > 3.35e-8 {
		t.Errorf("4178 bytes at 1e-12: %g, want 3.34e-8", got)
	}
}

func TestFramesAreToldApart(t *testing.T) {
	for want, p := range map[Frame]wire.Packet{
		DataFrame: {Op: wire.WriteOnly}, AckFrame: {Op: wire.Acknowledge, Syndrome: wire.Ack},
		NakFrame: {Op: wire.Acknowledge, Syndrome: wire.NakSequence}, CNPFrame: {Op: wire.CNP},
	} {
		if got := frameOf(&p); got != want {
			t.Errorf("%v is told as %v, want %v", p.Op, got, want)
		}
	}
	for want, f := range map[Frame]wire.PFC{
		PauseFrame:  {Classes: 1<<3 | 1<<4, Quanta: [8]uint16{4: 1}},
		ResumeFrame: {Classes: 1 << 3, Quanta: [8]uint16{4: 1}}, // the field of a class that is not enabled says nothing
	} {
		if got := pfcFrameOf(&f); got != want {
			t.Errorf("%+v is told as %v, want %v", f, got, want)
		}
	}
}

func TestOutagesThatTouchAreOne(t *testing.T) {
	f := Faults{Outages: []Outage{{Span: Span{50, 60}}, {Span: Span{10, 20}}, {Span: Span{20, 30}}, {Span: Span{25, 28}}, {Span: Span{55, units.Never}}}}
	if got, want := f.apart(), []Span{{10, 30}, {50, units.Never}}; !slices.Equal(got, want) {
		t.Errorf("outages %v, want %v", got, want)
	}
}

// Each instant at which anything changes is one change of all there is.
func TestALinkChangesOnceAnInstant(t *testing.T) {
	f := Faults{
		Outages:      []Outage{{Span: Span{10, 20}}},
		Degradations: []Degradation{{Span: Span{10, 30}, Rate: 40, Delay: 5}, {Span: Span{20, units.Never}, Rate: 70, Delay: 1}},
	}
	want := []change{{10, 40, 5, true}, {20, 40, 6, true}, {30, 70, 1, false}}
	if got := f.changes(f.apart(), 100); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}

package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/rdmasim/rdmasim/sim/units"
)

// steady returns a series that holds a value for a millisecond.
func steady(name string, value float64) Series {
	return Series{name, []units.Time{0, units.Millisecond}, []float64{value, value}}
}

func TestQueueDepthLabelsItsLevels(t *testing.T) {
	f, err := QueueDepth([]Series{steady("leaf0 to h0", 1e6)}, []Level{{"Kmin", 400e3}, {"Kmax", 1600e3}, {"XOFF", 20e6}}, Options{})
	text := written(t, f, err)
	wantWritten(t, text, "queue depth (MB)", "simulated time (ms)", "leaf0 to h0", "Kmin 400 KB", "Kmax 1.6 MB",
		"1 queue; far above and not drawn: XOFF (20 MB)")
	if f.plot.Y.Max > 2 {
		t.Errorf("the axis reaches %v MB: XOFF flattens the data", f.plot.Y.Max)
	}
}

func TestQueueDepthShowsTheHighestPeaks(t *testing.T) {
	var queues []Series
	for i := range 12 {
		queues = append(queues, steady(fmt.Sprintf("q%d", i), float64(1000*(i+1))))
	}
	f, err := QueueDepth(queues, nil, Options{})
	text := written(t, f, err)
	wantWritten(t, text, "8 of 12 queues, those with the highest peaks; 4 more not shown", "q11", "q4")
	if strings.Contains(text, "\nq3\n") {
		t.Errorf("q3 is shown though eight are higher:%s", text)
	}
}

func TestRatesShowTheSlowestAndTheFastest(t *testing.T) {
	var qps []Series
	for i := range 32 {
		qps = append(qps, steady(fmt.Sprintf("QP %d", i), float64(i+1)*1e9))
	}
	f, err := Rates(qps, nil, Options{})
	wantWritten(t, written(t, f, err), "8 of 32 QPs, from the slowest to the fastest; 24 more not shown",
		"rate allowed (Gb/s)", "QP 0", "QP 31")
}

func TestMeanIsOverTime(t *testing.T) {
	// 100 Gb/s for 1 us, then 10 Gb/s for 9 us: (100·1 + 10·9)/10 = 19 Gb/s. The value at the end lasts no time.
	s := Series{"", []units.Time{0, 1 * us, 10 * us}, []float64{100e9, 10e9, 77e9}}
	if got := mean(s); got != 19e9 {
		t.Errorf("mean %v, want 19e9", got)
	}
}

func TestMalformedSeriesAreRefused(t *testing.T) {
	tests := []struct {
		name string
		s    Series
		want string
	}{
		{"lengths differ", Series{"q", []units.Time{0}, nil}, "series q has 1 times for 0 values"},
		{"times descend", Series{"q", []units.Time{2, 1}, []float64{1, 1}}, "series q: times do not ascend"},
		{"NaN", Series{"q", []units.Time{1}, []float64{math.NaN()}}, "series q has a value that is negative or not a number"},
		{"infinite", Series{"q", []units.Time{1}, []float64{math.Inf(1)}}, "series q has a value that is negative or not a number"},
		{"negative", Series{"q", []units.Time{1}, []float64{-1}}, "series q has a value that is negative or not a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := QueueDepth([]Series{tt.s}, nil, Options{}); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestThinningKeepsEveryPeak(t *testing.T) {
	const n = 1_000_000
	s := Series{"q", make([]units.Time, n), make([]float64, n)}
	for i := range n {
		s.T[i], s.V[i] = units.Time(i)*units.Nanosecond, 500
	}
	spikes := map[int]float64{0: 900, 123_456: 1e6, 123_457: 0, 700_001: 2e6, n - 1: 7}
	for i, v := range spikes {
		s.V[i] = v
	}
	points := thinned(s, 1, 1)
	if len(points) > 4*pixelColumns {
		t.Errorf("%d points are left, want at most 4 a column of pixels", len(points))
	}
	kept := map[float64]float64{}
	for i, p := range points {
		if kept[p.X] = p.Y; i > 0 && p.X < points[i-1].X {
			t.Fatalf("points out of order at %v", p)
		}
	}
	for i, v := range spikes {
		if got, ok := kept[float64(s.T[i])]; !ok || got != v {
			t.Errorf("the spike of %v at %s is lost", v, s.T[i])
		}
	}
}

func TestShortSeriesAreDrawnWhole(t *testing.T) {
	if n := len(thinned(sawTeeth(1)[0], 1, 1)); n != 4000 {
		t.Errorf("%d of 4000 points", n)
	}
}

func TestEdgeLabelsMoveApart(t *testing.T) {
	tests := []struct {
		name         string
		wanted, want []vg.Length
	}{
		{"far from each other they stay", []vg.Length{10, 100}, []vg.Length{10, 100}},
		{"close ones make room upwards", []vg.Length{10, 11}, []vg.Length{10, 10 + edgeLine}},
		{"at the top they make room downwards", []vg.Length{199, 200}, []vg.Length{200 - edgeLine, 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, got := range apart(tt.wanted, 200) {
				if math.Abs(float64(got-tt.want[i])) > 1e-9 {
					t.Errorf("label %d at %v, want %v", i, got, tt.want[i])
				}
			}
		})
	}
}

package plots

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// ladder returns n completion times of 1, 2 … n us.
func ladder(n int) []units.Time {
	fcts := make([]units.Time, n)
	for i := range fcts {
		fcts[i] = units.Time(i+1) * us
	}
	return fcts
}

func TestFCTCDFNamesItsAxesAndPercentiles(t *testing.T) {
	f, err := FCTCDF(ladder(10), Options{Title: "ten flows"})
	// Nearest rank of ten: p50 is the 5th, p95 and p99 the 10th.
	wantWritten(t, written(t, f, err), "ten flows", "10 flows; nearest-rank percentiles; slowest 10 µs",
		"flow completion time (µs)", "fraction of flows", "p50: 5 µs", "p95: 10 µs", "p99: 10 µs")
}

func TestFCTCDFIsLogarithmicBeyondTwentyfold(t *testing.T) {
	const log = "flow completion time (µs), log scale"
	f, err := FCTCDF(ladder(20), Options{})
	if text := written(t, f, err); strings.Contains(text, log) {
		t.Errorf("1 to 20 us on a log scale:%s", text)
	}
	f, err = FCTCDF(append(ladder(20), 20*us+1), Options{})
	wantWritten(t, written(t, f, err), log, "1", "2", "5", "10", "20")
}

func TestFCTCDFShowsP999OnlyFromTenThousandFlows(t *testing.T) {
	f, err := FCTCDF(ladder(9_999), Options{})
	if text := written(t, f, err); strings.Contains(text, "p99.9") {
		t.Errorf("9,999 flows have a p99.9:%s", text)
	}
	f, err = FCTCDF(ladder(10_000), Options{})
	wantWritten(t, written(t, f, err), "p99.9: 9.99 ms")
}

func TestFCTCDFDoesNotDependOnTheOrderOfFlows(t *testing.T) {
	forward, backward := scatteredFCTs(500), scatteredFCTs(500)
	slices.Reverse(backward)
	a := saved(t, sample{"a", func() (*Figure, error) { return FCTCDF(forward, Options{}) }})
	b := saved(t, sample{"a", func() (*Figure, error) { return FCTCDF(backward, Options{}) }})
	if string(a["a.svg"]) != string(b["a.svg"]) {
		t.Error("the order of flows shows")
	}
}

func TestCDFRisesToOneAtTheSlowestFlow(t *testing.T) {
	for _, n := range []int{1, 2, 1999, 4001, 30_000} {
		d := cdf{Distribution: results.NewDistribution(ladder(n)), unit: timeScale(1e6)}
		points := d.line(0).XYs
		if last := points[len(points)-1]; last.X != float64(n) || last.Y != 1 {
			t.Errorf("%d flows: the curve ends at %v", n, last)
		}
		if len(points) > 2*cdfPoints+2 {
			t.Errorf("%d flows: %d points", n, len(points))
		}
	}
}

func TestNothingToDrawSaysWhy(t *testing.T) {
	tests := []struct {
		name string
		draw func() (*Figure, error)
		want string
	}{
		{"no flow", func() (*Figure, error) { return FCTCDF(nil, Options{}) },
			"nothing to draw: no flow is done, so there is no completion time"},
		{"no queue", func() (*Figure, error) { return QueueDepth(nil, nil, Options{}) },
			"nothing to draw: no queue was sampled"},
		{"a queue without samples", func() (*Figure, error) { return QueueDepth([]Series{{Name: "q"}}, nil, Options{}) },
			"nothing to draw: no queue was sampled"},
		{"an empty queue", func() (*Figure, error) {
			return QueueDepth([]Series{{"q", []units.Time{0, us}, []float64{0, 0}}}, nil, Options{})
		}, "nothing to draw: every queue was at 0 whenever it was sampled"},
		{"no QP", func() (*Figure, error) { return Rates(nil, nil, Options{}) }, "nothing to draw: no QP was sampled"},
		{"no pause", func() (*Figure, error) { return PauseTimeline(nil, Options{}) }, "nothing to draw: no port was paused"},
		{"a pause of no time", func() (*Figure, error) { return PauseTimeline([]Interval{{"p", us, us}}, Options{}) },
			"nothing to draw: no port was paused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := tt.draw()
			var none *NoDataError
			if f != nil || !errors.As(err, &none) || err.Error() != tt.want {
				t.Errorf("figure %v, error %v; want %q", f, err, tt.want)
			}
		})
	}
}

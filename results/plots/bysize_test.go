package plots

import (
	"errors"
	"math"
	"testing"

	"github.com/rdmasim/rdmasim/results"
	"github.com/rdmasim/rdmasim/sim/units"
)

// slowdownsBySize are n flows of 1 KB to 30 MB, of which the small ones are slowed most.
func slowdownsBySize(n int, most float64) []results.SizeGroup {
	r := random()
	sizes, slowdowns := make([]units.Bytes, n), make([]float64, n)
	for i := range sizes {
		decades := 4.5 * r.Float64()
		sizes[i] = units.Bytes(1000 * math.Pow(10, decades))
		slowdowns[i] = 1 + most*math.Exp(-decades/2)*r.Float64()*r.Float64()
	}
	return results.GroupBySize(sizes, slowdowns)
}

func TestSlowdownsStandOverTheLargestFlowOfTheirGroup(t *testing.T) {
	f, err := SlowdownBySize(slowdownsBySize(2000, 8), Options{Title: "websearch"})
	text := written(t, f, err)
	wantWritten(t, text, "websearch", "flow size, log scale", "slowdown", "10 KB", "1 MB", "10 MB", "p50", "p95", "p99",
		"2000 flows in 20 groups of equal count; nearest-rank percentiles, at the largest flow of each group")
	f, err = SlowdownBySize(slowdownsBySize(7, 100), Options{})
	wantWritten(t, written(t, f, err), "slowdown, log scale", "7 flows in 7 groups of equal count; nearest-rank percentiles, at the largest flow of each group")
}

func TestSlowdownsOfOneSizeAreNoFigure(t *testing.T) {
	for want, groups := range map[string][]results.SizeGroup{
		"nothing to draw: no flow is done, so there is no slowdown": nil,
		"nothing to draw: all flows are of one size":                results.GroupBySize([]units.Bytes{5, 5}, []float64{1, 2}),
	} {
		_, err := SlowdownBySize(groups, Options{})
		if none := new(NoDataError); !errors.As(err, &none) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

package plots

import (
	"cmp"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/rdmasim/rdmasim/sim/units"
)

// Utilisation draws for which share of the time links were busy, as steps: a value holds until the next. If there are too
// many, the busiest are shown.
func Utilisation(series []Series, o Options) (*Figure, error) {
	return drawSeries(series, nil, o, quantity{
		label: "link utilisation", noun: "link", scale: func(float64) scale { return scale{"%", 0.01} }, choice: "the busiest",
		choose: highestMeans, text: percent, step: plotter.PostStep,
	})
}

// Alpha draws the congestion that queue pairs reckon with, 0 to 1, as steps. If there are too many, those shown are spread
// evenly from the lowest on average to the highest.
func Alpha(series []Series, o Options) (*Figure, error) {
	return drawSeries(series, nil, o, quantity{
		label: "estimate of congestion, alpha", noun: "QP", scale: func(float64) scale { return scale{"share", 1} },
		choice: "from the lowest to the highest", choose: spreadByMean, text: percent, step: plotter.PostStep,
	})
}

// Windows draws congestion windows of TCP over time.
func Windows(series []Series, o Options) (*Figure, error) {
	return drawSeries(series, nil, o, quantity{
		label: "congestion window", noun: "connection", scale: byteScale, choice: "from the smallest to the largest", choose: spreadByMean,
		text: func(v float64) string { return units.Bytes(v).Human() }, step: plotter.PostStep,
	})
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + "%" }

// highestMeans returns the n series that are highest on average, the highest first; equal ones in order of name.
func highestMeans(series []Series, n int) []Series {
	sorted := slices.Clone(series)
	slices.SortStableFunc(sorted, func(a, b Series) int { return cmp.Or(cmp.Compare(mean(b), mean(a)), byName(a.Name, b.Name)) })
	return sorted[:min(n, len(sorted))]
}

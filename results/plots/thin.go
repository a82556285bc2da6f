package plots

import (
	"slices"

	"gonum.org/v1/plot/plotter"
)

// pixelColumns is somewhat more than the pixels a figure's data is wide in PNG form.
const pixelColumns = 1400

// thinned returns the points of a series in the units of the axes, and of a long one only those that can be seen: of each
// column of pixels the first point, the lowest, the highest and the last.
func thinned(s Series, timeUnit, valueUnit float64) plotter.XYs {
	keep := make([]int, 0, min(len(s.T), 4*pixelColumns))
	if len(s.T) <= 4*pixelColumns {
		for i := range s.T {
			keep = append(keep, i)
		}
	} else {
		keep = visible(s)
	}
	points := make(plotter.XYs, len(keep))
	for i, k := range keep {
		points[i] = plotter.XY{X: float64(s.T[k]) / timeUnit, Y: s.V[k] / valueUnit}
	}
	return points
}

// visible returns the indices of the points that decide what a column of pixels looks like.
func visible(s Series) []int {
	var keep []int
	span := float64(s.T[len(s.T)-1]-s.T[0]) + 1
	column := func(i int) int { return int(float64(s.T[i]-s.T[0]) / span * pixelColumns) }
	for first := 0; first < len(s.T); {
		low, high, last := first, first, first
		for i := first; i < len(s.T) && column(i) == column(first); i++ {
			if s.V[i] < s.V[low] {
				low = i
			}
			if s.V[i] > s.V[high] {
				high = i
			}
			last = i
		}
		kept := []int{first, low, high, last}
		slices.Sort(kept)
		keep = append(keep, slices.Compact(kept)...)
		first = last + 1
	}
	return keep
}

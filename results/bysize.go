package results

import (
	"cmp"
	"slices"

	"github.com/rdmasim/rdmasim/sim/units"
)

// sizeGroups is the number of groups of [GroupBySize], of 5 % of the flows each, as in the analysis of HPCC (SIGCOMM 2019).
const sizeGroups = 20

// SizeGroup is the slowdowns of flows of similar size.
type SizeGroup struct {
	Percent  int         // how much of all flows have come, with this group
	Largest  units.Bytes // the largest flow of the group
	Slowdown Percentiles[float64]
}

// GroupBySize sorts flows by their size, those of one size by their order in the list, and cuts the list into twenty groups
// of equal counts; into fewer if there are fewer flows. Each flow has a size and a slowdown.
func GroupBySize(sizes []units.Bytes, slowdowns []float64) []SizeGroup {
	n := len(sizes)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	var groups []SizeGroup
	last := 0
	for i := 1; i <= sizeGroups; i++ {
		end := n * i / sizeGroups
		if end == last {
			continue
		}
		own := make([]float64, 0, end-last)
		for _, flow := range order[last:end] {
			own = append(own, slowdowns[flow])
		}
		groups = append(groups, SizeGroup{
			Percent: 100 * i / sizeGroups, Largest: sizes[order[end-1]], Slowdown: *RatioPercentiles(own),
		})
		last = end
	}
	return groups
}

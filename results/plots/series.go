package plots

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/rdmasim/rdmasim/sim/units"
)

// shownSeries is the number of lines a reader can tell apart and name.
const shownSeries = 8

// Series is a quantity over time: V[i] was measured at T[i]. Times ascend, the slices are equally long, and no value is
// negative.
type Series struct {
	Name string
	T    []units.Time
	V    []float64 // bytes or bit/s, as the figure says
}

// Level is a line to compare a figure with: a threshold, a line rate, a fair share.
type Level struct {
	Name  string
	Value float64 // in the unit of the series
}

// QueueDepth draws the queues with the highest peaks over time, their values in bytes, and levels such as Kmin, Kmax and
// XOFF as labelled lines. A value holds until the next. Levels far above the data are mentioned in the note rather than drawn, lest they flatten it.
func QueueDepth(series []Series, levels []Level, o Options) (*Figure, error) {
	return drawSeries(series, levels, o, quantity{
		label: "queue depth", noun: "queue", scale: byteScale, choice: "those with the highest peaks", choose: highestPeaks,
		text: func(v float64) string { return units.Bytes(v).Human() }, step: plotter.PostStep,
	})
}

// Rates draws the rates of queue pairs over time, in bit/s, as steps: a rate holds until the next value. If there are too
// many, those shown are spread evenly from the slowest on average to the fastest.
func Rates(series []Series, levels []Level, o Options) (*Figure, error) {
	return drawSeries(series, levels, o, quantity{
		label: "rate allowed", noun: "QP", scale: rateScale, choice: "from the slowest to the fastest", choose: spreadByMean,
		text: func(v float64) string { return units.Rate(v).Human() }, step: plotter.PostStep,
	})
}

// quantity is what tells one figure of series from the other.
type quantity struct {
	label, noun string
	scale       func(largest float64) scale
	choice      string                       // says in the note what choose prefers
	choose      func([]Series, int) []Series // at most so many of them
	text        func(v float64) string
	step        plotter.StepKind
}

func drawSeries(series []Series, levels []Level, o Options, q quantity) (*Figure, error) {
	series, err := withData(series, q.noun)
	if err != nil {
		return nil, err
	}
	series = held(series, o.End)
	shown := q.choose(series, shownSeries)
	f := newFigure(o.Title)
	f.note = countOf(len(series), q.noun)
	if more := len(series) - len(shown); more > 0 {
		f.note = fmt.Sprintf("%d of %s, %s; %d more not shown", len(shown), f.note, q.choice, more)
	}
	levels = f.keepNear(levels, largest(shown), q)
	top := max(largest(shown), highest(levels))
	unit := q.scale(top)
	time := f.setTimeAxis(o.Start, cmp.Or(o.End, latest(shown)))
	f.plot.Y.Label.Text = fmt.Sprintf("%s (%s)", q.label, unit.name)
	f.plot.Y.Tick.Marker = linearTicks(6)
	f.plot.Y.Min, f.plot.Y.Max = 0, 1.05*top/unit.size
	f.addGrid()
	for i, s := range slices.Backward(shown) { // the first on top
		for piece := range pieces(thinned(s, time.size, unit.size)) {
			f.plot.Add(&plotter.Line{XYs: piece, LineStyle: lineStyle(i), StepStyle: q.step})
		}
	}
	for i, s := range shown {
		f.legend = append(f.legend, entry{shortened(s.Name, 40), lineIcon(lineStyle(i))})
	}
	f.addLevels(levels, unit, q.text)
	return f, nil
}

// pieceLength is how many points are stroked as one path: the time it takes grows
// with the square of that.
const pieceLength = 128

// pieces cuts a line into pieces that each begin where the last one ended.
func pieces(line plotter.XYs) iter.Seq[plotter.XYs] {
	return func(yield func(plotter.XYs) bool) {
		for len(line) > pieceLength {
			if !yield(line[:pieceLength]) {
				return
			}
			line = line[pieceLength-1:]
		}
		yield(line)
	}
}

// held lets the last value of each series hold to the end of the figure.
func held(series []Series, end units.Time) []Series {
	long := slices.Clone(series)
	for i, s := range long {
		if last := len(s.T) - 1; s.T[last] < end {
			long[i].T = append(slices.Clip(s.T), end)
			long[i].V = append(slices.Clip(s.V), s.V[last])
		}
	}
	return long
}

// setTimeAxis makes the horizontal axis one of time from start to end, in a unit that suits what lies between them, and
// returns the unit.
func (f *Figure) setTimeAxis(start, end units.Time) scale {
	end = max(end, start+1)
	unit := timeScale(float64(end - start))
	f.plot.X.Label.Text = fmt.Sprintf("simulated time (%s)", unit.name)
	f.plot.X.Tick.Marker = linearTicks(10)
	f.plot.X.Min, f.plot.X.Max = float64(start)/unit.size, float64(end)/unit.size
	return unit
}

// withData returns the series that have values, an error if one is malformed or none has more than zeros.
func withData(series []Series, noun string) ([]Series, error) {
	var filled []Series
	for _, s := range series {
		if err := s.check(); err != nil {
			return nil, err
		}
		if len(s.T) > 0 {
			filled = append(filled, s)
		}
	}
	if len(filled) == 0 {
		return nil, &NoDataError{"no " + noun + " was sampled"}
	}
	if largest(filled) == 0 {
		return nil, &NoDataError{"every " + noun + " was at 0 whenever it was sampled"}
	}
	return filled, nil
}

func (s *Series) check() error {
	switch {
	case len(s.T) != len(s.V):
		return fmt.Errorf("series %s has %d times for %d values", s.Name, len(s.T), len(s.V))
	case !slices.IsSorted(s.T):
		return fmt.Errorf("series %s: times do not ascend", s.Name)
	case slices.ContainsFunc(s.V, func(v float64) bool { return !(v >= 0) || math.IsInf(v, 0) }):
		return fmt.Errorf("series %s has a value that is negative or not a number", s.Name)
	}
	return nil
}

// highestPeaks returns the n series with the highest peaks, the highest first; equal ones in order of name.
func highestPeaks(series []Series, n int) []Series {
	sorted := slices.Clone(series)
	slices.SortStableFunc(sorted, func(a, b Series) int {
		return cmp.Or(cmp.Compare(slices.Max(b.V), slices.Max(a.V)), byName(a.Name, b.Name))
	})
	return sorted[:min(n, len(sorted))]
}

// spreadByMean returns n of the series at even distances in the order of their means, so that both extremes are among
// them; equal means in order of name.
func spreadByMean(series []Series, n int) []Series {
	if len(series) <= n {
		return series
	}
	sorted := slices.Clone(series)
	slices.SortStableFunc(sorted, func(a, b Series) int {
		return cmp.Or(cmp.Compare(mean(a), mean(b)), byName(a.Name, b.Name))
	})
	spread := make([]Series, n)
	for i := range spread {
		spread[i] = sorted[i*(len(sorted)-1)/(n-1)]
	}
	return spread
}

// mean returns the mean over time, each value holding until the next.
func mean(s Series) float64 {
	last := len(s.T) - 1
	if s.T[last] == s.T[0] {
		return s.V[0]
	}
	sum := 0.0
	for i, v := range s.V[:last] {
		sum += v * float64(s.T[i+1]-s.T[i])
	}
	return sum / float64(s.T[last]-s.T[0])
}

func largest(series []Series) float64 {
	m := 0.0
	for _, s := range series {
		m = max(m, slices.Max(s.V))
	}
	return m
}

func latest(series []Series) units.Time {
	var m units.Time
	for _, s := range series {
		m = max(m, s.T[len(s.T)-1])
	}
	return m
}

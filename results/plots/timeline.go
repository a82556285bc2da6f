package plots

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/rdmasim/rdmasim/sim/units"
)

// The rows of a timeline.
const (
	shownRows   = 20             // as many as a figure has legible names for
	roomyRow    = vg.Length(26)  // height of a row where there are few
	besidesRows = vg.Length(123) // height of all that is not a row
)

// Interval is a time during which something lasted: a pause of the port and priority that Row names.
type Interval struct {
	Row      string
	From, To units.Time // To is units.Never for one that lasts to the end
}

// PauseTimeline draws, for each port and priority that was paused, a row with a bar for each pause, and at its right the
// time it was paused in all. If there are too many, those paused longest are shown; rows are in order of name. A bar is
// drawn at least half a point wide, and bars less than that apart run together; the times at the right are exact.
func PauseTimeline(intervals []Interval, o Options) (*Figure, error) {
	for _, i := range intervals {
		if i.To < i.From {
			return nil, fmt.Errorf("pause of %s ends at %s, before it begins at %s", i.Row, i.To, i.From)
		}
	}
	end := cmp.Or(o.End, lastEnd(intervals))
	rows := pausedRows(intervals, end)
	if len(rows) == 0 {
		return nil, &NoDataError{"no port was paused"}
	}
	f := newFigure(o.Title)
	f.note = "rows are ports and priorities; at the right, the time each was paused in all"
	if more := len(rows) - shownRows; more > 0 {
		f.note = fmt.Sprintf("the %d of %d ports and priorities paused longest, with the time paused in all; %d more not shown",
			shownRows, len(rows), more)
		rows = longestPaused(rows, shownRows)
	}
	f.height = min(height, besidesRows+vg.Length(len(rows))*roomyRow)
	unit := f.setTimeAxis(o.Start, end)
	f.setRowAxis(rows)
	totals := &edgeLabels{style: f.textStyle(textSize, darkGrey())}
	for i, r := range rows {
		totals.add(rowHeight(rows, i), spaced(r.total().Human()))
	}
	f.plot.Add(&bars{rows, unit}, totals)
	return f, nil
}

// lastEnd returns the last instant at which a pause begins or ends.
func lastEnd(intervals []Interval) units.Time {
	var end units.Time
	for _, i := range intervals {
		end = max(end, i.From)
		if i.To != units.Never {
			end = max(end, i.To)
		}
	}
	return end
}

// row is one line of the timeline: its pauses in order of time, none touching the next.
type row struct {
	name   string
	pauses []Interval
}

func (r row) total() (sum units.Time) {
	for _, p := range r.pauses {
		sum += p.To - p.From
	}
	return sum
}

// pausedRows sorts the intervals into rows in order of name, each interval cut off at the end and merged with those it
// overlaps. Empty intervals, and rows that have no others, are left out.
func pausedRows(intervals []Interval, end units.Time) []row {
	sorted := slices.Clone(intervals)
	slices.SortFunc(sorted, func(a, b Interval) int {
		return cmp.Or(byName(a.Row, b.Row), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var rows []row
	for _, i := range sorted {
		i.To = min(i.To, end)
		if i.To <= i.From {
			continue
		}
		if len(rows) == 0 || rows[len(rows)-1].name != i.Row {
			rows = append(rows, row{name: i.Row})
		}
		rows[len(rows)-1].add(i)
	}
	return rows
}

// add adds a pause that begins no earlier than those before it.
func (r *row) add(i Interval) {
	if n := len(r.pauses); n > 0 && i.From <= r.pauses[n-1].To {
		r.pauses[n-1].To = max(r.pauses[n-1].To, i.To)
		return
	}
	r.pauses = append(r.pauses, i)
}

// longestPaused returns the n rows paused longest, in order of name.
func longestPaused(rows []row, n int) []row {
	chosen := slices.Clone(rows)
	slices.SortStableFunc(chosen, func(a, b row) int { return cmp.Compare(b.total(), a.total()) })
	chosen = chosen[:n]
	slices.SortFunc(chosen, func(a, b row) int { return byName(a.name, b.name) })
	return chosen
}

// setRowAxis names the rows on the vertical axis, the first at the top.
func (f *Figure) setRowAxis(rows []row) {
	ticks := make(plot.ConstantTicks, len(rows))
	for i, r := range rows {
		ticks[i] = plot.Tick{Value: rowHeight(rows, i), Label: shortened(r.name, 32)}
	}
	y := &f.plot.Y
	y.Tick.Marker, y.Tick.Length = ticks, 0
	y.Min, y.Max = 0, float64(len(rows))
	f.addGrid()
}

// rowHeight returns where the middle of row i is on the vertical axis.
func rowHeight(rows []row, i int) float64 { return float64(len(rows)-i) - 0.5 }

// bars draws the pauses.
type bars struct {
	rows []row
	unit scale
}

// The looks of a bar.
const (
	barWidth = vg.Length(0.5) // the least width of a bar, and the least gap between two
	barShare = 0.6            // of the height of a row
)

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x := func(t units.Time) vg.Length { return c.X(p.X.Norm(float64(t) / b.unit.size)) }
	var path vg.Path
	for i, r := range b.rows {
		middle := rowHeight(b.rows, i)
		low, high := c.Y(p.Y.Norm(middle-barShare/2)), c.Y(p.Y.Norm(middle+barShare/2))
		for j := 0; j < len(r.pauses); {
			left, right := x(r.pauses[j].From), x(r.pauses[j].To)
			for j++; j < len(r.pauses) && x(r.pauses[j].From) < right+barWidth; j++ {
				right = x(r.pauses[j].To)
			}
			addRectangle(&path, left, max(right, left+barWidth), low, high)
		}
	}
	c.SetColor(lineStyle(1).Color)
	c.Fill(path)
}

func addRectangle(path *vg.Path, left, right, low, high vg.Length) {
	path.Move(vg.Point{X: left, Y: low})
	path.Line(vg.Point{X: right, Y: low})
	path.Line(vg.Point{X: right, Y: high})
	path.Line(vg.Point{X: left, Y: high})
	path.Close()
}

package plots

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/rdmasim/rdmasim/sim/units"
)

func labels(ticks []plot.Tick) (text []string) {
	for _, t := range ticks {
		if t.Label != "" {
			text = append(text, t.Label)
		}
	}
	return text
}

func TestTicksAreRound(t *testing.T) {
	tests := []struct {
		ticks     plot.Ticker
		low, high float64
		want      string
	}{
		{linearTicks(10), 0, 2, "[0.0 0.2 0.4 0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0]"},
		{linearTicks(6), 0, 105, "[0 20 40 60 80 100]"},
		{linearTicks(5), 1.301, 1.352, "[1.32 1.34]"},
		{linearTicks(6), 0, 0.007, "[0.000 0.002 0.004 0.006]"},
		{linearTicks(4), 0, 50_000, "[0 20000 40000]"},
		{linearTicks(10), 999, 999.001, "[999.0000 999.0002 999.0004 999.0006 999.0008 999.0010]"}, // long labels, fewer of them
		{logTicks{}, math.Log10(0.9), math.Log10(51), "[1 2 5 10 20 50]"},
		{logTicks{}, math.Log10(0.002), math.Log10(150), "[0.01 0.1 1 10 100]"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%g to %g", tt.low, tt.high), func(t *testing.T) {
			if got := fmt.Sprint(labels(tt.ticks.Ticks(tt.low, tt.high))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// The data of a figure is never less than 450 points wide, even with long names at both sides.
func TestTickLabelsDoNotOverlap(t *testing.T) {
	style := newFigure("").textStyle(textSize, color.Black)
	for _, ticks := range []plot.Ticker{linearTicks(10), linearTicks(8)} {
		for _, low := range []float64{0, 1, 1.3, 999} {
			for span := 0.001; span < 1000; span *= 1.7 {
				marks := ticks.Ticks(low, low+span)
				for i := 1; i < len(marks); i++ {
					distance := vg.Length((marks[i].Value - marks[i-1].Value) / span * 450)
					if room := (style.Width(marks[i-1].Label) + style.Width(marks[i].Label)) / 2; room > distance-3 {
						t.Errorf("%q and %q are %.0f points apart", marks[i-1].Label, marks[i].Label, distance)
					}
				}
			}
		}
	}
}

func TestAxesCountInTheLargestUnitReached(t *testing.T) {
	for _, tt := range []struct {
		got  scale
		want string
	}{
		{timeScale(1.43e9), "ms"}, {timeScale(999e6), "µs"}, {timeScale(0), "ps"}, {timeScale(3e12), "s"},
		{byteScale(1.6e6), "MB"}, {byteScale(84), "bytes"},
		{rateScale(100e9), "Gb/s"}, {rateScale(1.6e12), "Tb/s"}, {rateScale(40e6), "Mb/s"},
	} {
		if tt.got.name != tt.want {
			t.Errorf("unit %s, want %s", tt.got.name, tt.want)
		}
	}
}

func TestATimeAxisCountsInTheUnitOfWhatItShows(t *testing.T) {
	f := newFigure("")
	f.setTimeAxis(2*units.Second, 2*units.Second+1400*units.Microsecond) // flows of HPCC's files start at 2 s
	x := f.plot.X
	if got := fmt.Sprint(labels(x.Tick.Marker.Ticks(x.Min, x.Max))); x.Label.Text != "simulated time (ms)" ||
		got != "[2000.0 2000.2 2000.4 2000.6 2000.8 2001.0 2001.2 2001.4]" {
		t.Errorf("%s: %s", x.Label.Text, got)
	}
}

func TestQuantitiesAreSpaced(t *testing.T) {
	for quantity, want := range map[string]string{
		"1.31ms": "1.31 ms", "412us": "412 µs", "100Gbps": "100 Gb/s", "1.6MB": "1.6 MB", "0s": "0 s", "0B": "0 B",
	} {
		if got := spaced(quantity); got != want {
			t.Errorf("spaced(%q) = %q, want %q", quantity, got, want)
		}
	}
}

func TestLinesCanBeToldApart(t *testing.T) {
	seen := map[string]int{}
	for i := range shownSeries {
		style := lineStyle(i)
		look := fmt.Sprint(style.Color, style.Dashes)
		if other, dup := seen[look]; dup {
			t.Errorf("lines %d and %d look the same", other, i)
		}
		seen[look] = i
		if i > 0 && fmt.Sprint(style.Dashes) == fmt.Sprint(lineStyle(i-1).Dashes) {
			t.Errorf("lines %d and %d look the same in grey", i-1, i)
		}
	}
}

func TestLongNamesKeepTheirEnds(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"short", "short"}, {"0123456789", "0123456789"}, {"0123456789x", "0123…6789x"},
	} {
		if got := shortened(tt.name, 10); got != tt.want {
			t.Errorf("shortened(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// scale is the unit in which an axis counts.
type scale struct {
	name string  // "ms"
	size float64 // in base units: picoseconds, bytes, bit/s
}

func timeScale(largest float64) scale {
	return scaleFor(largest, scale{"s", 1e12}, scale{"ms", 1e9}, scale{"µs", 1e6}, scale{"ns", 1e3}, scale{"ps", 1})
}

func byteScale(largest float64) scale {
	return scaleFor(largest, scale{"GB", 1e9}, scale{"MB", 1e6}, scale{"KB", 1e3}, scale{"bytes", 1})
}

func rateScale(largest float64) scale {
	return scaleFor(largest, scale{"Tb/s", 1e12}, scale{"Gb/s", 1e9}, scale{"Mb/s", 1e6}, scale{"Kb/s", 1e3}, scale{"bit/s", 1})
}

// scaleFor returns the first of the scales, given from large to small, in which the largest value is at least 1.
func scaleFor(largest float64, scales ...scale) scale {
	for _, s := range scales {
		if largest >= s.size {
			return s
		}
	}
	return scales[len(scales)-1]
}

// spaced sets a quantity as print does: "1.31 ms" for "1.31ms", "412 µs" for "412us".
func spaced(quantity string) string {
	unit := strings.TrimLeft(quantity, "-.0123456789")
	number := strings.TrimSuffix(quantity, unit)
	if unit == "us" {
		unit = "µs"
	}
	return number + " " + strings.Replace(unit, "bps", "b/s", 1)
}

// axisLetters is the number of letters that fit along a horizontal axis.
const axisLetters = 64

// linearTicks divides an axis into at most so many steps, and fewer if the labels are long, of 1, 2 or 5 times a power of
// ten.
type linearTicks int

// Ticks implements plot.Ticker.
func (most linearTicks) Ticks(low, high float64) []plot.Tick {
	step, decimals := roundStep((high - low) / float64(most))
	if letters := len(strconv.FormatFloat(high, 'f', decimals, 64)) + 2; letters*int(most) > axisLetters {
		step, decimals = roundStep((high - low) * float64(letters) / axisLetters)
	}
	var ticks []plot.Tick
	last := int(math.Floor(high/step + 1e-9))
	for i := int(math.Ceil(low/step - 1e-9)); i <= last; i++ {
		value := float64(i) * step
		ticks = append(ticks, plot.Tick{Value: value, Label: strconv.FormatFloat(value, 'f', decimals, 64)})
	}
	return ticks
}

// roundStep returns the smallest step of 1, 2 or 5 times a power of ten that is not below the least, and the number of
// decimals its multiples need.
func roundStep(least float64) (step float64, decimals int) {
	exponent := int(math.Floor(math.Log10(least)))
	for ; ; exponent++ {
		for _, mantissa := range [...]string{"1", "2", "5"} {
			step, _ = strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent), 64)
			if step >= least*(1-1e-9) {
				return step, max(0, -exponent)
			}
		}
	}
}

// logTicks are the ticks of an axis that counts decades: its values are decimal logarithms. It labels powers of ten, and 2
// and 5 times them where the axis spans less than three.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	first, last := int(math.Floor(low)), int(math.Ceil(high))
	var ticks []plot.Tick
	for exponent := first; exponent <= last; exponent++ {
		for mantissa := 1; mantissa < 10; mantissa++ {
			value, _ := strconv.ParseFloat(strconv.Itoa(mantissa)+"e"+strconv.Itoa(exponent), 64)
			tick := plot.Tick{Value: math.Log10(value)}
			if tick.Value < low || tick.Value > high {
				continue
			}
			if mantissa == 1 || last-first <= 3 && (mantissa == 2 || mantissa == 5) {
				tick.Label = strconv.FormatFloat(value, 'f', -1, 64)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// addGrid draws faint lines at the labelled ticks, below all that is added later.
func (f *Figure) addGrid() {
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = lightGrey(), lightGrey()
	grid.Horizontal.Width, grid.Vertical.Width = vg.Length(0.7), vg.Length(0.7)
	f.plot.Add(grid)
}

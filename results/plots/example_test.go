package plots_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/rdmasim/rdmasim/results/plots"
	"github.com/rdmasim/rdmasim/sim/units"
)

// A figure is saved through anything that can write a file, such as results.Dir.Write.
func ExampleFigure_Save() {
	write := func(name string, content func(io.Writer) error) error {
		fmt.Println(name)
		return content(io.Discard)
	}
	fcts := []units.Time{1310 * units.Microsecond, 1350 * units.Microsecond, 1400 * units.Microsecond}
	figure, err := plots.FCTCDF(fcts, plots.Options{Title: "incast: flow completion times"})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := figure.Save("plots/fct", write); err != nil {
		fmt.Println(err)
	}
	// Output:
	// plots/fct.svg
	// plots/fct.png
}

// Where there is nothing to draw, the error says why.
func ExamplePauseTimeline() {
	_, err := plots.PauseTimeline(nil, plots.Options{Title: "pauses", End: 2 * units.Millisecond})
	var none *plots.NoDataError
	fmt.Println(errors.As(err, &none))
	fmt.Println(err)
	// Output:
	// true
	// nothing to draw: no port was paused
}

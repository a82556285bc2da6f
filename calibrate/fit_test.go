package calibrate_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rdmasim/rdmasim/calibrate"
	"github.com/rdmasim/rdmasim/programs"
	"github.com/rdmasim/rdmasim/sim/units"
)

// machine is an adapter in a formula: messages of a queue pair follow each other after a gap or
// after their time on the bus, whichever is longer, and a message takes posting and pipelines.
func machine(post, pipeline, gap, bus float64) calibrate.Model {
	return func(f []float64, of []*calibrate.Sample) (got []float64, err error) {
		for _, s := range of {
			size := float64(s.Row.Size)
			if s.Table.Test.MeasuresLatency() {
				got = append(got, post*f[0]+pipeline*f[1]*(1+size/4096))
				continue
			}
			got = append(got, size*8/max(gap*f[2], size*8/(bus*f[3])))
		}
		return got, nil
	}
}

// tablesOf is what a machine prints, at sizes from 2 B to 1 MiB.
func tablesOf(t *testing.T, of calibrate.Model, latency bool) []calibrate.Table {
	var tables []calibrate.Table
	for _, test := range []programs.Test{programs.WriteBW, programs.WriteLat} {
		if test == programs.WriteLat && !latency {
			continue
		}
		table := calibrate.Table{Options: programs.Options{Test: test}, MTU: 4096, File: "lab.txt"}
		for size := 2; size <= 1<<20; size *= 4 {
			table.Rows = append(table.Rows, calibrate.Row{Size: units.Bytes(size)})
		}
		for i := range table.Rows {
			row := &table.Rows[i]
			got, err := of([]float64{1, 1, 1, 1}, []*calibrate.Sample{{Table: &table, Row: row}})
			if err != nil {
				t.Fatal(err)
			}
			if test == programs.WriteLat {
				row.Typical = units.Time(got[0])
			} else {
				row.Average = got[0]
			}
		}
		tables = append(tables, table)
	}
	return tables
}

// From the tables of one machine the search finds its figures, beginning with those of another, and foretells the
// rows that it was not given.
func TestTheFiguresOfAMachineAreFound(t *testing.T) {
	truth := machine(100e3, 300e3, 118e-9, 204.5e9)
	start := machine(150e3, 250e3, 50e-9, 250e9)
	tables := tablesOf(t, truth, true)
	o, err := calibrate.Fit(tables, start)
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range []float64{100. / 150, 300. / 250, 118. / 50, 204.5 / 250} {
		if got := o.Factors[f]; math.Abs(got/want-1) > 0.01 || !o.Moved[f] {
			t.Errorf("%s: factor %.4f, want %.4f", calibrate.Figures[f].Name, got, want)
		}
	}
	for _, used := range []bool{true, false} {
		if mean, worst, rows := o.Errors(used); worst > 0.01 || rows < 9 {
			t.Errorf("rows used %v: %d, mean error %.4f, worst %.4f", used, rows, mean, worst)
		}
	}
	again, err := calibrate.Fit(tables, start)
	if err != nil {
		t.Fatal(err)
	}
	for f := range o.Factors {
		if o.Factors[f] != again.Factors[f] {
			t.Errorf("the same search found %v and %v", o.Factors, again.Factors)
		}
	}
}

// What no row depends on stays as it is in the profile.
func TestFiguresWithoutARowAreLeftAlone(t *testing.T) {
	truth, start := machine(100e3, 300e3, 118e-9, 204.5e9), machine(150e3, 250e3, 50e-9, 250e9)
	o, err := calibrate.Fit(tablesOf(t, truth, false), start)
	if err != nil {
		t.Fatal(err)
	}
	for f, moved := range []bool{false, false, true, true} {
		if o.Moved[f] != moved || !moved && o.Factors[f] != 1 {
			t.Errorf("%s: moved %v by %v, want %v", calibrate.Figures[f].Name, o.Moved[f], o.Factors[f], moved)
		}
	}
	deaf := func(_ []float64, of []*calibrate.Sample) ([]float64, error) {
		return slices.Repeat([]float64{1}, len(of)), nil
	}
	if _, err := calibrate.Fit(tablesOf(t, truth, true), deaf); err == nil || !strings.Contains(err.Error(), "no row depends on any figure") {
		t.Errorf("with a model that depends on nothing: %v", err)
	}
}

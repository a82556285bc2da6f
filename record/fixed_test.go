package record_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/host"
	"github.com/rdmasim/rdmasim/record"
	"github.com/rdmasim/rdmasim/sim/units"
)

// What is said to follow from the scenario alone is the same before a run and after it, row by row.
func TestFixedColumnsAreKnownBeforeTheRun(t *testing.T) {
	net, flows := incast(3, 200*units.KB)
	after := ended(t, net, "none", flows...)
	before := *after
	before.Report = host.Report{}
	before.Cluster = net.Cluster(t, flows...)
	for _, name := range []string{"flows", "ports", "pfc", "tiers", "counters"} {
		early, late := before.Table(name), after.Table(name)
		fixed := record.Fixed(name)
		if len(fixed) == 0 {
			t.Errorf("%s has no fixed columns", name)
		}
		for _, column := range fixed {
			a, b := cells(t, early.Column(column).Cell, early.Rows), cells(t, late.Column(column).Cell, late.Rows)
			if !slices.Equal(a, b) || len(a) == 0 {
				t.Errorf("%s.%s is %v before the run and %v after it", name, column, a, b)
			}
		}
	}
}

// cells are the contents of a column.
func cells(t *testing.T, cell func(row int) string, rows func() (int, error)) (all []string) {
	t.Helper()
	n, err := rows()
	if err != nil {
		t.Fatal(err)
	}
	for row := range n {
		all = append(all, cell(row))
	}
	return all
}

// What a series can be about is named as in the table of ports.
func TestASeriesIsAboutPortsOfTheTableOfPorts(t *testing.T) {
	for _, name := range record.SeriesNames() {
		table := record.Blank()[record.SeriesFolder+name]
		for _, column := range record.Fixed(record.SeriesFolder + name) {
			if table.Column(column) == nil || record.Blank()["ports"].Column(column) == nil {
				t.Errorf("%s has no column %s, or ports has none", name, column)
			}
		}
	}
}

// Four flows at once into one port get equal shares; a fifth that is alone long after gets all of it, and waits for none.
func TestMeansAndFairnessInTheSummary(t *testing.T) {
	net, flows := incast(4, 400*units.KB)
	late := flows[0]
	late.Start = 5 * units.Millisecond
	s := ended(t, net, "none", append(flows, late)...).Summary()
	var fcts, waits units.Time
	r := ended(t, net, "none", append(flows, late)...)
	for i, f := range r.Cluster.Flows {
		_, ideal := r.Cluster.Ideal(i)
		fcts += r.Cluster.Transfer(i).End - f.Start
		waits += r.Cluster.Transfer(i).End - f.Start - ideal
	}
	if got := units.Time(s.FCT.Mean); got != fcts/5 {
		t.Errorf("the mean completion time is %v, want %v", got, fcts/5)
	}
	if got := units.Time(*s.Wait); got != waits/5 || got == 0 {
		t.Errorf("the mean wait is %v, want %v", got, waits/5)
	}
	// Shares of about 1/4, 1/4, 1/4, 1/4 and 1: (2)^2 / (5 x 1.25) = 0.64.
	if jain := *s.Goodput.Jain; jain < 0.60 || jain > 0.68 {
		t.Errorf("Jain's index is %v, want about 0.64", jain)
	}
}

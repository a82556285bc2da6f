package record_test

import (
	"slices"
	"testing"

	"github.com/rdmasim/rdmasim/record"
)

// Columns are known before a run, for whoever asks for one that does not exist.
func TestTheColumnsOfEveryTableAreKnownWithoutARun(t *testing.T) {
	blank := record.Blank()
	if len(blank) != 31 {
		t.Errorf("%d tables, want 24 and 7 series", len(blank))
	}
	for name, table := range blank {
		if table.Name() != name+".csv" {
			t.Errorf("the table %s goes by the name %s", table.Name(), name)
		}
		if rows, err := table.Rows(); rows != 0 || err != nil {
			t.Errorf("%s has %d rows, %v", name, rows, err)
		}
		steps, _ := record.StepsOf(name)
		for _, column := range slices.Concat(steps.Of, steps.Values, steps.Known) {
			if table.Column(column) == nil || table.Column(steps.At) == nil {
				t.Errorf("%s has no column %s, or none %s", name, column, steps.At)
			}
		}
	}
}

// What is set side by side of programs has a column, and every table of programs has something to set side by side.
func TestProgramsAreComparedByColumnsThatTheyHave(t *testing.T) {
	blank, compared := record.Blank(), record.ComparedColumns()
	for name, columns := range compared {
		for _, column := range append(columns, "workload") {
			if blank[name] == nil || blank[name].Column(column) == nil {
				t.Errorf("the table %s has no column %s", name, column)
			}
		}
	}
	for name, table := range blank {
		if name != "flows" && table.Column("workload") != nil && compared[name] == nil {
			t.Errorf("nothing of %s is set side by side", name)
		}
	}
}
